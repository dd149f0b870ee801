"""The function that loaders needed in older versions."""

from minitorch.core.warning import deprecated


@deprecated(
    "Usage of `backward_compatibility.worker_init_fn` is deprecated as `DataLoader` automatically "
    "applies sharding in every worker"
)
def worker_init_fn(worker_id: int) -> None:
    """Does nothing."""
