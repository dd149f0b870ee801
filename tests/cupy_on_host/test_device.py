"""torch.cuda's own names, over the harness."""

import copy
import os
import pickle

import pytest

import minitorch as torch
from minitorch.nn.attention.flex_attention import create_block_mask

if "EMU_DIR" not in os.environ:
    pytest.skip("CuPy over memory of the host is not built", allow_module_level=True)


def test_get_device_properties_has_attributes():
    properties = torch.cuda.get_device_properties(0)
    assert (properties.major, properties.minor) == torch.cuda.get_device_capability()
    assert properties.total_memory > 0
    assert repr(properties).startswith(f"_CudaDeviceProperties(name='{properties.name}', major=")
    with pytest.raises(AssertionError, match="Invalid device id"):
        torch.cuda.get_device_properties(99)


def test_peaks_of_memory_are_kept_since_they_were_reset():
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.max_memory_allocated()
    x = torch.ones(1 << 20, device="cuda")
    del x
    assert torch.cuda.max_memory_allocated() >= before + (4 << 20)
    assert torch.cuda.max_memory_reserved() >= torch.cuda.max_memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_allocated() < before + (4 << 20)
    assert torch.cuda.memory_stats()["allocated_bytes.all.current"] == torch.cuda.memory_allocated()


@pytest.mark.parametrize(
    "made",
    [
        lambda: torch.ones(1, device="cuda:7"),
        lambda: torch.ones(1).to("cuda:7"),
        lambda: torch.cuda.set_device(7),
    ],
)
def test_device_that_is_not_there_is_an_invalid_ordinal(made):
    with pytest.raises(torch.AcceleratorError, match="CUDA error: invalid device ordinal"):
        made()


def test_pin_memory_copies_into_memory_that_is_locked():
    x = torch.arange(6.0).reshape(2, 3).t()
    y = x.pin_memory()
    assert not x.is_pinned()
    assert y.is_pinned()
    assert y[1:].is_pinned()
    assert y.untyped_storage().is_pinned()
    assert y.stride() == x.stride()
    assert torch.equal(x, y)
    assert y.pin_memory() is y
    assert torch.equal(y.to("cuda", non_blocking=True).cpu(), x)
    assert not y.to("cuda").is_pinned()
    with pytest.raises(RuntimeError, match=r"cannot pin 'torch\.cuda\.FloatTensor' only dense CPU"):
        x.cuda().pin_memory()
    with pytest.raises(NotImplementedError, match=r"torch\.ones with pin_memory=True"):
        torch.ones(2, pin_memory=True)


@pytest.mark.parametrize("workers", [0, 1])
def test_data_loader_pins_its_batches(workers):
    data = torch.utils.data.TensorDataset(torch.arange(4.0), torch.arange(4))
    loader = torch.utils.data.DataLoader(data, 2, pin_memory=True, num_workers=workers)
    batches = [[part.is_pinned() for part in batch] for batch in loader]
    assert batches == [[True, True], [True, True]]


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: torch.add(x, x, out=y),
        lambda x, y: torch.add(y, y, out=x),
        lambda x, y: torch.sum(x, 0, out=y[0]),
        lambda x, y: torch.mm(x[None], x[:, None], out=y[:1, None]),
    ],
)
def test_out_of_another_device_is_refused_in_torchs_words(call):
    with pytest.raises(RuntimeError, match="found at least two devices, cuda:0 and cpu!"):
        call(torch.ones(3, device="cuda"), torch.empty(3))


def test_legacy_new_makes_tensors_on_the_device_of_its_own():
    x = torch.ones(3, device="cuda")
    assert [made.device.type for made in (x.new(), x.new(2), x.new([1.0]))] == ["cuda"] * 3


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("largest", [True, False])
def test_topk_takes_few_of_long_rows(dim, largest):
    x = torch.randperm(3 * 500).float().reshape(3, 500)
    x = x if dim else x.t()
    expected, found = x.topk(5, dim, largest), x.cuda().topk(5, dim, largest)
    assert torch.equal(found.values.cpu(), expected.values)
    assert torch.equal(found.indices.cpu(), expected.indices)
    assert found.values.stride() == expected.values.stride()


def test_where_takes_a_number_in_a_tensor_of_the_cpu():
    x = torch.tensor([-1.0, 2.0], device="cuda")
    assert torch.where(x > 0, x, torch.tensor(0.5)).tolist() == [0.5, 2]
    assert torch.where(x > 0, torch.tensor(3), x).tolist() == [-1, 3]


