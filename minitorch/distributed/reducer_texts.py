"""The texts of torch's reducer for gradients that do not come as it expects."""

from __future__ import annotations

NOTHING_UNUSED = (
    "find_unused_parameters=True was specified in DDP constructor, but did not find any unused "
    "parameters in the forward pass. This flag results in an extra traversal of the autograd graph "
    "every iteration,  which can adversely affect performance. If your model indeed never has any "
    "unused parameters in the forward pass, consider turning this flag off. Note that this warning "
    "may be a false positive if your model has flow control causing later iterations to have "
    "unused parameters. (function operator())"
)
GRAPH_CHANGED = (
    "Your training graph has changed in this iteration, e.g., one parameter is unused in first "
    "iteration, but then got used in the second iteration. this is not compatible with "
    "static_graph set to True."
)
MISPLACED = (
    "Detected at least one parameter gradient is not the expected DDP bucket view with "
    "gradient_as_bucket_view=True. This may happen (for example) if multiple allreduce hooks were "
    "registered onto the same parameter. If you hit this error, please file an issue with a "
    "minimal repro."
)
_TWICE = (
    "Expected to mark a variable ready only once. This error is caused by one of the following "
    "reasons: 1) Use of a module parameter outside the `forward` function. Please make sure model "
    "parameters are not shared across multiple concurrent forward-backward passes. or try to use "
    "_set_static_graph() as a workaround if this module graph does not change during training "
    "loop.2) Reused parameters in multiple reentrant backward passes. For example, if you use "
    "multiple `checkpoint` functions to wrap the same part of your model, it would result in the "
    "same set of parameters been used by different reentrant backward passes multiple times, and "
    "hence marking a variable ready multiple times. DDP does not support such use cases in "
    "default. You can try to use _set_static_graph() as a workaround if your module graph does "
    "not change over iterations."
)
_BEGUN = "Expected to have finished reduction in the prior iteration before starting a new one. "
_LOCATE = (
    "making sure all `forward` function outputs participate in calculating loss. \n"
    "If you already have done the above, then the distributed data parallel module wasn't able to "
    "locate the output tensors in the return value of your module's `forward` function. Please "
    "include the loss function and the structure of the return value of `forward` of your module "
    "when reporting this issue (e.g. list, dict, iterable)."
)


def marked_twice(index: int, name: str | None) -> str:
    """The text of a parameter whose gradient came twice."""
    if name is None:
        return (
            f"{_TWICE}\nParameter at index {index} has been marked as ready twice. This means that "
            "multiple autograd engine  hooks have fired for this particular parameter during this "
            "iteration. You can set the environment variable TORCH_DISTRIBUTED_DEBUG to either "
            "INFO or DETAIL to print parameter names for further debugging."
        )
    return (
        f"{_TWICE}\nParameter at index {index} with name {name} has been marked as ready twice. "
        "This means that multiple autograd engine  hooks have fired for this particular parameter "
        "during this iteration."
    )


def unfinished(
    static: bool, finds_unused: bool, rank: int, lacking: list[int], names: list[str] | None
) -> str:
    """The text of an iteration that starts before all gradients of the one before have come.

    Args:
        lacking: the numbers of those that have not; `names` where they are told, too.
    """
    text = _BEGUN
    if static:
        text += (
            "This error indicates that your training graph has changed in this iteration, e.g., "
            "one parameter is used in first iteration, but then got unused in the second "
            "iteration. this is not compatible with static_graph set to True."
        )
    else:
        text += (
            "This error indicates that your module has parameters that were not used in producing "
            "loss. "
        )
        if finds_unused:
            text += (
                "Since `find_unused_parameters=True` is enabled, this likely  means that not all "
                "`forward` outputs participate in computing loss. You can fix this by "
            )
        else:
            text += (
                "You can enable unused parameter detection by passing the keyword argument "
                "`find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, "
                "and by \n"
            )
        text += _LOCATE
    numbers = f"\nParameter indices which did not receive grad for rank {rank}: " + " ".join(
        map(str, lacking)
    )
    if names is None:
        return (
            f"{text}{numbers}\n In addition, you can set the environment variable "
            "TORCH_DISTRIBUTED_DEBUG to either INFO or DETAIL to print out information about which "
            "particular parameters did not receive gradient on this rank as part of this error"
        )
    return (
        f"{text}\nParameters which did not receive grad for rank {rank}: {', '.join(names)}"
        f"{numbers}"
    )
