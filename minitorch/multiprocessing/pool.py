"""torch.multiprocessing.pool: Python's pool of processes, which sends tensors as shared memory."""

from multiprocessing.pool import Pool as Pool

__all__ = ["Pool"]
