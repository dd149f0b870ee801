"""The printed text of tensors, under all print options, and of everything else.

Tensors are generated: a key is a dtype, or something that has to do with its text. The keys of
`snippets/printing/` are pieces of code.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from zlib import crc32

from hypothesis import strategies as st

from conformance.cases.generated import generated
from conformance.cases.pieces import families, pieces
from conformance.cases.snippet import Snippet
from conformance.options import Options

FOLDER = Path(__file__).parent / "snippets" / "printing"
COUNTS = {"quick": 25, "full": 250}

WIDTHS = {"float16": 16, "bfloat16": 32, "float32": 32, "float64": 64}
RANGES = {
    "uint8": (0, 2**8 - 1),
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
COMPLEX = {"complex64": 32, "complex128": 64}
# Python writes complex numbers with infinite parts as "(1+infj)".
NAMES = """from math import inf, nan
infj, nanj = complex(0, inf), complex(0, nan)
"""
DTYPES = (*WIDTHS, *RANGES, *COMPLEX, "bool")

SHAPES = st.one_of(
    st.just(()),
    st.tuples(st.integers(0, 12)),
    st.lists(st.integers(0, 4), min_size=2, max_size=4).map(tuple),
)
LARGE = st.one_of(
    st.tuples(st.integers(990, 1100)),
    st.tuples(st.integers(1, 60), st.integers(1, 60)),
    st.tuples(st.integers(1, 9), st.integers(5, 14), st.integers(5, 14)),
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 10),
        "threshold": st.sampled_from([0, 1, 5, 20, 1000, float("inf")]),
        "edgeitems": st.integers(1, 4),
        "linewidth": st.sampled_from([10, 20, 40, 80, 120, 200]),
        "profile": st.sampled_from(["default", "short", "full"]),
        "sci_mode": st.sampled_from([None, True, False]),
    },
)


def keys(options: Options) -> list[str]:
    """Returns the dtypes, the aspects, and the families of pieces."""
    return [*DTYPES, *ASPECTS, *families(FOLDER)]


def cases(key: str, options: Options) -> Iterator[Snippet]:
    """Yields the generated tensors of a key, or the pieces of a family."""
    if key in DTYPES:
        strategy = tensors(key)
    elif key in ASPECTS:
        strategy = ASPECTS[key]()
    else:
        for piece in pieces(FOLDER / f"{key}.py"):
            yield printed(piece.source, piece.label)
        return
    count = options.examples or COUNTS[options.profile]
    for source in generated(strategy, count, options.seed + crc32(key.encode())):
        yield printed(source, key)


def printed(source: str, label: str) -> Snippet:
    """Returns a case that looks at nothing but the printed text."""
    title = f"{label}: {source.strip().splitlines()[-1]}" if label in (*DTYPES, *ASPECTS) else label
    return Snippet(f"{NAMES}{source}\n", title, frozenset(("text", "error")))


def numbers(dtype: str) -> st.SearchStrategy:
    """Returns numbers that a dtype holds: of all sizes, or all of a size that people use."""
    if dtype == "bool":
        return st.booleans()
    if dtype in RANGES:
        low, high = RANGES[dtype]
        return st.one_of(st.integers(low, high), st.integers(max(low, -20), 20))
    if dtype in COMPLEX:
        part = floats(COMPLEX[dtype])
        return st.builds(complex, part, part)
    return floats(WIDTHS[dtype])


def floats(width: int) -> st.SearchStrategy:
    """Returns floating numbers: any; whole ones; of one size; with a few decimals."""
    return st.one_of(
        st.floats(width=width),
        st.integers(-1000, 1000).map(float),
        st.floats(-10, 10, width=width),
        st.integers(-100_000, 100_000).map(lambda n: n / 1000),
    )


def uniform(dtype: str) -> st.SearchStrategy:
    """Returns strategies of numbers such that those of one tensor may be of one kind."""
    if dtype == "bool" or dtype in RANGES:
        return st.just(numbers(dtype))
    width = (WIDTHS | COMPLEX)[dtype]
    largest = 60_000.0 if width == 16 else 1e30
    kinds = [
        floats(width),
        st.integers(-1000, 1000).map(float),
        st.floats(-1, 1).map(lambda x: round(x, 4)),
        st.floats(1, 9).map(lambda x: x * 1e-3),
        st.floats(-largest, largest),
        st.sampled_from([0.0, -0.0, 1.0, float("nan"), float("inf"), -float("inf")]),
        st.sampled_from([1e-4, 0.00012345, 99999.5, 1e5, 1e8, 123456789.0, 0.1]),
    ]
    if dtype in COMPLEX:
        kinds = [st.builds(complex, kind, kind) for kind in kinds]
    return st.sampled_from(kinds)


@st.composite
def tensors(draw: Callable, dtype: str, suffix: str = "", shapes=SHAPES) -> str:
    """Returns the source of a tensor that is printed."""
    shape = draw(shapes)
    size = 1
    for length in shape:
        size *= length
    kind = draw(uniform(dtype))
    values = draw(st.lists(kind, min_size=min(size, 40), max_size=min(size, 40)))
    made = f"torch.tensor({values!r}, dtype=torch.{dtype})"
    if size > 40:  # a few numbers over and over, so that the source stays short
        made += f".repeat({-(-size // 40)})[:{size}]"
    return f"x = {made}.reshape({shape}){suffix}\nprint(x)"


@st.composite
def with_options(draw: Callable) -> str:
    """Returns the source of a tensor that is printed under some options."""
    dtype = draw(st.sampled_from(DTYPES))
    source = draw(tensors(dtype, shapes=st.one_of(SHAPES, LARGE)))
    options = ", ".join(f"{name}={value!r}" for name, value in draw(OPTIONS).items())
    return f"torch.set_printoptions({options})\n{source}"


@st.composite
def with_gradients(draw: Callable) -> str:
    """Returns the source of a tensor with a flag or a node."""
    dtype = draw(st.sampled_from([*WIDTHS, *COMPLEX]))
    suffix = draw(st.sampled_from(GRADIENTS))
    return draw(tensors(dtype, ".requires_grad_()" + suffix))


@st.composite
def views(draw: Callable) -> str:
    """Returns the source of a view that is printed."""
    dtype, suffix = draw(st.sampled_from(DTYPES)), draw(st.sampled_from(VIEWS))
    return draw(tensors(dtype, suffix, st.tuples(st.integers(1, 4), st.integers(2, 5))))


@st.composite
def numbers_in_strings(draw: Callable) -> str:
    """Returns the source of a number in formatted strings."""
    dtype = draw(st.sampled_from(DTYPES))
    source = draw(tensors(dtype, shapes=st.just(())))
    return f"{source}\nprint(f'{{x}} {{x!r}} {{x!s}}', x.item(), x.tolist(), '%s' % x, [x, (x,)])"


GRADIENTS = ("", "[()]", " * 1", ".clone()", ".sum()", "[None]", ".abs()")
VIEWS = (
    ".t()",
    "[0]",
    "[:, ::2]",
    "[..., None]",
    ".expand(3, -1, -1)",
    ".flatten()",
    "[:0]",
    ".mT",
)
ASPECTS: dict[str, Callable] = {
    "options": with_options,
    "gradients": with_gradients,
    "views": views,
    "large": lambda: st.sampled_from(DTYPES).flatmap(lambda dtype: tensors(dtype, shapes=LARGE)),
    "strings": numbers_in_strings,
}
