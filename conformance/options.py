"""What to run, and how much of it: filled in from the command line."""

from dataclasses import dataclass

from conformance.cases.case import PROPERTIES


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
    seconds: int = 120  # for one key
