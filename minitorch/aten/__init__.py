"""The operators: one row per operator, one file per family, in ten chapters.

Most programs call few of them. So the families of CORE are imported with the package, the others
when one of their names is first called or asked for: the index says whose a name is
(docs/decisions/0014-what-waits.md).
"""

from functools import partial as _partial
from importlib import import_module as _import_module
from typing import Any as _Any

from minitorch.aten.index import INDEX as _INDEX
from minitorch.core.declare.expose import await_family as _await_family
from minitorch.core.declare.registry import FUNCTIONS as _FUNCTIONS

CORE = (
    "shape.views",
    "shape.slicing",
    "shape.ordering",
    "shape.splitting",
    "shape.strided",
    "creation.copies",
    "creation.factories",
    "creation.from_data",
    "elementwise.complex_numbers",
    "elementwise.arithmetic",
    "elementwise.power",
    "elementwise.comparison",
    "elementwise.elementary",
    "elementwise.rounding",
    "creation.filling",
    "indexing.advanced_indexing",
    "indexing.indexing",
    "linalg.matrix",
    "linalg.matmul",
    "reduction.reduction",
    "attributes",
    "rare_attributes",
)
WAITING = (  # each after the families that it imports
    "creation.sequences",
    "creation.random",
    "shape.joining",
    "indexing.gathering",
    "creation.random_in_place",
    "indexing.scattering",
    "elementwise.interpolation",
    "elementwise.clamping",
    "reduction.moments",
    "reduction.extrema",
    "layers.softmax",
    "shape.triangles",
    "reduction.sorting",
    "reduction.norms",
    "storages",
    "shape.in_place_views",
    "indexing.masked_indexing",
    "indexing.scatter_reduction",
    "sparse.index_conversion",
    "reduction.segments",
    "indexing.lookup",
    "reduction.searching",
    "reduction.histograms",
    "reduction.scan",
    "reduction.quantiles",
    "linalg.products",
    "linalg.triangles",
    "linalg.lu",
    "linalg.solving",
    "linalg.ldl",
    "linalg.spectra",
    "linalg.extras",
    "elementwise.special",
    "layers.convolution",
    "layers.padding",
    "signal.fourier",
    "signal.stft",
    "linalg.einsum",
    "elementwise.activation",
    "elementwise.rectifiers",
    "losses.loss",
    "losses.likelihood",
    "losses.margin_losses",
    "losses.ctc",
    "losses.distances",
    "layers.pooling",
    "layers.dropout",
    "layers.adaptive_pooling",
    "layers.upsampling",
    "layers.folding",
    "layers.grid_sampling",
    "layers.normalization",
    "layers.batch_norms",
    "layers.attention",
    "shape.view_copies",
    "shape.duals",
    "removed",
    "assertions",
    "nested",
    "layers.sequence_packing",
    "layers.quantization",
    "layers.learned_quantization",
    "layers.time_convolution",
    "layers.recurrent",
    "other_backends",
)
# The names in this folder of families that wait: chapters, and families without one.
_ROOMS = {family.partition(".")[0] for family in WAITING}


def load(family: str) -> None:
    """Imports a family of operators."""
    _import_module(f"minitorch.aten.{family}")


def function_named(name: str) -> _Any:
    """The function of `torch` of this name, None if there is none."""
    if name in _FAMILY_OF:
        load(_FAMILY_OF[name])
    return _FUNCTIONS.get(name)


def __getattr__(name: str) -> _Any:
    if name in _ROOMS:
        return _import_module(f"minitorch.aten.{name}")
    raise AttributeError(f"module 'minitorch.aten' has no attribute '{name}'")


for _family, _groups in _INDEX.items():
    _await_family(_partial(load, _family), _groups)
for _family in CORE:
    load(_family)

# The functions of `torch` in families that wait.
_FAMILY_OF = {
    name: family
    for family, groups in _INDEX.items()
    for places, names in groups.items()
    if "f" in places
    for name in names.split()
}
