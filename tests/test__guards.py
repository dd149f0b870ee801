"""torch._guards: nothing is traced, and each question says so."""

import pytest

import minitorch
from minitorch import _guards


def test_nothing_is_traced_or_fake():
    assert _guards.active_fake_mode() is None
    assert _guards.detect_fake_mode([minitorch.ones(1)]) is None
    assert _guards.TracingContext.try_get() is None
    assert _guards.CompileContext.current_compile_id() is None
    with pytest.raises(RuntimeError, match="must be called within an ongoing trace"):
        _guards.TracingContext.get()


def test_contexts_of_traces_cannot_be_made():
    with pytest.raises(NotImplementedError, match=r"torch\._guards\.TracingContext is not"):
        _guards.TracingContext(None)
    with pytest.raises(NotImplementedError, match=r"torch\._guards\.Source is not implemented"):
        _guards.Source()
