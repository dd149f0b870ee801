"""Random numbers on CUDA are torch's: its published ones, and those of its rules in NumPy."""

import os

import numpy
import pytest

import minitorch as torch
import minitorch.nn.functional as F

if "EMU_DIR" not in os.environ:
    pytest.skip("CuPy over memory of the host is not built", allow_module_level=True)

DEVICE = "cuda"
PROCESSORS, THREADS = 132, 2048  # of the device that the harness shows


def philox(seed, threads, counter):
    """The four words of each thread's call, as Random123 has them: (4, threads)."""
    word = numpy.uint64(0xFFFFFFFF)
    zeros = numpy.zeros(threads, numpy.uint64)
    a, b, c, d = zeros + numpy.uint64(counter), zeros, numpy.arange(threads, dtype="u8"), zeros
    k, m = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        p, q = a * numpy.uint64(0xD2511F53), c * numpy.uint64(0xCD9E8D57)
        high, low = numpy.uint64(32), word
        a, b, c, d = (
            (q >> high) ^ b ^ numpy.uint64(k), q & low, (p >> high) ^ d ^ numpy.uint64(m), p & low,
        )  # fmt: skip
        k, m = (k + 0x9E3779B9) & 0xFFFFFFFF, (m + 0xBB67AE85) & 0xFFFFFFFF
    return numpy.stack([a, b, c, d])


