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
    "filling",
    "advanced_indexing",
    "indexing",
    "matrix",
    "reduction",
    "softmax",
)

for _family in FAMILIES:
    _import_module(f"minitorch.aten.{_family}")
for _family in FAMILIES:
    _index_module(vars(_import_module(f"minitorch.aten.{_family}")))
