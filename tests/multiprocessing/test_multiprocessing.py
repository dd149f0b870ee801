"""torch.multiprocessing: tensors cross as shared memory, and failures are raised where they start.

Functions that run in other processes stand at the top of this file: processes import it anew.
"""

import os
import subprocess
import sys

import pytest

import minitorch as torch
from minitorch import multiprocessing as mp

# The function of the same name hides the module, as in torch.
failures = sys.modules["minitorch.multiprocessing.spawn"]


def write(i, x):
    x[i] = i + 1


def fail(i):
    if i == 1:
        raise ValueError("boom")


def leave(i):
    os._exit(3 + i)


def double(x):
    return x * 2


@pytest.fixture
def queue():
    made = mp.SimpleQueue()
    yield made
    made.close()


def test_what_started_processes_write_is_seen_by_the_one_that_started_them():
    x = torch.zeros(3)
    mp.start_processes(write, (x.share_memory_(),), nprocs=3, start_method="fork")
    assert x.tolist() == [1, 2, 3]


def test_an_exception_of_a_process_is_raised_with_its_traceback():
    with pytest.raises(mp.ProcessRaisedException) as caught:
        mp.start_processes(fail, nprocs=2, start_method="fork")
    text = str(caught.value)
    assert text.startswith("\n\n-- Process 1 terminated with the following error:\nTraceback")
    assert text.endswith("ValueError: boom\n")
    assert caught.value.error_index == 1


def test_an_exit_code_of_a_process_is_raised():
    with pytest.raises(mp.ProcessExitedException, match="process 0 terminated with exit code 3"):
        mp.start_processes(leave, nprocs=1, start_method="fork")


def test_a_context_that_is_not_joined_knows_its_processes():
    x = torch.zeros(2).share_memory_()
    context = mp.start_processes(write, (x,), nprocs=2, join=False, start_method="fork")
    assert len(context.pids()) == 2
    while not context.join():
        pass
    assert context.join()
    assert x.tolist() == [1, 2]


def test_a_queue_returns_the_memory_that_was_put_into_it(queue):
    x = torch.arange(4.0)
    queue.put((x, x[1:]))
    a, b = queue.get()
    assert a.data_ptr() == x.data_ptr()
    assert b.untyped_storage() == a.untyped_storage()
    assert x.is_shared()
    queue.put(torch.arange(4).expand(2, 4).t())
    assert queue.get().stride() == (1, 0)
    queue.put(torch.empty(0, 3))
    assert queue.get().shape == (0, 3)


def test_a_queue_keeps_parameters_storages_and_dtypes(queue):
    queue.put(torch.nn.Parameter(torch.ones(2)))
    found = queue.get()
    assert type(found) is torch.nn.Parameter
    assert found.requires_grad
    queue.put(torch.UntypedStorage([1, 2]))
    assert queue.get().tolist() == [1, 2]
    queue.put(torch.tensor([1 + 2j]).conj())
    assert queue.get().tolist() == [1 + 2j]  # as in torch: what lies in memory
    queue.put(torch.ones(2).bfloat16())
    assert queue.get().dtype is torch.bfloat16


def test_a_tensor_with_a_history_is_refused(queue):
    x = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
        queue.put(x)


def test_a_pool_maps_over_tensors():
    with mp.get_context("fork").Pool(1) as pool:
        assert [x.tolist() for x in pool.map(double, [torch.ones(1), torch.zeros(1)])] == [[2], [0]]


def test_sharing_strategies_are_those_of_torch():
    assert mp.get_all_sharing_strategies() == {"file_descriptor", "file_system"}
    mp.set_sharing_strategy("file_system")
    assert mp.get_sharing_strategy() == "file_system"
    mp.set_sharing_strategy("file_descriptor")
    with pytest.raises(AssertionError, match="invalid sharing strategy 'foo'"):
        mp.set_sharing_strategy("foo")


def test_spawned_processes_of_a_script_for_torch_find_minitorch(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import torch\n"
        "import torch.multiprocessing as mp\n"
        "def work(rank, x):\n"
        "    x[rank] = torch.ones(1).item() + rank\n"
        "if __name__ == '__main__':\n"
        "    x = torch.zeros(2)\n"
        "    mp.spawn(work, (x,), nprocs=2)\n"
        "    print(x.tolist(), 'minitorch' in torch.__file__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "minitorch", str(script)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout.strip() == "[1.0, 2.0] True"
    assert done.stderr == ""


def test_exceptions_have_the_names_and_the_base_of_torch():
    assert issubclass(mp.ProcessRaisedException, failures.ProcessException)
    assert mp.ProcessExitedException.__module__ == "torch.multiprocessing.spawn"


def test_a_StorageWeakRef_follows_memory_that_moves_and_knows_when_it_is_gone():
    x = torch.ones(2)
    reference = mp.reductions.StorageWeakRef(x.untyped_storage())
    assert reference == mp.reductions.StorageWeakRef(x[1:].untyped_storage())
    assert reference != mp.reductions.StorageWeakRef(torch.ones(2).untyped_storage())
    x.share_memory_()
    assert not reference.expired()
    assert reference.cdata == x.untyped_storage()._weak_ref()
    del x
    assert reference.expired()


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_a_queue_sends_sparse_tensors_by_their_parts(queue, layout):
    sent = torch.eye(2).to_sparse(layout=layout)
    queue.put(sent)
    found = queue.get()
    assert found.layout is layout
    assert found.to_dense().tolist() == [[1, 0], [0, 1]]


def test_a_queue_sends_meta_tensors_by_their_geometry(queue):
    queue.put(torch.empty(2, 3, device="meta").t())
    found = queue.get()
    assert (found.device.type, found.shape, found.stride()) == ("meta", (3, 2), (1, 3))


def test_share_memory_of_an_empty_tensor_shares_it_and_of_a_meta_tensor_refuses():
    assert torch.empty(0).share_memory_().is_shared()
    with pytest.raises(RuntimeError, match="_share_fd_: only available on CPU"):
        torch.empty(2, device="meta").share_memory_()
