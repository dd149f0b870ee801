"""Jacobians, Hessians and their products with vectors, of functions of tensors.

As https://docs.pytorch.org/docs/stable/autograd.html#functional-higher-level-api: each function is
called once, and its results are differentiated by walks through its graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.autograd.forward_ad import dual_level, make_dual, unpack_dual
from minitorch.autograd.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.graph.backward import grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_OUTPUTS = "outputs of the user-provided function"

# The errors of strict=True for tensors without history, and for missing gradients.
_CONSTANT = {
    "outputs": (
        "Output {} of the user-provided function does not require gradients. The outputs must be "
        "computed in a differentiable manner from the input when running in strict mode."
    ),
    "grad_inputs": (
        "The gradient with respect to input {} is independent of the inputs of the user-provided "
        "function. This is not allowed in strict mode."
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with "
        "respect to input {} is independent of the input. This is not allowed in strict mode. You "
        "should ensure that your function is twice differentiable and that the jacobian depends on "
        "the inputs (this would be violated by a linear function for example)."
    ),
    "hessian": (
        "The hessian of the user-provided function with respect to input {} is independent of the "
        "input. This is not allowed in strict mode. You should ensure that your function is thrice "
        "differentiable and that the hessian depends on the inputs."
    ),
}
_INDEPENDENT = (
    "The output of the user-provided function is independent of input {}. This is not allowed in "
    "strict mode."
)
_MISSING = {
    "back": _INDEPENDENT,
    "back_trick": (
        "The gradient with respect to the input is independent of entry {} in the grad_outputs "
        "when using the double backward trick to compute forward mode gradients. This is not "
        "allowed in strict mode."
    ),
    "double_back": (
        "The jacobian of the user-provided function is independent of input {}. This is not "
        "allowed in strict mode."
    ),
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {} in the "
        "grad_jacobian. This is not allowed in strict mode as it prevents from using the double "
        "backward trick to replace forward mode AD."
    ),
}
_FINAL = (
    "The {} of the user-provided function is independent of input {}. This is not allowed in "
    "strict mode when create_graph=True."
)


def _tuple(given: Any, what: str, function: str) -> tuple[bool, tuple[Any, ...]]:
    """Whether `given` is a tuple, and `given` as a tuple. TypeError if an element is no tensor."""
    several = isinstance(given, tuple)
    tensors = given if several else (given,)
    for i, each in enumerate(tensors):
        if not isinstance(each, TensorBase):
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but "
                f"the {f'value at index {i}' if several else f'given {what}'} has type "
                f"{type(each)}."
            )
    return several, tensors


def _restored(tensors: Any, several: bool) -> Any:
    return tensors if several else tensors[0]


def _matrix(rows: Any, outputs: bool, inputs: bool) -> Any:
    """A tuple of tuples without the levels that the outputs, or the inputs, did not have."""
    return _restored(rows if inputs else tuple([row[0] for row in rows]), outputs)


def _started(tensors: Any, create_graph: bool, need_graph: bool) -> tuple[Any, ...]:
    """New tensors in place of the given ones, which the function may also have captured."""
    return tuple(
        [
            each.view_as(each)
            if create_graph and each.requires_grad
            else each.detach().requires_grad_(need_graph)
            for each in tensors
        ]
    )


def _finished(tensors: Any, create_graph: bool) -> Any:
    """Results, nested or not, without history unless `create_graph`."""
    if not isinstance(tensors[0], TensorBase):
        return tuple([_finished(each, create_graph) for each in tensors])
    return tensors if create_graph else tuple([each.detach() for each in tensors])


def _vector(v: Any, like: Any, several: bool, create_graph: bool, function: str) -> Any:
    """The vector `v` as a tuple of the sizes of `like`. RuntimeError if it does not fit."""
    v = _started(_tuple(v, "v", function)[1], create_graph, False)
    if len(like) != len(v):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}."
            if several
            else "The given v should contain a single Tensor."
        )
    for i, (each, other) in enumerate(zip(v, like, strict=True)):
        if each.size() != other.size():
            entry = f"Entry {i} in " if several else ""
            raise RuntimeError(
                f"{entry}v has invalid size: should be {other.size()} but got {each.size()}."
            )
    return v


def _lone(tensors: Any) -> bool:
    """Whether `v` may be left out: there is one tensor with one element."""
    return len(tensors) == 1 and tensors[0].nelement() == 1


def _begin(function: str, inputs: Any, v: Any, create_graph: bool, text: str) -> Any:
    """Whether there are several inputs, new tensors for them, and the vector of their sizes."""
    several, given = _tuple(inputs, "inputs", function)
    given = _started(given, create_graph, True)
    if v is not None:
        return several, given, _vector(v, given, several, create_graph, function)
    if not _lone(given):
        raise RuntimeError(
            f"The vector v can only be None if the input to {text} is a single Tensor with a "
            "single element."
        )
    return several, given, None


def _called(func: Callable[..., Any], inputs: Any, function: str, strict: bool) -> Any:
    """Whether `func` returns several outputs, and its outputs."""
    several, outputs = _tuple(func(*inputs), _OUTPUTS, function)
    if strict:
        _check_history(outputs, "outputs")
    return several, outputs


def _check_history(tensors: Any, kind: str) -> None:
    for i, each in enumerate(tensors):
        if each is None:
            raise RuntimeError(_INDEPENDENT.format(i))
        if not each.requires_grad:
            raise RuntimeError(_CONSTANT[kind].format(i))


def _check_scalar(several: bool, outputs: Any, function: str) -> None:
    if several:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].nelement() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {function} should contain a single "
            "element"
        )


def _grad(outputs: Any, inputs: Any, grad_outputs: Any = None, **options: Any) -> Any:
    """autograd.grad of the outputs that have a history; None for all inputs if none has."""
    vectors = (None,) * len(outputs) if grad_outputs is None else grad_outputs
    known = [
        (output, vector)
        for output, vector in zip(outputs, vectors, strict=True)
        if output is not None and output.requires_grad
    ]
    if not known:
        return (None,) * len(inputs)
    outputs, vectors = zip(*known, strict=True)
    return grad(outputs, inputs, vectors, allow_unused=True, **options)


def _filled(grads: Any, like: Any, strict: bool, create_graph: bool, stage: str) -> Any:
    """`grads` with zeros for None; under strict a RuntimeError instead."""
    if strict:
        for i, each in enumerate(grads):
            if each is None:
                raise RuntimeError(_MISSING[stage].format(i))
            if create_graph and not each.requires_grad:
                kind = "hessian" if stage.startswith("double") else "jacobian"
                raise RuntimeError(_FINAL.format(kind, i))
    return tuple(
        [
            OPS.zeros_like(other) if each is None else each
            for each, other in zip(grads, like, strict=True)
        ]
    )


def _product(
    outputs: Any, inputs: Any, v: Any, like: Any, strict: bool, create_graph: bool, stage: str
) -> Any:
    """The gradients of `outputs` in direction `v`; missing ones are zeros as large as `like`."""
    with set_grad_enabled(create_graph or is_grad_enabled()):
        grads = _grad(outputs, inputs, v, create_graph=create_graph)
        return _filled(grads, like, strict, create_graph, stage)


def _results(outputs: Any, several: bool, products: Any, many: bool, create_graph: bool) -> Any:
    outputs, products = _finished(outputs, create_graph), _finished(products, create_graph)
    return _restored(outputs, several), _restored(products, many)


def vjp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """(func(*inputs), v @ Jacobian).

    Args:
        func: takes Tensors, and gives a Tensor or a tuple of them.
        inputs: a Tensor or a tuple of them.
        v: of the shapes of the results; None for 1, of one element.
        create_graph: whether both results are recorded.
        strict: whether results that do not depend on an input are refused, and not zeros.

    Returns:
        The results of `func`, and the products, of the shapes of `inputs`.

    Raises:
        TypeError: for inputs or results that are no Tensors.
        RuntimeError: for a `v` that is missing or has other shapes, and as `strict` says.

    As torch.autograd.functional.vjp.
    """
    with enable_grad():
        many, given = _tuple(inputs, "inputs", "vjp")
        given = _started(given, create_graph, True)
        several, outputs = _called(func, given, "vjp", strict)
        if v is not None:
            v = _vector(v, outputs, several, create_graph, "vjp")
        elif not _lone(outputs):
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single "
                "Tensor with a single element."
            )
    products = _product(outputs, given, v, given, strict, create_graph, "back")
    return _results(outputs, several, products, many, create_graph)


def jvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """(func(*inputs), Jacobian @ v), by a backward of the backward, which is linear in gradients.

    Args:
        func: takes Tensors, and gives a Tensor or a tuple of them.
        inputs: a Tensor or a tuple of them.
        v: of the shapes of `inputs`; None for 1, of one element.
        create_graph: whether both results are recorded.
        strict: whether results that do not depend on an input are refused, and not zeros.

    Returns:
        The results of `func`, and the products, of their shapes.

    Raises:
        TypeError: for inputs or results that are no Tensors.
        RuntimeError: for a `v` that is missing or has other shapes, and as `strict` says.

    As torch.autograd.functional.jvp.
    """
    with enable_grad():
        _, given, v = _begin("jvp", inputs, v, create_graph, "the user-provided function")
        several, outputs = _called(func, given, "jvp", strict)
        vectors = tuple([OPS.zeros_like(each, requires_grad=True) for each in outputs])
        grads = _grad(outputs, given, vectors, create_graph=True)
        if strict:
            _check_history(grads, "grad_inputs")
    products = _product(grads, vectors, v, outputs, strict, create_graph, "back_trick")
    return _results(outputs, several, products, several, create_graph)


def vhp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """(func(*inputs), v @ Hessian) for a function to one number.

    Args:
        func: takes Tensors, and gives a Tensor of one element.
        inputs: a Tensor or a tuple of them.
        v: of the shapes of `inputs`; None for 1, of one element.
        create_graph: whether both results are recorded.
        strict: whether results that do not depend on an input are refused, and not zeros.

    Returns:
        The result of `func`, and the products, of the shapes of `inputs`.

    Raises:
        TypeError: for inputs or results that are no Tensors.
        RuntimeError: for a result of several elements, a `v` that is missing or has other shapes,
            and as `strict` says.

    As torch.autograd.functional.vhp.
    """
    with enable_grad():
        many, given, v = _begin("vhp", inputs, v, create_graph, "the user-provided function")
        several, outputs = _called(func, given, "vhp", strict)
        _check_scalar(several, outputs, "vhp")
        grads = _grad(outputs, given, create_graph=True)
        if strict:
            _check_history(grads, "jacobian")
    products = _product(grads, given, v, given, strict, create_graph, "double_back")
    return _results(outputs, several, products, many, create_graph)


def hvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """(func(*inputs), Hessian @ v) for a function to one number.

    Args:
        func: takes Tensors, and gives a Tensor of one element.
        inputs: a Tensor or a tuple of them.
        v: of the shapes of `inputs`; None for 1, of one element.
        create_graph: whether both results are recorded.
        strict: whether results that do not depend on an input are refused, and not zeros.

    Returns:
        The result of `func`, and the products, of the shapes of `inputs`.

    Raises:
        TypeError: for inputs or results that are no Tensors.
        RuntimeError: for a result of several elements, a `v` that is missing or has other shapes,
            and as `strict` says.

    As torch.autograd.functional.hvp.
    """
    with enable_grad():
        many, given, v = _begin("hvp", inputs, v, create_graph, "the user-provided function")
        several, outputs = _called(func, given, "hvp", strict)
        _check_scalar(several, outputs, "hvp")
        grads = _grad(outputs, given, create_graph=True)
        if strict:
            _check_history(grads, "jacobian")
        vectors = tuple([OPS.zeros_like(each, requires_grad=True) for each in given])
        twice = _grad(grads, given, vectors, create_graph=True)
        if strict:
            _check_history(grads, "hessian")
    products = _product(twice, vectors, v, given, strict, create_graph, "double_back_trick")
    return _results(outputs, several, products, many, create_graph)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivative of each element of each output by each element of each input.

    Args:
        func: takes Tensors, and gives a Tensor or a tuple of them.
        inputs: a Tensor or a tuple of them.
        create_graph: whether the result is recorded; not in forward mode.
        strict: whether results that do not depend on an input are refused, and not zeros; not with
            `vectorize`, nor in forward mode.
        vectorize: whether all rows are computed at once, by vmap; forward mode needs it.
        strategy: 'reverse-mode', or 'forward-mode', which is faster for more outputs than inputs.

    Returns:
        A Tensor of the shape output.shape + input.shape; a tuple for several inputs, or outputs; a
            tuple of tuples, first by outputs, for several of both.

    Raises:
        AssertionError: for another `strategy`.
        NotImplementedError: for forward mode without `vectorize`, or with `create_graph`.
        RuntimeError: for `strict` where it cannot be, and as it says.

    As torch.autograd.functional.jacobian.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant. '
            'Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(_UNITED.format("create_graph", "create_graph"))
        return _forward_jacobian(func, inputs, strict, vectorize)
    with enable_grad():
        many, given = _tuple(inputs, "inputs", "jacobian")
        given = _started(given, create_graph, True)
        several, outputs = _called(func, given, "jacobian", strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
                "supported together. Please either set `strict=False` or `vectorize=False`."
            )
        if vectorize:
            rows = _jacobians_at_once(outputs, given, create_graph)
        else:
            rows = tuple(
                [_jacobians(i, each, given, create_graph, strict) for i, each in enumerate(outputs)]
            )
        return _matrix(_finished(rows, create_graph), several, many)


_UNITED = (
    "torch.autograd.functional.jacobian: `{}=True` and "
    '`strategy="forward-mode"` are not supported together (yet). Please either set `{}=False` or '
    '`strategy="reverse-mode"`.'
)


def _jacobians(i: int, output: Any, inputs: Any, create_graph: bool, strict: bool) -> Any:
    """The Jacobians of output `i` by each input, one walk per element."""
    rows: list[list[Any]] = [[] for _ in inputs]
    for j in range(output.nelement()):
        element = output.reshape(-1)[j]
        grads = _grad((element,), inputs, retain_graph=True, create_graph=create_graph)
        for k, (row, each, input) in enumerate(zip(rows, grads, inputs, strict=True)):
            if strict and each is None:
                raise RuntimeError(
                    f"Output {i} of the user-provided function is independent of input {k}. This "
                    "is not allowed in strict mode."
                )
            if strict and create_graph and not each.requires_grad:
                raise RuntimeError(_FINAL.format("jacobian", i))
            row.append(OPS.zeros_like(input) if each is None else each)
    return tuple(
        [
            OPS.stack(row, 0).view(output.size() + input.size())
            for row, input in zip(rows, inputs, strict=True)
        ]
    )


def _basis(tensors: Any) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """The number of elements of each tensor, and the columns for each tensor of a unit matrix that
    has a row for every element of all tensors."""
    numbers = tuple([each.numel() for each in tensors])
    columns = tuple([t.new_zeros(sum(numbers), n) for t, n in zip(tensors, numbers, strict=True)])
    start = 0
    for each, number in zip(columns, numbers, strict=True):
        each.diagonal(start).fill_(1)
        start -= number
    return numbers, columns


def _jacobians_at_once(outputs: Any, inputs: Any, create_graph: bool) -> Any:
    """The Jacobians of all outputs by each input, in one walk with a batch of gradients."""
    numbers, basis = _basis(outputs)
    flat = tuple([each.reshape(-1) for each in outputs])
    grads = _grad(flat, inputs, basis, create_graph=create_graph, is_grads_batched=True)
    columns = []
    for each, input in zip(grads, inputs, strict=True):
        if each is None:
            each = OPS.zeros_like(input).expand((sum(numbers), *input.shape))
        parts = each.split(numbers, 0)
        columns.append(
            [part.view(o.shape + input.shape) for part, o in zip(parts, outputs, strict=True)]
        )
    return tuple(zip(*columns, strict=True))


def _forward_jacobian(func: Callable[..., Any], inputs: Any, strict: bool, vectorize: bool) -> Any:
    if strict:
        raise RuntimeError(_UNITED.format("strict", "strict"))
    many, inputs = _tuple(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly "
            "implemented for `vectorize=True`."
        )
    numbers, basis = _basis(inputs)
    columns = []
    for vectors in zip(*basis, strict=True):
        with dual_level():
            pairs = zip(inputs, vectors, strict=True)
            several, outputs = _tuple(
                func(*[make_dual(x, v.view_as(x)) for x, v in pairs]), "outputs", "None"
            )
            outputs = [unpack_dual(each) for each in outputs]
            columns.append([OPS.zeros_like(p) if t is None else t for p, t in outputs])
    rows = []
    for each, (output, _) in zip(zip(*columns, strict=True), outputs, strict=True):
        parts = OPS.stack(list(each), 0).split(numbers, 0)
        rows.append(
            [
                part.movedim(0, -1).reshape(output.shape + x.shape)
                for part, x in zip(parts, inputs, strict=True)
            ]
        )
    return _matrix(rows, several, many)


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function to one number, the Jacobian of its Jacobian.

    Args:
        func: takes Tensors, and gives a Tensor of one element.
        inputs: a Tensor or a tuple of them.
        create_graph: whether the result is recorded.
        strict: whether results that do not depend on an input are refused, and not zeros; not with
            `vectorize`.
        vectorize: whether all rows are computed at once, by vmap.
        outer_jacobian_strategy: 'reverse-mode' or 'forward-mode', which needs `vectorize`.

    Returns:
        A Tensor of the shape input.shape + input.shape; a tuple of tuples for several inputs.

    Raises:
        AssertionError: for another strategy.
        NotImplementedError: for forward mode without `vectorize`, or with `create_graph`.
        RuntimeError: for a result of several elements, `strict` beside `vectorize`, and as it says.

    As torch.autograd.functional.hessian.
    """
    many, inputs = _tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def scalar(*given: Any) -> Any:
        several, outputs = _called(func, given, "hessian", strict)
        _check_scalar(several, outputs, "hessian")
        return outputs[0].squeeze()

    def gradient(*given: Any) -> Any:
        if outer_jacobian_strategy == "forward-mode":  # else they would be detached
            given = tuple([each.requires_grad_(True) for each in given])
        grads = jacobian(scalar, given, create_graph=True)
        if strict:
            _check_history(grads, "jacobian")
        return grads

    rows = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return _matrix(rows, many, many)
