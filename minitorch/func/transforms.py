"""The transforms that differentiate functions. As torch/_functorch/eager_transforms.py."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minitorch.autograd.grad_mode import enable_grad, inference_mode, is_grad_enabled
from minitorch.autograd.graph import disable_saved_tensors_hooks
from minitorch.core.base.fields import LEAF, TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import inference_mode as inferring
from minitorch.core.declare.protocols.torch_function import DisableTorchFunctionSubclass
from minitorch.core.graph.backward import grad as gradients_of
from minitorch.func.levels.base import GradLevel, PassThrough, mapped, tensors_of, unwrap_ended
from minitorch.func.levels.dual import DualLevel
from minitorch.func.levels.functional import FunctionalLevel
from minitorch.func.mapping.vmap import get_chunk_sizes, vmap
from minitorch.utils._pytree import TreeSpec, tree_flatten, tree_leaves, tree_map, tree_unflatten

Argnums = int | tuple[int, ...]


def _chosen(args: tuple[Any, ...], argnums: Any, as_tuple: bool = True) -> Any:
    """The arguments that are differentiated. RuntimeError if `argnums` is out of range."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    places = [_place(number, len(args)) for number in numbers]
    if not places:
        raise RuntimeError("argnums must be non-empty")
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(places)}")
    chosen = tuple([args[i] for i in places])
    return chosen[0] if isinstance(argnums, int) and not as_tuple else chosen


def _place(number: Any, count: int) -> int:
    if not isinstance(number, int):
        raise RuntimeError(f"argnum must be int, got: {type(number)}")
    if not -count <= number < count:
        raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")
    return number % count


def _lifted(level: Any, tree: Any) -> Any:
    return tree_map(lambda x: level.lifted(x) if isinstance(x, TensorBase) else x, tree)


def _lowered(level: Any, tree: Any) -> Any:
    """The values of a function's results, which must be tensors."""

    def value(x: Any) -> Any:
        if not isinstance(x, TensorBase):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(x)}")
        return level.value(unwrap_ended(x))

    return tree_map(value, tree)


def _differentiable(tree: Any) -> None:
    """Makes the tensors of a tree leaves of their level. ValueError for anything else."""
    for x in tree_leaves(tree):
        if not isinstance(x, TensorBase):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if x._array.dtype.kind not in "fcV":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        x._edge = LEAF


def _gradients(
    outputs: Sequence[Any], inputs: Sequence[Any], vectors: Any, keep: bool, create_graph: bool
) -> tuple[Any, ...]:
    """autograd.grad of the outputs that have a history; zeros if no gradient arrives."""
    vectors = (None,) * len(outputs) if vectors is None else vectors
    known = [each for each in zip(outputs, vectors, strict=True) if each[0].requires_grad]
    grads: Sequence[Any] = (None,) * len(inputs)
    if known:
        outputs, vectors = zip(*known, strict=True)
        grads = gradients_of(outputs, inputs, vectors, keep, create_graph, allow_unused=True)
    return tuple(
        [OPS.zeros_like(x) if g is None else g for g, x in zip(grads, inputs, strict=True)]
    )


def _without_hooks() -> Any:
    return disable_saved_tensors_hooks(
        "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open "
        "an issue with your use case."
    )


def _with_aux(output: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    """The output of a function and its auxiliary output, which is None without `has_aux`."""
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return output


def _check_outputs(outputs: list[Any], name: str) -> None:
    if not outputs or (len(outputs) == 1 and outputs[0] is None):
        raise RuntimeError(
            f"{name}: Expected f to be a function that has non-empty output (got output = "
            f"{outputs})"
        )
    for each in outputs:
        if not isinstance(each, TensorBase):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(each)}"
            )


# ---- grad


