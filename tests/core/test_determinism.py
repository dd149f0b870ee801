"""Results that must repeat: alerts of operators, and memory that is filled."""

import math

import pytest

import minitorch as torch

INDEX, VALUES = torch.tensor([0]), torch.tensor([5.0])


@pytest.fixture(autouse=True)
def _as_before():
    yield
    torch.use_deterministic_algorithms(False)
    torch.utils.deterministic.fill_uninitialized_memory = True


def test_put_alerts_where_it_does_not_accumulate():
    torch.use_deterministic_algorithms(True)
    with pytest.raises(
        RuntimeError, match=r"^put_ does not have a deterministic implementation, b"
    ):
        torch.ones(2).put_(INDEX, VALUES)
    assert torch.ones(2).put_(INDEX, VALUES, accumulate=True).tolist() == [6, 1]


def test_max_unpool_alerts():
    values, indices = torch.nn.functional.max_pool2d(torch.ones(1, 2, 2), 2, return_indices=True)
    torch.use_deterministic_algorithms(True)
    with pytest.raises(RuntimeError, match=r"^max_unpooling2d_forward_out does not have a determ"):
        torch.nn.functional.max_unpool2d(values, indices, 2)


def test_warn_only_warns_each_time():
    torch.use_deterministic_algorithms(True, warn_only=True)
    for _ in range(2):
        with pytest.warns(
            UserWarning, match=r"put_ does not .*True, warn_only=True\)'\. You can f"
        ):
            assert torch.ones(2).put_(INDEX, VALUES).tolist() == [5, 1]


def test_memory_is_filled_while_results_must_repeat():
    torch.use_deterministic_algorithms(True)
    for made in (
        torch.empty(2),
        torch.empty_like(torch.ones(2)),
        torch.empty_strided((2,), (1,)),
        torch.empty_permuted((2,), (0,)),
        torch.ones(1).new_empty(2),
        torch.ones(1).resize_(3)[1:],
    ):
        assert all(math.isnan(x) for x in made.tolist())
    assert torch.empty(1, dtype=torch.int32).item() == 2**31 - 1
    assert torch.empty(1, dtype=torch.uint8).item() == 255
    assert torch.empty(1, dtype=torch.bool).item() is True


def test_filling_can_be_switched_off():
    with pytest.raises(RuntimeError, match="expected a bool, but got int"):
        torch.utils.deterministic.fill_uninitialized_memory = 1
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.use_deterministic_algorithms(True)
    assert not torch.utils.deterministic.fill_uninitialized_memory
    from minitorch.core.determinism import FILLING

    assert not FILLING


def test_use_deterministic_algorithms_wants_bools():
    with pytest.raises(TypeError, match=r"argument 'mode' \(position 1\) must be bool, not int"):
        torch.use_deterministic_algorithms(1)
    with pytest.raises(TypeError, match="argument 'warn_only' must be bool, not int"):
        torch.use_deterministic_algorithms(True, warn_only=1)


def test_the_debug_mode_is_the_same_demand():
    torch.set_deterministic_debug_mode("warn")
    assert torch.get_deterministic_debug_mode() == 1
    assert torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True)
    assert torch.get_deterministic_debug_mode() == 2


def test_warn_only_stays_while_nothing_is_demanded():
    torch.use_deterministic_algorithms(False, warn_only=True)
    assert torch.is_deterministic_algorithms_warn_only_enabled()
    assert torch.get_deterministic_debug_mode() == 0
    torch.set_deterministic_debug_mode(0)
    assert not torch.is_deterministic_algorithms_warn_only_enabled()


def test_put_on_meta_raises_no_alert():
    torch.use_deterministic_algorithms(True)
    made = torch.ones(2, device="meta").put_(INDEX.to("meta"), VALUES.to("meta"))
    assert made.shape == (2,)


@pytest.mark.parametrize("size", [(2,), (torch.Size([2]),)])
def test_the_constructors_of_old_types_fill_memory(size):
    torch.use_deterministic_algorithms(True)
    assert torch.LongTensor(*size).tolist() == [2**63 - 1] * 2
    assert torch.Tensor(*size).isnan().all()
    assert torch.empty(2, out=torch.zeros(2)).isnan().all()


def test_set_warn_always_takes_bools_alone():
    with pytest.raises(RuntimeError, match="setWarnOnlyOnce expects a bool, but got int"):
        torch.set_warn_always(1)
