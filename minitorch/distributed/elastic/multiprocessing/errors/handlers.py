"""The handler that records exceptions where none is given."""

from minitorch.distributed.elastic.multiprocessing.errors.error_handler import ErrorHandler

__all__ = ["get_error_handler"]


def get_error_handler() -> ErrorHandler:
    """A handler that writes to the file which the launcher names."""
    return ErrorHandler()
