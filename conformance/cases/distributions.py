"""torch.distributions: every class and method, all pairs of kl_divergence, transforms, constraints.

A key is a class, `kl/CLASS` for its divergences from all classes, or one of the other kinds of
pieces below. Every piece is a program of its own. The full profile runs it in both precisions, the
quick one in one of them, which changes from piece to piece and with the seed.
"""

import itertools
from collections.abc import Iterator

from conformance.cases import distribution_texts as texts
from conformance.cases.snippet import Snippet
from conformance.options import Options

# Arguments are checked unless a program says otherwise; torch stops that once its compiler was
# imported, which other units do.
IMPORTS = (
    "import copy, pickle\nfrom torch.distributions import *\nfrom torch import distributions\n"
    "Distribution.set_default_validate_args(True)\n"
)
DTYPES = ("float32", "float64")

# The questions about every distribution `d`; `p` has its parameters as a list.
QUESTIONS = {
    "described": (
        "print(d, d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support)\n"
        "print(type(d).__module__, [c.__name__ for c in type(d).__mro__], sorted(vars(d)))"
    ),
    "support": "print(d.support, d.support.event_dim, d.support.is_discrete, d.arg_constraints)",
    "mean": "x = d.mean",
    "mode": "x = d.mode",
    "variance": "x = d.variance",
    "stddev": "x = d.stddev",
    "entropy": "x = d.entropy()",
    "perplexity": "x = d.perplexity()",
    "sample": "x, y = d.sample(), d.sample((2, 3))",
    "sample of a list": "x = d.sample([2])",
    "sample_n": "x = d.sample_n(3)",
    "rsample": "x = d.rsample((2,))",
    "gradients of rsample": (
        "x = d.rsample((3,))\ny = (x * torch.linspace(1, 2, x.numel()).reshape(x.shape)).sum()\n"
        "if y.requires_grad:\n    g = torch.autograd.grad(y, p, allow_unused=True)"
    ),
    "log_prob": "v = d.sample((2,))\nx = d.log_prob(v)",
    "gradients of log_prob": (
        "v = d.sample((2,))\nx = d.log_prob(v).sum()\nx.backward()\ng = [each.grad for each in p]"
    ),
    "cdf": "v = d.sample((2,))\nx = d.cdf(v)",
    "icdf": "v = torch.linspace(0.05, 0.95, 4).reshape((4,) + (1,) * len(d.batch_shape))\n"
    "x = d.icdf(v)",
    "enumerate_support": "x, y = d.enumerate_support(), d.enumerate_support(expand=False)",
    "expand": (
        "e = d.expand((4,) + d.batch_shape)\nprint(e, e.batch_shape, sorted(vars(e)))\n"
        "x = e.sample()\ny = e.log_prob(x)"
    ),
    "mean of expand": "x = d.expand((2,) + d.batch_shape).mean",
    "entropy of expand": "x = d.expand((2,) + d.batch_shape).entropy()",
    "expand to less": "x = d.expand((7,) * (len(d.batch_shape) + 1))\nprint(x)",
    "pickle": (
        "e = pickle.loads(pickle.dumps(d))\nprint(e, sorted(vars(e)))\n"
        "torch.manual_seed(1)\nx = e.sample()\ny = e.log_prob(x)"
    ),
    "deepcopy": "e = copy.deepcopy(d)\nprint(e, sorted(vars(e)))\nx = e.sample()",
    "independent": (
        "e = Independent(d, len(d.batch_shape))\nprint(e, e.support, e.event_shape)\n"
        "x = e.sample((2,))\ny = e.log_prob(x)"
    ),
    "independent of more": "e = Independent(d, len(d.batch_shape) + 1)",
    "log_prob of no tensor": "x = d.log_prob('one')",
    "log_prob of another shape": "x = d.log_prob(torch.full((7, 7, 7), 0.5))",
    "log_prob of what lies outside": "x = d.log_prob(-torch.ones(d.batch_shape + d.event_shape))",
    "log_prob of NaN": "x = d.log_prob(torch.full(d.batch_shape + d.event_shape, torch.nan))",
    "cdf of what lies outside": "x = d.cdf(torch.full(d.batch_shape + d.event_shape, -3.5))",
    "natural parameters": "x = [*d._natural_params]\ny = d._log_normalizer(*x)",
    "names": "print(sorted(n for n in dir(d) if not n.startswith('_')))",
}
SUBCLASS = """
class Mine({name}):
    pass

class Other({name}):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

e = Mine({arguments})
f = e.expand((3,) + e.batch_shape)
print(type(f).__name__, f)
x = Other({arguments}).expand((3,))
"""


