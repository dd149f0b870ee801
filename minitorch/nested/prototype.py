"""The warning that torch gives when the first strided nested tensor of a process is made."""

from minitorch.core.warning import warn_once


def warn_prototype() -> None:
    """Tells once that nested tensors are in prototype stage."""
    warn_once(
        "The PyTorch API of nested tensors is in prototype stage and will change in the near "
        "future. We recommend specifying layout=torch.jagged when constructing a nested tensor, as "
        "this layout receives active development, has better operator coverage, and works with "
        "torch.compile.",
        in_python=True,
    )
