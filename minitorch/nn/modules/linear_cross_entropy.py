"""linear_cross_entropy in chunks of the batch, so that there are never all logits at a time.

The sum or mean computes its gradients along with the loss and scales them in backward; losses of
each sample compute theirs in backward. As torch/nn/modules/linear_cross_entropy.py on the CPU, down
to the dtype in which each number is kept.
"""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.core.graph.modes import recording
from minitorch.library import custom_op


def _weights(
    target: Any, weight: Any, reduction: str, ignored: Any, kind: Any, grad_output: Any
) -> Any:
    """What each sample counts for: minus the weight of its class, over the sum of all for the mean,
    or times the gradient that arrives; the weight itself for losses of each sample."""
    if weight is None:
        counts = (~ignored).to(kind)
    else:
        counts = torch.where(ignored, 0, weight.to(kind).index_select(0, target))
    if reduction == "mean":
        total = counts.sum()
        counts.div_(torch.where(total == 0, torch.nan, -total))
    elif reduction == "sum":
        counts.neg_()
    elif grad_output is not None:
        counts.neg_().mul_(grad_output.to(kind))
    return counts


def _chunked(
    input: Any,
    weight: Any,
    target: Any,
    bias: Any,
    class_weight: Any,
    reduction: str,
    ignore_index: int,
    size: int,
    policy: str,
    wide: Any,
    wanted: tuple[bool, bool, bool] = (False, False, False),
    grad_output: Any = None,
) -> tuple[Any, Any, Any, Any]:
    """The loss and the gradients of `input`, `weight` and `bias`; empty ones where not `wanted`.

    policy: which numbers are of the dtype `wide`, and which of the dtype of `input`.
    """
    kind, mixed = input.dtype, input.dtype != wide
    if mixed and not (wide == torch.float32 and kind in (torch.float16, torch.bfloat16)):
        raise RuntimeError(
            "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got "
            f"{wide} acc_dtype and {kind} inputs."
        )
    half = kind == torch.float16
    narrow = policy in ("balanced", "compact")
    logit_kind = kind if half and narrow else wide
    count, classes = input.shape[0], weight.shape[0]
    ignored = target == ignore_index
    if not 0 <= ignore_index < classes:
        target = torch.where(ignored, 0, target)
    counts = _weights(target, class_weight, reduction, ignored, wide, grad_output)
    rows = weight.to(logit_kind) if mixed else weight
    bias_row = None if bias is None else bias.to(logit_kind)
    each = reduction == "none" and grad_output is None
    place = input.device
    loss_kind = wide if half and not each else kind
    loss = torch.zeros((count,) if each else (), dtype=loss_kind, device=place)
    if reduction == "mean" and not count:
        loss.fill_(torch.nan)
    of_input, of_weight, of_bias = wanted
    sizes = input.shape if of_input else (0, 0)
    grad_input = torch.empty(sizes, dtype=kind if narrow else wide, device=place)
    grad_weight = torch.zeros(weight.shape if of_weight else (0, 0), dtype=kind, device=place)
    grad_bias = torch.zeros(classes if of_bias else 0, dtype=kind, device=place)
    for start in range(0, count, size):
        length = min(size, count - start)
        x, chosen, w = (t.narrow(0, start, length) for t in (input, target, counts))
        column = chosen.unsqueeze(1)
        logits = torch.mm(x.to(logit_kind), rows.T)
        if bias_row is not None:
            logits.add_(bias_row)
        logits.sub_(torch.amax(logits, dim=1, keepdim=True))
        right = logits.gather(1, column).squeeze(1).to(wide)
        if not each:
            loss.add_(w.dot(right))
        total = logits.exp_().sum(1, dtype=wide)
        if each:
            loss.narrow(0, start, length).copy_(total.log_().sub_(right).mul_(w))
            continue
        if any(wanted):
            factor = torch.div(w, total, out=torch.empty(length, dtype=logit_kind, device=place))
            torch.mul(logits, factor.unsqueeze(1), out=logits)
        loss.sub_(w.dot(total.log_()))
        if of_bias:
            part = torch.zeros(classes, dtype=wide, device=place) if mixed else grad_bias
            part.sub_(logits.sum(0, dtype=wide)).index_add_(0, chosen, w)
            if mixed:
                grad_bias.add_(part.to(kind))
        if of_input:
            part = rows.index_select(0, chosen)
            torch.mul(part, w.to(logit_kind).unsqueeze(1), out=part)
            torch.addmm(part, logits, rows, alpha=-1, out=part)
            grad_input.narrow(0, start, length).copy_(part)
        if of_weight:
            weighted = x.to(wide) * w.unsqueeze(1)
            if policy == "compact" and logit_kind == kind:
                grad_weight.addmm_(logits.T, x, alpha=-1)
                grad_weight.index_add_(0, chosen, weighted.to(kind), alpha=1)
            else:
                part = torch.mm(logits.to(wide).T, x.to(wide))
                grad_weight.sub_(part.index_add_(0, chosen, weighted, alpha=-1))
    if half and not each:  # cast inside of an operator, which counts as a write into what is new
        loss = torch.empty((), dtype=kind, device=place).copy_(loss)
    return loss, grad_input.to(kind), grad_weight, grad_bias


