"""GradScaler: losses scaled up so that small gradients survive in float16."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

from minitorch import cuda
from minitorch.core.arrays import namespace
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import GradMode, aside
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.public_pickles import reduced

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """How far an optimizer is since the last update()."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


def _float(value: float, device: Any) -> Any:
    return OPS.full((), value, dtype=dtypes.float32, device=device)


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise AssertionError(text)


class GradScaler:
    """Multiplies losses by a scale, divides gradients by it, and skips steps whose gradients are
    not finite.

    Args:
        device: the type of device; on CUDA without CUDA it is disabled.
        init_scale: the first scale.
        growth_factor, backoff_factor: what it is multiplied by after `growth_interval` steps in a
            row that were finite, and after one that was not.
        enabled: False makes every method do what a program without a scaler would.

    As https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling.
    """

    __module__ = "torch.amp.grad_scaler"

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if enabled and device == "cuda" and not cuda.is_available():
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                stacklevel=2,
            )
            self._enabled = False
        if self._enabled:
            _require(growth_factor > 1.0, "The growth factor must be > 1.0.")
            _require(backoff_factor < 1.0, "The backoff factor must be < 1.0.")
            self._init_scale = init_scale
            self._scale: Any = None  # made when the device of the first loss is known
            self._growth_factor = growth_factor
            self._backoff_factor = backoff_factor
            self._growth_interval = growth_interval
            self._init_growth_tracker = 0
            self._growth_tracker: Any = None
            self._per_optimizer_states: Any = defaultdict(_refresh_per_optimizer_state)

    def _check_scale_growth_tracker(self, funcname: str) -> None:
        for name in ("_scale", "_growth_tracker"):
            _require(
                getattr(self, name) is not None,
                f"Attempted {funcname} but {name} is None.  This may indicate your script did not "
                "use scaler.scale(loss or outputs) earlier in the iteration.",
            )

    def _scale_on(self, device: Any) -> Any:
        """The scale on a device; made where it is first asked for."""
        if self._scale is None:
            self._lazy_init_scale_growth_tracker(device)
        return self._scale.to(device=device)

    def _lazy_init_scale_growth_tracker(self, dev: Any) -> None:
        if self._growth_tracker is not None:
            raise AssertionError("_growth_tracker initialized before _scale")
        self._scale = _float(self._init_scale, dev)
        self._growth_tracker = OPS.full(
            (), self._init_growth_tracker, dtype=dtypes.int32, device=dev
        )

    def scale(self, outputs: Any) -> Any:
        """A tensor, or each tensor of an iterable, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, TensorBase):
            return outputs * self._scale_on(outputs.device)
        if not isinstance(outputs, Iterable):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        scaled = map(self.scale, outputs)
        return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled

    def _unscale_grads_(
        self, optimizer: Any, inv_scale: Any, found_inf: Any, allow_fp16: bool
    ) -> dict[Any, Any]:
        """Multiplies the gradients; whether any was not finite, by device."""
        found: dict[Any, Any] = {}
        with GradMode(False):
            grads = [p.grad for group in optimizer.param_groups for p in group["params"]]
            for grad in grads:
                if grad is not None and not allow_fp16 and grad.dtype is dtypes.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
            for grad in grads:
                if grad is None:
                    continue
                if grad.device not in found:
                    found[grad.device] = found_inf.to(device=grad.device, copy=True)
                unscale_(grad, found[grad.device], inv_scale.to(device=grad.device))
        return found

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer's parameters by the scale, once before its step."""
        if not self._enabled:
            return
        self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        # In double precision, where the reciprocal of a float32 is exact enough to be rounded once.
        inv_scale = self._scale.double().reciprocal().float()
        found_inf = _float(0.0, self._scale.device)
        found = self._unscale_grads_(optimizer, inv_scale, found_inf, False)
        state["found_inf_per_device"] = found
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """optimizer.step(), unless a gradient is not finite; gradients are unscaled before."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        found = state["found_inf_per_device"]
        _require(len(found) > 0, "No inf checks were recorded for this optimizer.")
        result = self._maybe_opt_step(optimizer, state, *args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _maybe_opt_step(
        self, optimizer: Any, optimizer_state: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        """The result of optimizer.step(); None, without a step, if a gradient is not finite."""
        if sum([each.item() for each in optimizer_state["found_inf_per_device"].values()]):
            return None
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Lets the scale grow or shrink; at the end of an iteration."""
        if not self._enabled:
            return
        self._check_scale_growth_tracker("update")
        if isinstance(new_scale, float):
            self._scale.fill_(new_scale)
        elif new_scale is not None:
            fits = new_scale.device.type == self._device
            _require(
                fits and new_scale.numel() == 1 and new_scale.requires_grad is not True,
                "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                "torch.FloatTensor with requires_grad=False.",
            )
            self._scale.copy_(new_scale)
        else:
            found = [
                each.to(device=self._scale.device)
                for state in self._per_optimizer_states.values()
                for each in state["found_inf_per_device"].values()
            ]
            _require(len(found) > 0, "No inf checks were recorded prior to update.")
            self._update_scale(any([each.item() for each in found]))
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _update_scale(self, found_inf: bool) -> None:
        """As _amp_update_scale_ of aten/src/ATen/native/AmpKernels.cpp."""
        scale, good = self._scale.item(), self._growth_tracker.item() + 1
        if found_inf:
            self._scale.fill_(scale * self._backoff_factor)
        elif good == self._growth_interval:
            grown = self._scale.new_tensor(scale * self._growth_factor)
            if grown.isfinite():
                self._scale.copy_(grown)
        self._growth_tracker.fill_(0 if found_inf or good == self._growth_interval else good)

    def _get_scale_async(self) -> Any:
        """The scale as a tensor; None before the first one is made."""
        return self._scale

    def get_scale(self) -> float:
        """The scale; 1.0 if disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        """The factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """The factor by which the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets the factor by which the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many finite steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets after how many finite steps the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        tracker = self._growth_tracker
        return self._init_growth_tracker if tracker is None else tracker.item()

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The state of the scaler for load_state_dict; empty if it is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from where a state_dict was made."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled "
                "instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            _require(
                len(self._per_optimizer_states) == 0,
                "A GradScaler instance may only be pickled at the beginning of an iteration, or at "
                "the end after scaler.update().",
            )
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = state["_growth_tracker"] = None
        return state

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduced(self, protocol)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _check_inf_per_device(self, optimizer: Any) -> dict[Any, Any]:
        self._check_scale_growth_tracker("_check_inf_per_device")
        device = self._scale.device
        found = self._unscale_grads_(optimizer, _float(1.0, device), _float(0.0, device), True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = found
        return found

    def _found_inf_per_device(self, optimizer: Any) -> dict[Any, Any]:
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]


@aside
def unscale_(grad: Any, found_inf: Any, inv_scale: Any) -> None:
    """Multiplies a gradient in place; sets `found_inf` to 1 if an element was not finite.

    As _amp_foreach_non_finite_check_and_unscale_ of aten/src/ATen/native/AmpKernels.cpp.
    """
    if not grad.is_floating_point():
        kind = dtypes.of(grad._array).scalar_name
        raise NotImplementedError(
            f"\"_amp_foreach_non_finite_check_and_unscale_cpu\" not implemented for '{kind}'"
        )
    x = grad._array
    if not namespace(x).isfinite(x).all():
        found_inf.fill_(1.0)
    grad.mul_(inv_scale)
