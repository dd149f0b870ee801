"""Statements that write in place: into tensors, views, bases, data and gradients."""

import torch

from conformance.cases.programs.author import Author, Unfit, is_tangled
from conformance.cases.programs.computing import (
    Condition,
    anything,
    away,
    broadcast,
    exact,
    is_apart,
    is_filling,
    is_float,
    is_full,
    is_number,
    positive,
    shares,
    small,
)

UNARY: list[tuple[str, Condition, bool]] = [
    ("{x}.add_(1)", anything, True),
    ("{x}.mul_(2)", is_number, True),
    ("{x} += 1", anything, True),
    ("{x} *= 0.5", is_float, True),
    ("{x} -= 0.5", is_float, True),
    ("{x} /= 2", is_float, True),
    ("{x} **= 2", is_float, True),
    ("{x}.sub_(0.25)", is_float, True),
    ("{x}.div_(2)", is_float, True),
    ("{x}.neg_()", is_number, True),
    ("{x}.zero_()", anything, True),
    ("{x}.fill_(0.5)", is_number, True),
    ("{x}.fill_(1)", anything, True),
    ("{x}.square_()", is_number, True),
    ("{x}.pow_(2)", is_number, True),
    ("{x}.sin_()", is_float, False),
    ("{x}.tanh_()", is_float, False),
    ("{x}.sigmoid_()", is_float, False),
    ("{x}.exp_()", small, False),
    ("{x}.sqrt_()", positive, False),
    ("{x}.log_()", positive, False),
    ("{x}.reciprocal_()", away, False),
    ("{x}.relu_()", exact, True),
    ("{x}.abs_()", exact, True),
    ("{x}.clamp_(-1, 1)", exact, True),
    ("{x}.clamp_(min=0)", exact, True),
    ("{x}.round_()", exact, True),
    ("{x}.floor_()", exact, True),
    ("F.relu({x}, inplace=True)", exact, True),
    ("F.leaky_relu_({x}, 0.25)", exact, True),
    ("F.elu({x}, inplace=True)", exact, False),
    ("F.silu({x}, inplace=True)", is_float, False),
    ("{x}.cumsum_(0)", is_number, True),
    ("{x}.masked_fill_({x} > 0, 0.5)", exact, True),
    ("{x}[{x} > 0] = 0.5", exact, True),
    ("{x}[0] = 1", lambda a, x: x.dim() > 0, True),
    ("{x}[..., 0] = 0.5", lambda a, x: x.dim() > 0 and is_number(a, x), True),
    ("{x}[...] = 0", anything, True),
    ("{x}[[0]] = 2", lambda a, x: x.dim() > 0, True),
    ("{x}[1:] += 1", lambda a, x: x.dim() > 0, True),
    ("{x}[0] *= 2", lambda a, x: x.dim() > 0, True),
    ("{x}.t_()", lambda a, x: x.dim() <= 2, True),
    ("{x}.unsqueeze_(0)", anything, True),
    ("{x}.squeeze_()", anything, True),
    ("{x}.transpose_(0, -1)", lambda a, x: x.dim() > 0, True),
    ("{x}.tril_()", lambda a, x: x.dim() > 1 and is_apart(x), True),
    ("{x}.index_fill_(0, torch.tensor([0]), 0.5)", is_number, True),
    ("{x}.fill_diagonal_(0.5)", lambda a, x: x.dim() > 1 and is_number(a, x), True),
    ("{x}.detach_()", anything, True),
    ("{x}.data.add_(1)", anything, True),
    ("{x}.data.mul_(2)", is_number, True),
    ("{x}.detach().add_(1)", anything, True),
    ("{x}.view(-1).add_(1)", anything, True),
    ("{x}.requires_grad_()", is_float, True),
    ("{x}.requires_grad_(False)", is_float, True),
    ("{x}.requires_grad = True", is_float, True),
    ("{x}.uniform_()", is_float, False),
    ("{x}.normal_().clamp_(-3, 3)", is_float, False),
    ("{x}.conj_physical_()", is_number, True),
    ("torch.neg({x}, out={x})", is_number, True),
]

