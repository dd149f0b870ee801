"""Statements that compute new tensors: from nothing, from one, from two, by reduction, by product.

A row is a template of the expression with the condition on its operand; `exact` rows do not round.
"""

from collections.abc import Callable

import torch

from conformance.cases.programs.author import Author, Unfit, address

Condition = Callable[[Author, torch.Tensor], bool]

SHAPES = [(3,), (2, 3), (), (2,), (3, 2), (2, 1), (1, 3), (3, 3), (1,), (2, 2), (2, 3, 2), (4,)]
SHAPES += [(2, 1, 3), (1, 1), (0,), (2, 0)]
FLOATS = ["float32", "float32", "float64", "float32", "float64", "float16", "bfloat16"]
DTYPES = ["float32", "float64", "int64", "float32", "bool", "float64", "complex64", "int32"]
DTYPES += ["float32", "float64", "float16", "complex128"]


# ---- conditions ---------------------------------------------------------------------------------


def is_float(author: Author, x: torch.Tensor) -> bool:
    """Real and floating."""
    return x.is_floating_point()


def is_number(author: Author, x: torch.Tensor) -> bool:
    """Not bool: integers, floats, complex."""
    return x.dtype != torch.bool


def is_real(author: Author, x: torch.Tensor) -> bool:
    """Integers and floats."""
    return x.dtype != torch.bool and not x.is_complex()


def is_integral(author: Author, x: torch.Tensor) -> bool:
    """Integers and bools."""
    return not (x.is_floating_point() or x.is_complex())


def anything(author: Author, x: torch.Tensor) -> bool:
    """Every tensor."""
    return True


def is_complex(author: Author, x: torch.Tensor) -> bool:
    """Complex."""
    return x.is_complex()


def has_rows(author: Author, x: torch.Tensor) -> bool:
    """Floating, of some dimensions."""
    return x.is_floating_point() and x.dim() > 0


def exact(author: Author, x: torch.Tensor) -> bool:
    """Whether `x` is real and has the same bits everywhere."""
    return not x.is_complex() and x.dtype != torch.bool and author.is_exact(x)


def exact_or_bool(author: Author, x: torch.Tensor) -> bool:
    """Whether `x` is real or bool and has the same bits everywhere."""
    return not x.is_complex() and author.is_exact(x)


def within(low: float, high: float) -> Condition:
    """Returns the condition that all numbers are floats between two bounds."""

    def condition(author: Author, x: torch.Tensor) -> bool:
        with torch.no_grad():
            x = x.detach()
            return x.is_floating_point() and bool(((x >= low) & (x <= high)).all())

    return condition


def away(author: Author, x: torch.Tensor) -> bool:
    """No number is near zero."""
    return x.dtype != torch.bool and bool((x.detach().abs() >= 0.25).all())


def whole(author: Author, x: torch.Tensor) -> bool:
    """Real, and not of half precision: torch warns of complex numbers of half precision."""
    return x.dtype in (torch.float32, torch.float64)


def is_apart(x: torch.Tensor) -> bool:
    """Whether no dimension repeats the same memory."""
    return torch._debug_has_internal_overlap(x) != 1


def precise(author: Author, x: torch.Tensor) -> bool:
    """Real, and fit to be compared as float64: numbers rounded to float32 are not."""
    return is_real(author, x) and (x.dtype == torch.float64 or author.is_exact(x))


def lowers(author: Author, x: torch.Tensor) -> bool:
    """Real, and without a gradient that would be less precise than `x`."""
    return is_real(author, x) and not x.requires_grad


def recorded(author: Author, x: torch.Tensor) -> bool:
    """Not an inference tensor: of those torch's kernels that end in a view give a view."""
    return not x.is_inference()


def telling(author: Author, x: torch.Tensor) -> bool:
    """Not rounded to half precision, which cannot be told from Python's numbers."""
    return author.is_exact(x) or x.dtype not in (torch.float16, torch.bfloat16)


def strict(condition: Condition) -> Condition:
    """Returns a condition that no operand may miss, not even by mistake."""

    def strictly(author: Author, x: torch.Tensor) -> bool:
        return condition(author, x)

    strictly.strict = True
    return strictly


def full(condition: Condition) -> Condition:
    """Returns a condition, and not of half precision: 1 / sqrt(x), which these functions or their
    derivatives ask for, torch rounds twice where the numbers do not fill a vector."""

    def both(author: Author, x: torch.Tensor) -> bool:
        return condition(author, x) and x.dtype not in (torch.float16, torch.bfloat16)

    return strict(both)


