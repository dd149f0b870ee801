"""The generator: seeds, words, and the 5056 bytes of state, against PyTorch 2.13.0."""

from __future__ import annotations

import hashlib
import sys
import threading

import numpy as np
import pytest

from minitorch.core.sampling import MersenneTwister, normal


def digest(array: np.ndarray) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()[:12]


@pytest.mark.parametrize(
    ("seed", "initial_seed", "state"),
    [
        (0, 0, "1ccf17250133"),
        (-1, 2**64 - 1, "74c65bce05a4"),
        (2**63, 2**63, "b7855dcbdb9d"),
        (2**32, 2**32, "a6188dc9231b"),
    ],
)
def test_a_seeded_state_has_the_bytes_of_torch(seed, initial_seed, state):
    generator = MersenneTwister(seed)
    assert generator.initial_seed == initial_seed
    assert digest(generator.state()) == state


def test_words_are_those_of_the_reference_implementation():
    # The first outputs for the seed 5489 and the 10000th, as the C++ standard gives it.
    words = MersenneTwister(5489).words(10000)
    assert words[:2].tolist() == [3499211612, 581869302]
    assert words[-1] == 4123659995


def test_only_the_low_half_of_a_seed_decides_the_words():
    first, second = MersenneTwister(5), MersenneTwister(5 + 2**32)
    assert np.array_equal(first.words(1000), second.words(1000))
    assert first.initial_seed != second.initial_seed


@pytest.mark.parametrize("counts", [(624,), (1,) * 700, (623, 2, 1250), (5000, 3, 17000)])
def test_words_do_not_depend_on_how_many_are_asked_for_at_a_time(counts):
    pieces = MersenneTwister(9)
    together = np.concatenate([pieces.words(count) for count in counts])
    assert np.array_equal(together, MersenneTwister(9).words(sum(counts)))


@pytest.mark.parametrize("drawn", [0, 1, 623, 624, 625, 1248, 5000])
def test_a_restored_state_goes_on_with_the_same_words(drawn):
    generator = MersenneTwister(11)
    generator.words(drawn)
    state = generator.state()
    restored = MersenneTwister(0)
    restored.set_state(state)
    assert np.array_equal(restored.state(), state)
    assert np.array_equal(restored.words(1500), generator.words(1500))
    assert np.array_equal(restored.state(), generator.state())


def test_an_unused_state_differs_from_one_of_624_drawn_words():
    generator = MersenneTwister(1)
    fresh = generator.state()
    generator.words(624)
    assert fresh[8:24].tolist() == [1, 0, 0, 0, 1] + [0] * 11
    assert generator.state()[8:24].view(np.int32).tolist() == [1, 1, 624, 0]


def test_the_cached_normal_is_part_of_the_state_and_ends_with_a_new_seed():
    generator = MersenneTwister(1)
    normal(generator, np.empty(3, np.float32))
    twin = generator.clone()
    assert twin.cached_normal == generator.cached_normal is not None
    assert generator.state()[5040] == 1
    generator.seed(1)
    assert generator.cached_normal is None


def test_a_clone_goes_on_alone():
    generator = MersenneTwister(1)
    generator.words(10)
    twin = generator.clone()
    expected = twin.words(5).copy()
    assert np.array_equal(generator.words(5), expected)
    assert not np.array_equal(twin.words(5), expected)


@pytest.mark.parametrize(
    ("state", "error", "message"),
    [
        (
            np.zeros(10, np.uint8),
            RuntimeError,
            "size 5056 but found the input RNG state size to be 10",
        ),
        (np.zeros(5056, np.float32), TypeError, "RNG state must be a torch.ByteTensor"),
        (np.zeros(5056, np.uint8), RuntimeError, "Invalid mt19937 state"),
        (np.zeros(10112, np.uint8)[::2], RuntimeError, "RNG state must be contiguous"),
    ],
)
def test_a_bad_state_is_refused_with_the_words_of_torch(state, error, message):
    generator = MersenneTwister(1)
    before = generator.state()
    with pytest.raises(error, match=message):
        generator.set_state(state)
    assert np.array_equal(generator.state(), before)


def test_the_global_state_of_numpy_is_left_alone():
    before = np.random.get_state()[1].copy()
    generator = MersenneTwister(1)
    generator.words(2000)
    generator.seed(4)
    assert np.array_equal(np.random.get_state()[1], before)


def test_threads_share_the_words_without_drawing_one_twice():
    generator = MersenneTwister(1)
    drawn: list[int] = []

    def draw() -> None:
        for _ in range(300):
            drawn.extend(generator.words(7).tolist())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(drawn) == sorted(MersenneTwister(1).words(8400).tolist())


def test_the_words_made_here_are_those_of_numpys_machine(monkeypatch):
    monkeypatch.delitem(sys.modules, "numpy.random")
    by_hand = MersenneTwister(17)
    words, state = by_hand.words(700), by_hand.state()
    assert "numpy.random" not in sys.modules
    monkeypatch.undo()
    engine = np.random.MT19937(0)
    np.random.RandomState(engine).seed(17)
    assert np.array_equal(words, engine.random_raw(700))
    assert np.array_equal(state[24:5016].view(np.uint64), engine.state["state"]["key"])
    restored = MersenneTwister(0)
    restored.set_state(state)
    assert np.array_equal(restored.words(50_000), by_hand.words(50_000))
    assert np.array_equal(restored.words(1), by_hand.words(1))
    assert np.array_equal(restored.state(), by_hand.state())
