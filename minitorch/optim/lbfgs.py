"""L-BFGS with a line search. Nocedal and Wright, Numerical Optimization, chapters 3 and 7.

As torch/optim/lbfgs.py, which is made after Mark Schmidt's minFunc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.autograd.grad_mode import enable_grad, no_grad
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers.device import contiguous_format
from minitorch.optim.optimizer import Optimizer, scalar
from minitorch.optim.tensorwise import check_rate

__all__ = ["LBFGS"]

_KEPT = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")


class LBFGS(Optimizer):
    """Steps along an estimate of Newton's direction, from the last `history_size` steps.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the length of a step along the direction, 1 by default; the first length that a line
            search tries.
        max_iter: how many iterations in a call of `step`.
        max_eval: how many calls of the closure; 5 / 4 of `max_iter` if None.
        tolerance_grad: the largest gradient at which it ends.
        tolerance_change: the change of the loss, or of the parameters, at which it ends.
        history_size: how many steps the estimate is made of.
        line_search_fn: 'strong_wolfe', or None for steps of the length `lr`.

    Raises:
        ValueError: for several groups, and a negative `lr`.
        RuntimeError: by `step`, for another `line_search_fn`.

    `step` needs a closure, which it calls several times. All parameters are in one group.
    As https://docs.pytorch.org/docs/stable/generated/torch.optim.LBFGS.html. Liu and Nocedal, Math.
    Programming 45, 1989.
    """

    _sparse_refusal = None

    def __init__(
        self,
        params: Any,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_rate(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]
        self._numel_cache: int | None = None

    # ---- the parameters as one vector -----------------------------------------------------------

    def _gather_flat_grad(self) -> Any:
        views = []
        for param in self._params:
            grad = param.new_zeros(param.numel()) if param.grad is None else param.grad.to_dense()
            view = grad.view(-1)
            views.append(OPS.view_as_real(view).view(-1) if view.is_complex() else view)
        return OPS.cat(views, 0)

    def _add_grad(self, step_size: Any, update: Any) -> None:
        offset = 0
        for param in self._params:
            if param.is_complex():
                param = OPS.view_as_real(param)
            numel = param.numel()
            param.add_(update[offset : offset + numel].view_as(param), alpha=step_size)
            offset += numel

    def _numel(self) -> int:
        """How many real numbers the parameters have."""
        if self._numel_cache is None:
            self._numel_cache = sum(
                2 * param.numel() if param.is_complex() else param.numel() for param in self._params
            )
        return self._numel_cache

    def _clone_param(self) -> list[Any]:
        return [param.clone(memory_format=contiguous_format) for param in self._params]

    def _set_param(self, params_data: list[Any]) -> None:
        for param, data in zip(self._params, params_data, strict=True):
            param.copy_(data)

    def _directional_evaluate(self, closure: Any, x: list[Any], t: Any, d: Any) -> Any:
        """The loss and its gradient at x + t * d; the parameters are at `x` afterwards."""
        self._add_grad(t, d)
        loss = float(closure())
        flat_grad = self._gather_flat_grad()
        self._set_param(x)
        return loss, flat_grad

    # ---- a step ---------------------------------------------------------------------------------

    @no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:
        """Up to max_iter iterations. closure computes the loss anew and returns it."""
        closure = enable_grad()(closure)
        group = self.param_groups[0]
        rate, change = scalar(group["lr"]), group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss = float(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        grad = self._gather_flat_grad()
        flat = grad.abs().max() <= group["tolerance_grad"]
        if flat:
            return first_loss
        kept = {name: state.get(name) for name in _KEPT}
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            self._direct(kept, state, grad, group["history_size"])
            if kept["prev_flat_grad"] is None:
                kept["prev_flat_grad"] = grad.clone()
            else:
                kept["prev_flat_grad"].copy_(grad)
            kept["prev_loss"] = loss
            d = kept["d"]
            slow = min(1.0, 1.0 / grad.abs().sum()) * rate if state["n_iter"] == 1 else rate
            kept["t"] = slow
            slope = grad.dot(d)
            if slope > -change:
                break
            more = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")

                def evaluate(x: Any, t: Any, d: Any) -> Any:
                    return self._directional_evaluate(closure, x, t, d)

                start, left = self._clone_param(), group["max_eval"] - evaluations
                loss, grad, kept["t"], more = _strong_wolfe(
                    evaluate, start, kept["t"], d, loss, grad, slope, max_ls=left
                )
                self._add_grad(kept["t"], d)
                flat = grad.abs().max() <= group["tolerance_grad"]
            else:
                self._add_grad(kept["t"], d)
                if iteration != group["max_iter"]:  # else nothing reads the loss
                    loss = float(closure())
                    grad = self._gather_flat_grad()
                    flat = grad.abs().max() <= group["tolerance_grad"]
                    more = 1
            evaluations += more
            state["func_evals"] += more
            if (
                iteration == group["max_iter"]
                or evaluations >= group["max_eval"]
                or flat
                or d.mul(kept["t"]).abs().max() <= change
                or abs(loss - kept["prev_loss"]) < change
            ):
                break
        state.update(kept)
        return first_loss

    @staticmethod
    def _direct(kept: dict[str, Any], state: dict[str, Any], grad: Any, history: int) -> None:
        """The next direction: the gradient through the two loops over the last steps."""
        if state["n_iter"] == 1:
            kept.update(d=grad.neg(), old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return
        gradients, steps, ro = kept["old_dirs"], kept["old_stps"], kept["ro"]
        y = grad.sub(kept["prev_flat_grad"])
        s = kept["d"].mul(kept["t"])
        ys = y.dot(s)
        if ys > 1e-10:
            if len(gradients) == history:
                for each in (gradients, steps, ro):
                    each.pop(0)
            gradients.append(y)
            steps.append(s)
            ro.append(1.0 / ys)
            kept["H_diag"] = ys / y.dot(y)
        al = state.setdefault("al", [None] * history)
        q = grad.neg()
        for i in reversed(range(len(gradients))):
            al[i] = steps[i].dot(q) * ro[i]
            q.add_(gradients[i], alpha=-al[i])
        kept["d"] = r = OPS.mul(q, kept["H_diag"])
        for i in range(len(gradients)):
            r.add_(steps[i], alpha=al[i] - gradients[i].dot(r) * ro[i])


# ---- the line search


def _cubic_interpolate(
    x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple[Any, Any] | None = None
) -> Any:
    """Where the cubic with these values and slopes at two points is least, within bounds."""
    least, most = bounds or ((x1, x2) if x1 <= x2 else (x2, x1))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (least + most) / 2.0
    d2 = square.sqrt()
    if x1 <= x2:
        place = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        place = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(place, least), most)


def _strong_wolfe(
    obj_func: Callable[[Any, Any, Any], tuple[float, Any]],
    x: Any,
    t: Any,
    d: Any,
    f: float,
    g: Any,
    gtd: Any,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[float, Any, Any, int]:
    """A step t along d that meets the strong Wolfe conditions.

    Args:
        obj_func: gives the loss and the gradient at x + t * d, for x, t and d.
        t: the first step that is tried.
        f, g, gtd: the loss and the gradient at step 0, and the slope along d there.
        max_ls: how many steps are tried.

    Returns the loss and gradient there, t, and how often obj_func was called. Nocedal and Wright,
    algorithms 3.5 and 3.6.
    """
    largest = d.abs().max()

    def point(t: Any) -> tuple[Any, float, Any, Any]:
        loss, grad = obj_func(x, t, d)
        return t, loss, grad.clone(), grad.dot(d)

    # First a bracket: two steps between which there is one that will do.
    before, now = (0, f, g.clone(), gtd), point(t)
    calls, tried, done = 1, 0, False
    bracket = [(0, f, g.clone(), gtd), now]
    while tried < max_ls:
        if now[1] > f + c1 * now[0] * gtd or (tried > 1 and now[1] >= before[1]):
            bracket = [before, now]
            break
        if abs(now[3]) <= -c2 * gtd:
            bracket, done = [now], True
            break
        if now[3] >= 0:
            bracket = [before, now]
            break
        reach = now[0] + 0.01 * (now[0] - before[0]), now[0] * 10
        t = _cubic_interpolate(before[0], before[1], before[3], now[0], now[1], now[3], reach)
        before, now = now, point(t)
        calls += 1
        tried += 1
    else:
        bracket = [(0, f, g, gtd), now]
    # Then ever smaller ones.
    stuck = False
    low, high = (0, 1) if bracket[0][1] <= bracket[-1][1] else (1, 0)
    while not done and tried < max_ls:
        (x1, f1, _, g1), (x2, f2, _, g2) = bracket
        if abs(x2 - x1) * largest < tolerance_change:
            break
        t = _cubic_interpolate(x1, f1, g1, x2, f2, g2)
        left, right = min(x1, x2), max(x1, x2)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:  # too close to an end
            if stuck or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        now = point(t)
        calls += 1
        tried += 1
        if now[1] > f + c1 * t * gtd or now[1] >= bracket[low][1]:
            bracket[high] = now
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
            continue
        if abs(now[3]) <= -c2 * gtd:
            done = True
        elif now[3] * (bracket[high][0] - bracket[low][0]) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = now
    t, loss, grad, _ = bracket[low]
    return loss, grad, t, calls
