"""Generators: seeds, states, copies, and the default one."""

import copy
import pickle

import pytest

import minitorch as torch


def drawn(generator: torch.Generator) -> list[float]:
    return torch.rand(5, generator=generator).tolist()


def test_one_seed_gives_one_stream():
    assert drawn(torch.Generator().manual_seed(3)) == drawn(torch.Generator().manual_seed(3))
    assert drawn(torch.Generator().manual_seed(3)) != drawn(torch.Generator().manual_seed(4))


def test_seeds_count_from_2_to_the_64_when_negative():
    assert torch.Generator().manual_seed(-1).initial_seed() == 2**64 - 1
    assert torch.Generator().initial_seed() == 67280421310721


@pytest.mark.parametrize("seed", [1.5, "1", True, None])
def test_a_generator_wants_an_int(seed):
    with pytest.raises(
        RuntimeError, match=f"^manual_seed expected a long, but got {type(seed).__name__}$"
    ):
        torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_out_of_range_is_refused_and_changes_nothing(seed):
    before = torch.get_rng_state().tolist()
    with pytest.raises(ValueError, match=r"^Overflow when unpacking long long$"):
        torch.manual_seed(seed)
    assert torch.get_rng_state().tolist() == before


def test_the_default_generator_takes_what_int_takes():
    for seed in (7, 7.9, "7", torch.tensor(7)):
        assert torch.manual_seed(seed) is torch.default_generator
        assert torch.initial_seed() == 7


def test_a_fresh_seed_is_returned_and_used():
    seed = torch.seed()
    first = torch.rand(4).tolist()
    torch.manual_seed(seed)
    assert torch.rand(4).tolist() == first


def test_a_state_is_5056_bytes_and_brings_the_stream_back():
    torch.randn(3)  # leaves a second normal value waiting
    state = torch.get_rng_state()
    assert state.dtype is torch.uint8
    assert state.shape == (5056,)
    first = torch.randn(3).tolist()
    torch.set_rng_state(state)
    assert torch.randn(3).tolist() == first


@pytest.mark.parametrize(
    ("state", "error", "text"),
    [
        (3, TypeError, "expected a torch.ByteTensor, but got int"),
        (torch.zeros(3), TypeError, "RNG state must be a torch.ByteTensor"),
        (
            torch.zeros(10, dtype=torch.uint8),
            RuntimeError,
            "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state .* 10",
        ),
        (torch.zeros(5056, dtype=torch.uint8), RuntimeError, "Invalid mt19937 state"),
    ],
)
def test_what_is_no_state_is_refused(state, error, text):
    with pytest.raises(error, match=f"^{text}$"):
        torch.Generator().set_state(state)


def test_copies_go_on_from_the_same_place_and_then_part():
    generator = torch.Generator().manual_seed(1)
    torch.randn(3, generator=generator)
    copies = [
        generator.clone_state(),
        copy.deepcopy(generator),
        pickle.loads(pickle.dumps(generator)),
    ]
    first = drawn(generator)
    assert [drawn(each) for each in copies] == [first] * 3


def test_a_generator_says_what_it_is():
    generator = torch.Generator(device="cpu")
    assert repr(generator).startswith("<torch._C.Generator object at 0x")
    assert generator.device == torch.device("cpu")
    assert f"{torch.Generator}" == "<class 'torch._C.Generator'>"


def test_a_generator_of_device_None_is_on_the_CPU_and_a_bool_is_no_device():
    assert torch.Generator(None).device == torch.Generator(device=None).device
    assert torch.Generator(None).device == torch.device("cpu")
    with pytest.raises(TypeError, match=r"must be torch\.device, not bool"):
        torch.Generator(True)


def test_forking_leaves_the_stream_as_it_was():
    torch.manual_seed(2)
    expected = torch.rand(3).tolist()
    torch.manual_seed(2)
    with torch.random.fork_rng():
        torch.rand(100)
        torch.manual_seed(9)
    assert torch.rand(3).tolist() == expected
    with torch.random.fork_rng(enabled=False):
        torch.manual_seed(2)
    assert torch.rand(3).tolist() == expected


def test_forking_with_devices_needs_them():
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    refused = pytest.raises(AssertionError, match=r"^Torch not compiled with CUDA enabled$")
    with refused, torch.random.fork_rng(devices=[0]):
        pass


def test_seeding_cuda_without_cuda_is_kept_for_later():
    torch.cuda.manual_seed_all(3)
    torch.cuda.manual_seed(3)
    assert torch.cuda.get_rng_state_all() == [] or torch.cuda.is_available()