BINARY: list[tuple[str, Condition, Condition, bool]] = [
    ("{x}.add_({y})", anything, anything, True),
    ("{x}.mul_({y})", is_number, is_number, True),
    ("{x} += {y}", anything, anything, True),
    ("{x} *= {y}", is_number, is_number, True),
    ("{x}.sub_({y}, alpha=2)", is_number, is_number, True),
    ("{x}.div_({y})", is_float, away, False),
    ("{x}.copy_({y})", exact, exact, True),
    ("{x}.copy_({y})", is_float, is_float, False),
    ("{x}[...] = {y}", is_float, is_float, False),
    ("{x}[0] = {y}", lambda a, x: is_float(a, x) and x.dim() > 0, is_float, False),
    ("{x}[1:] = {y}", lambda a, x: is_float(a, x) and x.dim() > 0, is_float, False),
    ("{x}[:, 0] = {y}", lambda a, x: is_float(a, x) and x.dim() > 1, is_float, False),
    ("{x}[[0]] = {y}", lambda a, x: is_float(a, x) and x.dim() > 0, is_float, False),
    ("{x}.addcmul_({y}, {y}, value=0.5)", is_float, is_float, True),
    ("{x}.lerp_({y}, 0.25)", is_float, is_float, False),
    ("{x}.masked_fill_({y}, 0.5)", is_number, lambda a, y: y.dtype == torch.bool, True),
    ("{x}.masked_fill_({y} > 0, {y}.sum())", is_float, exact, True),
    ("{x}[{y}] = 0.25", is_number, lambda a, y: y.dtype == torch.bool, True),
    ("{x}.data.copy_({y})", is_float, is_float, False),
    ("{x}.data = {y}", is_float, is_float, False),
    ("{x}.index_add_(0, torch.tensor([0]), {y}[:1])", is_float, is_float, True),
    ("{x}.index_copy_(0, torch.tensor([0]), {y}[:1])", is_float, is_float, True),
    ("{x}.fill_({y}.sum())", is_float, is_float, True),
    ("torch.add({x}, {y}, out={x})", is_number, is_number, True),
    ("torch.mul({y}, 2, out={x})", is_float, is_float, True),
    ("torch.maximum({x}, {y}, out={x})", exact, exact, True),
    ("{x} ^= {y}", lambda a, x: x.dtype == torch.bool, lambda a, y: y.dtype == torch.bool, True),
]


def is_writable(x: torch.Tensor) -> bool:
    """Whether torch lets one write here: most of the time it should."""
    return not (x.is_leaf and x.requires_grad) and not is_tangled(x)


def write_one(author: Author) -> None:
    """A tensor is written with a function of itself."""
    template, condition, keeps = author.choose(UNARY)
    any_leaf = ".data" in template or "detach" in template or "requires_grad" in template
    x = author.tensor(
        lambda x: condition(author, x) and (is_writable(x) or (any_leaf and not is_tangled(x)))
    )
    author.write(template.format(x=x), keeps, writes=x)


def write_two(author: Author) -> None:
    """A tensor is written with another."""
    template, first, second, keeps = author.choose(BINARY)
    x = author.tensor(lambda x: first(author, x) and (".data" in template or is_writable(x)))
    wide = author[x]
    y = author.tensor(lambda y: second(author, y) and broadcast(wide, y) and y.dim() <= wide.dim())
    author.check_precision(x, y)
    part = wide[:, 0] if "[:, 0]" in template and wide.dim() > 1 else wide
    if shares(wide, author[y]) and not (is_filling(part) and is_filling(author[y])):
        raise Unfit  # torch cannot tell whether they overlap: the order of the elements decides
    if "out=" in template and (
        (x != y and shares(author[x], author[y])) or wide.shape != author[y].shape
    ):
        raise Unfit  # looked at in the operators' own cases
    if ".data =" in template and (author[x]._is_view() or x == y):
        raise Unfit
    if ".data =" in template and wide.requires_grad and author[y].dim() < wide.dim():
        raise Unfit  # torch looks for more strides of it than there are, when a gradient arrives
    if ".data =" in template and not wide.is_leaf and author[y].numel() < wide.numel():
        raise Unfit  # views of it that nodes have saved would reach beyond
    if ".data =" in template and author[x].is_inference() != author[y].is_inference():
        raise Unfit  # torch gives it no version, and misses it from then on
    if ".data =" in template and any(each._base is wide for each in author.tensors.values()):
        raise Unfit  # its views stay in the old memory, which they know by their places in `x`
    author.write(template.format(x=x, y=y), keeps and author.is_exact(author[y]), writes=x)


