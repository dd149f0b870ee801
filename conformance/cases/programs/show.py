"""Runs PROGRAM and shows what every statement does to every tensor.

    python x.py                 with torch
    python -m minitorch x.py    with minitorch

The two print the same, to the rounding of floats, where the library is right.
"""

import ast
import warnings

import torch
import torch.nn.functional as F
from torch import nn

PROGRAM = ""
WATCHED = True


def look(names):
    """Prints all there is to see of the tensors among the variables."""
    tensors = {name: x for name, x in names.items() if isinstance(x, torch.Tensor)}
    known = {id(x): name for name, x in reversed(tensors.items())}
    for name, x in tensors.items():
        print(f"    {name} = {ask(lambda x=x: x.detach())}")
        print(
            f"        {ask(lambda x=x: (x.dtype, tuple(x.shape), x.stride(), x.storage_offset()))}"
        )
        for what in ("_version", "requires_grad", "is_leaf", "output_nr", "retains_grad"):
            print(f"        {what}: {ask(lambda x=x, what=what: getattr(x, what))}", end="")
        print(f"\n        node: {ask(lambda x=x: x.grad_fn and x.grad_fn.name())}")
        if known[id(x)] != name:
            print(f"        is {known[id(x)]}")
        if x._base is not None:
            print(f"        view of {known.get(id(x._base), 'a tensor of its own')}")
        if ask(lambda x=x: x.is_leaf or x.retains_grad) is True and x.grad is not None:
            print(f"        grad: {x.grad} {x.grad.stride()}")
            near = {n: y for n, y in tensors.items() if home(y) == home(x.grad)}
            print(
                f"        grad shares memory with {[*near]}" if near else "",
                end="\n" if near else "",
            )
        near = [n for n, y in tensors.items() if y is not x and home(x) and home(y) == home(x)]
        if near:
            print(f"        shares memory with {near}")


def ask(question):
    """Returns an answer, or the error."""
    try:
        return question()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def home(x):
    """Returns where the memory of a tensor begins."""
    return x.untyped_storage().data_ptr()


def graph(node, depth=0, shown=None):
    """Prints a node and those that it leads to."""
    shown = set() if shown is None else shown
    print("    " + "  " * depth + (node.name() if node else "None"))
    if node and node not in shown:
        shown.add(node)
        for name in sorted(each for each in dir(node) if each.startswith("_saved_")):
            value = ask(lambda name=name: getattr(node, name))
            print("    " + "  " * depth + f"  {name}: {value}")
        for child, _ in node.next_functions:
            graph(child, depth + 1, shown)


torch.manual_seed(42)
torch.set_warn_always(True)
warnings.simplefilter("always")
warnings.showwarning = lambda message, kind, *_, **__: print(f"    {kind.__name__}: {message}")
names = {"torch": torch, "nn": nn, "F": F}
for statement in ast.parse(PROGRAM).body:
    print(">>>", ast.unparse(statement).replace("\n", "\n... "))
    try:
        exec(compile(ast.Module([statement], []), "<program>", "exec"), names)
    except Exception as error:
        print(f"    {type(error).__name__}: {error}")
    if WATCHED:
        look(names)
print("in the end")
look(names)
for name, value in names.items():
    if isinstance(value, torch.Tensor) and ask(lambda x=value: x.grad_fn is not None) is True:
        print(f"graph of {name}")
        graph(value.grad_fn)
    elif not name.startswith(("_", "handle")) and isinstance(value, (list, tuple, float, int, str)):
        print(f"    {name} = {value}")
