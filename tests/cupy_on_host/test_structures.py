"""complex32 and floats of 8 bits on a device: what they become is what they become on the CPU."""

import io
import os
import warnings

import pytest

import minitorch as torch

if "EMU_DIR" not in os.environ:
    pytest.skip("CuPy over memory of the host is not built", allow_module_level=True)

FLOATS = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
DTYPES = [getattr(torch, name) for name in (*FLOATS, "complex32")]


@pytest.fixture(autouse=True)
def quiet():
    """Complex numbers of two halves warn that they are experimental, once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def bits(x):
    return x.cpu().resolve_conj().contiguous().reshape(-1).view(torch.uint8).tolist()


@pytest.mark.parametrize("name", FLOATS)
def test_patterns_of_float32_become_the_floats_that_they_become_on_the_cpu(name):
    dtype = getattr(torch, name)
    patterns = torch.arange(0, 2**32, 104729).to(torch.int32)
    numbers = torch.cat([patterns.view(torch.float32), torch.arange(-500.0, 500, 0.25)])
    assert bits(numbers.cuda().to(dtype)) == bits(numbers.to(dtype))
    every = torch.arange(256, dtype=torch.uint8).view(dtype)
    assert every.cuda().float().cpu().nan_to_num(7).tolist() == every.float().nan_to_num(7).tolist()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.t().contiguous(),
        lambda x: x[:, 1:].clone(),
        lambda x: torch.cat([x, x.flip(0)], 1),
        lambda x: torch.where(torch.ones(3, dtype=torch.bool, device=x.device), x, x[:1]),
        lambda x: x[torch.tensor([1, 0])],
        lambda x: x.clone().fill_(3.3),
        lambda x: x.clone().zero_(),
        lambda x: torch.nn.functional.pad(x, (1, 1), value=2),
        lambda x: torch.full_like(x, 1.7),
        lambda x: torch.zeros_like(x),
        lambda x: torch.ones(2, dtype=x.dtype, device=x.device),
        lambda x: torch.full((2,), 2.2, dtype=x.dtype, device=x.device),
        lambda x: torch.tensor([1.5, 7.1], dtype=x.dtype, device=x.device),
        lambda x: torch.empty_like(x).copy_(x.to(torch.float64).t().contiguous().t()),
        lambda x: x.view(torch.uint8).clone().view(x.dtype),
    ],
)
def test_structures_are_made_and_moved_as_on_the_cpu(call, dtype):
    x = torch.arange(1.0, 7.0).reshape(2, 3).to(dtype)
    expected, found = call(x), call(x.cuda())
    assert (found.device.type, found.dtype) == ("cuda", expected.dtype)
    assert found.stride() == expected.stride()
    assert bits(found) == bits(expected)


def test_complex_halves_compute_and_floats_of_8_bits_multiply():
    x = torch.tensor([1 + 2j, 3 - 1j]).to(torch.complex32)
    for call in (lambda x: x + x, lambda x: x * x, lambda x: x.conj(), lambda x: x.abs()):
        assert bits(call(x.cuda())) == bits(call(x))
    y = torch.arange(1.0, 7.0).reshape(2, 3).to(torch.float8_e4m3fn)
    assert (y.cuda() @ y.cuda().t()).tolist() == [[14.0, 32.0], [32.0, 80.0]]


@pytest.mark.parametrize(
    "call",
    [lambda x: x + x, lambda x: x.sum(), lambda x: x.sort(), lambda x: x.cumsum(0), torch.exp],
)
def test_operators_that_do_not_know_floats_of_8_bits_refuse_them_as_on_the_cpu(call):
    x = torch.ones(3).to(torch.float8_e5m2)
    refusals = []
    for each in (x, x.cuda()):
        with pytest.raises(
            NotImplementedError, match="not implemented for 'Float8_e5m2'"
        ) as caught:
            call(each)
        refusals.append(str(caught.value))
    assert refusals[0] == refusals[1]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_structures_are_saved_and_loaded(dtype):
    x = torch.arange(1.0, 7.0).reshape(2, 3).to(dtype).cuda()
    file = io.BytesIO()
    torch.save(x.t(), file)
    file.seek(0)
    loaded = torch.load(file)
    assert (loaded.device.type, loaded.stride()) == ("cuda", (1, 3))
    assert bits(loaded.t()) == bits(x)
    assert x.storage().tolist() == x.cpu().storage().tolist()
    assert str(x.cpu()) == str(x).replace(", device='cuda:0'", "").replace(
        ",\n       dtype", ", dtype"
    )
