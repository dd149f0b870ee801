"""The refusals of torch's CPU build for tensors on other devices than the CPU, CUDA and meta."""

from __future__ import annotations

from minitorch.core.declare.wording.errors import no_kernel

PRESENT = frozenset(("cpu", "cuda", "meta"))

_NOT_COMPILED = {
    "mtia": "Torch not compiled with MTIA enabled. Ensure you have `import "
    "mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include "
    "`//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!",
    "xpu": "Torch not compiled with XPU enabled",
}
# Devices that other packages add to torch as modules.
_PLUGINS = ("hpu", "privateuseone")
# Devices of Caffe2, for which torch never made a tensor.
_CAFFE2 = ("ideep", "mkldnn", "opencl", "opengl")
_BACKENDS = {"vulkan": "Vulkan", "lazy": "Lazy"}


def absent(kind: str, moving: bool = False) -> Exception:
    """The error for a tensor on a kind of device that is not there.

    moving: whether there is a tensor elsewhere that is to go there.
    """
    if kind in _NOT_COMPILED:
        return AssertionError(_NOT_COMPILED[kind])
    if kind in _PLUGINS:
        return ModuleNotFoundError(f"No module named 'torch.{kind}'", name=f"torch.{kind}")
    if moving and kind != "lazy":
        return RuntimeError(f"PyTorch is not linked with support for {kind} devices")
    if kind in _CAFFE2:
        return RuntimeError(
            '0 INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/c10/core/TensorOptions.h":663, '
            "please report a bug to PyTorch. This is a grandfathered Caffe2 device type "
            f"{kind}, it shouldn't ever convert to a DispatchKey.  File a bug describing what you "
            "were doing if you think this is in error."
        )
    return no_kernel("empty.memory_format", _BACKENDS.get(kind, kind.upper()))