positive = within(0.25, 300)
small = within(-3, 3)
unit = within(-0.75, 0.75)


# ---- one operand --------------------------------------------------------------------------------

UNARY: list[tuple[str, Condition, bool]] = [
    *[(f"{{x}}.{name}()", is_float, False) for name in ("sin", "tanh", "sigmoid", "cos", "erf")],
    *[(f"{{x}}.{name}()", small, False) for name in ("exp", "expm1", "exp2", "sinh", "cosh")],
    *[(f"torch.{name}({{x}})", is_float, False) for name in ("atan", "erfc", "tanh")],
    ("torch.asinh({x})", full(is_float), False),
    ("{x}.rsqrt()", full(positive), False),
    *[(f"{{x}}.{name}()", positive, False) for name in ("sqrt", "log", "log1p", "log2")],
    *[(f"torch.{name}({{x}})", positive, False) for name in ("log10", "lgamma", "digamma")],
    *[(f"{{x}}.{name}()", unit, False) for name in ("atanh", "tan", "erfinv")],
    *[(f"{{x}}.{name}()", full(unit), False) for name in ("asin", "acos")],
    *[(f"F.{name}({{x}})", is_float, False) for name in ("silu", "gelu", "mish", "softplus")],
    *[(f"F.{name}({{x}})", is_float, False) for name in ("logsigmoid", "softsign", "tanhshrink")],
    *[(f"torch.{name}({{x}})", is_number, True) for name in ("neg", "positive", "clone", "square")],
    *[(f"{{x}}.{name}()", exact, True) for name in ("relu", "abs", "sign", "floor", "round")],
    *[(f"{{x}}.{name}()", exact, True) for name in ("ceil", "trunc", "frac", "sgn", "signbit")],
    *[(f"{{x}}.{name}()", anything, True) for name in ("clone", "contiguous", "isnan", "detach")],
    *[(f"F.{name}({{x}})", exact, True) for name in ("relu", "relu6", "hardtanh", "hardshrink")],
    *[(f"F.{name}({{x}})", exact, False) for name in ("elu", "selu", "leaky_relu", "hardswish")],
    *[(f"{{x}}.{name}()", exact_or_bool, True) for name in ("logical_not", "bool", "long")],
    *[(f"{{x}}.{name}()", lowers, False) for name in ("float", "half")],
    *[(f"{{x}}.{name}()", is_complex, True) for name in ("conj_physical", "resolve_conj", "abs")],
    # The zero beside -1 decides.
    ("{x}.angle()", strict(lambda a, x: x.is_complex() and a.is_exact(x)), True),
    *[(f"torch.{name}({{x}})", is_number, True) for name in ("zeros_like", "ones_like")],
    ("-{x}", is_number, True),
    ("{x} * 2", is_number, True),
    ("2 - {x}", is_number, True),
    ("{x} + 1", is_number, True),
    ("{x} - 0.5", is_number, True),
    ("1 + {x}", anything, True),
    ("{x} * 0.5", is_number, True),
    ("{x} / 2", is_number, True),
    ("{x} * True", anything, True),
    ("{x} ** 2", is_number, True),
    ("{x} ** 3", small, False),
    ("{x} ** -1", positive, False),
    ("{x} ** 0.5", positive, False),
    ("2 ** {x}", small, False),
    ("1 / {x}", away, False),
    ("torch.reciprocal({x})", away, False),
    ("{x} > 0", exact, True),
    ("{x} <= 1.0", exact, True),
    ("{x} == 0", exact_or_bool, True),
    ("{x} != 0.5", exact_or_bool, True),
    ("{x} // 2", exact, True),
    ("{x} % 2", exact, True),
    ("~{x}", is_integral, True),
    ("{x} & 1", is_integral, True),
    ("{x}.clamp(-1, 1)", exact, True),
    ("{x}.clamp(min=0.5)", exact, True),
    ("torch.clamp({x}, max=1)", exact, True),
    ("{x}.double()", precise, True),
    ("{x}.to(torch.float64)", precise, True),
    ("{x}.to(torch.float32)", lowers, False),
    ("{x}.to(torch.complex64)", lowers, False),
    ("{x}.type(torch.int64)", exact, True),
    ("F.threshold({x}, 0.5, 2.0)", exact, True),
    ("F.softplus({x}, beta=2)", is_float, False),
    ("F.gelu({x}, approximate='tanh')", is_float, False),
    ("F.elu({x}, 0.5)", exact, False),
    ("F.leaky_relu({x}, 0.25)", exact, True),
    ("torch.nan_to_num({x})", exact, True),
    ("{x}.tril()", is_number, True),
    ("torch.triu({x}, 1)", is_number, True),
    ("{x}.flip(0)", anything, True),
    ("{x}.flip(-1)", anything, True),
    ("torch.roll({x}, 1)", recorded, True),
    ("torch.roll({x}, 1, 0)", anything, True),
    ("torch.rot90({x})", anything, True),
    ("{x}.repeat(2, 1)", recorded, True),
    ("{x}.repeat_interleave(2, 0)", anything, True),
    ("torch.tile({x}, (2,))", recorded, True),
    ("F.pad({x}, (1, 1))", anything, True),
    ("F.pad({x}, (0, 1), value=0.5)", is_number, True),
    ("torch.diag({x})", anything, True),
    ("torch.diag_embed({x})", anything, True),
    ("{x}.masked_fill({x} > 0, 0.5)", exact, True),
    ("{x}[{x} > 0]", exact, True),
    ("torch.masked_select({x}, {x} > 0.5)", exact, True),
    ("torch.where({x} > 0, {x}, 0)", exact, True),
    ("torch.where({x} > 0, {x}, -{x})", exact, True),
    ("torch.view_as_real({x})", is_complex, True),
    ("torch.softmax({x}, -1)", is_float, False),
    ("{x}.softmax(0)", is_float, False),
    ("F.log_softmax({x}, dim=-1)", is_float, False),
    ("F.softmax({x}, dim=0, dtype=torch.float64)", precise, False),
    ("{x}.cumsum(0)", anything, True),
    ("{x}.cumsum(-1)", is_number, True),
    ("torch.cumprod({x}, -1)", positive, False),
    ("torch.logcumsumexp({x}, 0)", is_float, False),
    ("F.layer_norm({x}, {x}.shape[-1:], eps=1.0)", is_float, False),
    ("F.normalize({x}, dim=-1)", away, False),
    ("torch.sort({x})[0]", exact, True),
    ("{x}.sort(dim=0, descending=True, stable=True)[0]", exact, True),
    ("torch.argsort({x}, stable=True)", exact, True),
    ("torch.nonzero({x})", exact_or_bool, True),
    ("torch.unique({x})", exact_or_bool, True),
    # Of nothing torch hands out the input itself as the gradient.
    ("{x}.cummax(0)[0]", lambda author, x: exact(author, x) and x.numel(), True),
    ("torch.polygamma(1, {x})", positive, False),
    ("torch.tensor({x}.tolist())", exact_or_bool, True),
]