def move(author: Author) -> None:
    """A tensor is given other sizes, strides or memory in place."""
    template = author.choose(
        [
            "{x}.resize_(1)",
            "{x}.set_({y})",
            "{x}.as_strided_((2,), (1,))",
            "{x}.resize_({s})",
            "{x}.as_strided_((1, 2), (5, 1), 0)",
            "{x}.set_({y}.untyped_storage(), 1, (1, 1), (3, 1))",
            "{x}.resize_as_({y})",
            "{x}.set_()",
            "{x}.resize_(0)",
        ]
    )
    x = author.tensor(lambda x: not x.requires_grad)
    bits = author[x].is_conj() or author[x].is_neg()
    if not is_full(author[x]) or (bits and "set_" not in template):
        raise Unfit  # a kernel for conjugates moves another tensor in its place
    family = any(each._base is author[x] for each in author.tensors.values())
    if ".set_" in template and (family or author[x]._is_view()):
        raise Unfit  # views stay in the old memory, yet gradients go to these places in the new one
    same, count = author[x].dtype, author[x].numel()
    room = author[x].untyped_storage().nbytes() // author[x].itemsize
    y = author.tensor(lambda y: y.dtype == same and not y.requires_grad and is_full(y))
    if "{y}" in template and not (author[y].dtype == same and is_full(author[y])):
        raise Unfit  # the memory holds other numbers, or any
    if "{s}" in template and count > room:
        raise Unfit  # torch makes the storage larger
    if "resize" in template and count < max(1, author[y].numel() if "{y}" in template else 1):
        raise Unfit  # the new part of the memory would hold any numbers
    if "as_strided" in template and author[x].storage_offset() + 2 > room:
        raise Unfit
    if "storage" in template and author[y].untyped_storage().nbytes() < 2 * author[x].itemsize:
        raise Unfit  # torch makes the storage larger
    shape = tuple(author[x].shape)
    text = template.format(x=x, y=y, s=(*shape[1:], *shape[:1]))
    author.write(text, author.is_exact(author[y]), writes=x)


def write_gradient(author: Author) -> None:
    """The gradient of a tensor is written, set or dropped."""
    x = author.tensor(lambda x: x.is_leaf and x.grad is not None)
    template = author.choose(
        [
            "{x}.grad = None",
            "{x}.grad.zero_()",
            "{x}.grad.mul_(0.5)",
            "{x}.grad = torch.ones_like({x})",
            "{x}.grad = {x}.grad.detach() * 0.5",
            "{x}.grad.requires_grad_()",
            "{x}.grad.detach_()",
            "{x}.data.sub_({x}.grad, alpha=0.25)",
            "{x}.grad = torch.ones(7)",
        ]
    )
    author.write(template.format(x=x), writes=x)


def learn(author: Author) -> None:
    """A step of gradient descent.

    Not of complex numbers: of one that has conjugates or parts, torch then fails an assertion.
    """
    x = author.tensor(lambda x: x.is_leaf and x.grad is not None)
    if author[x].is_complex():
        raise Unfit
    text = author.choose(["{x} -= 0.25 * {x}.grad", "{x}.add_({x}.grad, alpha=-0.25)"])
    author.write("with torch.no_grad():\n    " + text.format(x=x), writes=x)