def grad_and_value(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The function that gives the gradient of `func`, which returns one number, and this number.

    Args:
        func: takes Tensors, in any containers, and returns a Tensor without dimensions.
        argnums: the arguments to differentiate by, one number or several.
        has_aux: whether `func` returns (number, auxiliary Tensors).

    Returns:
        A function that returns (gradient, number), or (gradient, (number, auxiliary)).

    Raises:
        RuntimeError: by that function, for a result that is no such Tensor, and for `argnums`
            out of range.

    As torch.func.grad_and_value.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return _grad_and_value(func, argnums, has_aux, args, kwargs)

    return wrapper


def _grad_and_value(func: Any, argnums: Argnums, has_aux: bool, args: Any, kwargs: Any) -> Any:
    name = "grad_and_value(f)(*args)"
    with _without_hooks(), GradLevel() as level, enable_grad():
        args, kwargs = _lifted(level, args), _lifted(level, kwargs)
        chosen = _chosen(args, argnums, False)
        _differentiable(chosen)
        output, aux = _with_aux(func(*args, **kwargs), has_aux, name)
        if not isinstance(output, TensorBase):
            raise RuntimeError(f"{name}: Expected f(*args) to return a Tensor, got {type(output)}")
        if output._array.ndim:
            raise RuntimeError(
                f"{name}: Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{output._array.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs "
                "instead?"
            )
        flat, spec = tree_flatten(chosen)
        grads = _gradients((level.lifted(unwrap_ended(output)),), flat, None, False, True)
        found = _lowered(level, tree_unflatten(grads, spec))
        output = _lowered(level, output)
        return found, (output, _lowered(level, aux)) if has_aux else output


def grad(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The function that gives the gradient of `func`, which returns one number.

    Args:
        func: takes Tensors, in any containers, and returns a Tensor without dimensions.
        argnums: the arguments to differentiate by, one number or several.
        has_aux: whether `func` returns (number, auxiliary Tensors).

    Returns:
        A function that returns the gradient, or (gradient, auxiliary).

    Raises:
        RuntimeError: by that function, for a result that is no such Tensor, and for `argnums`
            out of range.

    As torch.func.grad.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return _grad(func, argnums, has_aux, args, kwargs)

    return wrapper


def _grad(func: Any, argnums: Argnums, has_aux: bool, args: Any, kwargs: Any) -> Any:
    found, output = _grad_and_value(func, argnums, has_aux, args, kwargs)
    return (found, output[1]) if has_aux else found


# ---- vjp and jacrev


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """func(*primals), and the function that gives the product of a vector with its Jacobian.

    Args:
        func: takes and returns Tensors, in any containers.
        *primals: its arguments.
        has_aux: whether `func` returns (results, auxiliary).

    Returns:
        (results, function), or (results, function, auxiliary).

    Raises:
        RuntimeError: for results that are no Tensors, or integers; by the function, for vectors in
            other containers than the results.

    As torch.func.vjp.
    """
    return _vjp_with_argnums(func, primals, None, has_aux)


def _vjp_with_argnums(func: Callable[..., Any], primals: Any, argnums: Any, has_aux: bool) -> Any:
    with _without_hooks(), GradLevel() as level, enable_grad():
        primals = _lifted(level, primals)
        chosen = primals if argnums is None else _chosen(primals, argnums, False)
        _differentiable(chosen)
        output, aux = _with_aux(func(*primals), has_aux, "vjp(f, *primals)")
        if has_aux:
            aux = _lowered(level, aux)
        outputs, spec = tree_flatten(output)
        _check_outputs(outputs, "vjp(f, *primals)")
        inputs, inputs_spec = tree_flatten(chosen)
        results = _lowered(level, output)
        for each in outputs:
            if not (each.is_floating_point() or each.is_complex()):
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got "
                    f"Tensor with dtype {each.dtype}"
                )

    def wrapper(
        cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> Any:
        vectors, given = tree_flatten(cotangents)
        if given != spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of "
                f"outputs to the function. cotangents: {_shown(given)}, primal output: "
                f"{_shown(spec)}"
            )
        graph = is_grad_enabled() if create_graph is None else create_graph
        inferred = inference_mode(False) if inferring.get() else PassThrough()
        with inferred, PassThrough(), DisableTorchFunctionSubclass():
            grads = _gradients(outputs, inputs, vectors, retain_graph, graph)
        return tree_unflatten(mapped(unwrap_ended, list(grads)), inputs_spec)

    return (results, wrapper, aux) if has_aux else (results, wrapper)


def _shown(spec: TreeSpec) -> str:
    """The text of a tree's structure, with * for its leaves."""
    return repr(tree_unflatten([_Star()] * spec.num_leaves, spec))


class _Star:
    def __repr__(self) -> str:
        return "*"


def _check_real(name: str, tree: Any, what: str) -> None:
    for i, each in enumerate(tree_leaves(tree)):
        if isinstance(each, TensorBase) and each._array.dtype.kind == "c":
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened "
                f"input idx: {i}"
            )


