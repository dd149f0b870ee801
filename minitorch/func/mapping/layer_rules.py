"""The rules of vmap for layers and losses, and replacements of two of them in all transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.declare.general.tangents import bind
from minitorch.core.declare.row import Row
from minitorch.func.levels.base import REPLACED, mapped
from minitorch.func.mapping.rules import RULES, called, one_by_one, rule, said_of


def made_rule(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function of a row's arguments, by the names of its schema, the rule of the rows
    that declare its name."""

    def run(level: Any, row: Row, called: Any, args: Any, kwargs: Any) -> Any:
        bound = bind(row, args, kwargs)
        bound.pop("out", None)
        return function(**bound)

    RULES[function.__name__] = run
    return function


# ---- losses


def reduced(each: Any, reduction: int) -> Any:
    """The losses of the elements, or their mean or sum, as `reduction` demands."""
    return each if reduction == 0 else each.mean() if reduction == 1 else each.sum()


def unreduced(level: Any, row: Row, function: Any, bound: dict[str, Any]) -> Any:
    """A loss of each element: weights broadcast, other arguments have all examples."""
    rank = bound["self"]._array.ndim
    with level.below():
        for name, x in bound.items():
            whole = name in ("self", "target", "grad_output")
            bound[name] = mapped(level.full if whole else lambda x: level.aligned(x, rank), x)
        return called(level, row, function, bound)


