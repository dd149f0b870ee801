"""DataParallel without several GPUs: the module itself."""

from __future__ import annotations

from typing import Any

from minitorch import cuda
from minitorch.nn.modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """`module`, as in torch where there is no GPU. NotImplementedError for devices to share.

    As https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html.
    """

    def __init__(
        self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        if cuda.is_available() and (device_ids is None or len(device_ids) > 1):
            raise NotImplementedError("torch.nn.DataParallel on GPUs")
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Any,
    inputs: Any,
    device_ids: Any = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: Any = None,
) -> Any:
    """What a module gives for parts of its inputs on several GPUs.

    Raises:
        RuntimeError: without a GPU.
    """
    if not cuda.is_available():
        raise RuntimeError("device type could not be determined")
    raise NotImplementedError("torch.nn.parallel.data_parallel is not implemented by minitorch")