def _bases(tensors: Sequence[Any], chunk_size: int | None) -> Iterator[list[Any]]:
    """The rows of the unit matrix with a row for each element of all tensors, in chunks: for each
    tensor its own columns, in its shape."""
    numbers = [x.numel() for x in tensors]
    start = 0
    for rows in get_chunk_sizes(sum(numbers), chunk_size or max(sum(numbers), 1)) or [0]:
        columns = 0
        chunk = []
        for x, number in zip(tensors, numbers, strict=True):
            part = x.new_zeros(rows, number)
            part.diagonal(start - columns).fill_(1)
            columns += number
            chunk.append(part.view(rows, *x.shape))
        start += rows
        yield chunk


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """The function that gives the Jacobian of `func`, by walks backwards through its graph.

    Args:
        func: takes and returns real Tensors, in any containers.
        argnums: the arguments to differentiate by, one number or several.
        has_aux: whether `func` returns (results, auxiliary).
        chunk_size: how many rows of the Jacobian are computed at once, if not all.
        _preallocate_and_copy: has no effect.

    Returns:
        A function that returns Tensors of the shapes output.shape + input.shape.

    Raises:
        ValueError: if `chunk_size` is not positive.
        RuntimeError: by the function, for complex numbers.

    As torch.func.jacrev.
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any) -> Any:
        _check_real("jacrev", args, "inputs")
        output, product, *aux = _vjp_with_argnums(func, args, argnums, has_aux)
        outputs, spec = tree_flatten(output)
        _check_real("jacrev", outputs, "outputs")
        inputs, inputs_spec = tree_flatten(_chosen(args, argnums))
        parts = []
        for basis in _bases(outputs, chunk_size):
            if chunk_size == 1:
                row = product(tree_unflatten([x.squeeze(0) for x in basis], spec))
                parts.append([x.unsqueeze(0) for x in tree_leaves(row)])
            else:
                parts.append(tree_leaves(vmap(product)(tree_unflatten(basis, spec))))
        stacked = parts[0] if len(parts) == 1 else [OPS.cat(list(p), 0) for p in zip(*parts)]
        numbers = [x.numel() for x in outputs]
        columns = [
            [
                part.view((*out.shape, *x.shape))
                for part, out in zip(whole.split(numbers, 0), outputs, strict=True)
            ]
            for whole, x in zip(stacked, inputs, strict=True)
        ]
        rows = [tree_unflatten(row, inputs_spec) for row in zip(*columns, strict=True)]
        rows = [row[0] for row in rows] if isinstance(argnums, int) else rows
        result = tree_unflatten(rows, spec)
        return (result, aux[0]) if has_aux else result

    return wrapper


# ---- jvp and jacfwd

_JVP = "jvp(f, primals, tangents)"


def jvp(
    func: Callable[..., Any],
    primals: Any,
    tangents: Any,
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """func(*primals), and the product of its Jacobian with `tangents`, in forward mode.

    Args:
        func: takes and returns Tensors, in any containers.
        primals: a tuple of its arguments.
        tangents: Tensors in the containers and shapes of the primals.
        strict: whether results that do not depend on the primals are refused.
        has_aux: whether `func` returns (results, auxiliary).

    Returns:
        (results, products), or (results, products, auxiliary).

    Raises:
        RuntimeError: for primals that are no tuple, tangents in other containers, results that are
            no Tensors, and as `strict` says.

    As torch.func.jvp.
    """
    return _jvp(func, primals, tangents, None, strict, has_aux)


def _jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, argnums: Any, strict: bool, has_aux: bool
) -> Any:
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    flat, spec = tree_flatten(primals if argnums is None else _chosen(primals, argnums))
    vectors, given = tree_flatten(tangents)
    if spec != given:
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For "
            "example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with "
            f"structure {spec} and tangents with structure {given}"
        )
    for what, tensors in (("primals", flat), ("tangents", vectors)):
        if not tensors:
            raise RuntimeError(f"{_JVP}: Expected {what} to contain at least one Tensor.")
        for each in tensors:
            if not isinstance(each, TensorBase):
                raise RuntimeError(
                    f"{_JVP}: Expected {what} to only contain Tensors, got {type(each)}"
                )
    with DualLevel() as level:
        duals = tree_unflatten([level.dual(x, v) for x, v in zip(flat, vectors, strict=True)], spec)
        if argnums is not None:
            places = [_place(n, len(primals)) for n in _several(argnums)]
            others = _lifted(level, primals)
            duals = tuple(
                [duals[places.index(i)] if i in places else x for i, x in enumerate(others)]
            )
        output, aux = _with_aux(func(*duals), has_aux, _JVP)
        if has_aux:
            aux = _lowered(level, aux)
        outputs, spec = tree_flatten(output)
        _check_outputs(outputs, _JVP)
        with level.below():
            pairs = [level.parted(unwrap_ended(x), strict) for x in outputs]
        values, products = [tree_unflatten(list(each), spec) for each in zip(*pairs, strict=True)]
    return (values, products, aux) if has_aux else (values, products)


def _several(argnums: Argnums) -> tuple[int, ...]:
    return (argnums,) if isinstance(argnums, int) else argnums


def jacfwd(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
) -> Callable[..., Any]:
    """The function that gives the Jacobian of `func`, in forward mode.

    Args:
        func: takes and returns real Tensors, in any containers.
        argnums: the arguments to differentiate by, one number or several.
        has_aux: whether `func` returns (results, auxiliary).
        randomness: the mode of random numbers in `func`: 'error', 'different' for each column or
            the 'same'.

    Returns:
        A function that returns Tensors of the shapes output.shape + input.shape.

    Raises:
        RuntimeError: by the function, for complex numbers, random numbers under 'error', and
            another `randomness`.

    As torch.func.jacfwd.
    """

    @functools.wraps(func)
    def wrapper(*args: Any) -> Any:
        _check_real("jacfwd", args, "inputs")
        inputs, inputs_spec = tree_flatten(args if argnums is None else _chosen(args, argnums))
        (basis,) = _bases(inputs, None)

        def push(basis: Any) -> Any:
            _, product, *aux = _jvp(func, args, basis, argnums, False, has_aux)
            _check_real("jacfwd", product, "outputs")
            return (product, aux[0]) if has_aux else product

        found = vmap(push, randomness=randomness)(tree_unflatten(basis, inputs_spec))
        found, aux = found if has_aux else (found, None)
        columns, spec = tree_flatten(found)
        numbers = [x.numel() for x in inputs]
        rows = []
        for each in columns:
            parts = each.movedim(0, -1).split(numbers, -1)
            parts = [_unflattened(p, x.shape) for p, x in zip(parts, inputs, strict=True)]
            row = tree_unflatten(parts, inputs_spec)
            rows.append(row[0] if isinstance(argnums, int) else row)
        result = tree_unflatten(rows, spec)
        return (result, tree_map(lambda x: x[0], aux)) if has_aux else result

    return wrapper


def _unflattened(x: Any, shape: Any) -> Any:
    """`x` with its last dimension split into those of `shape`."""
    return x.unflatten(-1, shape) if shape else x.squeeze(-1)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The function that gives the second derivatives of `func`: forward mode over backward walks.

    Args:
        func: takes and returns real Tensors, in any containers.
        argnums: the arguments to differentiate by, one number or several.

    Returns:
        A function that returns Tensors of the shapes output.shape + input.shape + input.shape.

    As torch.func.hessian.
    """
    return jacfwd(jacrev(func, argnums), argnums)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """func(*primals), and the function that multiplies its Jacobian there by tangents.

    Args:
        func: takes and returns Tensors, in any containers.
        *primals: its arguments.

    Returns:
        (results, function); the function takes tangents of the primals' shapes, dtypes and devices.

    Raises:
        RuntimeError: by the function, for other tangents.

    As torch.func.linearize.
    """
    output = func(*primals)
    flat, spec = tree_flatten(primals)

    def product(*tangents: Any) -> Any:
        vectors, given = tree_flatten(tangents)
        if given != spec:
            raise RuntimeError(
                f"Expected the tangents {given} to have the same argspec as the primals {spec}"
            )
        for i, (v, x) in enumerate(zip(vectors, flat, strict=True)):
            for what in ("shape", "device", "dtype"):
                own, wanted = getattr(v, what), getattr(x, what)
                if own != wanted:
                    raise RuntimeError(
                        f"tangent:{i} with {what} {own} in flattened pytree doesn't match the "
                        f"{what} {wanted} of the corresponding primal."
                    )
        return jvp(func, primals, tangents)[1]

    return output, product


