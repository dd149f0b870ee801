"""An observer that counts numbers in bins, and leaves rare ones outside of the grid.

As torch/ao/quantization/observer.py.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy

import minitorch as torch
from minitorch.ao.quantization._observer_base import (
    UniformQuantizationObserverBase,
    state_names,
)
from minitorch.ao.quantization.utils import is_per_tensor, unseen_qparams


class HistogramObserver(UniformQuantizationObserverBase):
    """An observer of the range for which the squares of the errors are least in sum.

    Args:
        bins: the number of bins of the histogram.
        dtype: the dtype that the numbers are to be rounded to.
        qscheme: whether zero lies in the middle.
        reduce_range: whether the grid has half the points.
        quant_min, quant_max: the least and the largest integer; both None for those of `dtype`.
        factory_kwargs: device and dtype of the buffers.
        eps: the least scale.
        is_dynamic: False.

    Raises:
        NotImplementedError: with is_dynamic, or a scheme of channels.

    As torch.ao.quantization.observer.HistogramObserver.
    """

    __module__ = "torch.ao.quantization.observer"

    histogram: Any
    min_val: Any
    max_val: Any

    def __init__(
        self,
        bins: int = 2048,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = torch.finfo(torch.float32).eps,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if not is_per_tensor(qscheme):
            raise NotImplementedError(
                "HistogramObserver's qscheme only support torch.per_tensor_symmetric"
                "                     and torch.per_tensor_affine."
            )
        if is_dynamic:
            raise NotImplementedError("HistogramObserver doesn't support dynamic quantization")
        super().__init__(
            dtype=dtype,
            qscheme=qscheme,
            reduce_range=reduce_range,
            quant_min=quant_min,
            quant_max=quant_max,
            factory_kwargs=factory_kwargs,
            eps=eps,
            is_dynamic=is_dynamic,
            **kwargs,
        )
        factory_kwargs = torch.nn.factory_kwargs(factory_kwargs)
        self.bins = bins
        self.register_buffer("histogram", torch.zeros(self.bins, **factory_kwargs))
        self.register_buffer("min_val", torch.tensor(float("inf"), **factory_kwargs))
        self.register_buffer("max_val", torch.tensor(float("-inf"), **factory_kwargs))
        self.dst_nbins = 2 ** torch.iinfo(self.dtype).bits
        self.upsample_rate = 16  # the parts of a bin when a histogram moves into wider bins

    def _get_norm(self, delta_begin: Any, delta_end: Any, density: Any) -> Any:
        """The integral of density * x * x from `delta_begin` to `delta_end`."""
        cubes = delta_end * delta_end * delta_end - delta_begin * delta_begin * delta_begin
        return density * (cubes / 3)

    def _compute_quantization_error(self, next_start_bin: int, next_end_bin: int) -> float:
        """The sum of the squared errors of a grid over some of the bins."""
        width = (self.max_val.item() - self.min_val.item()) / self.bins
        step = width * (next_end_bin - next_start_bin + 1) / self.dst_nbins
        if step == 0.0:
            return 0.0
        device, last = self.histogram.device, self.dst_nbins - 1
        begin = (torch.arange(self.bins, device=device) - next_start_bin) * width
        end = begin + width
        # The points of the grid that are nearest to the ends of each bin.
        first = torch.clamp(torch.div(begin, step, rounding_mode="floor"), 0, last)
        final = torch.clamp(torch.div(end, step, rounding_mode="floor"), 0, last)
        density = self.histogram / width
        norm = torch.zeros(self.bins, device=device)
        half = torch.ones(self.bins, device=device) * (step / 2)
        norm += self._get_norm(begin - (first + 0.5) * step, half, density)
        norm += (final - first - 1) * self._get_norm(
            torch.tensor(-step / 2), torch.tensor(step / 2), density
        )
        norm += self._get_norm(torch.tensor(-step / 2), end - (final * step + step / 2), density)
        return norm.sum().item()

    def _non_linear_param_search(self) -> tuple[Any, Any]:
        """The ends of the range with the least error that a greedy search finds.

        It leaves out a hundred-thousandth of the numbers at a time, on the side where more bins
        go.
        """
        if self.histogram.size()[0] != self.bins:
            raise AssertionError("bins mismatch")
        width = (self.max_val - self.min_val) / self.bins
        total = torch.sum(self.histogram).item()
        below = torch.cumsum(self.histogram, dim=0)
        single = below.dtype.numpy.type  # a Python number takes the dtype of its tensor
        below = below.tolist()  # a comparison of tensors takes 20 times as long
        step = 1e-5
        alpha, beta = 0.0, 1.0
        start, end = 0, self.bins - 1
        least = float("inf")
        with numpy.errstate(over="ignore"):
            while alpha < beta:
                next_alpha, next_beta = alpha + step, beta - step
                left, right = start, end
                low, high = float(single(next_alpha * total)), float(single(next_beta * total))
                while left < end and below[left] < low:
                    left += 1
                while right > start and below[right] > high:
                    right -= 1
                next_start, next_end = start, end
                if left - start > end - right:
                    next_start, alpha = left, next_alpha
                else:
                    next_end, beta = right, next_beta
                if next_start == start and next_end == end:
                    continue
                norm = self._compute_quantization_error(next_start, next_end)
                if norm > least:
                    break
                least, start, end = norm, next_start, next_end
        return self.min_val + width * start, self.min_val + width * (end + 1)

    def _upscale_histogram(
        self, histogram: Any, orig_min: Any, orig_max: Any, update_min: Any, update_max: Any
    ) -> Any:
        """The histogram in bins of a wider range; each bin is moved in parts."""
        count = self.bins * self.upsample_rate
        histogram = histogram.repeat_interleave(self.upsample_rate) / self.upsample_rate
        width = (orig_max - orig_min) / count
        starts = torch.linspace(orig_min, orig_max, count + 1, device=orig_min.device)[:-1]
        middles = starts.to(histogram.device) + 0.5 * width
        ends = torch.linspace(update_min, update_max, self.bins + 1, device=update_min.device)
        places = torch.bucketize(middles, ends.to(histogram.device), right=True) - 1
        places[places >= self.bins] = self.bins - 1
        places[places < 0] = 0
        return torch.bincount(places, weights=histogram, minlength=self.bins)

    def _combine_histograms(
        self,
        orig_hist: Any,
        orig_min: Any,
        orig_max: Any,
        update_hist: Any,
        update_min: Any,
        update_max: Any,
    ) -> Any:
        """The sum of two histograms, in the bins of the second, which has the wider range."""
        if update_min == orig_min and update_max == orig_max:
            return orig_hist + update_hist
        if orig_min == orig_max:  # all numbers are equal
            total = torch.sum(orig_hist)
            place = torch.histc(orig_min, bins=self.bins, min=update_min, max=update_max)
            return place * total + update_hist
        if update_min > orig_min:
            raise AssertionError("update_min must be <= orig_min")
        if update_max < orig_max:
            raise AssertionError("update_max must be >= orig_max")
        moved = self._upscale_histogram(orig_hist, orig_min, orig_max, update_min, update_max)
        return update_hist + moved

    def reset_histogram(self, x: Any, min_val: Any, max_val: Any) -> None:
        """Forgets what was seen, and counts the numbers of `x`.

        Args:
            x: a tensor.
            min_val, max_val: its least and its largest number, as 0-dimensional tensors.
        """
        self._set_range(min_val, max_val)
        if min_val.numel() != 1 or max_val.numel() != 1:
            raise AssertionError("histogram min/max values must be scalar.")
        self._set_histogram(torch.histc(x, self.bins, min=min_val, max=max_val))

    def _set_range(self, min_val: Any, max_val: Any) -> None:
        for buffer, value in ((self.min_val, min_val), (self.max_val, max_val)):
            buffer.detach_().resize_(value.shape)
            buffer.copy_(value)

    def _set_histogram(self, histogram: Any) -> None:
        self.histogram.detach_().resize_(histogram.shape)
        self.histogram.copy_(histogram)

    def forward(self, x_orig: Any) -> Any:
        """Counts the numbers of `x_orig`, but for infinite ones, and returns it."""
        if x_orig.numel() == 0:
            return x_orig
        x = x_orig.detach()
        low, high = torch.aminmax(x)
        if low == -torch.inf or high == torch.inf:
            warnings.warn("torch.inf detected in input tensor, ignoring input", stacklevel=2)
            x = x[x.abs() != torch.inf]
            if x.numel() == 0:
                return x_orig
            low, high = torch.aminmax(x)
        old_low, old_high = self.min_val, self.max_val
        if old_low == float("inf") or old_high == float("-inf"):
            self.reset_histogram(x, low, high)
            return x_orig
        low, high = torch.min(old_low, low).detach(), torch.max(old_high, high).detach()
        added = torch.histc(x, self.bins, min=low, max=high).to(self.histogram.device)
        if low == old_low and high == old_high:
            self._set_histogram(self.histogram + added)
        else:
            both = self._combine_histograms(self.histogram, old_low, old_high, added, low, high)
            self._set_histogram(both)
            self._set_range(low, high)
        return x_orig

    def calculate_qparams(self) -> Any:
        """The scale and the zero point for the range of the least error."""
        if self.min_val == float("inf") and self.max_val == float("-inf"):
            warnings.warn(
                "must run observer before calling calculate_qparams."
                "                                    Returning default scale and zero point ",
                stacklevel=2,
            )
            return unseen_qparams(self.min_val)
        if self.bins != len(self.histogram):
            raise AssertionError(
                "The number of bins in histogram should be equal to the number of bins supplied "
                "while making this observer"
            )
        return self._calculate_qparams(*self._non_linear_param_search())

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "min_val"] = self.min_val
        destination[prefix + "max_val"] = self.max_val

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        version = local_metadata.get("version", None)
        infinities = {"min_val": float("inf"), "max_val": float("-inf")}
        for name, value in infinities.items():
            key = prefix + name
            old = version is None or version < 3  # without elements where nothing was seen
            if old and key in state_dict and state_dict[key].shape == torch.Size([0]):
                state_dict[key] = torch.tensor(value)
        for name in infinities:
            key = prefix + name
            if key in state_dict:
                setattr(self, name, state_dict[key])
            elif strict:
                missing_keys.append(key)
        super()._load_from_state_dict(
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )

    def extra_repr(self) -> str:
        """The range that was seen."""
        return state_names(self)