@rule
def loss(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Reduces each example by itself."""
    bound = bind(row, args, kwargs)
    reduction = bound["reduction"]
    if reduction == 0:
        return unreduced(level, row, function, bound)
    bound["reduction"] = 0
    each = function(*[bound[a.name] for a in row.schema.arguments])
    single = not each._array.ndim and not said_of(row).numbers
    return each if single else reduced(each, reduction)


def _gradient_of_each(bound: dict[str, Any]) -> None:
    """Replaces in `bound` the gradient of a loss by that of each element's loss."""
    grad, self = bound["grad_output"], bound["self"]
    each = grad / self.numel() if bound["reduction"] == 1 else grad
    bound["reduction"] = 0
    bound["grad_output"] = each.expand_as(self)


@rule
def loss_backward(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """The gradient of the inputs of a loss, computed as of a loss without reduction."""
    bound = bind(row, args, kwargs)
    if bound["reduction"] == 0:
        return unreduced(level, row, function, bound)
    _gradient_of_each(bound)
    return function(*[bound[a.name] for a in row.schema.arguments])


@rule
def huber_loss_backward(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """`loss_backward` composed of other operators, as in torch: the row itself has no tangents."""
    bound = bind(row, args, kwargs)
    if bound["reduction"] == 0:
        return unreduced(level, row, function, bound)
    _gradient_of_each(bound)
    slope = OPS.clamp(bound["self"] - bound["target"], -bound["delta"], bound["delta"])
    return bound["grad_output"] * slope


def _masked(target: Any, ignore_index: int, channel: int) -> tuple[Any, Any]:
    """Whether each target counts, and the targets as positions along the class dimension."""
    counts = target != ignore_index
    return counts, OPS.where_self(counts, target, tensor_like(0, target)).unsqueeze(channel)


def tensor_like(number: Any, like: Any) -> Any:
    return OPS.full((), number, dtype=like.dtype, device=like.device)


def _shaped(weight: Any, self: Any, channel: int) -> Any:
    """Weights of classes in a shape that broadcasts with one number for each class."""
    shape = [1] * self._array.ndim
    shape[channel] = weight.shape[0]
    return weight.view(shape)


@made_rule
def nll_loss(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    """As nll_loss_forward of torch/_decomp/decompositions.py."""
    rank = self._array.ndim
    channel = 0 if rank < 2 else 1
    if weight is not None:
        weight = _shaped(weight, self, channel)
        self = self * weight
    counts, places = _masked(target, ignore_index, channel)
    losses = -OPS.gather(self, channel, places).squeeze(channel)
    losses = OPS.where_self(counts, losses, tensor_like(0, losses))
    if reduction == 0 and rank > 1:
        return losses, self.new_full((), 0.0)
    if weight is None:
        total = counts.sum().to(self.dtype)
    else:
        each = OPS.gather(weight.expand(self.shape), channel, places).squeeze(channel)
        total = OPS.where_self(counts, each, tensor_like(0, each)).sum()
    if reduction:
        losses = losses.sum() if reduction == 2 else losses.sum() / total
    return losses, total


@made_rule
def nll_loss_backward(
    grad_output: Any,
    self: Any,
    target: Any,
    weight: Any,
    reduction: int,
    ignore_index: int,
    total_weight: Any,
) -> Any:
    """As nll_loss_backward of torch/_decomp/decompositions.py."""
    rank = self._array.ndim
    channel = 0 if rank < 2 else 1
    grad = grad_output / total_weight if reduction == 1 else grad_output
    counts, places = _masked(target, ignore_index, channel)
    found = OPS.scatter_value(OPS.zeros_like(self), channel, places, -1.0)
    if rank > grad._array.ndim > 0:
        grad = grad.unsqueeze(channel)
    if weight is not None:
        grad = grad * _shaped(weight, self, channel)
    return found * OPS.where_self(counts.unsqueeze(channel), grad, tensor_like(0, grad))


def logistic_loss(
    self: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1
) -> Any:
    """binary_cross_entropy_with_logits, composed so that its weights are differentiated too.

    As aten/src/ATen/functorch/PyTorchOperatorHacks.cpp.
    """
    largest = (-self).clamp_min(0)
    wrong = OPS.sub(tensor_like(1, target), target) * self
    both = (-largest).exp() + (-self - largest).exp()
    if pos_weight is None:
        losses = wrong + largest + both.log()
    else:
        losses = wrong + ((pos_weight - 1) * target + 1) * (both.log() + largest)
    return reduced(losses if weight is None else losses * weight, reduction)


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """A linear map that flattens its inputs to a matrix in fewer cases than without transforms."""
    rank = input._array.ndim
    if bias is None:
        return OPS.matmul(input, weight.t())
    if rank == 2:
        return OPS.addmm(bias, input, weight.t())
    if rank == 3 and input.is_contiguous():
        n, m, k = input.shape
        flat = OPS.addmm(bias, OPS.view(input, (n * m, k)), weight.t())
        return OPS.view(flat, (n, m, flat.shape[1]))
    return OPS.add(OPS.matmul(input, weight.t()), bias)


REPLACED.update({each.__name__: each for each in (linear, logistic_loss)})

# ---- layers


@rule
def embedding(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Looks positions up in one table, or in the tables of all examples side by side."""
    bound = bind(row, args, kwargs)
    weight, indices = bound["weight"], bound["indices"]
    if bound["scale_grad_by_freq"] or bound["sparse"]:
        return one_by_one(level, row, function, args, kwargs)
    with level.below():
        bound["indices"] = level.front(indices)
        if not level.is_batched(weight):
            return called(level, row, function, bound)
        if level.is_batched(indices):
            count = weight.shape[0]
            steps = OPS.arange(0, level.size * count, count, device=indices.device)
            bound["indices"] = bound["indices"] + steps.view([-1, *(1,) * indices._array.ndim])
            bound["weight"] = level.apart(weight, 0).reshape(level.size * count, weight.shape[1])
            return called(level, row, function, bound)
        wide = level.apart(weight, 1).reshape(weight.shape[0], -1)
        found = called(level, row, function, {**bound, "weight": wide})._value
        found = found.unflatten(-1, (level.size, weight.shape[1]))
        return level.batched(found, found.dim() - 2)


@rule
def layer_norm(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Normalises all examples; then scales each example by its own weights."""
    bound = bind(row, args, kwargs)
    weight, bias = bound["weight"], bound["bias"]
    own = any([x is not None and level.is_batched(x) for x in (weight, bias)])
    if own:
        bound["weight"] = bound["bias"] = None
    with level.below():
        bound["input"] = level.front(bound["input"])
        if own and not level.is_batched(args[0]):
            outputs = function(*[bound[a.name] for a in row.schema.arguments])
        else:
            outputs = called(level, row, function, bound)
    result, *rest = outputs
    if own:
        result = result if weight is None else result * weight
        result = result if bias is None else result + bias
    return (result, *rest)


@rule
def batch_norm(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Normalises each example by itself; RuntimeError if that would update unbatched statistics."""
    bound = bind(row, args, kwargs)
    updated = [bound[name] for name in ("running_mean", "running_var")]
    if bound["training"] and any([x is not None and not level.is_batched(x) for x in updated]):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which "
            "will be updated in place, were not batched.\nIf you are using a module and do not "
            "need eval mode, please set `track_running_stats` to be False.If you are using a "
            "prebuilt module and do not need eval mode, please see the functorch website for "
            "resources on how to patch your module to work with vmap"
        )
    return one_by_one(level, row, function, args, kwargs)


def folded(level: Any, x: Any, dim: int) -> Any:
    """The tensor below `x`, the examples side by side along `dim`."""
    return level.apart(x, dim).flatten(dim, dim + 1)


@rule
def convolution(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Convolves images of all examples one after the other; kernels become more channels."""
    bound = bind(row, args, kwargs)
    input, weight, bias = bound["input"], bound["weight"], bound["bias"]
    several, own = level.is_batched(input), level.is_batched(weight)
    apart = bias is not None and (own or level.is_batched(bias))
    if not level.size or (own and not several and bound["groups"] != 1):
        return one_by_one(level, row, function, args, kwargs)
    if apart:
        bound["bias"] = None
    with level.below():
        dim = 1 if own else 0
        if several:
            bound["input"] = folded(level, input, dim)
        if own:
            bound["weight"] = folded(level, weight, 1 if bound["transposed"] and not several else 0)
            if several:
                bound["groups"] *= level.size
        found = called(level, row, function, bound)._value
        found = found if not (several or own) else found.unflatten(dim, (level.size, -1))
        result = level.batched(found, dim) if several or own else found
    if apart:
        for _ in range(weight._array.ndim - 2):
            bias = bias.unsqueeze(-1)
        result = result + bias
    return result


def _tensors_of_images(row: Row) -> list[str]:
    """The arguments of a row that hold images: its tensors."""
    return [a.name for a in row.schema.tensors]


@rule
def images(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Computes images of all examples, one after the other, in dimension 0."""
    bound = bind(row, args, kwargs)
    names = _tensors_of_images(row)
    rank = bound[names[0]]._array.ndim
    if rank not in (3, 4) or not level.size:
        return one_by_one(level, row, function, args, kwargs)
    n = bound[names[0]]._array.shape[0]
    with level.below():
        for name in names:
            x = bound[name]
            x = folded(level, x, 0) if rank == 4 and level.is_batched(x) else level.full(x)
            bound[name] = x if x.dim() == 4 else x.flatten(0, 1)
        result = called(level, row, function, bound)
        if rank == 4:
            result = mapped(lambda x: level.batched(x._value.unflatten(0, (level.size, n))), result)
    return result