REDUCTIONS: list[tuple[str, Condition, bool]] = [
    ("{x}.sum()", anything, True),
    ("{x}.sum({d})", anything, True),
    ("{x}.sum({d}, keepdim=True)", anything, True),
    ("torch.sum({x}, (0, -1))", is_number, True),
    ("{x}.sum(dtype=torch.float64)", precise, True),
    ("{x}.mean()", is_float, False),
    ("{x}.mean({d})", is_float, False),
    ("torch.mean({x}, dim={d}, keepdim=True)", is_float, False),
    ("{x}.prod()", small, False),
    ("{x}.prod({d})", small, False),
    ("{x}.amax({d})", exact, True),
    ("{x}.amin()", exact, True),
    ("{x}.max()", exact, True),
    ("{x}.min()", exact, True),
    ("{x}.max({d})[0]", exact, True),
    ("{x}.max({d}).indices", exact, True),
    ("torch.min({x}, {d}, keepdim=True).values", exact, True),
    ("{x}.argmax()", exact, True),
    ("{x}.argmin({d})", exact, True),
    ("{x}.any()", exact_or_bool, True),
    ("{x}.all({d})", exact_or_bool, True),
    ("{x}.norm()", away, False),
    ("{x}.norm(1)", away, False),
    ("{x}.norm(dim={d})", away, False),
    ("torch.linalg.vector_norm({x}, dim={d})", away, False),
    ("{x}.logsumexp({d})", whole, False),  # in half precision it is rounded at every step
    ("torch.logsumexp({x}, (0,), keepdim=True)", whole, False),
    ("{x}.var()", is_float, False),
    ("{x}.var({d}, correction=0)", is_float, False),
    ("torch.var_mean({x}, {d})[0]", is_float, False),
    ("{x}.nansum()", is_real, True),
    ("torch.nanmean({x}, {d})", is_float, False),
    ("torch.count_nonzero({x})", exact_or_bool, True),
    # torch 2.13 takes the median of an expanded tensor among numbers that it has moved already.
    ("{x}.median({d})[0]", strict(lambda a, x: exact(a, x) and is_apart(x)), True),
    ("{x}.trace()", is_number, True),
]