def _reduced(
    input: Any,
    linear_weight: Any,
    target: Any,
    linear_bias: Any,
    weight: Any,
    reduction: str,
    ignore_index: int,
    label_smoothing: float,
    batch_chunk_size: int,
    acc_policy: str,
    acc_dtype: Any,
    allow_retain_graph: bool,
    compute_input_grad: bool,
    compute_linear_weight_grad: bool,
    compute_linear_bias_grad: bool,
) -> Any:
    """The mean or sum, and the gradients that it computes at once."""
    wanted = compute_input_grad, compute_linear_weight_grad, compute_linear_bias_grad
    how = ignore_index, batch_chunk_size, acc_policy, acc_dtype, wanted
    return _chunked(input, linear_weight, target, linear_bias, weight, reduction, *how)


_PLACES = ((0, "_gi"), (1, "_gw"), (3, "_gb"))  # the arguments with gradients, and where those are


def _keep_gradients(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.allow_retain_graph, *wanted = inputs[-4:]
    (ctx.compute_input_grad, ctx.compute_linear_weight_grad, ctx.compute_linear_bias_grad) = wanted
    for (_, name), want, grad in zip(_PLACES, wanted, output[1:], strict=True):
        setattr(ctx, name, grad.detach() if want else None)


def _scale_gradients(ctx: Any, grad_output: Any, *unused: Any) -> Any:
    results = [None] * len(ctx.needs_input_grad)
    wanted = ctx.compute_input_grad, ctx.compute_linear_weight_grad, ctx.compute_linear_bias_grad
    for (place, name), want in zip(_PLACES, wanted, strict=True):
        if not want:
            continue
        grad = getattr(ctx, name)
        if ctx.allow_retain_graph:
            results[place] = grad * grad_output
            continue
        if grad is None:
            raise RuntimeError(
                "linear_cross_entropy chunked backward called twice; retain_graph=True / double"
                " backward are not supported."
            )
        setattr(ctx, name, None)
        results[place] = grad.mul_(grad_output)
    return tuple(results)


def _each(
    input: Any,
    linear_weight: Any,
    target: Any,
    linear_bias: Any,
    weight: Any,
    ignore_index: int,
    batch_chunk_size: int,
    acc_policy: str,
    acc_dtype: Any,
) -> Any:
    """The loss of each sample."""
    how = ignore_index, batch_chunk_size, acc_policy, acc_dtype
    return _chunked(input, linear_weight, target, linear_bias, weight, "none", *how)[0]


def _keep_inputs(ctx: Any, inputs: Any, output: Any) -> None:
    target = inputs[2]
    kept = [t if t is None or t is target else t.detach() for t in inputs[:5]]
    ctx.save_for_backward(*kept)
    ctx._ignore_index, ctx._batch_chunk_size, ctx._acc_policy, ctx._acc_dtype = inputs[5:]


def _gradients_of_each(ctx: Any, grad_output: Any) -> Any:
    needs = ctx.needs_input_grad
    wanted = needs[0], needs[1], needs[3]
    how = ctx._ignore_index, ctx._batch_chunk_size, ctx._acc_policy, ctx._acc_dtype
    grads = _chunked(*ctx.saved_tensors, "none", *how, wanted, grad_output)[1:]
    of_input, of_weight, of_bias = (
        grad if want else None for grad, want in zip(grads, wanted, strict=True)
    )
    return of_input, of_weight, None, of_bias, *[None] * (len(needs) - 4)


def _one_by_one(operator: Any, info: Any, in_dims: Any, *given: Any) -> Any:
    """What the operator gives for each of a batch, and the dimension of the batch in that: 0."""
    results = []
    for i in range(info.batch_size):
        own = [x if d is None else x.select(d, i) for x, d in zip(given, in_dims, strict=True)]
        results.append(operator(*own))
    if isinstance(results[0], tuple):
        stacked = tuple([torch.stack(each) for each in zip(*results, strict=True)])
        return stacked, (0,) * len(stacked)
    return torch.stack(results), 0


_TENSORS = "Tensor input, Tensor linear_weight, Tensor target, Tensor? linear_bias, Tensor? weight"
_REDUCED = custom_op(
    "torch_nn::_linear_cross_entropy_batch_chunked",
    _reduced,
    mutates_args=(),
    schema=f"({_TENSORS}, str reduction, SymInt ignore_index, float label_smoothing, SymInt "
    "batch_chunk_size, str acc_policy, ScalarType acc_dtype, bool allow_retain_graph, bool "
    "compute_input_grad, bool compute_linear_weight_grad, bool compute_linear_bias_grad)"
    " -> (Tensor, Tensor, Tensor, Tensor)",
)
_REDUCED.register_autograd(_scale_gradients, setup_context=_keep_gradients)
_REDUCED.register_fake(_reduced)
_REDUCED.register_vmap(lambda *given: _one_by_one(_REDUCED, *given))
_EACH = custom_op(
    "torch_nn::_linear_cross_entropy_batch_chunked_no_reduction",
    _each,
    mutates_args=(),
    schema=f"({_TENSORS}, SymInt ignore_index, SymInt batch_chunk_size, str acc_policy, "
    "ScalarType acc_dtype) -> Tensor",
)
_EACH.register_autograd(_gradients_of_each, setup_context=_keep_inputs)
_EACH.register_fake(_each)
_EACH.register_vmap(lambda *given: _one_by_one(_EACH, *given))


def chunked(
    input: Any,
    weight: Any,
    target: Any,
    bias: Any,
    class_weight: Any,
    reduction: str,
    ignore_index: int,
    options: Any,
) -> Any:
    """The loss by `options`, which are LinearCrossEntropyOptions."""
    single = input.dim() == 1
    if single:
        input, target = input.unsqueeze(0), target.unsqueeze(0)
    options = options.resolved(*input.shape, weight.shape[0], input.dtype, input.device)
    how = ignore_index, options.batch_chunk_size, options.acc_policy, options.acc_dtype
    if reduction == "none":
        result = _EACH(input, weight, target, bias, class_weight, *how)
    else:
        needs = [t is not None and t.requires_grad for t in (input, weight, bias)]
        wanted = [need and recording() for need in needs]
        rest = (0.0, *how[1:], options.allow_retain_graph, *wanted)
        given = input, weight, target, bias, class_weight, reduction, ignore_index
        result = _REDUCED(*given, *rest)[0]
    return result.squeeze(0) if single else result