def keys(options: Options) -> list[str]:
    """Returns the classes, their divergences, and the other kinds of pieces."""
    names = list(texts.DISTRIBUTIONS)
    return [*names, *(f"kl/{name}" for name in names), *texts.PIECES, "transforms", "constraints"]


def cases(key: str, options: Options) -> Iterator[Snippet]:
    """Yields the pieces of one key."""
    if key.startswith("kl/"):
        found = divergences(key.removeprefix("kl/"))
    elif key == "transforms":
        found = transforms()
    elif key == "constraints":
        found = constraints()
    elif key in texts.PIECES:
        found = ((piece.strip().splitlines()[0], piece) for piece in texts.PIECES[key])
    else:
        found = of_class(key)
    alternating = itertools.cycle(DTYPES[options.seed % 2 :] + DTYPES[: options.seed % 2])
    for label, source in list(found):
        for dtype in DTYPES if options.profile == "full" else (next(alternating),):
            yield _piece(key, label, source, dtype)


def _piece(key: str, label: str, source: str, dtype: str) -> Snippet:
    start = f"{IMPORTS}torch.set_default_dtype(torch.{dtype})\n"
    return Snippet(f"{start}{source}\n", f"{key}, {dtype}: {label}")


def construction(name: str, parameters: dict[str, object], learned: bool = True) -> tuple[str, str]:
    """The lines that make the parameters, and the arguments."""
    lines, arguments, leaves = [], [], []
    for parameter, value in parameters.items():
        if isinstance(value, list):
            suffix = ", requires_grad=True" if learned else ""
            lines.append(f"{parameter} = torch.tensor({value}{suffix})")
            leaves.append(parameter)
            value = parameter
        arguments.append(f"{parameter}={value}")
    lines.append(f"p = [{', '.join(leaves)}]")
    return "\n".join(lines), ", ".join(arguments)


def of_class(name: str) -> Iterator[tuple[str, str]]:
    """The questions about every example of a class, as labels and code."""
    for parameters in texts.DISTRIBUTIONS[name]:
        made, arguments = construction(name, parameters)
        call = f"{name}({arguments})"
        for label, question in QUESTIONS.items():
            yield f"{label} of {call}", f"{made}\nd = {call}\n{question}"
        made, arguments = construction(name, parameters, learned=False)
        unchecked = f"{name}({arguments}, validate_args=False)"
        yield f"unchecked {call}", f"{made}\nd = {unchecked}\nx = d.log_prob(d.sample())\nprint(d)"
        yield f"subclass of {call}", made + SUBCLASS.format(name=name, arguments=arguments)
    for arguments in texts.REFUSED.get(name, ()):
        yield f"{name}({arguments})", f"d = {name}({arguments})\nprint(d)"


def divergences(name: str) -> Iterator[tuple[str, str]]:
    """The divergences of a class from every class."""
    for other in texts.DISTRIBUTIONS:
        pairs = itertools.product(texts.DISTRIBUTIONS[name][:2], texts.DISTRIBUTIONS[other][:2])
        for one, two in pairs:
            made, arguments = construction(name, one)
            p = f"{made}\nd = {name}({arguments})"
            made, arguments = construction(other, two)
            q = f"{made}\ne = {other}({arguments})"
            yield f"from {other}", f"{p}\n{q}\nx = kl_divergence(d, e)\nprint(x.shape)"


