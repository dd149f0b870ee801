"""Statements of autograd: modes, hooks, backward and grad, custom Functions."""

import torch

from conformance.cases.programs import computing, viewing, writing
from conformance.cases.programs.author import Author, Unfit

MODES = ["no_grad()", "enable_grad()", "no_grad()", "set_grad_enabled(False)"]
MODES += ["set_grad_enabled(True)"]
INFERENCE = "Tensor.is_inference"  # the name that a library has if it knows inference tensors
INFERENCE_MODES = ["inference_mode()", "inference_mode(False)"]

CUSTOM: list[tuple[str, computing.Condition, bool]] = [
    ("Scale.apply({x}, 2)", computing.is_float, True),
    ("Product.apply({x}, {y})", computing.is_float, True),
    ("Exponential.apply({x})", computing.small, False),
    ("Pair.apply({x})[0]", computing.is_float, True),
    ("Pair.apply({x})[1]", computing.is_float, True),
    ("Halves.apply({x})[0]", computing.exact, True),
    ("Shift.apply({x})", computing.is_float, True),
    ("Shift.apply({x}.clone())", computing.is_float, True),
    ("Same.apply({x})", computing.is_float, True),
    ("Turn.apply({x})", computing.is_float, True),
    ("Cube.apply({x})[0]", computing.small, False),
    ("Cube.apply({x})[1]", computing.small, False),
    ("Forgetful.apply({x}, {y})", computing.is_float, True),
    ("torch.sum(torch.stack(Pair.apply({x})), 0)", computing.is_float, True),
]

HOOKS = [
    "{x}.register_hook(lambda grad: note('{x}', grad))",
    "{x}.register_hook(twice)",
    "{x}.grad_fn.register_hook(lambda ins, outs: note('node {x}', *ins, *outs))",
    "{x}.grad_fn.register_prehook(lambda outs: note('before {x}', *outs))",
    "{x}.register_post_accumulate_grad_hook(lambda t: note('after {x}', t.grad))",
    "{x}.grad_fn.register_hook(lambda ins, outs: tuple(map(half, ins)))",
    "{x}.grad_fn.register_prehook(lambda outs: tuple(map(twice, outs)))",
    "{x}.register_hook(lambda grad: grad.sum())",
]

FEATURES = {  # name of the library -> statements that use it
    "utils.checkpoint.checkpoint": [
        "torch.utils.checkpoint.checkpoint(torch.sin, {x}, use_reentrant=False)",
        "torch.utils.checkpoint.checkpoint(lambda t: (t * t).tanh(), {x}, use_reentrant=False)",
        "torch.utils.checkpoint.checkpoint(torch.tanh, {x}, use_reentrant=True)",
    ],
    "autograd.graph.saved_tensors_hooks": [
        "with torch.autograd.graph.saved_tensors_hooks(twice, half):\n    {n} = {x}.sin() * {x}",
        "with torch.autograd.graph.saved_tensors_hooks(half, twice):\n    {n} = {x} * {x}",
        "with torch.autograd.graph.save_on_cpu():\n    {n} = {x}.exp()",
        "with torch.autograd.graph.disable_saved_tensors_hooks('no'):\n    {n} = {x}.tanh()",
    ],
}


def differentiable(author: Author) -> str:
    """Returns the name of a tensor that has a gradient."""
    return author.tensor(lambda x: x.requires_grad)


def region(author: Author) -> None:
    """A mode, and some statements in it."""
    modes = MODES + INFERENCE_MODES if INFERENCE in author.features else MODES
    mode = author.choose(modes)
    inside: list[tuple[str, bool, str]] = []
    trial = Inside(author, inside)
    for _ in range(1 + author.integer(1)):
        statement = author.choose(
            [computing.unary, viewing.view, writing.write_one, computing.binary, writing.write_two]
        )
        statement(trial)
    body = "\n    ".join(text for text, _, _ in inside)
    exact = all(keeps for _, keeps, _ in inside)
    written = next((name for _, keeps, name in inside if name and not keeps), "")
    author.write(f"with torch.{mode}:\n    {body}", exact, written)


class Inside(Author):
    """Writes the statements of a region: they are run with the whole of it, not on their own."""

    def __init__(self, author: Author, lines: list[tuple[str, bool, str]]):
        self.__dict__ = author.__dict__.copy()
        self.outside = author
        self.lines = lines

    def fresh(self) -> str:
        return self.outside.fresh()

    def write(self, text: str, exact: bool = False, writes: str = "") -> None:
        self.lines.append((text, exact, writes))


def mode(author: Author) -> None:
    """Grad mode is switched until further notice."""
    if torch.is_grad_enabled() and not author.rarely(3):
        raise Unfit
    author.write(f"torch.set_grad_enabled({not torch.is_grad_enabled()})", exact=True)


