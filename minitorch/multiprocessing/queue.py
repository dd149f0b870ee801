"""torch.multiprocessing.queue: Python's queues, which send tensors as shared memory."""

from multiprocessing.queues import Queue as Queue
from multiprocessing.queues import SimpleQueue as SimpleQueue

__all__ = ["Queue", "SimpleQueue"]
