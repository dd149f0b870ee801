"""Sums of products: named by letters, of three tensors, and permuted into products of matrices."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

from minitorch.aten.linalg.matrix import bmm, dot, mm
from minitorch.aten.reduction.reduction import sum as summed
from minitorch.aten.shape.views import _unsafe_view, reshape, view_inner
from minitorch.core.base.fields import TensorBase, untrack
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.calls import ALWAYS, IN_PYTHON, Calls
from minitorch.core.declare.codegen.shells import refuse_handed
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.fitting import fit, fit_apart
from minitorch.core.declare.out import Out, exactly
from minitorch.core.declare.protocols import function_modes
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.out_rules import check_out_dtype
from minitorch.core.numbers.dispatch import BOOL, USUAL
from minitorch.core.tensor.conversion import wrap_dim

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

# ---- reading the equation


def labels_in(text: str, start: int, where: str) -> list[str]:
    """The labels of one term, "..." for an ellipsis. RuntimeError for anything else.

    start: where the term begins in the equation; where: "operand 0" or "output".
    """
    labels: list[str] = []
    output = where == "output"
    i = 0
    while i < len(text):
        letter = text[i]
        if letter == ".":
            if "..." in labels:
                raise RuntimeError(
                    f"einsum(): found '.' for {where} but an ellipsis (...) was already found"
                    if output
                    else f"einsum(): found '.' for {where} for which an ellipsis was already found"
                )
            if text[i : i + 3] != "...":
                ending = " (...)" if output else ""
                raise RuntimeError(
                    f"einsum(): found '.' for {where} that is not part of any ellipsis{ending}"
                )
            labels.append("...")
            i += 2
        elif letter in _LETTERS:
            labels.append(letter)
        elif letter != " ":
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {start + i} in the equation string, "
                "subscripts must be in [a-zA-Z]"
            )
        i += 1
    return labels


def from_sublists(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """einsum(x, [0, 1], y, [1, 2], [0, 2]) as an equation and its operands."""

    def term(sublist: Any) -> str:
        letters = []
        for label in sublist:
            if label is Ellipsis:
                letters.append("...")
            elif not 0 <= label < 52:
                raise ValueError(
                    "einsum(): subscript in subscript list is not within the valid range [0, 52)"
                )
            else:
                letters.append(_LETTERS[label])
        return "".join(letters)

    count = len(operands) // 2
    equation = ",".join([term(operands[2 * i + 1]) for i in range(count)])
    if len(operands) % 2:
        equation += "->" + term(operands[-1])
    return equation, *operands[0 : 2 * count : 2]


@lru_cache(256)
def parsed(equation: str, count: int) -> tuple[list[list[str]], list[str] | None]:
    """The labels of each of `count` operands and of the output, None if it is to be inferred."""
    head, arrow, tail = equation.partition("->")
    terms, start = [], 0
    for i, text in enumerate(head.split(",")):
        if i >= count:
            labels_in(text, start, f"operand {i}")
            raise RuntimeError(
                "einsum(): fewer operands were provided than specified in the equation"
            )
        terms.append(labels_in(text, start, f"operand {i}"))
        start += len(text) + 1
    if len(terms) < count:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return terms, labels_in(tail, len(head) + 2, "output") if arrow else None


def ellipsis_rank(terms: list[list[str]], operands: list[Any]) -> int:
    """The number of dimensions that the ellipses stand for, at most."""
    rank = 0
    for i, (term, operand) in enumerate(zip(terms, operands, strict=True)):
        named = len(term) - ("..." in term)
        dims = operand.dim()
        if "..." in term:
            if named > dims:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({named}) is more than "
                    f"the number of dimensions ({dims}) for operand {i}"
                )
            rank = max(rank, dims - named)
        elif named != dims:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) does not match the "
                f"number of dimensions ({dims}) for operand {i} and no ellipsis was given"
            )
    return rank


def output_of(terms: list[list[str]], output: list[str] | None) -> list[str]:
    """The labels of the output; inferred: the ellipsis, then what appears once, in order."""
    every = [label for term in terms for label in term]
    if output is None:
        once = sorted({label for label in every if label != "..." and every.count(label) == 1})
        return (["..."] if "..." in every else []) + once
    for i, label in enumerate(output):
        if label == "...":
            continue
        if label in output[:i]:
            raise RuntimeError(
                f"einsum(): output subscript {label} appears more than once in the output"
            )
        if label not in every:
            raise RuntimeError(
                f"einsum(): output subscript {label} does not appear in the equation for any input "
                "operand"
            )
    return output


# ---- contracting


def aligned(
    operand: Any, term: list[str], places: dict[str, int], names: list[Any], seen: list[int], i: int
) -> Any:
    """`operand` with all dimensions of the contraction in one order; those it lacks have size 1.

    places: label -> its dimension (the first one for the ellipsis).
    names, seen: what each dimension is called, and its size in the operands before.
    """
    width = places.get("...width", 0)
    missing = width - (operand.dim() - len(term) + 1)
    order = [-1] * len(names)
    at = 0
    for label in term:
        place = places[label]
        if label == "...":
            for k in range(missing, width):
                order[place + k] = at
                at += 1
        elif order[place] != -1:
            dim = order[place]
            n, m = operand.size(dim), operand.size(at)
            if n != m:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {i} but the sizes don't "
                    f"match, {m} != {n}"
                )
            operand = OPS.movedim(OPS.diagonal(operand, 0, dim, at), -1, dim)
        else:
            order[place] = at
            at += 1
    check_sizes(operand.shape, order, names, seen, i)
    for place, dim in enumerate(order):
        if dim == -1:
            operand = OPS.unsqueeze(operand, at)
            order[place] = at
            at += 1
    return OPS.permute(operand, tuple(order))


def check_sizes(shape: Any, order: list[int], names: list[Any], seen: list[int], i: int) -> None:
    """RuntimeError unless the sizes of operand `i` broadcast with those seen before it.

    order: the dimension of each name, -1 for none. A name is a letter, or a number in the ellipsis.
    """
    missing = [names[at] for at, dim in enumerate(order) if dim == -1]
    left = len([name for name in missing if isinstance(name, int)])
    for dim, place in sorted([pair[::-1] for pair in enumerate(order) if pair[1] != -1]):
        size, before, name = shape[dim], seen[place], names[place]
        if size == 1:
            continue
        if before not in (1, size):
            what = f"subscript {name} has size {size} for operand {i}"
            if isinstance(name, int):
                what = f"dimension {name - left} covered by ellipsis in operand {i}has size {size}"
            found = f"size {before}"
            if isinstance(name, int):
                found = f"ellipsis with size {before} for the respective dimension"
            raise RuntimeError(
                f"einsum(): {what} which does not broadcast with previously seen {found}"
            )
        seen[place] = size


def contracted_pair(left: Any, right: Any, sums: list[int]) -> Any:
    """The product of two aligned operands, summed over `sums`, whose size becomes 1.

    One batched matrix product: dimensions of both, of left alone, of right alone, summed ones.
    As sumproduct_pair of ATen/native/Linear.cpp.
    """
    if not sums:
        return OPS.mul(left, right)
    both, lefts, rights = [], [], []
    for dim in range(left.dim()):
        if dim in sums:
            continue
        if left.size(dim) != 1:
            (both if right.size(dim) != 1 else lefts).append(dim)
        else:
            rights.append(dim)
    if lefts and rights and rights[-1] < lefts[0]:  # then the result lies as it is wanted
        left, right, lefts, rights = right, left, rights, lefts
    a, b = left._array.shape, right._array.shape
    batch, n = prod([a[d] for d in both]), prod([a[d] for d in lefts])
    k, m = prod([a[d] for d in sums]), prod([b[d] for d in rights])
    shape = [*[a[d] for d in both], *[a[d] for d in lefts], *[1 for _ in sums]]
    shape += [b[d] for d in rights]
    order = [*both, *lefts, *sums, *rights]
    one = reshape(OPS.permute(left, tuple(order)), (batch, n, k))
    other = reshape(OPS.permute(right, (*both, *sums, *rights, *lefts)), (batch, k, m))
    back = sorted(range(len(order)), key=order.__getitem__)
    return OPS.permute(view_inner(bmm(one, other), tuple(shape)), tuple(back))


def contracted(operands: list[Any], kept: int) -> Any:
    """Aligned operands multiplied from left to right, summed over the dimensions from `kept` on."""
    rank = operands[0].dim()
    if len(operands) == 1:
        return summed(operands[0], tuple(range(kept, rank))) if rank > kept else operands[0]
    counts = [sum([each.size(dim) != 1 for each in operands]) for dim in range(rank)]
    result = operands[0]
    for right in operands[1:]:
        left = result
        sums: list[int] = []
        early: tuple[list[int], list[int]] = ([], [])
        for dim in range(kept, rank):
            if left.size(dim) != 1 and right.size(dim) != 1:
                counts[dim] -= 1
                if counts[dim] == 1:
                    sums.append(dim)
                    counts[dim] = 0
            elif counts[dim] == 1 and (left.size(dim) != 1 or right.size(dim) != 1):
                early[left.size(dim) == 1].append(dim)
                counts[dim] = 0
        if early[0]:
            left = summed(left, tuple(early[0]), True)
        if early[1]:
            right = summed(right, tuple(early[1]), True)
        result = contracted_pair(left, right, sums)
    return view_inner(result, tuple(result._array.shape[:kept])) if rank > kept else result


def equation_and_operands(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of einsum with the equation as text and the operands one by one.

    ValueError if there are no operands.
    """
    sublists = bool(args) and isinstance(args[0], TensorBase)
    if len(args) == 2 and not sublists and isinstance(args[1], (list, tuple)):
        args = (args[0], *args[1])
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    return from_sublists(args) if isinstance(args[0], TensorBase) else args


