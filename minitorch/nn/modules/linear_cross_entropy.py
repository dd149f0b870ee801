"""linear_cross_entropy in chunks of the batch, so that there are never all logits at a time.

The sum or mean computes its gradients along with the loss and scales them in backward; losses of
each sample compute theirs in backward. As torch/nn/modules/linear_cross_entropy.py on the CPU, down
to the dtype in which each number is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import minitorch as torch
from minitorch.core.base.modes import recording
from minitorch.library import custom_op

__all__: list[str] = []


class _Pass:
    """One pass over the batch: which numbers are of which dtype, and the memory for them.

    Buffers are made when they are first needed, and serve all chunks: modes see each of them.
    """

    def __init__(
        self,
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
    ) -> None:
        kind = input.dtype
        self.mixed = kind != wide
        if self.mixed and not (wide == torch.float32 and kind in (torch.float16, torch.bfloat16)):
            raise RuntimeError(
                "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but "
                f"got {wide} acc_dtype and {kind} inputs."
            )
        self.input, self.weight, self.target, self.bias = input, weight, target, bias
        self.class_weight, self.reduction, self.grad_output = class_weight, reduction, grad_output
        self.ignore_index, self.size, self.kind, self.wide = ignore_index, size, kind, wide
        self.wanted = wanted
        narrow = policy in ("balanced", "compact")
        self.logit_kind = kind if kind == torch.float16 and narrow else wide
        self.grad_kind = kind if narrow else wide
        # Whether a chunk's gradient of the weight is computed apart and added then.
        self.staged = wanted[1] and not (policy == "compact" and self.logit_kind == kind)
        self.count, self.classes = input.shape[0], weight.shape[0]
        self.logits = self.empty((size, self.classes), self.logit_kind)
        self.row = self.empty((size,), self.logit_kind)

    def empty(self, shape: tuple[int, ...], kind: Any, when: bool = True) -> Any:
        """New memory on the input's device; that of no elements unless `when`."""
        shape = shape if when else (0,) * len(shape)
        return torch.empty(shape, dtype=kind, device=self.input.device)

    def zeros(self, shape: tuple[int, ...], kind: Any, when: bool = True) -> Any:
        """Zeros, as `empty`."""
        shape = shape if when else (0,) * len(shape)
        return torch.zeros(shape, dtype=kind, device=self.input.device)

    def chunks(self) -> Iterator[tuple[int, int, Any, Any, Any, Any, Any]]:
        """Yields of each chunk where it begins and how long it is, its samples, their classes, what
        they count for, memory for their logits, and the samples as wide as they are computed."""
        for start in range(0, self.count, self.size):
            length = min(self.size, self.count - start)
            x = self.input.narrow(0, start, length)
            chosen = self.classes_of_samples.narrow(0, start, length)
            w = self.counts.narrow(0, start, length)
            logits, accurate = self.logits.narrow(0, 0, length), x
            if self.mixed and (self.wanted[1] or self.kind != self.logit_kind):
                accurate = self.wide_samples.narrow(0, 0, length).copy_(x)
            yield start, length, x, chosen, w, logits, accurate

    @cached_property
    def ignored(self) -> Any:
        """For each sample, whether it is ignored."""
        return self.target == self.ignore_index

    @cached_property
    def classes_of_samples(self) -> Any:
        """The classes; 0 for ignored targets, if `ignore_index` is no class."""
        if 0 <= self.ignore_index < self.classes:
            return self.target
        return torch.where(self.ignored, 0, self.target)

    @cached_property
    def counts(self) -> Any:
        """The factor of each sample: minus the weight of its class, divided by the sum of all for
        the mean, or times the incoming gradient; the weight itself for losses of each sample."""
        ignored, target, weight = self.ignored, self.classes_of_samples, self.class_weight
        if weight is None:
            counts = (~ignored).to(self.wide)
        elif target.numel() > weight.numel():
            counts = torch.where(ignored, 0, weight.to(self.wide).index_select(0, target))
        else:
            counts = torch.where(ignored, 0, weight.index_select(0, target).to(self.wide))
        if self.reduction == "mean":
            total = counts.sum()
            counts.div_(torch.where(total == 0, torch.nan, -total))
        elif self.reduction == "sum":
            counts.neg_()
        elif self.grad_output is not None:
            counts.neg_().mul_(self.grad_output.to(self.wide))
        return counts

    @cached_property
    def rows(self) -> Any:
        """The weight in the dtype of the logits."""
        return self.weight.to(self.logit_kind) if self.mixed else self.weight

    @cached_property
    def bias_row(self) -> Any:
        """The bias in the dtype of the logits."""
        return None if self.bias is None else self.bias.to(self.logit_kind)

    @cached_property
    def wide_samples(self) -> Any:
        """Memory for a chunk of samples."""
        return self.empty((self.size, self.input.shape[1]), self.wide)

    @cached_property
    def wide_logits(self) -> Any:
        """Memory for the logits of a chunk."""
        return self.empty((self.size, self.classes), self.wide)

    @cached_property
    def gradient_rows(self) -> Any:
        """Memory for the gradient of a chunk of samples."""
        return self.empty((self.size, self.input.shape[1]), self.logit_kind)

    @cached_property
    def wide_bias(self) -> Any:
        """Memory for the gradient of the bias that a chunk gives."""
        return self.zeros((self.classes,), self.wide)

    def fill(self, logits: Any, x: Any, accurate: Any) -> None:
        """Computes the logits of a chunk, less the largest of each sample."""
        samples = accurate if self.mixed and self.kind != self.logit_kind else x
        torch.mm(samples, self.rows.T, out=logits)
        if self.bias_row is not None:
            logits.add_(self.bias_row)
        largest = self.row.narrow(0, 0, len(x)).unsqueeze(1)
        logits.sub_(torch.amax(logits, dim=1, keepdim=True, out=largest))

    def weighted(self, x: Any, w: Any) -> Any:
        """Samples times what they count for, in memory that is free, if there is some."""
        if self.mixed:
            return x.mul_(w.unsqueeze(1))
        features = self.input.shape[1]
        if self.classes < features:
            return x * w.unsqueeze(1)
        column = w.unsqueeze(1)
        return torch.mul(x, column, out=self.logits.narrow(0, 0, len(x)).narrow(1, 0, features))


