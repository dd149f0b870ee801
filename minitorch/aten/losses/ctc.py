"""Connectionist temporal classification: labels against longer sequences of probabilities.

Forward and backward variables in log space, vectorised over the batch and the labels: a step in
time is a few calls of NumPy. As ATen/native/LossCTC.cpp.
"""

from __future__ import annotations

import math
from operator import index
from typing import Any

from minitorch.aten.in_formulas import options_of, zeros
from minitorch.aten.losses.loss import reduce
from minitorch.core.arrays import namespace
from minitorch.core.arrays.activation import exp
from minitorch.core.arrays.missing import refuse_numberless
from minitorch.core.arrays.softmax import MEAN, NONE
from minitorch.core.base.fields import TensorBase, is_wrapper
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.families import composite, not_differentiable, operator
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING
from minitorch.core.numbers.dtype import Kind

_CHECKING = "(while checking arguments for ctc_loss_allocate_outputs)"


def check_lengths(log_probs: Any, targets: Any, inputs: Any, lengths: Any, blank: int) -> None:
    """RuntimeError in torch's words for arguments that do not fit together."""
    if log_probs.dtype.char not in "fd":
        raise dtypes.unknown_to("ctc_loss_cpu", log_probs)
    if 0 in log_probs.shape:
        raise RuntimeError("log_probs tensor must not be empty")
    if log_probs.ndim != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.ndim}-dimensional tensor for "
            f"argument #1 'log_probs' {_CHECKING}"
        )
    if not 1 <= targets.ndim <= 2:
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for "
            f"argument #2 'targets' {_CHECKING}"
        )
    steps, batch, classes = log_probs.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    for name, given in (("input", inputs), ("target", lengths)):
        if len(given) != batch:
            raise RuntimeError(f"{name}_lengths must be of size batch_size")
    for n in lengths:
        at_least_zero("target", n)
    most, wanted = max(lengths), batch if targets.ndim == 2 else sum(lengths)
    if targets.shape[0] != wanted:
        raise RuntimeError(
            f"Expected tensor to have size {wanted} at dimension 0, but got size "
            f"{targets.shape[0]} for argument #2 'targets' {_CHECKING}"
        )
    if targets.ndim == 2 and targets.shape[1] < most:
        raise RuntimeError(
            f"Expected tensor to have size at least {most} at dimension 1, but got size "
            f"{targets.shape[1]} for argument #2 'targets' {_CHECKING}"
        )
    for n in inputs:
        at_least_zero("input", n)
        if n > steps:
            raise RuntimeError(
                f"Expected input_lengths to have value at most {steps}, but got value {n} "
                f"{_CHECKING}"
            )


def at_least_zero(what: str, n: int) -> None:
    if n < 0:
        raise RuntimeError(
            f"Expected {what}_lengths to have value at least 0, but got value {n} {_CHECKING}"
        )


def with_blanks(xp: Any, targets: Any, lengths: Any, blank: int) -> tuple[Any, Any]:
    """(N, 2 * longest + 1): the labels with blanks around them; and which may be skipped to: those
    that are not what stands two before."""
    labels = xp.full((len(lengths), 2 * max(lengths) + 1), blank)
    start = 0
    for row, n in enumerate(lengths):
        own = targets[row] if targets.ndim == 2 else targets[start:]
        labels[row, 1 : 2 * n : 2] = own[:n]
        start += n
    skipped = xp.zeros(labels.shape, bool)
    skipped[:, 2:] = labels[:, 2:] != labels[:, :-2]
    return labels, skipped


def shifted(xp: Any, x: Any, by: int) -> Any:
    """The columns of `x` moved to the right, -inf where there are none."""
    out = xp.full(x.shape, -math.inf, x.dtype)
    out[:, by:] = x[:, :-by] if x.shape[1] > by else x[:, :0]
    return out


