"""The log of a module that ranks train, in a world of one."""

import pytest

import minitorch
import minitorch.distributed as dist
from minitorch import nn
from minitorch.nn.parallel import DistributedDataParallel


@pytest.fixture(autouse=True)
def _world(tmp_path):
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/world", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def train(module, iterations=1):
    for _ in range(iterations):
        module(minitorch.ones(2, 3)).sum().backward()
    return module._get_ddp_logging_data()


def test_the_settings_are_noted_before_the_first_iteration():
    data = DistributedDataParallel(nn.Linear(3, 2))._get_ddp_logging_data()
    assert data["module_name"] == "Linear"
    assert data["bucket_sizes"] == "32"
    assert data["iteration"] == 0
    assert "forward_compute_time" not in data


def test_the_first_ten_iterations_are_noted_and_then_every_so_many():
    module = DistributedDataParallel(nn.Linear(3, 2))
    module._set_ddp_runtime_logging_sample_rate(4)
    seen = [train(module)["iteration"] for _ in range(14)]
    assert seen == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 12, 12]


def test_times_lie_one_after_another():
    data = train(DistributedDataParallel(nn.Linear(3, 2)), 3)
    assert data["forward_compute_time_start"] <= data["backward_compute_time_start"]
    assert data["backward_compute_time_start"] <= data["backward_comm_time_start"]
    assert data["backward_comm_time_start"] <= data["backward_comm_time_end"]
    assert data["avg_backward_comm_time"] > 0


def test_an_error_is_noted_and_raised():
    module = DistributedDataParallel(nn.Linear(3, 2))
    with pytest.raises(ValueError, match="equal or greater than 1"):
        module._set_ddp_runtime_logging_sample_rate(0)
    data = module._get_ddp_logging_data()
    assert data["has_error"] == 1
    assert data["error"].startswith("<class 'ValueError'>: DDP runtime")


def test_a_static_graph_may_have_two_forward_passes_in_an_iteration():
    module = DistributedDataParallel(nn.Linear(3, 2), static_graph=True)
    x = minitorch.ones(2, 3)
    for _ in range(3):
        module.zero_grad()
        (module(x).sum() + module(x).sum()).backward()
        assert module.module.bias.grad.tolist() == [4.0, 4.0]


def test_what_is_left_of_buckets_comes_last_one_first():
    kinds = [minitorch.float32, minitorch.float64, minitorch.float32]
    tensors = [minitorch.ones(2, dtype=kind) for kind in kinds]
    groups = dist._compute_bucket_assignment_by_size(tensors, [1000], [], [2, 0, 1])
    assert groups == ([[0], [2, 1]], [1000, 1000])


def test_a_static_graph_that_is_set_too_late_is_refused_and_noted():
    module = DistributedDataParallel(nn.Linear(3, 2))
    train(module)
    with pytest.raises(RuntimeError, match="before training loop starts"):
        module._set_static_graph()
    assert module._get_ddp_logging_data()["error"].startswith("set_static_graph() should be")
