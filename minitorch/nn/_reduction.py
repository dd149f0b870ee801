"""torch.nn._reduction: the numbers of the reductions of losses, and their older spelling."""

from __future__ import annotations

import warnings

_NUMBERS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """0 for 'none', 1 for 'mean', 2 for 'sum'. ValueError for others."""
    if reduction == "elementwise_mean":
        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
            stacklevel=2,
        )
    try:
        return _NUMBERS[reduction]
    except KeyError:
        raise ValueError(f"{reduction} is not a valid value for reduction") from None


def legacy_get_string(
    size_average: bool | None, reduce: bool | None, emit_warning: bool = True
) -> str:
    """The reduction that `size_average` and `reduce` mean; None stands for True."""
    return of_switches(size_average, reduce, emit_warning, 2)


def of_switches(
    size_average: bool | None, reduce: bool | None, emit_warning: bool, callers: int
) -> str:
    """The reduction that both switches mean.

    callers: how many functions lie between this one and the place that the warning names.
    """
    average = True if size_average is None else size_average
    reduces = True if reduce is None else reduce
    result = "mean" if average and reduces else "sum" if reduces else "none"
    if emit_warning:
        warnings.warn(
            "size_average and reduce args will be deprecated, please use "
            f"reduction='{result}' instead.",
            stacklevel=callers + 1,
        )
    return result


def legacy_get_enum(
    size_average: bool | None, reduce: bool | None, emit_warning: bool = True
) -> int:
    """The number of the reduction that `size_average` and `reduce` mean."""
    return get_enum(of_switches(size_average, reduce, emit_warning, 2))