# ---- the rest


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """`func`, whose writes make new tensors; writes into its arguments are made at its end.

    Args:
        func: takes Tensors, in any containers.
        remove: 'mutations', or 'mutations_and_views' if results must not be views either.

    Returns:
        A function with the results of `func`.

    Raises:
        RuntimeError: for another `remove`.

    As torch.func.functionalize.
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. "
            "Valid options are:\n     remove='mutations': all inplace and out= operators will be "
            "removed from the program, and replaced with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators "
            "{view} will be replaced with their non-aliasing counterparts, {view}_copy.\n"
        )

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with FunctionalLevel() as level:
            lifted = _lifted(level, (args, kwargs))
            output = func(*lifted[0], **lifted[1])
            output = mapped(lambda x: level.value(unwrap_ended(x)), output)
        for x, now in zip(*map(tensors_of, ((args, kwargs), lifted)), strict=True):
            if now._value is not x:
                x.copy_(now._value)
        if remove == "mutations":
            return output
        return mapped(lambda x: x.clone() if x._is_view() else x, output)

    return wrapper


def debug_unwrap(tensor: Any, *, recurse: bool = True) -> Any:
    """The tensor inside a tensor of a transform; the innermost one with `recurse`.

    Args:
        tensor: any Tensor.
        recurse: whether to go on until no transform is left.

    Returns:
        The Tensor inside; `tensor` itself outside of transforms.

    As torch.func.debug_unwrap.
    """
    if tensor._level is None:
        return tensor
    return debug_unwrap(tensor._value) if recurse else tensor._value
