"""Statements of autograd: modes, hooks, backward and grad, custom Functions."""

import torch

from conformance.cases.programs import computing, viewing, writing
from conformance.cases.programs.author import Author, Unfit, is_tangled

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
    ("Swap.apply({x}, {y})[0]", computing.is_float, True),
    ("Swap.apply({x}, {y})[1]", computing.is_float, True),
    ("Raised.apply({x} * 1)", computing.is_float, True),
    ("Generous.apply({x})", computing.is_float, True),
    ("Silent.apply({x}, {y})", computing.is_float, True),
    ("Ends.apply({x})[0]", computing.has_rows, True),
    ("Ends.apply({x})[1]", computing.has_rows, True),
    ("Both.apply({x} * 1, {x} + 1)[1]", computing.is_float, True),
    ("Both.apply({x}.clone(), {x}.clone())[0]", computing.is_float, True),
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
        "{n} = {checkpoint}(torch.sin, {x}, use_reentrant=False)",
        "{n} = {checkpoint}(lambda t: (t * t).tanh(), {x}, use_reentrant=False)",
        "{n} = {checkpoint}(torch.tanh, {x}, use_reentrant=True)",
        "{n} = {checkpoint}(lambda t: (t.sin(), t * t), {x}, use_reentrant=True)[1]",
        "{n} = {checkpoint}(lambda t, s: t * {y} + s, {x}, {x}, use_reentrant=False)",
        "{n} = {checkpoint}(lambda t: t.clone().mul_(2), {x}, use_reentrant=False)",
        "{n} = {checkpoint}(lambda t: t * torch.rand_like(t), {x}, use_reentrant=False)",
        "{n} = {checkpoint}(lambda t: note('again', t) or t * 2, {x}, use_reentrant=True)",
        "{n} = {checkpoint}(lambda t: Product.apply(t, t), {x}, use_reentrant=False)",
    ],
    "autograd.graph.saved_tensors_hooks": [
        "with {graph}.saved_tensors_hooks(twice, half):\n    {n} = {x}.sin() * {x}",
        "with {graph}.saved_tensors_hooks(half, twice):\n    {n} = {x} * {x}",
        "with {graph}.saved_tensors_hooks(torch.clone, half):\n    {n} = {x}.exp()",
        "with {graph}.saved_tensors_hooks(torch.detach, twice):\n    {n} = {x} @ {x}",
        "with {graph}.saved_tensors_hooks(lambda t: (t, 1), lambda p: p[0]):\n    {n} = {x} / 2",
        "with {graph}.saved_tensors_hooks(lambda t: note('kept', t), half):\n    {n} = {x} ** 2",
        "with {graph}.saved_tensors_hooks(half, twice):\n    {n} = Product.apply({x}, {x})",
        "with {graph}.save_on_cpu():\n    {n} = {x}.exp()",
        "with {graph}.disable_saved_tensors_hooks('no'):\n    {n} = {x}.tanh()",
        "{x}.grad_fn._raw_saved_self.register_hooks(half, twice)",
    ],
    "autograd.graph.register_multi_grad_hook": [
        "{h} = {graph}.register_multi_grad_hook(({x}, {y}), lambda g: note('all', *g))",
        "{h} = {graph}.register_multi_grad_hook(({x}, {y}), lambda g: note('a', g), mode='any')",
    ],
    "autograd.graph.get_gradient_edge": [
        "{h} = {graph}.get_gradient_edge({x}).node.register_hook(lambda i, o: note('n', *o))",
        "{h} = {graph}.get_gradient_edge({x}).node.register_prehook(lambda o: note('p', *o))",
        "{n}, = torch.autograd.grad({y}.sum(), {graph}.get_gradient_edge({x}), allow_unused=True)",
        "torch.autograd.backward({graph}.get_gradient_edge({x}), torch.ones_like({x}))",
    ],
    "autograd.graph.allow_mutation_on_saved_tensors": [
        "with {graph}.allow_mutation_on_saved_tensors():\n    {n} = {x}.sin()\n    {x}.mul_(2)",
    ],
    "autograd.graph.increment_version": ["{graph}.increment_version({x})"],
    "Tensor.__deepcopy__": ["{n} = deepcopy({x})", "{n}, _ = deepcopy([{x}, {x}])"],
}
TRANSFORMS = {  # the same; of numbers that are no steps and kinks away from one another
    "func.grad": [
        "{n} = {func}.grad(lambda t: (t * t).sum())({x})",
        "{n} = {func}.grad(lambda t: (t.sin() * {y}).sum())({x})",
        "{n} = {func}.grad(lambda t, s: (t * s.exp()).mean(), argnums=1)({x}, {x})",
        "{n}, _ = {func}.grad_and_value(lambda t: (t * {y}).sum())({x})",
        "{n} = {func}.grad({func}.grad(lambda t: t.sin() * 2))({x}.sum())",
        "{n} = {func}.vjp(torch.sin, {x})[1](torch.ones_like({x}))[0]",
        "{n}, _ = {func}.vjp(lambda t: t * {y}, {x})",
        "{n}, _ = {func}.vjp(lambda t, s: (t @ s.mT), {x}, {x})[1]({x} @ {x}.mT)",
        "{n} = {func}.jvp(torch.tanh, ({x},), (torch.ones_like({x}),))[1]",
        "{n}, _ = {func}.jvp(lambda t: t * {y}, ({x},), ({x},))",
        "{n} = {func}.jacrev(lambda t: t * t)({x})",
        "{n} = {func}.jacfwd(lambda t: t.sum(-1))({x})",
        "{n} = {func}.hessian(lambda t: (t * t * t).sum())({x})",
    ],
    "func.vmap": [
        "{n} = {func}.vmap(lambda t: t * 2)({x})",
        "{n} = {func}.vmap(torch.sin, in_dims=-1, out_dims=-1)({x})",
        "{n} = {func}.vmap(lambda t: t.sum())({x})",
        "{n} = {func}.vmap(lambda t, s: t * s + {y}.sum())({x}, {x})",
        "{n} = {func}.vmap(lambda t, s: t * s, in_dims=(0, None))({x}, {x})",
        "{n} = {func}.vmap(lambda t: t.t() @ t)({x})",
        "{n}, _ = {func}.vmap(lambda t: (t + 1, t.unsqueeze(0)))({x})",
        "{n} = {func}.vmap({func}.grad(lambda t: (t.sin() * t).sum()))({x})",
        "{n} = {func}.vmap(lambda t: t[0] - t[-1])({x})",
        "{n} = {func}.vmap(lambda t: t.clone().mul_(2))({x})",
    ],
    "autograd.forward_ad.dual_level": [
        "with {ad}.dual_level():\n    {n} = {ad}.unpack_dual({dual} * {x}).tangent",
        "with {ad}.dual_level():\n    {n} = {ad}.unpack_dual({dual}.sin().sum(-1)).tangent",
        "with {ad}.dual_level():\n    {n} = {ad}.unpack_dual({dual}.t() @ {x}).tangent",
        "with {ad}.dual_level():\n    {n} = {ad}.unpack_dual({dual}.clone().mul_(2)).tangent",
        "with {ad}.dual_level():\n    {n} = {dual} + {y}",
        "with {ad}.dual_level():\n    {n} = {ad}.unpack_dual({dual}).primal",
        "with {ad}.dual_level():\n    {n} = torch.autograd.grad({dual}.sin().sum(), {x})[0]",
        "with {ad}.dual_level():\n    {n} = {ad}.unpack_dual(Scale.apply({dual}, 2)).tangent",
    ],
}
AUTOCAST = [  # the region casts to numbers of half the precision: exact ones are the same then, but
    # not the gradients that come back from there
    "with {autocast}:\n    {n} = {x} @ {x}.mT",
    "with {autocast}:\n    {n} = F.linear({x}, {x})",
    "with {autocast}:\n    {n} = torch.mm({x}, {x}.t()) + {x}.sum()",
    "with {autocast}:\n    {n} = {x} * 2",
    "with {autocast}:\n    {n} = torch.cat([{x}.half(), {x}])",
    "with {autocast}, torch.no_grad():\n    {n} = {x} @ {x}.mT",
    "with {autocast}:\n    {n} = F.mse_loss({x}, {x} * 2)",
]
MODULES = {
    "checkpoint": "torch.utils.checkpoint.checkpoint",
    "graph": "torch.autograd.graph",
    "func": "torch.func",
    "ad": "torch.autograd.forward_ad",
    "autocast": "torch.autocast('cpu', dtype=torch.bfloat16)",
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
        self.check_written(self.names.get(writes))
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
        # torch 2.13 crashes unless the node was looked at since the base was written.
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
    author.write(f"{author.fresh()} = {template.format(x=x, y=y)}", keeps and both, writes)


FUNCTIONS = {template.partition(".apply")[0].rpartition("(")[2] for template, _, _ in CUSTOM}


def feature(author: Author) -> None:
    """Something that not every library has."""
    template = author.choose(FEATURES[author.choose(sorted(FEATURES.keys() & author.features))])
    hooked = "{h}" in template
    x = author.tensor(lambda x: computing.small(author, x) and (x.requires_grad or not hooked))
    y = author.tensor(lambda y: y.requires_grad and y.dtype == author[x].dtype)
    if "multi_grad" in template and (author[x]._is_view() or author[y]._is_view()):
        raise Unfit  # as in `hook`
    if ".mul_" in template and is_tangled(author[x]):
        raise Unfit
    for name in ("note", "twice", "half", "deepcopy", "Product"):
        if name in template:
            author.need(name)
    names = {"n": author.fresh(), "h": author.fresh_handle(), **MODULES}
    author.write(template.format(x=x, y=y, **names))


def transform(author: Author) -> None:
    """A function transform, or forward mode."""
    template = author.choose(TRANSFORMS[author.choose(sorted(TRANSFORMS.keys() & author.features))])
    least = 2 if "@" in template or "unsqueeze" in template else int("vmap" in template)
    most = 2 if "@" in template or "hessian" in template or "jac" in template else 3
    least, most = (3, 3) if "t.t() @ t" in template else (least, most)
    x = author.tensor(lambda x: computing.small(author, x) and least <= x.dim() <= most)
    if "vmap" in template and not author[x].numel():
        raise Unfit  # torch's rules look at the first example, some of them
    y = author.tensor(lambda y: y.dtype == author[x].dtype and computing.broadcast(author[x], y))
    if "Scale" in template:
        author.need("Scale")
    dual = MODULES["ad"] + f".make_dual({x}, torch.ones_like({x}))"
    author.write(template.format(x=x, y=y, n=author.fresh(), dual=dual, **MODULES))


def autocast(author: Author) -> None:
    """A region in which matrices are multiplied in bfloat16."""
    if "autocast" not in author.features:
        raise Unfit
    template = author.choose(AUTOCAST)
    casts = any(each in template for each in ("@", "linear", "mm(", "half()"))
    x = author.tensor(
        lambda x: computing.exact(author, x) and x.is_floating_point() and x.dim() == 2
    )
    if casts and author[x].requires_grad:
        raise Unfit
    author.write(template.format(x=x, n=author.fresh(), **MODULES))


def delete(author: Author) -> None:
    """A variable is deleted."""
    author.write(f"del {author.tensor()}", exact=True)