@pytest.mark.parametrize(
    "call",
    [
        lambda x, i: x.index_select(0, i),
        lambda x, i: x.gather(0, i),
        lambda x, i: x.take(i),
        lambda x, i: x.scatter_add(0, i, x),
        lambda x, i: torch.nn.functional.embedding(i, x[:, None]),
    ],
)
def test_positions_on_the_cpu_are_refused_but_in_brackets(call):
    x, i = torch.arange(3.0, device="cuda"), torch.tensor([0, 2])
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        call(x, i)
    assert x[i].tolist() == [0, 2]
    assert x[torch.tensor(1)].item() == 1


def test_values_on_the_cpu_are_assigned_by_positions_if_they_are_numbers():
    x, i = torch.zeros(3, device="cuda"), torch.tensor([0, 2])
    x[i] = torch.tensor(2.0)
    x[1:2] = torch.ones(1)
    assert x.tolist() == [2, 1, 2]
    with pytest.raises(RuntimeError, match="found at least two devices, cuda:0 and cpu!"):
        x[i] = torch.ones(2)


def test_storages_have_the_sizes_that_were_asked_for():
    x = torch.arange(5.0, device="cuda")
    assert x.untyped_storage().nbytes() == 20
    assert x[2:].untyped_storage().nbytes() == 20
    assert x[2:].expand(2, 3).untyped_storage().nbytes() == 20
    assert torch.empty_strided((2, 2), (4, 1), device="cuda").untyped_storage().nbytes() == 24
    part = x.as_strided((2,), (1,), 3)
    del x
    assert part.untyped_storage().nbytes() == 20
    with pytest.raises(RuntimeError, match="requiring a storage size of 24 are out of bounds for"):
        part.as_strided((3,), (1,), 3)


@pytest.mark.parametrize(
    "made",
    [
        lambda **where: torch.arange(6.0, **where).reshape(2, 3).t(),
        lambda **where: torch.arange(24.0, **where).reshape(2, 3, 4).permute(1, 2, 0),
        lambda **where: torch.zeros(0, 3, **where).t(),
        lambda **where: torch.zeros(1, 3, **where).t(),
        lambda **where: torch.zeros(8, **where)[::2],
    ],
)
def test_copies_to_the_host_keep_strides_that_leave_no_gaps(made):
    expected, found = made().clone(), made(device="cuda").cpu()
    assert found.stride() == expected.stride()
    assert found.untyped_storage().nbytes() == expected.untyped_storage().nbytes()
    assert torch.equal(found, expected)


def test_ctc_loss_takes_lists_of_lengths():
    scores, targets = torch.randn(10, 2, 5).log_softmax(2), torch.tensor([[1, 2, 3], [4, 1, 0]])
    expected = torch.nn.functional.ctc_loss(scores, targets, [10, 9], [3, 2])
    found = torch.nn.functional.ctc_loss(scores.cuda(), targets.cuda(), [10, 9], [3, 2])
    torch.testing.assert_close(found.cpu(), expected)


@pytest.mark.parametrize(
    "made",
    [
        lambda i, v: torch.sparse_coo_tensor(i[None], v, (3,), check_invariants=False),
        lambda i, v: torch.sparse_coo_tensor(
            [[0]], [1.0], (3,), device="cuda", check_invariants=False
        ),
        lambda i, v: torch.sparse_csr_tensor(i, i[:1], v[:1], (1, 2), check_invariants=False),
        lambda i, v: (
            torch.nn.functional.embedding(i, v[:, None].requires_grad_(), sparse=True)
            .sum()
            .backward()
        ),
    ],
)
def test_sparse_tensors_on_a_device_are_refused(made):
    i, v = torch.tensor([0, 1], device="cuda"), torch.ones(2, device="cuda")
    with pytest.raises(NotImplementedError, match=r"torch\.sparse_coo_tensor.* on a CUDA device"):
        made(i, v)


def test_numbers_are_searched_for():
    x = torch.tensor([1.0, 2.0, 5.0], device="cuda")
    assert torch.searchsorted(x, 2).item() == 1
    assert torch.bucketize(2.5, x).item() == 2


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    "name",
    ["i0e", "i1e", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "bessel_j0"],
)
def test_special_functions_of_large_numbers_are_those_of_the_cpu(name, dtype):
    x = torch.tensor([0.5, 3.0, 30.0, 100.0, 254.0, 1e4], dtype=dtype)
    function = getattr(torch.special, name)
    torch.testing.assert_close(function(x.cuda()).cpu(), function(x), rtol=1e-5, atol=1e-9)


def test_gcd_and_lcm_overflow_as_torchs_do():
    x = torch.tensor([-128, 12, 0, 9, -128], dtype=torch.int8, device="cuda")
    y = torch.tensor([3, 41, 0, -6, 127], dtype=torch.int8, device="cuda")
    assert torch.lcm(x, y).tolist() == [-128, -20, 0, 18, -128]
    assert torch.gcd(x, y).tolist() == [1, 1, 0, 3, -1]


