"""torch.distributed.rpc: names, and functions that say that there are no other machines."""

import pytest

from minitorch.distributed import rpc
from minitorch.distributed.rpc import api


def test_functions_for_other_machines_say_that_there_are_none():
    @api._require_initialized
    def call(x):
        return x

    assert call.__name__ == "call"
    with pytest.raises(RuntimeError, match="RPC has not been initialized"):
        call(1)


def test_other_names_refuse():
    with pytest.raises(NotImplementedError, match=r"torch\.distributed\.rpc"):
        rpc.init_rpc("worker")