def hook(author: Author) -> None:
    """A hook on a tensor or a node."""
    x = differentiable(author)
    template = author.choose(HOOKS)
    if ".grad_fn" in template and author[x].grad_fn is None and not author.rarely(8):
        raise Unfit
    for name in ("note", "twice", "half"):
        if name in template:
            author.need(name)
    text = template.format(x=x)
    if author[x]._is_view() and "grad_fn" not in template:
        # torch 2.13 crashes if nobody has looked at the node since the base was written.
        text = f"[{x}.grad_fn, {text}][1]"
    author.write(f"{author.fresh_handle()} = {text}", exact=True)


def unhook(author: Author) -> None:
    """A hook is removed."""
    handles = [name for name in author.names if name.startswith("handle")]
    author.write(f"{author.choose(handles)}.remove()", exact=True)


def retain(author: Author) -> None:
    """A tensor is told to keep its gradient."""
    author.write(f"{differentiable(author)}.retain_grad()", exact=True)


def backward(author: Author) -> None:
    """A backward pass into the leaves."""
    x = differentiable(author)
    keywords = author.choose(["", "retain_graph=True", "create_graph=True", "retain_graph=False"])
    if author.rarely(6):
        keywords = ", ".join(filter(None, [keywords, f"inputs=[{differentiable(author)}]"]))
    whole = author[x].numel() == 1 and not author[x].is_complex()
    form = author.integer(3)
    if (whole and form < 2) or (form == 3 and author.rarely(8)):
        author.write(f"{x}.backward({keywords})")
        return
    if form == 1 and not author[x].is_complex():
        author.write(f"{x}.sum().backward({keywords})")
        return
    gradient = author.choose(
        # Not x.detach(): its memory may become that of a gradient, in torch but not in minitorch.
        [f"torch.ones_like({x})", f"torch.full_like({x}, 0.5)", f"{x}.detach() * 0.5"]
    )
    author.write(f"{x}.backward({', '.join(filter(None, [gradient, keywords]))})")


def backward_of_several(author: Author) -> None:
    """A backward pass from two tensors."""
    x, y = differentiable(author), differentiable(author)
    keywords = author.choose(["", ", retain_graph=True"])
    author.write(f"torch.autograd.backward([{x}.sum(), {y}.sum()]{keywords})")


def grad(author: Author) -> None:
    """Gradients as new tensors."""
    x, y = differentiable(author), differentiable(author)
    keywords = author.choose(
        [
            ", allow_unused=True",
            "",
            ", create_graph=True, allow_unused=True",
            ", retain_graph=True, allow_unused=True",
            ", materialize_grads=True",
            ", create_graph=True",
        ]
    )
    ones = f", torch.ones_like({x})" if author[x].numel() != 1 or author[x].is_complex() else ""
    if author.rarely(3):
        z = differentiable(author)
        first, second = author.fresh(), author.fresh()
        if first == second:
            raise Unfit
        author.write(f"{first}, {second} = torch.autograd.grad({x}, [{y}, {z}]{ones}{keywords})")
    else:
        author.bind(f"torch.autograd.grad({x}, {y}{ones}{keywords})[0]")


def custom(author: Author) -> None:
    """A Function written in Python."""
    template, condition, keeps = author.choose(CUSTOM)
    x = author.tensor(lambda x: condition(author, x))
    y = author.tensor(lambda y: y.dtype == author[x].dtype and computing.broadcast(author[x], y))
    author.need("note")
    author.need(next(name for name in FUNCTIONS if f"{name}.apply" in template))
    both = author.is_exact(author[x]) and author.is_exact(author[y])
    writes = x if template == "Shift.apply({x})" else ""
    if writes and writing.is_tangled(author[x]):
        raise Unfit
    author.write(f"{author.fresh()} = {template.format(x=x, y=y)}", keeps and both, writes)


FUNCTIONS = {template.partition(".apply")[0].rpartition("(")[2] for template, _, _ in CUSTOM}


def feature(author: Author) -> None:
    """Something that not every library has."""
    offered = sorted(FEATURES.keys() & author.features)
    if not author.rarely(4):
        raise Unfit
    template = author.choose(FEATURES[author.choose(offered)])
    x = author.tensor(lambda x: computing.small(author, x))
    for name in ("twice", "half"):
        if name in template:
            author.need(name)
    if "{n}" in template:
        author.write(template.format(n=author.fresh(), x=x))
    else:
        author.bind(template.format(x=x))


def delete(author: Author) -> None:
    """A variable is deleted."""
    author.write(f"del {author.tensor()}", exact=True)
