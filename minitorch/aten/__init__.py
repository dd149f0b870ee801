"""The operators: one file per family, one row per operator."""

from importlib import import_module as _import_module

from minitorch.core.declare.install import index_module as _index_module

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
    "gammas",
    "random_in_place",
    "complex_numbers",
    "from_parts",
    "arithmetic",
    "power",
    "comparison",
    "elementary",
    "rounding",
    "clamping",
    "interpolation",
    "filling",
    "advanced_indexing",
    "gathering",
    "scattering",
    "lookup",
    "sorting",
    "searching",
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
    "einsum",
    "linear",
    "softmax",
    "activation",
    "rectifiers",
    "loss",
    "distances",
    "dropout",
    "convolution",
    "pooling",
    "normalization",
    "padding",
    "shuffling",
    "attention",
)

for _family in FAMILIES:
    _import_module(f"minitorch.aten.{_family}")
for _family in FAMILIES:
    _index_module(vars(_import_module(f"minitorch.aten.{_family}")))