def _losses(run: _Pass) -> Any:
    """The loss of each sample."""
    run.bias_row  # noqa: B018  # made before the result
    losses = run.empty((run.count,), run.kind)
    for start, length, x, chosen, w, logits, accurate in run.chunks():
        run.fill(logits, x, accurate)
        right = logits.gather(1, chosen.unsqueeze(1)).squeeze(1)
        loss = logits.exp_().sum(1, dtype=run.wide).log_().sub_(right.to(run.wide))
        losses.narrow(0, start, length).copy_(loss.mul_(w))
    return losses


def _chunked(*given: Any) -> tuple[Any, Any, Any, Any]:
    """The loss and the gradients of `input`, `weight` and `bias`; empty ones where not wanted.

    given: as for `_Pass`.
    """
    run = _Pass(*given)
    of_input, of_weight, of_bias = run.wanted
    half = run.kind == torch.float16
    loss = run.zeros((), run.wide if half else run.kind)
    grad_input = run.empty(tuple(run.input.shape), run.grad_kind, of_input)
    grad_weight = run.zeros(tuple(run.weight.shape), run.kind, of_weight)
    grad_bias = run.zeros((run.classes,), run.kind, of_bias)
    staged = run.empty(tuple(run.weight.shape), run.wide, run.staged)
    rows, _ = run.rows, run.bias_row
    if run.reduction == "mean" and not run.count:
        loss.fill_(torch.nan)
    for start, length, x, chosen, w, logits, accurate in run.chunks():
        run.fill(logits, x, accurate)
        right = logits.gather(1, chosen.unsqueeze(1)).squeeze(1)
        loss.add_(w.dot(right.to(run.wide)))
        total = logits.exp_().sum(1, dtype=run.wide)
        if any(run.wanted):
            factor = torch.div(w, total, out=run.row.narrow(0, 0, length))
            torch.mul(logits, factor.unsqueeze(1), out=logits)
        loss.sub_(w.dot(total.log_()))
        if of_bias:
            part = run.wide_bias if run.mixed else grad_bias
            part.sub_(logits.sum(0, dtype=run.wide)).index_add_(0, chosen, w)
        if of_input:
            apart = run.grad_kind != run.logit_kind
            place = grad_input.narrow(0, start, length) if not apart else run.gradient_rows
            place = place.narrow(0, 0, length) if apart else place
            column = w.to(place.dtype)
            torch.mul(rows.index_select(0, chosen), column.unsqueeze(1), out=place)
            torch.addmm(place, logits, rows, alpha=-1, out=place)
        if of_weight:
            _add_weight_gradient(run, grad_weight, staged, x, chosen, w, logits, accurate)
        if of_input and apart:
            grad_input.narrow(0, start, length).copy_(place)
        if of_bias and run.mixed:
            grad_bias.add_(part.to(run.kind))
            part.zero_()
    if half:  # cast inside of an operator, which counts as a write into what is new
        loss = run.empty((), run.kind).copy_(loss)
    return loss, grad_input.to(run.kind), grad_weight, grad_bias


def _add_weight_gradient(
    run: _Pass,
    grad_weight: Any,
    staged: Any,
    x: Any,
    chosen: Any,
    w: Any,
    logits: Any,
    accurate: Any,
) -> None:
    """Adds the gradient of the weight that a chunk gives.

    logits: softmax times what each sample counts for. staged: memory for it, if it is used.
    """
    if run.staged:
        if run.logit_kind != run.wide:
            logits = run.wide_logits.narrow(0, 0, len(x)).copy_(logits)
        torch.mm(logits.T, accurate, out=staged)
        weighted = run.weighted(accurate, w)
        staged.index_add_(0, chosen, weighted, alpha=-1)
        grad_weight.sub_(staged)
        return
    grad_weight.addmm_(logits.T, x, alpha=-1)
    weighted = run.weighted(accurate, w).to(run.kind)
    grad_weight.index_add_(0, chosen, weighted, alpha=1)


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
    return _losses(_Pass(input, linear_weight, target, linear_bias, weight, "none", *how))


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
    """The results of the operator for each example, stacked, and the dimension of the stack: 0."""
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
    options = options._resolved(*input.shape, weight.shape[0], input.dtype, input.device)
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