def test_arrays_of_other_libraries_on_a_device_are_taken():
    cupy = pytest.importorskip("cupy")
    x = cupy.arange(6.0).reshape(2, 3).T
    shared = torch.as_tensor(x, device="cuda")
    x[0, 0] = 9
    assert (shared[0, 0].item(), shared.stride()) == (9, (1, 3))
    for made in (torch.as_tensor(x), torch.tensor(x)):
        assert (made.device.type, made.tolist()) == ("cpu", x.tolist())
    made = torch.tensor(x, device="cuda", dtype=torch.float32)
    x[0, 0] = 1
    assert (made[0, 0].item(), made.dtype) == (9, torch.float32)


def test_masks_of_flex_attention_lie_on_the_accelerator():
    mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, 4, 4)
    assert mask.kv_indices.device.type == "cuda"


@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.empty(1 << 50, device="cuda"),
        lambda x: torch.ones(1 << 50, device="cuda"),
        lambda x: x.expand(1 << 40, 4).clone(),
        lambda x: x[:, None].expand(4, 1 << 40) + 1,
        lambda x: torch.nn.functional.pad(x, (1 << 45, 0)),
    ],
)
def test_memory_that_there_is_not_is_told_in_torchs_words(call):
    with pytest.raises(
        torch.cuda.OutOfMemoryError, match=r"CUDA out of memory\. Tried to allocate \d+\.00 GiB"
    ):
        call(torch.ones(4, device="cuda"))


def test_gradients_are_views_of_what_they_are_views_of_on_the_cpu():
    for device in ("cpu", "cuda"):
        x = torch.arange(6.0, device=device).reshape(2, 3).requires_grad_()
        (found,) = torch.autograd.grad(x.sum(), x)
        assert (found._base.shape, found.stride()) == ((), (0, 0))
        (found,) = torch.autograd.grad(x.t().exp().sum(), x)
        assert found._base.shape == (3, 2)
        (found,) = torch.autograd.grad(x.sin().sum(), x)
        assert found._base is None


def test_tensors_are_moved_to_meta():
    x = torch.ones(2, 3, device="cuda").t()
    assert (x.to("meta").device.type, x.to("meta").stride()) == ("meta", (1, 3))
    assert torch.nn.Linear(2, 3, device="cuda").to("meta").weight.shape == (3, 2)


def test_pickles_keep_strides_offsets_and_storages():
    x = torch.arange(12.0, device="cuda").reshape(2, 3, 2)
    for each in (x.mT, x[1, 1:], x[:, :, 0], x[1, 0, 0], x[:0], x.expand(2, 2, 3, 2)):
        again = pickle.loads(pickle.dumps(each))
        assert (again.device.type, again.stride()) == ("cuda", each.stride())
        assert again.storage_offset() == each.storage_offset()
        assert again.untyped_storage().nbytes() == each.untyped_storage().nbytes()
        assert torch.equal(again, each)


def test_storages_are_resized_and_copied():
    x = torch.arange(4.0, device="cuda")
    part = x[1:3]
    x.untyped_storage().resize_(64)
    part.fill_(7)
    assert (part.untyped_storage().nbytes(), x.tolist()) == (64, [0, 7, 7, 3])
    with pytest.raises(NotImplementedError, match="a tensor reads beyond 0 bytes"):
        x.untyped_storage().resize_(0)
    y = torch.zeros(3)
    y.untyped_storage().copy_(torch.arange(3.0, device="cuda").untyped_storage())
    assert y.tolist() == [0, 1, 2]


def test_deep_copies_of_views_share_memory_again():
    x = torch.ones(2, 3, device="cuda")
    whole, part = copy.deepcopy([x, x[0]])
    whole.zero_()
    assert (part.tolist(), x.sum().item()) == ([0, 0, 0], 6)


def test_set_takes_storages_of_the_same_device():
    x = torch.ones(3, device="cuda")
    assert x.new(x.untyped_storage()).tolist() == [1, 1, 1]
    for call in (lambda: torch.Tensor(x.untyped_storage()), lambda: torch.empty(0).set_(x)):
        with pytest.raises(
            RuntimeError, match='device "cpu" to a storage on different device "cuda:0"'
        ):
            call()


def test_gradients_of_singular_determinants_are_torchs():
    x = torch.tensor([[0.0, 0.0], [0.0, 3.0]], device="cuda", requires_grad=True)
    (found,) = torch.autograd.grad(torch.linalg.det(x), x)
    assert found.tolist() == [[0, 0], [0, 0]]


def test_to_sparse_is_refused_by_its_name():
    with pytest.raises(
        NotImplementedError, match=r"torch\.Tensor\.to_sparse of a tensor on a CUDA"
    ):
        torch.eye(2, device="cuda").to_sparse()