@composite("einsum", on=("function",), calls=Calls(in_python=ALWAYS, falls_back=True))
def einsum(*args: Any) -> Any:
    """The sum of products that an equation such as 'ij,jk->ik' names.

    Args:
        equation: letters for the dimensions of each operand; letters that the output lacks are
            summed over; "..." stands for any leading, broadcast dimensions.
        operands: the tensors. einsum(x, [0, 1], y, [1, 2], [0, 2]) says the same with numbers.

    RuntimeError for an equation that does not fit. As ATen/native/Linear.cpp, from left to right.
    """
    equation, *operands = equation_and_operands(args)
    if type(equation) is not str or not all([isinstance(each, TensorBase) for each in operands]):
        refuse_handed("_VF.einsum", equation, operands)
    terms, output = parsed(equation, len(operands))
    width = ellipsis_rank(terms, operands)
    output = output_of(terms, output)
    places: dict[str, int] = {"...width": width}
    names: list[Any] = []
    every = {label for term in terms for label in term}
    if "..." in every and "..." not in output:
        every.add("...")
    order = [*output, *sorted(every - set(output), key=lambda label: (label != "...", label))]
    kept = 0
    for number, label in enumerate(order):
        places[label] = len(names)
        names += range(width) if label == "..." else [label]
        if number + 1 == len(output):
            kept = len(names)
    seen = [1] * len(names)
    lined = [
        aligned(operand, term, places, names, seen, i)
        for i, (operand, term) in enumerate(zip(operands, terms, strict=True))
    ]
    return contracted(lined, kept)


