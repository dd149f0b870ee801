"""torch._custom_ops: operators defined in the older way, their kernels, gradients and refusals."""

import re

import pytest

import minitorch as mt
from minitorch import _custom_ops


@pytest.fixture
def sine():
    @_custom_ops.custom_op("older::sine")
    def sine(x: mt.Tensor) -> mt.Tensor:
        raise NotImplementedError

    @_custom_ops.impl("older::sine", device_types="cpu")
    def on_the_cpu(x):
        return x.detach().sin()

    yield mt.ops.older.sine
    _custom_ops._destroy("older::sine")


def test_an_operator_is_computed_by_what_was_registered_for_the_device(sine):
    x = mt.tensor([0.0, 0.5])
    assert mt.equal(sine(x), x.sin())


def test_an_operator_without_a_gradient_refuses_tensors_that_want_one(sine):
    with pytest.raises(RuntimeError, match="Autograd has not been implemented for operator"):
        sine(mt.ones(2, requires_grad=True))


def test_backward_gets_what_was_saved_and_names_its_gradients(sine):
    @_custom_ops.impl_save_for_backward("older::sine")
    def save(inputs, output):
        return {"slope": inputs.x.cos(), "factor": 3}

    @_custom_ops.impl_backward("older::sine")
    def backward(ctx, saved, grad):
        return {"x": grad * saved["slope"] * saved["factor"]}

    x = mt.tensor([0.0, 0.5], requires_grad=True)
    y = sine(x)
    y.sum().backward()
    assert y.grad_fn.name().startswith("sine_customop")
    assert mt.equal(x.grad, 3 * x.detach().cos())


def test_gradients_that_are_no_dict_of_the_tensors_are_refused(sine):
    _custom_ops.impl_save_for_backward("older::sine", func=lambda inputs, output: ())
    _custom_ops.impl_backward("older::sine", func=lambda ctx, saved, grad: {"y": grad})
    with pytest.raises(RuntimeError, match=r"to have keys \{'x'\} but got dict_keys\(\['y'\]\)"):
        sine(mt.ones(2, requires_grad=True)).sum().backward()


def test_tensors_without_memory_go_to_the_abstract_function(sine):
    _custom_ops.impl_abstract("older::sine", func=lambda x: mt.empty_like(x))
    assert sine(mt.empty(3, device="meta")).shape == (3,)


@pytest.mark.parametrize(
    ("name", "schema", "message"),
    [
        ("sine", None, "Expected there to be a namespace in sine"),
        ("a.b::c", None, r"expected ns to not contain any ."),
        ("aten::c", None, "'aten' is a reserved namespace"),
        ("a::b.c", None, "do not handle overloads"),
        ("a::b", 3, "Expected `func` to be a Python function, got: <class 'int'>"),
        ("a::b", lambda x: x, "expected `func` to have name 'b' but got '<lambda>'"),
        ("a::b", "(Tensor(a!) x) -> Tensor", "only supports functional operators"),
    ],
)
def test_names_and_schemas_that_define_no_operator_are_refused(name, schema, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        _custom_ops.custom_op(name, schema)
