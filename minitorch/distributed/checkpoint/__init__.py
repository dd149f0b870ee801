"""torch.distributed.checkpoint: states of all ranks in one folder."""

from minitorch._public import outlines
from minitorch.distributed.checkpoint.api import CheckpointException as CheckpointException
from minitorch.distributed.checkpoint.default_planner import (
    DefaultLoadPlanner as DefaultLoadPlanner,
)
from minitorch.distributed.checkpoint.default_planner import (
    DefaultSavePlanner as DefaultSavePlanner,
)
from minitorch.distributed.checkpoint.filesystem import FileSystemReader as FileSystemReader
from minitorch.distributed.checkpoint.filesystem import FileSystemWriter as FileSystemWriter
from minitorch.distributed.checkpoint.staging import BlockingAsyncStager as BlockingAsyncStager
from minitorch.distributed.checkpoint.state_dict_loader import load as load
from minitorch.distributed.checkpoint.state_dict_loader import load_state_dict as load_state_dict
from minitorch.distributed.checkpoint.state_dict_saver import async_save as async_save
from minitorch.distributed.checkpoint.state_dict_saver import save as save
from minitorch.distributed.checkpoint.state_dict_saver import save_state_dict as save_state_dict

__getattr__, __dir__ = outlines.rest_of("torch.distributed.checkpoint")
