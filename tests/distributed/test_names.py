"""Names of torch.distributed that are there to be imported, and refuse when they are used."""

import pytest

import minitorch as torch
from minitorch.distributed import autograd, rpc
from minitorch.distributed.fsdp import FSDPModule, FullyShardedDataParallel, fully_shard
from minitorch.distributed.pipelining import PipelineStage, ScheduleGPipe, pipeline
from minitorch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from minitorch.distributed.tensor.parallel import ColwiseParallel, parallelize_module

LAYER, X = torch.nn.Linear(1, 1), torch.ones(2)


@pytest.mark.parametrize("kind", [DTensor, FSDPModule, FullyShardedDataParallel, PipelineStage])
def test_nothing_is_an_instance_of_what_cannot_be_made(kind):
    assert not isinstance(X, kind)
    assert not isinstance(LAYER, kind)

    class Derived(kind):
        pass

    assert issubclass(Derived, kind)


@pytest.mark.parametrize(
    ("path", "use"),
    [
        ("tensor.distribute_tensor", lambda: distribute_tensor(X)),
        ("tensor.DTensor.from_local", lambda: DTensor.from_local(X)),
        ("tensor.placement_types.Shard", lambda: Shard(0)),
        ("tensor.placement_types.Replicate", Replicate),
        ("tensor.parallel.api.parallelize_module", lambda: parallelize_module(LAYER)),
        ("tensor.parallel.style.ColwiseParallel", ColwiseParallel),
        ("fsdp.fully_shard", lambda: fully_shard(LAYER)),
        ("FullyShardedDataParallel", lambda: FullyShardedDataParallel(LAYER)),
        (
            "FullyShardedDataParallel.state_dict_type",
            lambda: FullyShardedDataParallel.state_dict_type(LAYER, None),
        ),
        ("pipelining.pipeline", lambda: pipeline(LAYER, (X,))),
        ("pipelining.stage.PipelineStage", lambda: PipelineStage(LAYER, 0, 1, "cpu")),
        ("pipelining.schedules.ScheduleGPipe", lambda: ScheduleGPipe(None, 1)),
        ("rpc.init_rpc", lambda: rpc.init_rpc("a", rank=0, world_size=1)),
        ("rpc.api.RRef", lambda: rpc.RRef(1)),
        ("autograd.context", autograd.context),
    ],
)
def test_what_is_used_refuses_in_one_sentence_with_its_name(path, use):
    with pytest.raises(NotImplementedError) as error:
        use()
    text = str(error.value)
    assert text.startswith("torch.distributed.")
    assert text.endswith(f"{path} is not implemented by minitorch")


def test_calls_on_other_machines_are_said_not_to_be_there():
    assert not rpc.is_available()
    assert not autograd.is_available()
