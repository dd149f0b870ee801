"""Checkpoints of one rank and of several: the parts each rank writes, and the loaded state."""

import pickletools
import threading
from pathlib import Path

import pytest

import minitorch as torch
import minitorch.distributed as dist
import minitorch.distributed.checkpoint as dcp
from minitorch.distributed.backends import BACKENDS
from minitorch.distributed.checkpoint.default_planner import flatten, put
from minitorch.testing._internal.distributed import multi_threaded_pg as threads

pytestmark = pytest.mark.filterwarnings("ignore:torch.distributed is disabled")


def state(factor):
    return {
        "weight": torch.arange(6.0).reshape(2, 3).t() * factor,
        "half": torch.ones(3, dtype=torch.bfloat16) * factor,
        "nested": {"list": [torch.ones(2) * factor, {"x": torch.tensor(factor)}], "word": "a"},
        "words": ["a", factor],
        "epoch": factor,
    }


def test_a_state_comes_back_in_place(tmp_path):
    dcp.save(state(3), checkpoint_id=tmp_path)
    into = state(0)
    kept = into["weight"]
    dcp.load(into, checkpoint_id=tmp_path)
    assert str(into) == str(state(3))
    assert into["weight"] is kept


def test_modules_and_optimizers_come_back(tmp_path):
    def made(seed):
        torch.manual_seed(seed)
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.Adam(model.parameters(), lr=seed / 10)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        return {"model": model, "optimizer": optimizer}

    first, second = made(1), made(2)
    dcp.save(first, checkpoint_id=tmp_path)
    dcp.load(second, checkpoint_id=tmp_path)
    assert str(second["model"].state_dict()) == str(first["model"].state_dict())
    assert str(second["optimizer"].state_dict()) == str(first["optimizer"].state_dict())


def test_the_metadata_names_classes_as_torch_does(tmp_path):
    dcp.save({"x": torch.ones(2)}, checkpoint_id=tmp_path)
    names = [
        argument
        for _, argument, _ in pickletools.genops((tmp_path / ".metadata").read_bytes())
        if isinstance(argument, str)
    ]
    assert "torch.distributed.checkpoint.metadata" in names
    assert not [name for name in names if "minitorch" in name]
    assert sorted(each.name for each in tmp_path.iterdir()) == [".metadata", "__0_0.distcp"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"other": 1}, "Missing key in checkpoint state_dict: other."),
        ({"x": torch.ones(3)}, "Size mismatch between saved torch.Size([2]) and current"),
        ({"x": 3}, "Invalid checkpoint metadata for x, expected BytesStorageMetadata"),
    ],
)
def test_what_does_not_fit_is_refused(given, text, tmp_path):
    dcp.save({"x": torch.ones(2)}, checkpoint_id=tmp_path)
    with pytest.raises(dcp.CheckpointException) as error:
        dcp.load(given, checkpoint_id=tmp_path)
    assert text in str(error.value)
    assert list(error.value.failures) == [0]


def test_an_older_checkpoint_is_replaced_only_where_it_may_be(tmp_path):
    dcp.save({"x": 1}, checkpoint_id=tmp_path)
    with pytest.warns(UserWarning, match="Detected an existing checkpoint"):
        dcp.save({"x": 2}, checkpoint_id=tmp_path)
    with pytest.raises(dcp.CheckpointException, match="Checkpoint already exists"):
        dcp.save({"x": 3}, storage_writer=dcp.FileSystemWriter(tmp_path, overwrite=False))
    with pytest.raises(RuntimeError, match="`checkpoint_id` must be specified"):
        dcp.save({"x": 1})
    with pytest.raises(RuntimeError, match="Cannot detect which StorageReader"):
        dcp.save({"x": 1}, checkpoint_id="s3://bucket/x")
    with pytest.raises(NotImplementedError, match="with thread_count is not"):
        dcp.FileSystemWriter(tmp_path, thread_count=2)


def test_flat_names_lead_back_to_nested_values():
    flat, ways = flatten({"a": {"b": [torch.ones(1), {"c": 1}]}, "d": [1, 2]})
    assert list(flat) == ["a.b.0", "a.b.1.c", "d"]
    nested = {}
    for name, value in flat.items():
        put(nested, ways[name], value)
    assert nested == {"a": {"b": [flat["a.b.0"], {"c": 1}]}, "d": [1, 2]}
    with pytest.raises(ValueError, match=r"duplicated flatten key a\.b"):
        flatten({"a.b": 1, "a": {"b": 2}})


def test_ranks_share_out_what_all_of_them_have(tmp_path):
    BACKENDS["threaded"] = "minitorch.distributed.threaded_steps"
    threads._install_threaded_pg()
    store, ended = dist.HashStore(), {}

    def work(rank):
        dist.init_process_group("threaded", store=store, rank=rank, world_size=2)
        given = {"large": torch.ones(100), "small": torch.ones(3), f"of {rank}": rank}
        metadata = dcp.save(given, checkpoint_id=tmp_path)
        into = {"large": torch.zeros(100), "of 0": 7, "of 1": 7}
        dcp.load(into, checkpoint_id=tmp_path)
        places = {each.fqn: at.relative_path for each, at in metadata.storage_data.items()}
        ended[rank] = places, into["large"].sum().item(), into["of 0"], into["of 1"]
        dist.destroy_process_group()

    try:
        started = [threading.Thread(target=work, args=(rank,)) for rank in range(2)]
        for each in started:
            each.start()
        for each in started:
            each.join(30)
    finally:
        threads._uninstall_threaded_pg()
        threads.ProcessLocalGroup.reset()
        del BACKENDS["threaded"]
    first, second = "__0_0.distcp", "__1_0.distcp"
    places = {"large": first, "small": second, "of 0": first, "of 1": second}
    assert ended == dict.fromkeys(range(2), (places, 100.0, 0, 1))
    assert (Path(tmp_path) / ".metadata").exists()
