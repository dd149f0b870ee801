"""DLPack: the memory of a tensor for other libraries, and torch's requests for their memory."""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays.lazy import raw_of
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.base.above import from_above


def exported(self: Any, stream: Any, max_version: Any, dl_device: Any, copy: Any) -> Any:
    """The capsule of a tensor's memory.

    Raises:
        BufferError: a capsule cannot describe the tensor: a gradient, conjugation, a layout.
        TypeError, AssertionError, ValueError: the arguments ask for something that does not exist.
    """
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if str(self.layout) != "torch.strided":
        raise BufferError("Can't export tensors with layout other than torch.strided")
    if self.is_conj():
        raise BufferError("Can't export tensors with the conjugate bit set")
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if not self.is_cuda and stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")
    for name, value, kind in (("dl_device", dl_device, tuple), ("copy", copy, bool)):
        if value is not None and not isinstance(value, kind):
            wanted = "tuple of ints" if kind is tuple else "bool"
            raise TypeError(
                f"_to_dlpack(): argument '{name}' must be {wanted}, not {type(value).__name__}"
            )
    if self.is_meta:
        raise BufferError("Cannot pack tensors on meta")
    given: dict[str, Any] = {"copy": copy} if copy is not None else {}
    if max_version is not None and max_version[0] >= 1:
        given["max_version"] = (max_version[0], 0)
    if dl_device is not None:
        given["dl_device"] = dl_device
    return raw_of(self._array).__dlpack__(**given)


def device_of(self: Any) -> tuple[Any, int]:
    """The kind of device that the memory of a tensor is on, and its number."""
    kinds = from_above("utils.dlpack:DLDeviceType")
    if is_numberless(self._array):
        raise ValueError("Unknown device type meta for Dlpack")
    if self.is_cuda:
        return kinds.kDLCUDA, int(self.get_device())
    return kinds.kDLCPU, 0


class Asked:
    """The capsule that another library's object returns for torch's request.

    A capsule itself is returned as it is.
    """

    def __init__(self, producer: Any, **options: Any) -> None:
        self.producer, self.options = producer, options

    def __dlpack_device__(self) -> Any:
        if not hasattr(self.producer, "__dlpack__"):
            return 1, 0
        return self.producer.__dlpack_device__()

    def __dlpack__(self, **ignored: Any) -> Any:
        if not hasattr(self.producer, "__dlpack__"):
            return self.producer
        options = {"max_version": (1, 0), **self.options}
        for left_out in ("max_version", "copy", "dl_device"):
            try:
                return self.producer.__dlpack__(**options)
            except TypeError:  # an older protocol, with fewer arguments
                options.pop(left_out, None)
        return self.producer.__dlpack__(**options)