def log_sum(xp: Any, *terms: Any) -> Any:
    """The logarithm of the sum of exponentials, term after term."""
    most = terms[0]
    for term in terms[1:]:
        most = xp.maximum(most, term)
    most = xp.where(most == -math.inf, most.dtype.type(0), most)
    total = exp(xp, terms[0] - most)
    for term in terms[1:]:
        total = total + exp(xp, term - most)
    return xp.elementary.log(xp.as_array(total)) + most


def step(xp: Any, x: Any, skipped: Any, emitted: Any) -> Any:
    """One step in time: from a label, the one before, and if `skipped` the one before that."""
    jump = xp.where(skipped, shifted(xp, x, 2), x.dtype.type(-math.inf))
    return log_sum(xp, x, shifted(xp, x, 1), jump) + emitted


def last_two(xp: Any, labels: Any, lengths: Any) -> tuple[Any, Any]:
    """Where each row's sequence ends: in its last blank, or in its last label."""
    places, ends = xp.arange(labels.shape[1]), 2 * xp.asarray(lengths)[:, None]
    return places == ends, places == ends - 1


def ctc_loss_forward(
    xp: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int,
    zero_infinity: bool,
) -> tuple[Any, Any]:
    check_lengths(log_probs, targets, input_lengths, target_lengths, blank)
    labels, skipped = with_blanks(xp, targets, target_lengths, blank)
    emitted = xp.take_along_axis(log_probs, labels[None], 2)
    alpha = xp.full(emitted.shape, -math.inf, log_probs.dtype)
    alpha[0, :, :2] = emitted[0, :, :2]
    for t in range(1, len(alpha)):
        alpha[t] = step(xp, alpha[t - 1], skipped, emitted[t])
    inputs = xp.asarray(input_lengths)
    last = alpha[inputs - 1, xp.arange(len(inputs))]
    never = last.dtype.type(-math.inf)
    blanks, ends = last_two(xp, labels, target_lengths)
    likely = log_sum(xp, *[xp.where(x, last, never).max(1) for x in (blanks, ends)])
    empty = xp.asarray(target_lengths) == 0
    likely = xp.where(inputs == 0, xp.where(empty, likely.dtype.type(0), never), likely)
    return -likely, xp.ascontiguousarray(alpha.transpose(1, 0, 2))


def ctc_loss_backward(
    xp: Any,
    grad: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    neg_log_likelihood: Any,
    log_alpha: Any,
    blank: int,
    zero_infinity: bool,
) -> Any:
    labels, skipped = with_blanks(xp, targets, target_lengths, blank)
    emitted = xp.take_along_axis(log_probs, labels[None], 2)
    never = log_probs.dtype.type(-math.inf)
    blanks, ends = last_two(xp, labels, target_lengths)
    inputs = xp.asarray(input_lengths)[:, None]
    backwards = xp.zeros(skipped.shape, bool)  # targets of skips, walking back
    backwards[:, 2:] = skipped[:, :1:-1]
    row = xp.full(labels.shape, never)
    both = xp.empty(emitted.shape, log_probs.dtype)
    for t in reversed(range(len(both))):
        moved = step(xp, row[:, ::-1], backwards, emitted[t][:, ::-1])[:, ::-1]
        first = xp.where(blanks | ends, emitted[t], never)
        row = xp.where(t == inputs - 1, first, xp.where(t < inputs - 1, moved, never))
        both[t] = row + log_alpha[:, t]
    out = xp.full(log_probs.shape, never)
    where = (xp.arange(len(out))[:, None], xp.arange(out.shape[1]))
    for s in reversed(range(labels.shape[1])):  # the probabilities of one class add up
        place = (*where, labels[:, s])
        out[place] = log_sum(xp, out[place], both[:, :, s])
    nll = neg_log_likelihood[:, None]
    out = (exp(xp, log_probs) - exp(xp, out + nll - log_probs)) * grad[:, None]
    out[xp.arange(len(out))[:, None] >= inputs.T] = 0
    if zero_infinity:
        out[:, neg_log_likelihood == math.inf] = 0
    return out


