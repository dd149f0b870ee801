"""Operations of the backend nccl: results, and the calls that NCCL gets, on threads as ranks."""

import contextlib

import pytest

import minitorch as torch
import minitorch.distributed as dist
from tests import strict_streams
from tests.distributed.nccl_ranks import nccl_there, ranks

FLOAT, INT64, UINT8, BFLOAT16, HALF = 7, 4, 1, 9, 6
SUM, PROD, MAX, MIN, AVG = range(5)


@pytest.fixture
def nccl():
    with nccl_there() as module:
        yield module


@pytest.fixture
def run(nccl):
    """Runs a function of a rank on threads; raises what a rank raised."""
    with ranks() as run:

        def checked(function, *args, **kwargs):
            ended = run(function, *args, **kwargs)
            failed = [each for each in ended if isinstance(each, BaseException)]
            if failed:  # first of all what kept the other ranks waiting
                raise min(failed, key=lambda error: "does not come" in str(error))
            return ended

        yield checked


def calls(nccl, rank=0):
    """The calls of a rank, without those that make communicators, and without streams."""
    skipped = ("NcclCommunicator", "destroy")
    return [
        call[:-1] if len(call) > 1 else call[0]
        for call in nccl.log[f"rank {rank}"]
        if call[0] not in skipped
    ]


def arange(n, rank=0, **options):
    return torch.arange(n, device="cuda", **options) + rank


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize(
    ("dtype", "op", "number", "code", "expected"),
    [
        (torch.float32, "SUM", SUM, FLOAT, lambda xs: sum(xs)),
        (torch.float32, "AVG", AVG, FLOAT, lambda xs: sum(xs) / len(xs)),
        (torch.float64, "PRODUCT", PROD, 8, lambda xs: torch.stack(xs).prod(0)),
        (torch.int64, "MAX", MAX, INT64, lambda xs: torch.stack(xs).amax(0)),
        (torch.int32, "MIN", MIN, 2, lambda xs: torch.stack(xs).amin(0)),
        (torch.float16, "SUM", SUM, HALF, lambda xs: sum(xs)),
        (torch.bfloat16, "SUM", SUM, BFLOAT16, lambda xs: sum(xs)),
        (torch.uint8, "SUM", SUM, UINT8, lambda xs: sum(xs)),
        (torch.int8, "SUM", SUM, 0, lambda xs: sum(xs)),
        (torch.bool, "SUM", MAX, UINT8, lambda xs: torch.stack(xs).any(0)),
    ],
)
def test_all_reduce_passes_count_dtype_and_reduction(
    run, nccl, size, dtype, op, number, code, expected
):
    given = [(torch.arange(5) % 3 + rank).to(dtype) for rank in range(size)]

    def reduce(rank):
        x = given[rank].to("cuda")
        dist.all_reduce(x, op=getattr(dist.ReduceOp, op))
        return x.cpu()

    for each in run(reduce, size):
        assert each.dtype == dtype
        assert torch.equal(each, expected(given).to(dtype))
    assert calls(nccl) == [("allReduce", 5, code, number)]


def test_complex_numbers_cross_as_pairs(run, nccl):
    def reduce(rank):
        x = torch.full((3,), complex(rank, 1), dtype=torch.complex64, device="cuda")
        dist.all_reduce(x)
        return x.tolist()

    assert run(reduce) == [[1 + 2j] * 3] * 2
    assert calls(nccl) == [("allReduce", 6, FLOAT, SUM)]


def test_premul_sum_multiplies_before_it_adds(run, nccl):
    def reduce(rank):
        x, op = arange(3.0, rank), dist._make_nccl_premul_sum(0.5)
        dist.all_reduce(x, op=op)
        parts = torch.zeros(1, device="cuda")
        dist.reduce_scatter(parts, [arange(1.0, 2), arange(1.0, 4)], op=op)
        return x.tolist(), parts.tolist()

    assert run(reduce) == [([0.5, 1.5, 2.5], [2.0]), ([0.5, 1.5, 2.5], [4.0])]
    assert calls(nccl) == [("allReduce", 3, FLOAT, SUM), ("reduceScatter", 1, FLOAT, SUM)]


