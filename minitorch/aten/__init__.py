"""The operators: one file per family, one row per operator."""

from importlib import import_module as _import_module

from minitorch.core.declare.install import index_module as _index_module

FAMILIES = (
    "views",
    "copies",
    "factories",
    "random",
    "arithmetic",
    "indexing",
    "matrix",
    "reduction",
    "softmax",
)

for _family in FAMILIES:
    _import_module(f"minitorch.aten.{_family}")
for _family in FAMILIES:
    _index_module(vars(_import_module(f"minitorch.aten.{_family}")))