def words(seed, size, each, offset=0):
    """The words of each element, (size, 4 / each), and the offset after them."""
    grid = min(-(-size // 256), PROCESSORS * (THREADS // 256))
    calls = (size - 1) // (256 * grid * each) + 1
    found = []
    for call in range(calls):
        drawn = philox(seed, 256 * grid, offset // 4 + call).reshape(each, 4 // each, -1)
        found.append(drawn.transpose(0, 2, 1).reshape(-1, 4 // each))
    return numpy.concatenate(found)[:size], offset + 4 * calls


def offset_of_default():
    state = torch.cuda.get_rng_state().numpy()
    return int(state[8:].view("<u8")[0])


def test_philox_gives_the_known_answers_of_random123():
    assert [hex(x) for x in philox(0, 1, 0)[:, 0]] == [
        "0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seed", "made", "expected"),
    [
        (0, torch.rand, [0.3990, 0.5167, 0.0249, 0.9401]),
        (0, torch.randn, [-0.9247, -0.4253, -2.6438, 0.1452]),
        (42, torch.rand, [0.6130, 0.0101, 0.3984]),
    ],
)
def test_first_numbers_are_those_that_torch_prints_on_cuda(seed, made, expected):
    torch.manual_seed(seed)
    found = made(len(expected), device=DEVICE)
    assert [round(x, 4) for x in found.tolist()] == expected


@pytest.mark.parametrize("size", [1, 1000, 10**6])
def test_rand_has_the_bits_of_curand(size):
    torch.manual_seed(3)
    found = torch.rand(size, device=DEVICE).cpu().numpy()
    drawn, offset = words(3, size, 4)
    scale = float(numpy.float32(2.3283064e-10))
    wide = drawn[:, 0].astype(numpy.float32).astype(float) * scale + scale / 2
    expected = wide.astype(numpy.float32)
    assert (found == numpy.where(expected == 1, numpy.float32(0), expected)).all()
    assert offset_of_default() == offset


def test_rand_of_doubles_takes_two_words_a_number():
    torch.manual_seed(3)
    found = torch.rand(1000, device=DEVICE, dtype=torch.float64).cpu().numpy()
    drawn, offset = words(3, 1000, 2)
    bits = drawn[:, 0] ^ (drawn[:, 1] << numpy.uint64(21))
    assert (found == bits.astype(float) * 2.0**-53 + 2.0**-54).all()
    assert offset_of_default() == offset


@pytest.mark.parametrize("high", [10, 1 << 40])
def test_randint_takes_words_modulo_the_range(high):
    torch.manual_seed(3)
    found = torch.randint(-5, high, (1000,), device=DEVICE).cpu().numpy()
    wide = high > 1 << 28
    drawn, _ = words(3, 1000, 2 if wide else 4)
    whole = (drawn[:, 0] << numpy.uint64(32)) | drawn[:, -1] if wide else drawn[:, 0]
    assert (found == (whole % numpy.uint64(high + 5)).astype(int) - 5).all()


def test_dropout_saves_a_mask_and_draws_it_four_by_four():
    torch.manual_seed(3)
    x = torch.ones(1024, device=DEVICE, requires_grad=True)
    y = F.dropout(x, 0.3)
    assert type(y.grad_fn).__name__ == "NativeDropoutBackward0"
    drawn = philox(3, 256, 0).T.reshape(-1)  # a thread's words next to each other
    kept = drawn * 2.0**-32 < 0.7
    assert ((y != 0).cpu().numpy() == kept).all()
    y.sum().backward()
    assert (x.grad == y).all()


def test_generator_goes_on_from_its_state_of_16_bytes():
    generator = torch.Generator(DEVICE).manual_seed(5)
    assert generator.get_offset() == 0
    torch.rand(3, generator=generator, device=DEVICE)
    assert generator.get_state().tolist() == [5, *[0] * 7, 4, *[0] * 7]
    other = generator.clone_state()
    first = torch.randn(5, generator=generator, device=DEVICE)
    assert torch.equal(first, torch.randn(5, generator=other, device=DEVICE))
    other.set_offset(4)
    assert torch.equal(first, torch.randn(5, generator=other, device=DEVICE))


@pytest.mark.parametrize("strides", [(1, 4), (8, 2)])
def test_numbers_are_drawn_in_the_order_of_memory(strides):
    torch.manual_seed(3)
    expected = torch.rand(12, device=DEVICE)
    x = torch.empty_strided((4, 3), strides, device=DEVICE)
    torch.manual_seed(3)
    x.uniform_()
    order = expected.reshape(3, 4).t() if strides[0] == 1 else expected.reshape(4, 3)
    assert torch.equal(x, order)
    assert x.stride() == strides


@pytest.mark.parametrize("name", ["exponential_", "cauchy_", "log_normal_", "geometric_"])
def test_distributions_have_their_medians(name):
    torch.manual_seed(0)
    given = (0.5,) if name == "geometric_" else ()
    x = getattr(torch.empty(4001, device=DEVICE), name)(*given)
    expected = {"exponential_": 0.6931, "cauchy_": 0.0, "log_normal_": 2.71828, "geometric_": 1.0}
    assert abs(x.median().item() - expected[name]) < 0.2


def test_rrelu_draws_a_number_for_each_element_from_the_devices_generator():
    state = torch.get_rng_state()
    torch.manual_seed(3)
    u = torch.rand(8, device=DEVICE).double() * (1 / 3 - 1 / 8) + 1 / 8
    x = torch.tensor([-1.0, 1, -1, -1, 1, -2, -2, -2], device=DEVICE)
    torch.manual_seed(3)
    torch.set_rng_state(state)
    y = F.rrelu(x, training=True)
    torch.testing.assert_close(y, torch.where(x > 0, x, x * u.float()))
    assert torch.equal(torch.get_rng_state(), state)
    assert offset_of_default() == 4


def permutation(seed, size):
    """torch's randperm, its offset after it, and how many numbers shared a key."""
    bits = int(numpy.ceil(numpy.log2(size - (6 * size**2 + 1) / (12 * numpy.log(0.9)))))
    width = 32 if bits <= 32 else 64
    drawn, offset = words(seed, size, 2)
    whole = (drawn[:, 0] << numpy.uint64(32)) | drawn[:, 1]
    keys = whole % numpy.uint64(2**width - 1) - numpy.uint64(2 ** (width - 1))
    keys &= numpy.uint64(2**bits - 1)
    found = numpy.argsort(keys, kind="stable")
    keys, shared, start = keys[found], 0, 0
    while start < size:
        end = start + 1
        while end < size and keys[end] == keys[start]:
            end += 1
        for turn, i in enumerate(range(end - start - 1, 0, -1)):
            number = philox(seed, start + 1, offset // 4 + turn // 4)[turn % 4, start]
            shared += 1
            other = start + int(number) % (i + 1)
            found[[start + i, other]] = found[[other, start + i]]
        start = end
    return found, offset + -(-size // 4) * 4, shared


@pytest.mark.parametrize("size", [1, 2, 10, 1000, 40000])
def test_randperm_sorts_by_keys_that_are_drawn(size):
    torch.manual_seed(3)
    found = torch.randperm(size, device=DEVICE).cpu().numpy()
    expected, offset, _ = permutation(3, size)
    assert (found == expected).all()
    assert offset_of_default() == offset


def test_randperm_shuffles_numbers_with_equal_keys():
    shared = 0
    for seed in range(40):
        expected, _, found = permutation(seed, 50)
        shared += found
        torch.manual_seed(seed)
        assert (torch.randperm(50, device=DEVICE).cpu().numpy() == expected).all()
    assert shared > 2


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16], ids=str
)
def test_bernoulli_by_a_tensor_draws_four_next_to_each_other(dtype):
    p = torch.linspace(0, 1, 1003).to(dtype)
    torch.manual_seed(3)
    found = torch.bernoulli(p.to(DEVICE)).cpu()
    drawn = philox(3, 251, 0).T.reshape(-1)[:1003]
    scale = float(numpy.float32(2.3283064e-10))
    u = (drawn.astype(numpy.float32).astype(float) * scale + scale / 2).astype(numpy.float32)
    assert found.dtype == dtype
    assert (found.double().numpy() == (u <= p.double().numpy())).all()
    assert offset_of_default() == 12


def test_bernoulli_by_chances_that_are_none_is_told_when_the_host_waits():
    with pytest.raises(torch.AcceleratorError, match="device-side assert triggered"):
        torch.bernoulli(torch.tensor([0.5, 1.5], device=DEVICE)).cpu()


@pytest.mark.parametrize("rows", [None, 3])
def test_multinomial_without_replacement_divides_by_exponential_numbers(rows):
    weights = torch.arange(1.0, 22).reshape(3, 7) if rows else torch.arange(1.0, 22)
    torch.manual_seed(3)
    q = torch.empty(weights.shape, device=DEVICE).exponential_().cpu()
    offset = offset_of_default()
    for count in (1, 4):
        torch.manual_seed(3)
        found = torch.multinomial(weights.to(DEVICE), count).cpu()
        assert torch.equal(found, (weights / q).topk(count).indices)
        assert offset_of_default() == offset
    with pytest.raises(RuntimeError, match=r"invalid multinomial distribution \(sum of prob"):
        torch.multinomial(torch.zeros(3, device=DEVICE), 1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_multinomial_with_replacement_searches_running_sums(dtype):
    weights = torch.tensor([[1, 2, 0, 5], [0, 0, 1, 0], [3, 1, 1, 1]], dtype=dtype)
    torch.manual_seed(3)
    found = torch.multinomial(weights.to(DEVICE), 300, replacement=True).cpu().numpy()
    threads = 3 * 128  # of a row
    drawn = philox(3, threads * 3, 0)[0].reshape(3, threads)[:, :300]
    scale = float(numpy.float32(2.3283064e-10))
    u = (drawn.astype(numpy.float32).astype(float) * scale + scale / 2).astype(numpy.float32)
    sums = (weights / weights.sum(1, keepdim=True)).cumsum(1).numpy()
    for row, each in enumerate(u):
        expected = numpy.searchsorted(sums[row], each.astype(sums.dtype))
        expected[(row == 1) | (expected == 4)] = [2 if row == 1 else 3]
        assert (found[row] == expected).all()
    assert offset_of_default() == 4


def test_multinomial_of_negative_weights_is_told_when_the_host_waits():
    weights = torch.tensor([-1.0, -2.0], device=DEVICE)
    with pytest.raises(torch.AcceleratorError, match="device-side assert triggered"):
        torch.multinomial(weights, 3, replacement=True).cpu()
