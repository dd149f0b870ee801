"""The operators: one file per family, one row per operator."""

import gc as _gc
from collections.abc import Iterator as _Iterator
from contextlib import contextmanager as _contextmanager
from importlib import import_module as _import_module

FAMILIES = (
    "views",
    "parts",
    "ordering",
    "joining",
    "splitting",
    "strided",
    "triangles",
    "in_place_views",
    "copies",
    "factories",
    "sequences",
    "from_data",
    "random",
    "random_in_place",
    "complex_numbers",
    "arithmetic",
    "power",
    "comparison",
    "elementary",
    "rounding",
    "clamping",
    "interpolation",
    "filling",
    "advanced_indexing",
    "masked_indexing",
    "gathering",
    "scattering",
    "scatter_reduction",
    "segments",
    "lookup",
    "sorting",
    "searching",
    "histograms",
    "indexing",
    "matrix",
    "matmul",
    "reduction",
    "extrema",
    "scan",
    "moments",
    "norms",
    "quantiles",
    "linalg_products",
    "linalg_triangles",
    "linalg_solving",
    "linalg_ldl",
    "linalg_spectra",
    "linalg_extras",
    "special",
    "fourier",
    "frames",
    "einsum",
    "softmax",
    "activation",
    "rectifiers",
    "loss",
    "margin_losses",
    "ctc",
    "distances",
    "dropout",
    "convolution",
    "pooling",
    "adaptive_pooling",
    "upsampling",
    "folding",
    "grid_sampling",
    "normalization",
    "batch_norms",
    "padding",
    "attention",
    "attributes",
    "view_copies",
    "removed",
    "packing",
    "quantization",
    "time_convolution",
    "recurrent",
)


@_contextmanager
def _uncollected() -> _Iterator[None]:
    """No garbage collections within, and what was made there counts as old after it.

    All that is made here stays. To find that out again and again takes 8 of the 60 ms of
    processor time that this library needs on top of NumPy.
    """
    enabled = _gc.isenabled()
    _gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not _gc.get_freeze_count():  # so nothing is unfrozen that a program froze
                _gc.freeze()
                _gc.unfreeze()
            _gc.enable()


with _uncollected():
    for _family in FAMILIES:
        _import_module(f"minitorch.aten.{_family}")
