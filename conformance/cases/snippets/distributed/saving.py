# ranks: 2 3
"""Checkpoints of all ranks: what is where, what comes back, and what is refused."""

import os
import re

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from meeting import RANK, SIZE, meet, numbers, show
from torch.distributed.checkpoint.metadata import MetadataIndex, TensorStorageMetadata
from torch.distributed.checkpoint.staging import (
    BlockingAsyncStager,
    DefaultStager,
    StagingOptions,
)
from torch.distributed.checkpoint.state_dict_saver import AsyncSaveResponse
from torch.nn.parallel import DistributedDataParallel

meet()
HOME = os.path.dirname(os.environ["MEETING"])


def state(factor=1):
    """Tensors that all ranks have, some that one has, and other objects."""
    made = {
        "plain": torch.arange(6.0).reshape(2, 3) * factor,
        "turned": torch.arange(6.0).reshape(2, 3).t() * factor,
        "part": (torch.arange(20) * factor)[3:7],
        "half": torch.ones(70, dtype=torch.bfloat16) * factor,
        "point": torch.tensor(3.0 * factor),
        "empty": torch.zeros(0, 2),
        "nested": {"list": [torch.ones(2) * factor, {"x": torch.ones(1) * factor}], "word": "a"},
        "words": ["a", factor],
        "epoch": factor,
    }
    made[f"of {RANK}"] = torch.full((2,), float(RANK * factor))
    return made


def told(metadata):
    """What a checkpoint says of itself."""
    kinds = {
        name: (each.properties.dtype, tuple(each.size), [tuple(c.sizes) for c in each.chunks])
        if isinstance(each, TensorStorageMetadata)
        else type(each).__name__
        for name, each in sorted(metadata.state_dict_metadata.items())
    }
    places = {
        (index.fqn, tuple(index.offset or ()), index.index): info.relative_path
        for index, info in metadata.storage_data.items()
    }
    return kinds, sorted(places.items()), metadata.planner_data, metadata.version


def saved(name, given=None, **options):
    metadata = dcp.save(given or state(), checkpoint_id=f"{HOME}/{name}", **options)
    dist.barrier()
    return told(metadata), sorted(os.listdir(f"{HOME}/{name}"))


def loaded(name, given=None, **options):
    into = given or state(0)
    dcp.load(into, checkpoint_id=f"{HOME}/{name}", **options)
    return into


def stateful():
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(3, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.5)
    model(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    before = [each.clone() for each in model.parameters()]
    given = {"model": model, "optim": optimizer}
    told_by = saved("stateful", given)
    for each in model.parameters():
        each.data.zero_()
    optimizer.state.clear()
    model.zero_grad()
    model(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    loaded("stateful", given)
    same = [torch.equal(*pair) for pair in zip(before, model.parameters())]
    return told_by, same, optimizer.state_dict()


def failing(function):
    """The text of a CheckpointException, without the lines of tracebacks."""
    try:
        return function()
    except BaseException as error:
        lines = [each for each in str(error).splitlines() if not each.startswith("  ")]
        return type(error).__name__, [re.sub(r"/\S+/", "", each) for each in lines]


def own_writer(**options):
    return dcp.FileSystemWriter(f"{HOME}/plain", **options)


def larger():
    given = state(0)
    given["plain"] = torch.zeros(3, 3)
    return loaded("plain", given)


def later(name, **options):
    """A state that is saved while it changes."""
    own = state()
    answer = dcp.async_save(own, checkpoint_id=f"{HOME}/{name}", **options)
    kind = type(answer).__name__
    if isinstance(answer, AsyncSaveResponse):
        print(answer.staging_completion.result())
        answer = answer.upload_completion
    for each in own.values():
        if isinstance(each, torch.Tensor):
            each.zero_()
    found = told(answer.result())
    return kind, found, loaded(name)


def kept():
    """What a stager copies twice, and whether into the same memory."""
    stager = BlockingAsyncStager(cache_staged_state_dict=True)
    first = stager.stage({"x": torch.ones(2), "y": [torch.zeros(1), 3]})
    second = stager.stage({"x": torch.zeros(2), "y": [torch.ones(1), 4]})
    return second, first["x"] is second["x"], stager.should_synchronize_after_execute


def copied_by(stager):
    """What a stager makes of a state."""
    made = stager.stage({"x": torch.ones(2, requires_grad=True) * 2, "y": ({"z": "w"}, 3)})
    stager.synchronize_staging()
    stager.close()
    return made, made["x"].requires_grad, made["x"].is_shared()


CASES = {
    "save": lambda: saved("plain"),
    "load": lambda: loaded("plain"),
    "load some": lambda: loaded("plain", {"half": torch.zeros(70), "epoch": 0}),
    "lowest": lambda: saved(
        "lowest", planner=dcp.DefaultSavePlanner(dedup_save_to_lowest_rank=True)
    ),
    "not flat": lambda: saved(
        "whole", {"a": {"b": 1}}, planner=dcp.DefaultSavePlanner(flatten_state_dict=False)
    ),
    "load not flat": lambda: loaded(
        "whole", {"a": 0}, planner=dcp.DefaultLoadPlanner(flatten_state_dict=False)
    ),
    "files": lambda: (
        dcp.save(
            state(), storage_writer=dcp.FileSystemWriter(f"{HOME}/f", single_file_per_rank=False)
        ),
        dist.barrier(),
        sorted(os.listdir(f"{HOME}/f")),
    )[2],
    "modules": stateful,
    "missing": lambda: failing(lambda: loaded("plain", {"other": torch.zeros(2)})),
    "partial": lambda: loaded(
        "plain",
        {"other": torch.zeros(2), "epoch": 7},
        planner=dcp.DefaultLoadPlanner(allow_partial_load=True),
    ),
    "larger": lambda: failing(larger),
    "no tensor": lambda: failing(lambda: loaded("plain", {"half": 3})),
    "twice": lambda: failing(lambda: dcp.save(state(), storage_writer=own_writer(overwrite=False))),
    "twice the name": lambda: failing(lambda: saved("name", {"a.b": 1, "a": {"b": 2}})),
    "nowhere": lambda: dcp.save({}),
    "elsewhere": lambda: MetadataIndex("a", [1, 2]) == MetadataIndex("a", [1, 2], 7),
    "alone": lambda: (
        dcp.save({"x": torch.ones(2)}, checkpoint_id=f"{HOME}/alone{RANK}", no_dist=True).version
    ),
    "later": lambda: later("later"),
    "copied in a thread": lambda: later(
        "thread", async_stager=DefaultStager(StagingOptions(False, False, True, False))
    ),
    "without waiting": lambda: DefaultStager(StagingOptions(False, False, False, True)),
    "kept": kept,
    "pinned": lambda: copied_by(DefaultStager(StagingOptions(True, False, False, False))),
    "shared": lambda: copied_by(DefaultStager(StagingOptions(False, True, False, False))),
    "blocking": lambda: copied_by(BlockingAsyncStager()),
    "checked": lambda: copied_by(BlockingAsyncStager(type_check=True)),
    "of other types": lambda: BlockingAsyncStager(type_check=True).stage({"x": [1, {2}]}),
    "of any types": lambda: BlockingAsyncStager().stage({"x": [1, {2}, None, 2.5, b"c"]}),
    "numbers": lambda: numbers(3, torch.float32, SIZE),
}
for label, function in CASES.items():
    show(label, function)
    dist.barrier()
