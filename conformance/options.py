"""The options of a run, filled in from the command line: which units, and how much of them."""

from dataclasses import dataclass

from conformance.cases.case import PROPERTIES

PROFILES = ("quick", "full")
TIERS = ("core", "common", "rest")
DIFFERENTIATED = ("float32", "float64", "complex128")
FORWARD_ONLY = ("int64", "bool", "bfloat16", "float16")
DTYPES = DIFFERENTIATED + FORWARD_ONLY


@dataclass(frozen=True)
class Options:
    """The choices which sources and the examiner share."""

    impl: str = "minitorch"
    profile: str = "quick"
    seed: int = 0
    device: str = "cpu"
    dtypes: tuple[str, ...] = ()  # all of a source's when empty
    properties: tuple[str, ...] = tuple(PROPERTIES)
    limit: int | None = None  # of the samples of an operator and dtype
    examples: int | None = None  # of the generated programs; the profile says otherwise
    keep: int = 3  # differences shown of a property
    brief: bool = False  # an example of each property too, also where nothing differs
    seconds: int = 120  # of processor time, for one key
    sampled: bool = False  # of scripts, and of calls that modes see, a part: none was asked for
    within: str = ""  # the surroundings of all cases: see surroundings.py
    packages_folder: str = "conformance-packages"  # with the environments of the source packages
    deadly: tuple[int, ...] = ()  # a key's programs that torch itself does not survive
