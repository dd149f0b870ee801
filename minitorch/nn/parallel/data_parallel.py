"""DataParallel without several GPUs: the module itself."""

from __future__ import annotations

from typing import Any

from minitorch import cuda
from minitorch.autograd._named_blocks import named_block
from minitorch.nn.modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """`module`, as in torch where there is no GPU. NotImplementedError for devices to share.

    Args:
        module: the Module that is called.
        device_ids: the GPUs; None for all.
        output_device, dim: where the output would be put together, and along which dimension inputs
            would be divided; without effect, since there is one part.

    Raises:
        NotImplementedError: on GPUs, unless `device_ids` names one at most.

    As torch.nn.DataParallel.
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
        with named_block("DataParallel.forward"):
            return self.module(*inputs, **kwargs)


def data_parallel(
    module: Any,
    inputs: Any,
    device_ids: Any = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: Any = None,
) -> Any:
    """The output of a module for parts of its inputs on several GPUs.

    Args:
        module: the Module that is called.
        inputs: a Tensor or a tuple of them.
        device_ids: the GPUs; None for all.
        output_device: where the output is put together.
        dim: the dimension along which inputs are divided.
        module_kwargs: arguments by name.

    Raises:
        RuntimeError: without a GPU.
        NotImplementedError: with one.

    As torch.nn.parallel.data_parallel.
    """
    if not cuda.is_available():
        raise RuntimeError("device type could not be determined")
    raise NotImplementedError("torch.nn.parallel.data_parallel is not implemented by minitorch")
