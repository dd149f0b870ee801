"""torch.fx.experimental: sizes are plain numbers, and nothing traces."""

import pytest

from minitorch.fx.experimental import proxy_tensor
from minitorch.fx.experimental import symbolic_shapes as shapes


def test_sizes_are_known_numbers():
    assert shapes.is_concrete_int(3)
    assert shapes.has_static_value(3)
    assert not shapes.is_symbolic(3)
    assert not shapes.has_free_symbols((3, 4))
    assert shapes.free_symbols(3) == set()
    assert (shapes.guard_int(3), shapes.guard_bool(0), shapes.optimization_hint(4)) == (3, False, 4)
    assert shapes.statically_known_true(3 > 2)
    assert shapes.statically_known_false(2 > 3)


def test_conditions_are_combined_at_once():
    assert shapes.sym_eq((1, (2, 3)), [1, [2, 3]])
    assert not shapes.sym_eq((1, 2), (1,))
    assert shapes.sym_and(True, True)
    assert shapes.sym_or(False, True)
    with pytest.raises(AssertionError, match="unexpected sym_eq between"):
        shapes.sym_eq(1, "1")


def test_nothing_traces():
    assert proxy_tensor.get_proxy_mode() is None
    for refused in ({"tracing_mode": "symbolic"}, {"pre_dispatch": True}):
        with pytest.raises(NotImplementedError, match="make_fx with"):
            proxy_tensor.make_fx(abs, **refused)