def ctc_loss_gradient(
    F: Any,
    grad: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    result0: Any,
    result1: Any,
    blank: int,
    zero_infinity: bool,
) -> Any:
    lengths = input_lengths, target_lengths
    listed = isinstance(input_lengths, (tuple, list))
    backward = F._ctc_loss_backward if listed else F._ctc_loss_backward_Tensor
    return backward(grad, log_probs, targets, *lengths, result0, result1, blank, zero_infinity)


def check_integral(name: str, kind: Any) -> None:
    """RuntimeError unless a dtype, the library's or an array's, is one of integers."""
    ours = isinstance(kind, dtypes.dtype)
    if not (kind.number_kind is Kind.INTEGER if ours else kind.kind in "iu"):
        raise RuntimeError(f"{name}_lengths must be integral")


def listed_lengths(name: str, lengths: Any) -> tuple[int, ...]:
    """A tensor or an array of lengths as ints. RuntimeError unless it is one of integers."""
    check_integral(name, lengths.dtype)
    refuse_numberless("aten::_ctc_loss.Tensor", getattr(lengths, "_array", lengths))
    return tuple(lengths.reshape(-1).tolist())


def with_lengths_in_tensors(
    xp: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int,
    zero_infinity: bool,
) -> tuple[Any, Any]:
    """`ctc_loss_forward` where the lengths are arrays."""
    ints = listed_lengths("input", input_lengths), listed_lengths("target", target_lengths)
    refuse_numberless("aten::_ctc_loss.Tensor", log_probs)
    return ctc_loss_forward(xp, log_probs, targets, *ints, blank, zero_infinity)


def backward_with_lengths_in_tensors(
    xp: Any,
    grad: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    neg_log_likelihood: Any,
    log_alpha: Any,
    blank: int,
    zero_infinity: bool,
) -> Any:
    """`ctc_loss_backward` where the lengths are arrays."""
    ints = listed_lengths("input", input_lengths), listed_lengths("target", target_lengths)
    rest = neg_log_likelihood, log_alpha, blank, zero_infinity
    return ctc_loss_backward(xp, grad, log_probs, targets, *ints, *rest)


_ctc_loss_list = operator(
    "_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths,"
    " int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)",
    node="CtcLossBackward0",
    forward=ctc_loss_forward,
    log_probs=ctc_loss_gradient,
    differentiable=(True, False),
    on=("F",),
)

_ctc_loss_tensor = operator(
    "_ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths,"
    " Tensor target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)",
    node="CtcLossBackward1",
    forward=with_lengths_in_tensors,
    log_probs=ctc_loss_gradient,
    differentiable=(True, False),
    on=("F",),
)

_ctc_loss_backward = operator(
    "_ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths,"
    " int[] target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank,"
    " bool zero_infinity=False) -> Tensor",
    node="NotImplemented",
    forward=ctc_loss_backward,
    kernel="ctc_loss_backward_cpu",
    knows=FLOATING,
    grad=not_differentiable("_ctc_loss_backward"),
    log_probs=not_differentiable("_ctc_loss_backward"),
    neg_log_likelihood=not_differentiable("_ctc_loss_backward"),
    on=("F",),
)

_ctc_loss_backward_tensor = operator(
    "_ctc_loss_backward.Tensor(Tensor grad, Tensor log_probs, Tensor targets, Tensor input_lengths,"
    " Tensor target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank,"
    " bool zero_infinity=False) -> Tensor",
    node="NotImplemented",
    forward=backward_with_lengths_in_tensors,
    kernel="ctc_loss_backward_cpu",
    knows=FLOATING,
    grad=not_differentiable("_ctc_loss_backward"),
    log_probs=not_differentiable("_ctc_loss_backward"),
    neg_log_likelihood=not_differentiable("_ctc_loss_backward"),
    on=("F",),
)