def test_reduce_and_broadcast_name_their_root(run, nccl):
    def move(rank):
        x, y = arange(4, rank), arange(2, 10 * rank)
        dist.reduce(x, 1, op=dist.ReduceOp.MAX)
        dist.broadcast(y, 2)
        return x.tolist(), y.tolist()

    seen = run(move, 3)
    assert seen[1][0] == [2, 3, 4, 5]
    assert seen[0][0] == [0, 1, 2, 3]  # what is no root keeps its own
    assert [each[1] for each in seen] == [[20, 21]] * 3
    assert calls(nccl) == [("reduce", 4, INT64, MAX, 1), ("broadcast", 2, INT64, 2)]


def test_gathered_tensors_lie_in_their_places(run, nccl):
    def gather(rank):
        x = arange(2, 10 * rank)
        rows = [torch.zeros(2, dtype=torch.int64, device="cuda") for _ in range(3)]
        whole = torch.zeros(3, 2, dtype=torch.int64, device="cuda")
        dist.all_gather(rows, x)
        dist.all_gather_single(whole, x)
        return [each.tolist() for each in rows], whole.tolist()

    expected = [[0, 1], [10, 11], [20, 21]]
    assert run(gather, 3) == [(expected, expected)] * 3
    assert calls(nccl) == [("allGather", 2, INT64)] * 2


def test_gathered_tensors_of_several_sizes_are_broadcast_as_one(run, nccl):
    def gather(rank):
        rows = [torch.zeros(1 + k, device="cuda") for k in range(2)]
        dist.all_gather(rows, torch.ones(1 + rank, device="cuda") * (rank + 1))
        return [each.tolist() for each in rows]

    assert run(gather) == [[[1.0], [2.0, 2.0]]] * 2
    one, other = ("broadcast", 1, FLOAT, 0), ("broadcast", 2, FLOAT, 1)
    assert calls(nccl) == ["groupStart", one, other, "groupEnd"]


def test_channels_last_keeps_its_order_in_memory(run, nccl):
    def gather(rank):
        x = torch.arange(16.0).reshape(1, 4, 2, 2).add(100 * rank).to("cuda")
        x = x.contiguous(memory_format=torch.channels_last)
        rows = [torch.zeros_like(x) for _ in range(2)]
        dist.all_gather(rows, x)
        dist.all_reduce(x)
        return [each.flatten().tolist() for each in (*rows, x)]

    plain = [float(n) for n in range(16)]
    expected = [plain, [n + 100 for n in plain], [2 * n + 100 for n in plain]]
    assert run(gather) == [expected] * 2


def test_reduce_scatter_counts_the_elements_of_a_part(run, nccl):
    def scatter(rank):
        out, other = (torch.zeros(2, device="cuda") for _ in range(2))
        dist.reduce_scatter(out, [arange(2.0, 10 * k + rank) for k in range(3)])
        dist.reduce_scatter_single(other, arange(6.0, rank), op=dist.ReduceOp.AVG)
        return out.tolist(), other.tolist()

    assert run(scatter, 3) == [
        ([30.0 * k + 3, 30.0 * k + 6], [2.0 * k + 1, 2.0 * k + 2]) for k in range(3)
    ]
    assert calls(nccl) == [("reduceScatter", 2, FLOAT, SUM), ("reduceScatter", 2, FLOAT, AVG)]


def test_parts_of_several_sizes_are_reduced_as_one(run, nccl):
    def scatter(rank):
        out = torch.zeros(1 + rank, device="cuda")
        parts = [torch.ones(1, device="cuda") * (rank + 1), torch.ones(2, device="cuda")]
        op = dist._make_nccl_premul_sum(3.0)
        dist.reduce_scatter(out, parts, op=op)
        return out.tolist()

    assert run(scatter) == [[9.0], [6.0, 6.0]]
    one, other = ("reduce", 1, FLOAT, SUM, 0), ("reduce", 2, FLOAT, SUM, 1)
    assert calls(nccl) == ["groupStart", one, other, "groupEnd"]


