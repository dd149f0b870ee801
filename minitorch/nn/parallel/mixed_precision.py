"""Mixed precision of DistributedDataParallel, which works where a device has events."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, NoReturn

log = logging.getLogger("torch.nn.parallel.distributed")


@dataclass
class _MixedPrecision:
    """Dtypes of parameters in forward and backward, of averaged gradients, and of buffers.

    As torch.nn.parallel.distributed._MixedPrecision.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None


# Set here, as dataclasses look up what their module names.
_MixedPrecision.__module__ = "torch.nn.parallel.distributed"


def set_up(config: _MixedPrecision, module: Any, device_type: str) -> None:
    """Casts the buffers of a module, and has its forward refuse where there are no events.

    Raises:
        NotImplementedError: the module is on a device that has some.
    """
    if device_type != "cpu":
        raise NotImplementedError(
            "torch.nn.parallel.DistributedDataParallel with mixed_precision is not implemented by "
            f"minitorch on {device_type}"
        )
    log.warning("Received mixed precision config %s", config)
    for each in module.buffers():
        if not getattr(each, "_ddp_ignored", False):
            each.data = each.to(dtype=config.buffer_dtype)
    module.register_forward_pre_hook(_record_copies)


def _record_copies(*args: Any) -> NoReturn:
    raise RuntimeError("cpu backend doesn't support events.")