def shown_arguments(args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments that __torch_function__ sees; a mode sees a list of operands as it is."""
    listed = len(args) == 2 and type(args[0]) is str and isinstance(args[1], (list, tuple))
    return args if listed and function_modes.active() else equation_and_operands(args)


einsum.shown_arguments = shown_arguments  # type: ignore[attr-defined]
einsum.asked = lambda args, options: equation_and_operands(args)[1:]  # type: ignore[attr-defined]


# ---- tensordot, inner, kron


def contracted_dims(a: Any, b: Any, dims: Any) -> tuple[list[int], list[int]]:
    """The dimensions over which tensordot sums, of both operands."""
    if isinstance(dims, TensorBase):
        if dims.numel() > 1:
            if dims.size(0) != 2:
                raise AssertionError(
                    f"dims tensor must have size 2 in first dimension, got {dims.size(0)}"
                )
            return dims[0].tolist(), dims[1].tolist()
        count = int(dims.item())
        if count < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        return list(range(-count, 0)), list(range(count))
    if isinstance(dims, (tuple, list)):
        first, second = dims
        if not (isinstance(first, (tuple, list)) and isinstance(second, (tuple, list))):
            refuse_handed("_VF.tensordot", a, b, first, second)
        return list(first), list(second)
    if not isinstance(dims, int):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] "
            f"containing two lists, but got dims={dims}"
        )
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a.dim(), b.dim()):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return list(range(-dims, 0)), list(range(dims))


@composite(
    "tensordot",
    on=("function",),
    own_out=Out(
        exactly(
            "tensordot: Expected the output tensor to have dtype {result.scalar_name}, but got an "
            "output tensor with dtype {out.scalar_name}"
        )
    ),
    calls=IN_PYTHON,
)
def tensordot(a: Any, b: Any, dims: Any = 2, out: Any = None) -> Any:
    """The product of two tensors summed over `dims`: that many last ones of `a` and first ones of
    `b`, or two lists of dimensions."""
    if out is not None:  # as in torch a copy, through which gradients flow
        result = tensordot(a, b, dims)
        check_out_dtype("tensordot", result.dtype, out.dtype)
        fit(out, result._array.shape)
        return out.copy_(result)
    first, second = contracted_dims(a, b, dims)
    tensors = isinstance(a, TensorBase) and isinstance(b, TensorBase)
    if not (tensors and all([type(each) is int for each in (*first, *second)])):
        refuse_handed("_VF.tensordot", a, b, first, second)
        first, second = [[int(each.__index__()) for each in dims] for dims in (first, second)]
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    for one, other in zip(first, second, strict=True):
        n, m = a.size(one), b.size(other)
        if m == 1:
            a = summed(a, one, True, dtype=a.dtype)
        elif n == 1:
            b = summed(b, other, True, dtype=b.dtype)
        elif n != m:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim {one} and "
                f"second has size {m} in dim {other}"
            )
    gone_a = {wrap_dim(dim, a.dim()) for dim in first}
    gone_b = {wrap_dim(dim, b.dim()) for dim in second}
    rest_a = [dim for dim in range(a.dim()) if dim not in gone_a]
    rest_b = [dim for dim in range(b.dim()) if dim not in gone_b]
    size = prod([a.size(dim) for dim in first])
    shape = (*[a.size(dim) for dim in rest_a], *[b.size(dim) for dim in rest_b])
    left = OPS.permute(a, (*rest_a, *first))
    if prod(shape) == 1:
        right = OPS.permute(b, (*second, *rest_b))
        if left.is_contiguous() and right.is_contiguous():
            right = OPS.flatten(right)  # first, as C++ evaluates arguments
            return view_inner(dot(OPS.flatten(left), right), shape)
        right = OPS.squeeze(right)  # first, as C++ evaluates arguments
        product = OPS.mul(OPS.squeeze(left), right)
        return view_inner(summed(product, dtype=product.dtype), shape)
    left = reshape(left, (prod([a.size(dim) for dim in rest_a]), size))
    right = OPS.permute(b, (*second, *rest_b))
    right = reshape(right, (size, prod([b.size(dim) for dim in rest_b])))
    return view_inner(mm(left, right), shape)


@composite("inner")
def inner(input: Any, other: Any, *, out: Any = None) -> Any:
    """The products over the last dimension of both, summed; the product if one is a scalar.

    As torch.inner.
    """
    if input.dim() == 0 or other.dim() == 0:
        return OPS.mul(input, other, out=out)
    if input.size(-1) != other.size(-1):
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input._array.shape)} and {list(other._array.shape)}"
        )
    if input.dtype is not other.dtype:
        raise RuntimeError("both inputs should have same dtype")
    return tensordot(input, other, dims=([-1], [-1]), out=out)


@composite("kron")
def kron(input: Any, other: Any, *, out: Any = None) -> Any:
    """Each element of `input` times the whole of `other`, side by side."""
    rank = max(input.dim(), other.dim())
    a = (1,) * (rank - input.dim()) + input._array.shape
    b = (1,) * (rank - other.dim()) + other._array.shape
    left = _unsafe_view(input, tuple([size for n in a for size in (n, 1)]))
    right = _unsafe_view(other, tuple([size for n in b for size in (1, n)]))
    for x, seen in ((input, left), (other, right)):
        if x.is_inference():  # a tensor over its memory is one as well
            untrack(seen)
    shape = tuple([n * m for n, m in zip(a, b, strict=True)])
    if out is None:
        return _unsafe_view(OPS.mul(left, right), shape)
    fit_apart(out, shape, [input, other])
    pairs = tuple([size for both in zip(a, b, strict=True) for size in both])
    OPS.mul(left, right, out=_unsafe_view(out, pairs))
    return out


# ---- sums of products of three tensors, bilinear maps


def trilinear_forward(
    xp: Any, i1: Any, i2: Any, i3: Any, expand1: Any, expand2: Any, expand3: Any, sumdim: Any
) -> Any:
    """The products of all three, summed over `sumdim`; expand1 to expand3 are the dimensions that
    each of them lacks. As in torch, the first two are multiplied first, and rounded."""
    dims = range(i1.ndim + len(expand1))
    own = [[d for d in dims if d not in lacking] for lacking in (expand1, expand2, expand3)]
    wide = xp.float32 if i1.dtype.itemsize == 2 and i1.dtype.kind not in "iu" else i1.dtype
    first = [d for d in dims if (d in own[0] or d in own[1]) and not (d in sumdim and d in expand3)]
    kept = [d for d in dims if d not in sumdim]
    both = xp.einsum(
        i1.astype(wide, copy=False),
        own[0],
        i2.astype(wide, copy=False),
        own[1],
        first,
        optimize=True,
    )
    both = both.astype(i1.dtype, copy=False).astype(wide, copy=False)
    out = xp.einsum(both, first, i3.astype(wide, copy=False), own[2], kept, optimize=True)
    return xp.ascontiguousarray(out.astype(i1.dtype, copy=False))


_trilinear = operator(
    "_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3,"
    " int[] sumdim, int unroll_dim=1) -> Tensor",
    node="TrilinearBackward0",
    forward=trilinear_forward,
    kernel="bmm",
    knows=USUAL - BOOL,
    i1=lambda F, grad, i2, i3, expand1, expand2, expand3, sumdim: F._trilinear(
        grad, i2, i3, sumdim, expand2, expand3, expand1
    ),
    i2=lambda F, grad, i1, i3, expand1, expand2, expand3, sumdim: F._trilinear(
        i1, grad, i3, expand1, sumdim, expand3, expand2
    ),
    i3=lambda F, grad, i1, i2, expand1, expand2, expand3, sumdim: F._trilinear(
        i1, i2, grad, expand1, expand2, sumdim, expand3
    ),
    result=lambda call, i1_t, i2_t, i3_t: call(i1=i1_t) + call(i2=i2_t) + call(i3=i3_t),
    on=("function",),
    real_gradients=True,
    sparing=True,
)


@composite(
    "bilinear",
    on=("function",),
    vmap=VMap("warned"),
)
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """input1 @ weight[k] @ input2 + bias[k] for each output k, over the last dimensions.

    Args:
        input1: (..., in1).
        input2: (..., in2), with the same first sizes.
        weight: (out, in1, in2).
        bias: (out,) or None.

    Returns:
        (..., out), of the dtype that all have.

    Raises:
        RuntimeError: for shapes that do not go together, and for different dtypes.

    As torch.nn.functional.bilinear (ATen/native/Linear.cpp).
    """
    named = {"input1": input1, "input2": input2, "weight": weight}
    named |= {} if bias is None else {"bias": bias}
    kinds = {name: x.dtype for name, x in named.items()}
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{name}: {kind.c_name}" for name, kind in kinds.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {listed}")
    rank = input1.dim()
    if rank != input2.dim():
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: got {rank} and {input2.dim()}"
        )
    for i in range(rank - 1):
        if input1.size(i) != input2.size(i):
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {i}: got "
                f"{input1.size(i)} and {input2.size(i)}"
            )
    for what, got, expected in (
        ("input1", input1.size(-1), weight.size(1)),
        ("input2", input2.size(-1), weight.size(2)),
        ("bias", weight.size(0) if bias is None else bias.size(0), weight.size(0)),
    ):
        if got != expected:
            raise RuntimeError(
                f"bilinear(): {what} size does not match weight size: got {got} but expected "
                f"{expected}"
            )
    rows = [x.reshape(-1, x.size(-1)) for x in (input1, input2)]
    out = _trilinear(rows[0], weight, rows[1], (1, 3), (0,), (1, 2), (2, 3))
    out = out.reshape(*input1.size()[:-1], weight.size(0))
    return out if bias is None else out + bias
