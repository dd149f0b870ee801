"""torch.utils.tensorboard: event files for TensorBoard, written over the package `tensorboard`.

The package is asked for when this module is imported, as torch does: where it is not installed,
the import raises its ModuleNotFoundError.
"""

import tensorboard as _tensorboard

from minitorch.torch_version import TorchVersion as _Version

if _Version(getattr(_tensorboard, "__version__", "0")) < "1.15":
    raise ImportError("TensorBoard logging requires TensorBoard version 1.15 or above")

from tensorboard.summary.writer.record_writer import RecordWriter

from minitorch.utils.tensorboard.writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]