def test_gather_and_scatter_are_messages_that_start_as_one(run, nccl):
    def move(rank):
        x = arange(2, rank)
        rows = [torch.zeros_like(x) for _ in range(3)] if rank == 1 else None
        dist.gather(x, rows, 1)
        out = torch.zeros_like(x)
        dist.scatter(out, [arange(2, 10 * k) for k in range(3)] if rank == 2 else None, 2)
        return [each.tolist() for each in rows or []], out.tolist()

    seen = run(move, 3)
    assert seen[1][0] == [[0, 1], [1, 2], [2, 3]]
    assert [each[1] for each in seen] == [[0, 1], [10, 11], [20, 21]]
    receives = [("recv", 2, INT64, 0), ("recv", 2, INT64, 2)]
    assert calls(nccl, 1)[:4] == ["groupStart", *receives, "groupEnd"]
    sends = [("send", 2, INT64, 0), ("send", 2, INT64, 1)]
    assert calls(nccl, 2)[3:] == ["groupStart", *sends, "groupEnd"]


def test_all_to_all_sends_each_rank_its_stretch(run, nccl):
    def swap(rank):
        out = torch.zeros(4, device="cuda")
        dist.all_to_all_single(out, arange(4.0, 10 * rank))
        uneven = torch.zeros(3 if rank else 1, 2, device="cuda")
        splits = ([0, 1], [0, 1]) if rank == 0 else ([1, 2], [1, 2])
        # Rank 0 sends one row to rank 1 and gets one of it; rank 1 keeps two rows.
        dist.all_to_all_single(
            uneven, torch.full((sum(splits[1]), 2), float(rank), device="cuda"), *splits
        )
        lists = [torch.zeros(1 + rank, device="cuda") for _ in range(2)]
        dist.all_to_all(lists, [torch.ones(1 + k, device="cuda") * rank for k in range(2)])
        return out.tolist(), uneven.tolist(), [each.tolist() for each in lists]

    one, other = run(swap)
    assert one[0] == [0.0, 1.0, 10.0, 11.0]
    assert other[0] == [2.0, 3.0, 12.0, 13.0]
    assert one[1] == [[1.0, 1.0]]
    assert other[1] == [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]
    assert one[2] == [[0.0], [1.0]]
    assert other[2] == [[0.0, 0.0], [1.0, 1.0]]
    first = [
        ("send", 2, FLOAT, 0),
        ("recv", 2, FLOAT, 0),
        ("send", 2, FLOAT, 1),
        ("recv", 2, FLOAT, 1),
    ]
    # No call for what has no elements.
    second = [("send", 2, FLOAT, 1), ("recv", 2, FLOAT, 1)]
    assert calls(nccl)[:6] == ["groupStart", *first, "groupEnd"]
    assert calls(nccl)[6:10] == ["groupStart", *second, "groupEnd"]


def test_messages_go_by_a_communicator_of_two(run, nccl):
    def send(rank):
        x = arange(3, rank)
        if rank == 2:
            dist.send(x, 0)
        elif rank == 0:
            assert dist.recv(x, 2) == 2
        return x.tolist()

    assert run(send, 3)[0] == [2, 3, 4]
    # Of both, the lower rank is the first; the group's own communicator is not made.
    assert nccl.log["rank 0"][0] == ("NcclCommunicator", 2, 0)
    assert nccl.log["rank 2"][0] == ("NcclCommunicator", 2, 1)
    assert nccl.log["rank 1"] == []
    assert calls(nccl, 0) == [("recv", 3, INT64, 1)]
    assert calls(nccl, 2) == [("send", 3, INT64, 0)]


def test_batches_of_messages_start_as_one_and_have_one_handle(run, nccl):
    def swap(rank):
        came = torch.zeros(2, dtype=torch.int64, device="cuda")
        other = 1 - rank
        messages = [
            dist.P2POp(dist.irecv, came, other),
            dist.P2POp(dist.isend, arange(2, rank), other),
        ]
        works = dist.batch_isend_irecv(messages)
        for each in works:
            each.wait()
        return len(works), came.tolist()

    assert run(swap) == [(1, [1, 2]), (1, [0, 1])]
    # The communicator is made outside of the group of calls.
    assert [call[0] for call in nccl.log["rank 0"]][:3] == [
        "groupStart",
        "groupEnd",
        "NcclCommunicator",
    ]
    assert calls(nccl)[2:] == [
        "groupStart",
        ("recv", 2, INT64, 1),
        ("send", 2, INT64, 1),
        "groupEnd",
    ]