TRANSFORMED = {
    "forward": "y = t(x)",
    "inverse": "y = t.inv(t(x))",
    "log_abs_det_jacobian": "y = t(x)\nz = t.log_abs_det_jacobian(x, y)",
    "that of the inverse": "y = t(x)\nz = t.inv.log_abs_det_jacobian(y, x)",
    "gradient": "x.requires_grad_()\ny = t(x).square().sum()\ny.backward()\ng = x.grad",
    "shapes": "print(t.forward_shape(x.shape), t.inverse_shape(t.forward_shape(x.shape)))",
    "shapes of too few": "print(t.forward_shape(()), t.inverse_shape(()))",
    "shapes of others": "print(t.forward_shape((2, 5)), t.inverse_shape((2, 5)))",
    "regions": "print(t.domain, t.codomain, t.bijective, t.inv.domain, t.inv.codomain)",
    "event_dim": "print(t.domain.event_dim, t.codomain.event_dim, t.event_dim)",
    "sign": "print(t.sign, t.inv.sign)",
    "texts": "print(t, t.inv, t.inv.inv is t, type(t).__module__)",
    "equality": "print(t == t, t == {text}, t != {text}, t.inv == t.inv, t == 3)",
    "cache": (
        "t = t.with_cache()\ny = t(x)\n"
        "print(t(x) is y, t.inv(y) is x, t.with_cache() is t, t.with_cache(0)._cache_size)"
    ),
    "pickle": "e = pickle.loads(pickle.dumps(t))\nprint(e, e._inv)\ny = e(x)",
    "composed": (
        "c = ComposeTransform([t, t.inv])\nprint(c, c.domain, c.codomain, c.inv)\n"
        "y = c(x)\nz = c.log_abs_det_jacobian(x, y)"
    ),
    "independent": (
        "i = IndependentTransform(t, 1)\nprint(i, i.domain, i.codomain, i.forward_shape(x.shape))\n"
        "y = i(x)\nz = i.log_abs_det_jacobian(x, y)"
    ),
    "cache of 2": "print(t.with_cache(2))",
    "of normal numbers": (
        "d = TransformedDistribution(Normal(torch.zeros(x.shape), 1.0), [t])\n"
        "print(d, d.support, d.batch_shape, d.event_shape)\ny = d.rsample()\nz = d.log_prob(y)"
    ),
}


def transforms() -> Iterator[tuple[str, str]]:
    """The questions about every transform, as labels and code."""
    for text, given in texts.TRANSFORMS.items():
        for label, question in TRANSFORMED.items():
            asked = question.replace("{text}", text)
            yield f"{label} of {text}", f"x = torch.tensor({given})\nt = {text}\n{asked}"


def constraints() -> Iterator[tuple[str, str]]:
    """The questions about every constraint, and about its transforms in both registries."""
    for text in texts.CONSTRAINTS:
        made = f"c = distributions.constraints.{text}"
        yield f"text of {text}", f"{made}\nprint(c, type(c).__module__, type(c).__name__)"
        yield f"kind of {text}", f"{made}\nprint(c.is_discrete, c.event_dim)"
        yield f"pickle of {text}", f"{made}\nprint(pickle.loads(pickle.dumps(c)))"
        for value in texts.VALUES:
            yield f"{text} of {value}", f"{made}\nx = c.check(torch.tensor({value}))"
        for registry, value in itertools.product(("biject_to", "transform_to"), texts.VALUES[-3:]):
            asked = f"t = {registry}(c)\nprint(t)\nx = torch.tensor({value})\ny = t(x)\n"
            yield f"{registry} {text}", f"{made}\n{asked}z = c.check(y)"