# ---- two operands -------------------------------------------------------------------------------

BINARY: list[tuple[str, Condition, Condition, bool]] = [
    ("{x} + {y}", anything, anything, True),
    ("{x} * {y}", anything, anything, True),
    ("{x} - {y}", is_number, is_number, True),
    ("{x} / {y}", is_number, away, False),
    ("torch.mul({x}, {y})", anything, anything, True),
    ("torch.add({x}, {y}, alpha=2)", is_number, is_number, True),
    ("torch.sub({x}, {y}, alpha=0.5)", is_float, is_float, True),
    ("{x}.rsub({y})", is_number, is_number, True),
    ("torch.maximum({x}, {y})", exact, exact, True),
    ("torch.minimum({x}, {y})", exact, exact, True),
    ("torch.fmax({x}, {y})", exact, exact, True),
    ("torch.max({x}, {y})", exact, exact, True),
    ("{x} > {y}", exact, exact, True),
    ("{x} == {y}", exact_or_bool, exact_or_bool, True),
    ("{x}.ne({y})", exact_or_bool, exact_or_bool, True),
    ("{x} & {y}", is_integral, is_integral, True),
    ("{x} | {y}", is_integral, is_integral, True),
    ("{x} ^ {y}", is_integral, is_integral, True),
    ("torch.logical_and({x}, {y})", exact_or_bool, exact_or_bool, True),
    ("{x} ** {y}", within(0.25, 4), within(-2, 2), False),
    ("torch.atan2({x}, {y})", away, away, False),
    ("torch.hypot({x}, {y})", away, away, False),
    ("torch.fmod({x}, {y})", exact, lambda a, y: exact(a, y) and away(a, y), False),
    ("{x} % {y}", exact, lambda a, y: exact(a, y) and away(a, y), False),
    ("{x} // {y}", exact, lambda a, y: exact(a, y) and away(a, y), False),
    ("torch.where({x} > 0, {x}, {y})", exact, anything, True),
    ("torch.where({y}, {x}, 0.5)", is_number, lambda a, y: y.dtype == torch.bool, True),
    ("{x}.masked_fill({y}, 1.5)", is_number, lambda a, y: y.dtype == torch.bool, True),
    ("torch.lerp({x}, {y}, 0.25)", is_float, is_float, False),
    ("torch.addcmul({x}, {y}, {y}, value=0.5)", is_number, is_number, True),
    ("torch.addcdiv({x}, {x}, {y})", is_float, away, False),
    ("torch.logaddexp({x}, {y})", is_float, is_float, False),
    ("torch.xlogy({x}, {y})", is_float, positive, False),
    ("torch.copysign({x}, {y})", exact, exact, True),
    ("F.mse_loss({x}, {y})", is_float, is_float, False),
    ("F.mse_loss({x}, {y}, reduction='sum')", is_float, is_float, False),
    ("F.smooth_l1_loss({x}, {y})", exact, exact, False),
    ("F.l1_loss({x}, {y})", exact, exact, False),
    ("F.kl_div({x}, {y}, reduction='sum')", is_float, positive, False),
    ("F.binary_cross_entropy_with_logits({x}, {y})", is_float, within(0, 1), False),
    ("torch.complex({x}, {y})", whole, whole, True),
    ("{x}.expand_as({y})", anything, anything, True),
    ("{x}.view_as({y})", anything, anything, True),
    ("{x}.to({y}.dtype)", exact, is_float, False),
    ("{x}.type_as({y})", exact, is_real, False),
    ("torch.polar({x}, {y})", whole, whole, False),
]

PRODUCTS: list[tuple[str, int, int]] = [
    ("{x} @ {y}", 1, 3),
    ("torch.matmul({x}, {y})", 1, 3),
    ("{x}.mm({y})", 2, 2),
    ("torch.mv({x}, {y})", 2, 1),
    ("torch.dot({x}, {y})", 1, 1),
    ("torch.outer({x}, {y})", 1, 1),
    ("F.linear({x}, {y})", 1, 2),
    ("F.linear({x}, {y}, {y}.sum(1))", 1, 2),
    ("torch.einsum('ij,jk->ik', {x}, {y})", 2, 2),
    ("torch.einsum('i,j->ij', {x}, {y})", 1, 1),
    ("torch.addmm({x}, {y}, {y}.t())", 2, 2),
    ("torch.bmm({x}, {y})", 3, 3),
    ("torch.inner({x}, {y})", 1, 2),
    ("torch.tensordot({x}, {y}, 1)", 1, 2),
    ("torch.kron({x}, {y})", 1, 2),
    ("{x}.t() @ {y}", 2, 2),
]