def test_coalesced_operations_start_as_one(run, nccl):
    def reduce(rank):
        tensors = [arange(2.0, rank), arange(3.0, rank)]
        outs = [torch.zeros(4, device="cuda") for _ in range(2)]
        with dist._coalescing_manager(device=torch.device("cuda")):
            for each in tensors:
                dist.all_reduce(each)
        with dist._coalescing_manager(async_ops=True) as manager:
            for out in outs:
                dist.all_gather_single(out, tensors[0])
        manager.wait()
        rows = [torch.zeros(2, device="cuda") for _ in range(2)]
        with dist._coalescing_manager(device=torch.device("cuda")):
            dist.all_gather(rows, tensors[0])
        return [each.tolist() for each in (*tensors, *outs, *rows)], len(manager.works)

    values = [[1.0, 3.0], [1.0, 3.0, 5.0], *[[1.0, 3.0] * 2] * 2, *[[1.0, 3.0]] * 2]
    assert run(reduce) == [(values, 1)] * 2
    reduces = [("allReduce", 2, FLOAT, SUM), ("allReduce", 3, FLOAT, SUM)]
    gathers = [("allGather", 2, FLOAT)] * 2
    seen = calls(nccl)
    assert [each for each in seen if type(each) is tuple] == [*reduces, *gathers, gathers[0]]
    assert seen.count("groupStart") == seen.count("groupEnd") == 4  # one was opened anew


def test_barriers_are_a_sum_of_one_element_and_the_host_waits(run, nccl):
    nothing = contextlib.nullcontext

    def meet(rank):
        with (
            pytest.warns(UserWarning, match="using the device under current")
            if rank == 0
            else nothing()
        ):
            dist.barrier()
        return "synchronize" in [each[0] for each in strict_streams.get_current_stream().told]

    assert run(meet) == [True] * 2
    assert calls(nccl) == [("allReduce", 1, FLOAT, SUM)]


def test_operations_are_queued_behind_the_current_stream_and_waited_for_there(run, nccl):
    def reduce(rank):
        with strict_streams.Stream(non_blocking=True) as own:
            x = torch.ones(2, device="cuda")
            work = dist.all_reduce(x, async_op=True)
            before = list(own.told)
            work.wait()
        group = work.done.at
        ready, call = group.told
        assert before == []  # the host and its stream went on
        assert (ready[0], ready[1].at) == ("wait", own)  # NCCL's stream waits for ours first
        assert (call[0], call[-1]) == ("allReduce", group.ptr)
        assert own.told == [("wait", work.done)]  # and ours for what NCCL did
        assert work.done.after == 2
        return group.non_blocking, group is own, work.done.times

    assert run(reduce) == [(True, False, False)] * 2


def test_callbacks_of_futures_run_behind_the_operation_on_a_stream(run, nccl):
    def reduce(rank):
        x = torch.ones(2, device="cuda")
        work, seen = dist.all_reduce(x, async_op=True), []

        def half(future):
            seen.append(strict_streams.get_current_stream())
            return future.value()[0] / 2

        later = work.get_future().then(half)
        (side,) = seen
        result = later.wait()
        (wait,) = strict_streams.get_current_stream().told[-1:]
        return result.tolist(), side.told[0] == ("wait", work.done), wait[1].at is side

    assert run(reduce) == [([1.0, 1.0], True, True)] * 2


def test_each_group_has_its_own_communicator_and_stream(run, nccl):
    def reduce(rank):
        pair = dist.new_group([0, 2])
        x = torch.ones(1, device="cuda")
        one = dist.all_reduce(x, async_op=True)
        one.wait()
        if rank == 1:
            return x.tolist()
        two = dist.all_reduce(x, group=pair, async_op=True)
        two.wait()
        assert one.done.at is not two.done.at
        return x.tolist()

    assert run(reduce, 3) == [[6.0], [3.0], [6.0]]
    made = [call for call in nccl.log["rank 2"] if call[0] == "NcclCommunicator"]
    assert made == [("NcclCommunicator", 3, 2), ("NcclCommunicator", 2, 1)]