@composite("_ctc_loss", on=("function",))
@overloads(
    "Tensor log_probs, Tensor targets, tuple of ints input_lengths, tuple of ints target_lengths, "
    "int blank = 0, bool zero_infinity = False",
    "Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, "
    "int blank = 0, bool zero_infinity = False",
)
def _ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    zero_infinity: bool = False,
) -> Any:
    """(losses, forward variables) of `ctc_loss` for a batch."""
    return losses_of(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)


def losses_of(
    log_probs: Any, targets: Any, inputs: Any, lengths: Any, blank: int, zero_infinity: bool
) -> tuple[Any, Any]:
    """The result of the overload of `_ctc_loss` for lengths in tensors, or for lengths in lists."""
    if isinstance(inputs, TensorBase) is not isinstance(lengths, TensorBase):
        raise TypeError("lengths of both kinds")
    if isinstance(inputs, TensorBase):
        return _ctc_loss_tensor(log_probs, targets, inputs, lengths, blank, zero_infinity)
    ints = [tuple(map(index, each)) for each in (inputs, lengths)]
    return _ctc_loss_list(log_probs, targets, *ints, blank, zero_infinity)


def zeroed(losses: Any) -> Any:
    """Losses with 0 in place of infinite ones."""
    none = zeros(OPS, losses, ())
    return OPS.where(OPS.eq(losses, math.inf), none, losses)


_REST = "int blank = 0, int reduction = at::Reduction::Mean, bool zero_infinity = False"


def _of_lengths(log_probs: Any, targets: Any, input_lengths: Any, *args: Any, **kwargs: Any) -> str:
    """The overload of ctc_loss, by what holds the lengths."""
    return "Tensor" if isinstance(input_lengths, TensorBase) else "IntList"


@composite(
    "ctc_loss",
    on=("function",),
    vmap=VMap("warned", overload=_of_lengths),
)
@overloads(
    "Tensor log_probs, Tensor targets, tuple of ints input_lengths, tuple of ints target_lengths, "
    + _REST,
    "Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, " + _REST,
)
def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = NONE,
    zero_infinity: bool = False,
) -> Any:
    """Minus the log-probability that sequences with repetitions and blanks read as the targets.

    Args:
        log_probs: (T, N, C), or (T, C).
        targets: (N, S), or all of them one after another, (sum(target_lengths),).
        input_lengths, target_lengths: (N,) each, lists or tensors.
        zero_infinity: counts sequences too short for their targets as 0.
    """
    lengths = input_lengths, target_lengths
    for name, each in zip(("input", "target"), lengths, strict=True):
        if isinstance(each, TensorBase):
            check_integral(name, each.dtype)
    batched = log_probs.dim() == 3
    if not batched:
        log_probs = OPS.unsqueeze(log_probs, 1)
    # Lengths in tensors stay there only for what sees operators: modes, and subclasses.
    in_tensors = isinstance(input_lengths, TensorBase) and isinstance(target_lengths, TensorBase)
    if in_tensors and not STACK.get() and not any(map(is_wrapper, lengths)):
        refuse_numberless("aten::_ctc_loss.Tensor", log_probs._array)
        lengths = listed_lengths("input", lengths[0]), listed_lengths("target", lengths[1])
    targets = OPS.to(targets, device=targets.device, dtype=dtypes.int64)
    out = losses_of(log_probs, targets, *lengths, blank, zero_infinity)[0]
    if zero_infinity:
        out = zeroed(out)
    if reduction == MEAN:
        counts = lengths[1]
        if not isinstance(counts, TensorBase):
            how = options_of(out)
            counts = OPS.empty((len(counts),), **how)
            counts._array[...] = namespace(counts._array).asarray(lengths[1])
        out = out / OPS.clamp_min(counts, 1)
    elif reduction not in (1, 2) and not batched:
        return out.squeeze(0)
    return reduce(out, reduction)
