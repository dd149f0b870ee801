"""Copies of states that are saved while a program goes on."""

import pytest

import minitorch
from minitorch.distributed import checkpoint as dcp
from minitorch.distributed.checkpoint.staging import (
    BlockingAsyncStager,
    DefaultStager,
    StagingOptions,
)
from minitorch.distributed.checkpoint.state_dict_saver import AsyncCheckpointerType


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled")
@pytest.mark.parametrize("in_thread", [False, True])
def test_what_is_saved_is_the_state_at_the_call(tmp_path, in_thread):
    state = {"x": minitorch.ones(2), "nested": {"y": [minitorch.zeros(1), "word"]}}
    stager = DefaultStager(StagingOptions(False, False, in_thread, False))
    future = dcp.async_save(state, checkpoint_id=tmp_path, async_stager=stager)
    if in_thread:
        assert future.staging_completion.result() is None
        future = future.upload_completion
    state["x"].zero_()
    future.result()
    dcp.load(state, checkpoint_id=tmp_path)
    assert state["x"].tolist() == [1.0, 1.0]
    stager.close()


def test_saving_in_a_process_is_refused(tmp_path):
    with pytest.raises(NotImplementedError, match="async_save with AsyncCheckpointerType"):
        dcp.async_save(
            {}, checkpoint_id=tmp_path, async_checkpointer_type=AsyncCheckpointerType.PROCESS
        )


def test_a_stager_that_checks_types_refuses_what_is_no_plain_state():
    plain = {"x": minitorch.ones(1), "y": (1, 2.5, "a", b"b", None, [True])}
    assert BlockingAsyncStager(type_check=True).stage(plain)["y"] == plain["y"]
    with pytest.raises(ValueError, match="Unexpected value type <class 'set'>"):
        BlockingAsyncStager(type_check=True).stage({"x": [{2}]})
    assert BlockingAsyncStager().stage({"x": [{2}]}) == {"x": [{2}]}