def test_devices_that_ranks_are_bound_to_connect_at_once(run, nccl):
    run(lambda rank: None, device_id=torch.device("cuda:0"), backend=None)
    assert nccl.log["rank 1"] == [("NcclCommunicator", 2, 1), ("destroy",)]
    run(lambda rank: dist.barrier(), device_id=0)  # and no barrier warns


def test_objects_cross_on_the_device(run, nccl):
    def share(rank):
        everywhere = [None] * 2
        dist.all_gather_object(everywhere, {"rank": rank})
        objects = ["mine" if rank else "yours", 3]
        dist.broadcast_object_list(objects, 1)
        return everywhere, objects

    assert run(share) == [([{"rank": 0}, {"rank": 1}], ["mine", 3])] * 2


def refused(call, kind, text):
    with pytest.raises(kind) as error:
        call()
    assert type(error.value) is kind
    assert str(error.value).startswith(text), error.value


def test_tensors_and_arguments_are_refused_in_torchs_words(run, nccl):
    def refuse(rank):
        x, op = torch.ones(4, 2, device="cuda"), dist.ReduceOp
        world = dist.group.WORLD
        refused(
            lambda: dist.all_reduce(torch.ones(2)),
            RuntimeError,
            "No backend type associated with device type cpu",
        )
        refused(lambda: dist.all_reduce(x.t()), ValueError, "Tensors must be contiguous")
        refused(
            lambda: dist.all_gather([x, torch.ones(4, 2)], x),
            ValueError,
            "Tensors must be CUDA and dense",
        )
        refused(
            lambda: dist.all_reduce(x, op=op.BAND), ValueError, "Cannot use ReduceOp.BAND with NCCL"
        )
        refused(
            lambda: dist.all_reduce(x.bool(), op=op.AVG),
            TypeError,
            "Cannot use ReduceOp.AVG with Boolean inputs",
        )
        refused(
            lambda: dist.broadcast(x.to(torch.int16), 0),
            TypeError,
            "Input tensor data type is not supported for NCCL process group: Short",
        )
        refused(
            lambda: dist.all_reduce(x.int(), op=dist._make_nccl_premul_sum(2.0)),
            TypeError,
            "PreMulSum Data type must be half",
        )
        refused(
            lambda: dist.all_gather_single(x, x),
            ValueError,
            "output tensor size must be equal to world_size times input",
        )
        refused(
            lambda: dist.all_gather_single(x.double(), x),
            TypeError,
            "output tensor must have the same type as input tensor",
        )
        refused(
            lambda: dist.reduce_scatter_single(x, x),
            ValueError,
            "input tensor must be the same size as output size times",
        )
        refused(
            lambda: dist.all_to_all_single(x, x, [1, 2], [1, 2]),
            RuntimeError,
            "Split sizes doesn't match total dim 0 size",
        )
        refused(
            lambda: dist.gather(x, None if rank else [x], 0),
            ValueError,
            "ProcessGroupNCCL::gather: Incorrect output list size 1.",
        ) if rank == 0 else None
        refused(lambda: dist.recv(x), RuntimeError, "Backend nccl does not support recvAnysource")
        refused(
            lambda: world.allreduce_coalesced([x, x.double()]),
            TypeError,
            "Tensors must have identical type",
        )
        refused(
            lambda: world.allgather_coalesced([[x]] * 2, [x]),
            NotImplementedError,
            "ProcessGroupNCCL does not support allgather_coalesced",
        )
        refused(
            lambda: dist.monitored_barrier(),
            ValueError,
            "monitored_barrier is only implemented for GLOO backend.",
        )
        return [call[0] for call in nccl.log[f"rank {rank}"]]

    for names in run(refuse):
        assert set(names) <= {"groupStart", "groupEnd"}