JOINS = ["torch.cat([{x}, {y}])", "torch.stack([{x}, {y}])", "torch.cat([{x}, {y}], -1)"]
JOINS += ["torch.stack([{x}, {y}], 1)", "torch.hstack([{x}, {y}])", "torch.vstack([{x}, {y}])"]
JOINS += ["torch.cat([{x}, {y}, {x}], 0)", "torch.block_diag({x}, {y})"]


# ---- the statements -----------------------------------------------------------------------------


def literal(author: Author) -> None:
    """A tensor of sixteenths that are all different (while there are not too many)."""
    shape = author.choose(SHAPES)
    dtype = author.choose(DTYPES)
    start, step = author.integer(24), 1 + author.integer(7)
    wants = dtype.startswith(("float", "complex")) and not author.rarely(3)
    count = torch.Size(shape).numel()
    numbers = [(start + step * i) % 25 - 12 for i in range(count)]
    if dtype == "bool":
        values: list = [bool(n % 2) for n in numbers]
    elif dtype.startswith("int"):
        values = [n // 3 for n in numbers]
    elif dtype.startswith("complex"):
        values = [complex(n / 4, (n * 7 % 25 - 12) / 4) for n in numbers]
    else:
        values = [(n + 13) / 4 if start == 24 else n / 4 for n in numbers]
    text = f"torch.tensor({values}"
    text += f", dtype=torch.{dtype})" if dtype not in ("float32", "int64", "bool") else ")"
    if len(shape) != 1:
        text += f".reshape({shape})"
    if 0 in shape:
        text = f"torch.zeros({shape}, dtype=torch.{dtype})"
    author.bind(text + (".requires_grad_()" if wants else ""), exact=True)


def factory(author: Author) -> None:
    """A tensor of torch's own making."""
    shape = author.choose(SHAPES)
    dtype = author.choose(FLOATS)
    wants = ", requires_grad=True" if author.rarely(2) else ""
    expression, is_exact = author.choose(
        [
            (f"torch.ones({shape}, dtype=torch.{dtype}{wants})", True),
            (f"torch.zeros({shape}, dtype=torch.{dtype}{wants})", True),
            (f"torch.full({shape}, 0.5, dtype=torch.{dtype}{wants})", True),
            (f"torch.arange(6, dtype=torch.{dtype}{wants}).reshape(2, 3)", True),
            (f"torch.eye(3, dtype=torch.{dtype}{wants})", True),
            ("torch.arange(4)", True),
            (f"torch.rand({shape}{wants})", False),
            (f"torch.linspace(-1, 1, 3{wants})", False),
        ]
    )
    author.bind(expression, is_exact)


def unary(author: Author) -> None:
    """A function of one tensor."""
    template, condition, keeps = author.choose(UNARY)
    x = author.operand(condition)
    if author[x].is_inference() and ("roll" in template or "conj_physical" in template):
        raise Unfit  # what such a kernel calls counts its views and writes: nothing prevents it
    if ".sgn" in template and author[x].requires_grad:
        raise Unfit  # its gradient are zeros without memory, to which torch can add nothing
    author.bind(template.format(x=x), keeps and author.is_exact(author[x]))


def reduction(author: Author) -> None:
    """A sum, mean, maximum, ... over all or some dimensions."""
    template, condition, keeps = author.choose(REDUCTIONS)
    x = author.operand(condition)
    dim = author.integer(max(author[x].dim() - 1, 0)) - author.rarely(3) * author[x].dim()
    author.bind(template.format(x=x, d=dim), keeps and author.is_exact(author[x]))


def binary(author: Author) -> None:
    """A function of two tensors that broadcast, most of the time."""
    template, first, second, keeps = author.choose(BINARY)
    x = author.tensor(lambda x: first(author, x))
    y = author.tensor(lambda y: second(author, y) and broadcast(author[x], y))
    author.check_precision(x, y)
    both = author.is_exact(author[x]) and author.is_exact(author[y])
    author.bind(template.format(x=x, y=y), keeps and both)


def product(author: Author) -> None:
    """A matrix product or its like."""
    template, least, dim = author.choose(PRODUCTS)
    x = author.tensor(lambda x: least <= x.dim() and x.dtype != torch.bool)
    same = author[x].dtype
    y = author.tensor(lambda y: 1 <= y.dim() <= dim and y.dtype == same)
    try:
        eval(template.format(x="x", y="y"), {"torch": torch, "F": torch.nn.functional}, {
            "x": author[x].detach(), "y": author[y].detach()
        })  # fmt: skip
    except Exception:
        if not author.rarely(6):
            raise Unfit from None
    both = author.is_exact(author[x]) and author.is_exact(author[y])
    author.bind(template.format(x=x, y=y), both)


def join(author: Author) -> None:
    """Two tensors put together."""
    template = author.choose(JOINS)
    x = author.tensor(lambda x: recorded(author, x))
    shape = author[x].shape
    y = author.tensor(lambda y: y.shape == shape)
    author.check_precision(x, y)
    both = author.is_exact(author[x]) and author.is_exact(author[y])
    author.bind(template.format(x=x, y=y), both)


def gathering(author: Author) -> None:
    """Numbers picked by an index."""
    x = author.tensor(lambda x: x.dim() > 0 and x.numel() > 0)
    template = author.choose(
        [
            "{x}[[0, -1]]",
            "{x}[torch.tensor([0, 0])]",
            "torch.index_select({x}, 0, torch.tensor([0, 0]))",
            "{x}.gather(0, torch.zeros({s}, dtype=torch.int64))",
            "torch.take({x}, torch.tensor([0, 1, 0]))",
            "{x}[..., [0]]",
            "torch.take_along_dim({x}, torch.zeros({s}, dtype=torch.int64), -1)",
            "{x}[torch.tensor([True] + [False] * {m})]",
            "F.embedding(torch.tensor([0, 1, 0]), {x}.real)",
            "torch.scatter_add({x}, 0, torch.zeros({s}, dtype=torch.int64), {x})",
            "torch.index_add({x}, 0, torch.tensor([0]), {x}[:1])",
        ]
    )
    shape = tuple(author[x].shape)
    text = template.format(x=x, s=shape, m=shape[0] - 1)
    author.bind(text, author.is_exact(author[x]))


def question(author: Author) -> None:
    """Something that is asked of a tensor: a Python number, a text."""
    template, condition = author.choose(
        [
            ("{x}.tolist()", strict(telling)),
            ("{x}.item()", strict(lambda a, x: telling(a, x) and x.numel() == 1)),
            # Whether a complex number is refused is for its imaginary part to say.
            (
                "float({x})",
                strict(
                    lambda a, x: (
                        x.numel() == 1 and telling(a, x) and (a.is_exact(x) or not x.is_complex())
                    )
                ),
            ),
            ("bool({x})", lambda a, x: exact_or_bool(a, x) and x.numel() == 1),
            ("repr({x})", exact_or_bool),
            ("len({x})", lambda a, x: x.dim() > 0),
            ("{x}.is_contiguous()", anything),
            ("[{x}.is_complex(), {x}.is_signed()]", anything),
            ("torch.allclose({x}, {x})", anything),
            ("list({x}.shape)", anything),
            ("torch.is_grad_enabled()", anything),
        ]
    )
    author.bind(template.format(x=author.operand(condition)))


def broadcast(x: torch.Tensor, y: torch.Tensor) -> bool:
    """Returns whether two shapes go together."""
    pairs = zip(reversed(x.shape), reversed(y.shape), strict=False)
    return all(m == n or 1 in (m, n) for m, n in pairs)


def is_full(x: torch.Tensor) -> bool:
    """Whether the storage holds no more than the numbers of `x`, or of what it is a view of; those
    of some losses are larger."""
    whole = x if x._base is None else x._base
    return whole.untyped_storage().nbytes() == whole.numel() * whole.itemsize


def shares(x: torch.Tensor, y: torch.Tensor) -> bool:
    """Returns whether two tensors lie in the same memory."""
    return address(x) == address(y)


def is_filling(x: torch.Tensor) -> bool:
    """Returns whether a tensor's elements lie side by side, each once, in whatever order."""
    places = torch.zeros((), dtype=torch.int64)
    for length, stride in zip(x.shape, x.stride(), strict=True):
        places = places[..., None] + torch.arange(length) * stride
    return torch.equal(places.flatten().sort()[0], torch.arange(x.numel()))
