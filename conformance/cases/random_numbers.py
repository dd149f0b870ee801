"""Functions that draw random numbers: the bits of values, and the generator's state afterwards.

A key is a function; its cases are combinations of a way to call it, a seed, a size, a dtype, an
order of memory, and either the default generator or one of its own. Each case draws
twice, for a state may carry a number over. The keys of `snippets/random/` are pieces of code.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from conformance.cases.case import Outcome
from conformance.cases.pieces import families, pieces
from conformance.cases.snippet import Snippet
from conformance.options import Options
from conformance.oracle.record import Values

FOLDER = Path(__file__).parent / "snippets" / "random"
LOOKED_AT = (
    *("value", "dtype", "shape", "stride", "requires_grad", "effects"),
    *("text", "warnings", "error"),
)
SEEDS = (0, 1, 1234, -1, 2**32 - 1, 2**63 + 5)
COUNTS = {"quick": 8, "full": 60}  # of the combinations of each way

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8", "bool")
ANY = (*FLOATS, *INTEGERS)
REALS = ("float32", "float64")

SHORT = ((), (1,), (2,), (5,), (15,), (16,), (17,), (31,), (3, 5), (4, 4), (2, 3, 4, 5), (0,))
SIZES = (*SHORT, (8, 16), (100,), (1000,), (33, 65), (2, 8, 5, 5), (40_003,))
MATRICES = ((2, 3), (5, 4), (16, 16), (7, 33), (3, 2, 3, 3), (64, 100))

# How memory is ordered: what follows the name of a tensor.
LAYOUTS = {
    "": 0,
    ".transpose(0, -1)": 2,
    "[..., ::2]": 1,
    ".contiguous(memory_format=torch.channels_last)": 4,
}


@dataclass(frozen=True)
class Way:
    """A call: {size}, {dtype} and {g} (the generator) stand for the combination's.

    {empty}, {ones}, {half}, {ramp} and {negative} are tensors of this size, dtype and layout.
    """

    text: str
    dtypes: tuple[str, ...] = FLOATS
    sizes: tuple[tuple[int, ...], ...] = SIZES
    exact: bool = True


def _in_place(name: str, *arguments: str, dtypes: tuple[str, ...] = FLOATS) -> list[Way]:
    calls = [", ".join(filter(None, (given, "generator={g}"))) for given in arguments]
    return [Way(f"{{empty}}.{name}({call})", dtypes) for call in calls]


def _function(name: str, *arguments: str, dtypes: tuple[str, ...] = FLOATS) -> list[Way]:
    return [Way(f"torch.{name}({given})", dtypes) for given in arguments]


def _initialiser(name: str, *arguments: str, sizes=MATRICES, exact: bool = True) -> list[Way]:
    calls = [", ".join(filter(None, ("{empty}", given, "generator={g}"))) for given in arguments]
    return [Way(f"nn.init.{name}({call})", FLOATS[:2], sizes, exact) for call in calls]


def _dropping(name: str, sizes=SHORT) -> list[Way]:
    calls = ("{ones}, 0.3", "{ramp}", "{ones}, 0.0", "{ones}, 1.0", "{ones}, 0.5, training=False")
    return [Way(f"F.{name}({call})", FLOATS, sizes) for call in calls]


_OPTIONS = "dtype={dtype}, generator={g}"
IMAGES = ((2, 3, 4), (2, 3, 4, 5), (1, 2, 3, 4, 2), (16, 4))

WAYS: dict[str, list[Way]] = {
    "rand": [
        *_function("rand", f"{{size}}, {_OPTIONS}", dtypes=(*FLOATS, "complex64", "int64")),
        *_function("rand", "*{size}, dtype={dtype}, requires_grad=True"),
    ],
    "randn": [
        *_function("randn", f"{{size}}, {_OPTIONS}", dtypes=(*FLOATS, "complex64", "int64")),
        *_function("randn", "*{size}, dtype={dtype}, requires_grad=True"),
    ],
    "randint": [
        *_function("randint", f"10, {{size}}, {_OPTIONS}", dtypes=ANY),
        *_function("randint", f"-5, 7, {{size}}, {_OPTIONS}", dtypes=(*REALS, "int64", "int8")),
        *_function("randint", f"3, 2**28 + 3, {{size}}, {_OPTIONS}", dtypes=("int64", *REALS)),
        *_function("randint", f"-(2**60), 2**62, {{size}}, {_OPTIONS}", dtypes=("int64",)),
        *_function("randint", "high=2, size={size}"),
    ],
    "randperm": [
        Way(f"torch.randperm({n}, {_OPTIONS})", ("int64", "int32", *REALS), ((),))
        for n in (0, 1, 2, 10, 100, 5000)
    ],
    "rand_like": _function("rand_like", "{ones}", "{ones}, dtype=torch.float64", dtypes=ANY),
    "randn_like": _function("randn_like", "{ones}", "{ones}, dtype=torch.float32", dtypes=ANY),
    "randint_like": _function("randint_like", "{ones}, 100", "{ones}, -3, 5", dtypes=ANY),
    "normal": [
        *_function("normal", f"2.0, 0.5, {{size}}, {_OPTIONS}"),
        *_function("normal", "{ramp}, 0.5, generator={g}", "{ramp}, {ones}, generator={g}"),
        *_function("normal", "1.0, {ones}, generator={g}", "{ramp}, {negative}"),
    ],
    "bernoulli": _function("bernoulli", "{half}, generator={g}", "{ones}, 0.3", "{negative}"),
    "poisson": [
        Way("torch.poisson({ramp}, generator={g})", FLOATS, SHORT),
        Way("torch.poisson({ones} * 25, generator={g})", FLOATS, SHORT),
    ],
    "binomial": [
        Way("torch.binomial({ramp}.floor(), {half}, generator={g})", REALS, SHORT),
        Way("torch.binomial({ones} * 100, {half}, generator={g})", REALS, SHORT),
    ],
    "multinomial": [
        Way(f"torch.multinomial({{ramp}}, {count}, {again}, generator={{g}})", FLOATS, sizes)
        for sizes in (((7,), (100,), (3, 11), (2, 1000)),)
        for count, again in ((1, False), (5, False), (1, True), (20, True), (5000, False))
    ],
    "_standard_gamma": [
        Way("torch._standard_gamma({ramp} + 0.1, generator={g})", REALS, SHORT),
        Way("torch._standard_gamma({ones} * 30, generator={g})", REALS, SHORT),
    ],
    "_sample_dirichlet": [
        Way("torch._sample_dirichlet({ramp} + 0.5, generator={g})", REALS, SHORT[1:-1])
    ],
    "uniform_": _in_place(
        "uniform_", "", "-1.5, 2.25", "0, 1e-3", "2, 1", dtypes=(*FLOATS, "int64")
    ),
    "normal_": _in_place("normal_", "", "-3, 0.1", "0, -1", dtypes=(*FLOATS, "complex64", "int64")),
    "random_": _in_place("random_", "", "100", "-7, 9", "0, 2**40", "5, 3", dtypes=ANY),
    "bernoulli_": _in_place("bernoulli_", "", "0.25", "1.5", "p=0.0", dtypes=ANY),
    "bernoulli_ of a tensor": [Way("{empty}.bernoulli_({half}, generator={g})", FLOATS)],
    "exponential_": _in_place("exponential_", "", "2.5", "-1", dtypes=(*FLOATS, "int64")),
    "geometric_": _in_place("geometric_", "0.5", "0.01", "0.0", dtypes=(*FLOATS, "int64", "uint8")),
    "cauchy_": _in_place("cauchy_", "", "-1, 0.5", "0, -1", dtypes=(*FLOATS, "int64")),
    "log_normal_": _in_place("log_normal_", "", "0.5, 0.25", "0, -1", dtypes=(*FLOATS, "int64")),
    "dropout": _dropping("dropout"),
    "dropout1d": _dropping("dropout1d", ((2, 3), (2, 3, 4))),
    "dropout2d": _dropping("dropout2d", IMAGES),
    "dropout3d": _dropping("dropout3d", IMAGES),
    "alpha_dropout": _dropping("alpha_dropout"),
    "feature_alpha_dropout": _dropping("feature_alpha_dropout", IMAGES),
    "rrelu": [
        Way(f"F.rrelu({{ramp}} - 3, {given}training=True)", REALS) for given in ("", "0.2, 0.7, ")
    ],
    "gumbel_softmax": [
        Way(f"F.gumbel_softmax({{ramp}}, {given}dim=-1)", REALS, SHORT[1:-1], exact=False)
        for given in ("", "tau=0.5, ", "hard=True, ")
    ],
    "init.uniform_": _initialiser("uniform_", "", "-2.0, 0.5", sizes=SIZES),
    "init.normal_": _initialiser("normal_", "", "1.0, 0.02", sizes=SIZES),
    "init.trunc_normal_": _initialiser(
        "trunc_normal_", "", "0.0, 0.02", "mean=5.0, a=-1.0, b=1.0", "std=3.0", sizes=SIZES
    ),
    "init.xavier_uniform_": _initialiser("xavier_uniform_", "", "gain=2.0"),
    "init.xavier_normal_": _initialiser("xavier_normal_", "", "gain=0.5"),
    "init.kaiming_uniform_": _initialiser(
        "kaiming_uniform_", "", "a=5**0.5", "mode='fan_out', nonlinearity='relu'"
    ),
    "init.kaiming_normal_": _initialiser(
        "kaiming_normal_", "", "mode='fan_out'", "nonlinearity='tanh'", "a=0.1"
    ),
    # Its draws are exact; what the QR decomposition makes of them depends on LAPACK.
    "init.orthogonal_": _initialiser("orthogonal_", "", "gain=3.0", exact=False),
    "init.sparse_": _initialiser("sparse_", "0.1", "sparsity=0.5, std=1.0", sizes=MATRICES[:4]),
    "init.xavier_uniform_ of a vector": _initialiser("xavier_uniform_", "", sizes=((3,), ())),
}


@dataclass
class Draw(Snippet):
    """A snippet whose numbers must have the same bits."""

    properties: frozenset[str] = frozenset(LOOKED_AT)
    exact: bool = True

    def run(self, torch: ModuleType) -> Outcome:
        """Runs the statements, and asks for the bits of all numbers."""
        outcome = super().run(torch)
        for seen in outcome["value"].values():
            if isinstance(seen, Values):
                seen.exact = self.exact
        return outcome


def keys(options: Options) -> list[str]:
    """Returns the functions, and the families of pieces."""
    return [*WAYS, *families(FOLDER)]


def cases(key: str, options: Options) -> Iterator[Draw]:
    """Yields some combinations of every way to call a function."""
    if key not in WAYS:
        for piece in pieces(FOLDER / f"{key}.py"):
            yield Draw(piece.source, piece.label)
        return
    chance = random.Random(f"{key} {options.seed}")
    for way in WAYS[key]:
        for _ in range(COUNTS[options.profile]):
            yield combination(key, way, chance)


def combination(key: str, way: Way, chance: random.Random) -> Draw:
    """Returns one case of a way."""
    size, dtype = chance.choice(way.sizes), chance.choice(way.dtypes)
    seed, own = chance.choice(SEEDS), "{g}" in way.text and chance.random() < 0.4
    made = f"({size}, dtype=torch.{dtype})"
    layout = chance.choice([text for text, axes in LAYOUTS.items() if axes in (0, len(size))])
    if chance.random() < 0.5 or "empty" not in way.text + "_like":
        layout = ""
    ramp = f"torch.linspace(0, 6, {math.prod(size)}).reshape({size}).to(torch.{dtype})"
    call = way.text.format(
        size=size,
        dtype=f"torch.{dtype}",
        g="g" if own else "None",
        empty=f"torch.zeros{made}{layout}",
        ones=f"torch.ones{made}{layout}",
        half=f"(torch.ones{made}{layout} / 2)",
        negative=f"(-torch.ones{made}{layout})",
        ramp=f"{ramp}{layout}",
    )
    lines = [f"torch.manual_seed({seed})"]
    lines += [f"g = torch.Generator().manual_seed({seed + 7})"] * own
    lines += [f"x = {call}", f"y = {call}"]
    lines += [f"state = {'g.get_state()' if own else 'torch.get_rng_state()'}"]
    return Draw("\n".join(lines) + "\n", f"{key}: {call}", exact=way.exact)
