"""functorch.compile: the names of torch's compiler of graphs and their gradients, which refuse."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from minitorch._public.outlines import refused_function

# The modules of torch._functorch that have the names.
_PLACES = {
    "aot_autograd": (
        "aot_function aot_module aot_module_simplified compiled_function compiled_module "
        "get_aot_compilation_context get_aot_graph_name get_graph_being_compiled "
        "make_boxed_compiler make_boxed_func"
    ),
    "compilers": (
        "debug_compile default_decompositions draw_graph_compile memory_efficient_fusion nnc_jit "
        "nop print_compile ts_compile"
    ),
    "fx_minifier": "minifier",
    "partitioners": "default_partition draw_graph min_cut_rematerialization_partition",
    "python_key": "pythonkey_decompose",
}


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names.split():
            home = import_module(f"minitorch._functorch.{module}")
            found = getattr(home, name, None)
            return refused_function(f"torch._functorch.{module}", name) if found is None else found
    if name == "config":
        return import_module("minitorch._functorch.config")
    raise AttributeError(f"module 'functorch.compile' has no attribute '{name}'")
