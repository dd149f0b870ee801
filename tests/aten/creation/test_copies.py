"""Copies and casts: when nothing is copied, memory formats, and what copy_ may write."""

import subprocess
import sys

import pytest

import minitorch as torch


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.to(torch.float32),
        lambda x: x.float(),
        lambda x: x.contiguous(),
        lambda x: x.float(memory_format=torch.contiguous_format),
        lambda x: x.cpu(),
        lambda x: x.type_as(x),
    ],
)
def test_what_changes_nothing_returns_the_tensor_itself(call) -> None:
    x = torch.ones(2, 3)
    assert call(x) is x


def test_a_copy_keeps_the_strides_of_a_dense_tensor_only() -> None:
    x = torch.ones(2, 3, 4).permute(2, 0, 1)
    assert x.clone().stride() == x.stride()
    assert x[:, :, ::2].clone().stride() == (1, 8, 4)
    assert torch.ones(3, 1).expand(3, 2).clone().stride() == (2, 1)


def test_channels_last_is_a_memory_format_of_four_dimensions() -> None:
    x = torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert x.stride() == (60, 1, 15, 3)
    assert x.is_contiguous(memory_format=torch.channels_last)
    assert not x.is_contiguous()
    assert (x + 1).stride() == x.stride()
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        torch.ones(2, 2).contiguous(memory_format=torch.channels_last)


def test_copy_broadcasts_and_casts_and_records() -> None:
    source = torch.tensor([1.5, 2.5], requires_grad=True)
    x = torch.zeros(2, 2, dtype=torch.float64)
    assert x.copy_(source) is x
    assert x.grad_fn.name() == "torch::autograd::CopyBackwards"
    assert x.tolist() == [[1.5, 2.5], [1.5, 2.5]]
    x.sum().backward()
    assert source.grad.dtype is torch.float32
    assert source.grad.tolist() == [2, 2]


def test_copy_into_integers_is_not_recorded() -> None:
    x = torch.zeros(2, dtype=torch.int64).copy_(torch.tensor([1.9, -1.9], requires_grad=True))
    assert x.tolist() == [1, -1]
    assert not x.requires_grad


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((3,), r"size of tensor a \(2\) must match the size of tensor b \(3\) at non-singleton"),
        ((3, 2, 2), r"output with shape \[2, 2\] doesn't match the broadcast shape \[3, 2, 2\]"),
    ],
)
def test_copy_refuses_shapes_that_do_not_broadcast(shape: tuple[int, ...], text: str) -> None:
    x = torch.zeros(2, 2)
    with pytest.raises(RuntimeError, match=text):
        x.copy_(torch.ones(shape))
    assert x.sum().item() == 0


def test_copies_keep_strides_along_dimensions_of_size_1() -> None:
    x = torch.arange(4.0).as_strided((1, 3), (7, 1))
    assert x.clone().stride() == x.double().stride() == torch.empty_like(x).stride() == (7, 1)
    assert x.neg().stride() == (3, 1)
    assert torch.zeros(4).as_strided((1, 3, 1), (3, 1, 3)).view(3, 1, 1).stride() == (1, 3, 3)


@pytest.fixture
def warn_always():
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


CASTS = {
    "to": lambda c: c.to(torch.int64),
    "copy_": lambda c: torch.zeros(2).copy_(c),
    "sum": lambda c: c.sum(dtype=torch.float32),
    "tensor": lambda c: torch.zeros(1).new_tensor(c.numpy()),
    "a comparison": lambda c: torch.eq(c, c, out=torch.zeros(2)),
    "a comparison in place": lambda c: torch.zeros(2).eq_(c),
}


@pytest.mark.parametrize("cast", CASTS.values(), ids=CASTS.keys())
def test_complex_numbers_become_real_with_a_warning(cast, warn_always) -> None:
    with pytest.warns(UserWarning, match="Casting complex values to real discards the imaginary"):
        cast(torch.tensor([1 + 2j, 2j]))


def test_no_number_is_lost_by_a_cast_to_bool_or_of_nothing(warn_always, recwarn) -> None:
    torch.tensor([1j]).bool()
    torch.empty(0, dtype=torch.complex64).float()
    assert not recwarn.list


def test_what_warns_once_warns_at_the_line_that_calls_into_cpp_in_torch() -> None:
    script = (
        "import warnings, minitorch as torch\n"
        "warnings.simplefilter('always')\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    for _ in range(3): torch.tensor([1j]).float()\n"
        "    for _ in range(3): torch.meshgrid(torch.ones(1), torch.ones(1))\n"
        "print(*[(each.filename, each.lineno) for each in caught[:1]])\n"
        "print(len(caught), caught[1].filename.startswith(torch.__path__[0]))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["('<string>', 4)", "2 True"]  # meshgrid is Python in torch


def test_cast_functions_give_a_tensor_of_the_dtype_that_they_name():
    x = torch.tensor([1.5], dtype=torch.float64, requires_grad=True)
    assert torch._cast_Float(x).grad_fn.name() == "ToCopyBackward0"
    assert torch._cast_Double(x) is x
    assert torch._cast_Long(x, non_blocking=True).dtype == torch.int64
    assert torch._cast_Half(x, True).dtype == torch.float16
