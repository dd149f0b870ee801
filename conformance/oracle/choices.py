"""Torch's choices by the processor, beyond the last bits: asked of torch itself, by name.

minitorch follows a processor with AVX2 (`minitorch/aten/processor.py`), to which the suite pins
torch. Under another setting, entries of gaps.toml say with these names what torch then does.
"""

from collections.abc import Callable

import torch

DRAWS_OTHERWISE = "ATen has no vectors"
CHOICES: dict[str, Callable[[], bool]] = {
    # ATen's mkldnn_bf16_device_check: AVX-512 with BW, VL and DQ
    "oneDNN takes bfloat16": lambda: torch.ops.mkldnn._is_mkldnn_bf16_supported(),
    "oneDNN refuses bfloat16": lambda: not torch.ops.mkldnn._is_mkldnn_bf16_supported(),
    # mkldnn_fp16_device_check: AVX512-FP16
    "oneDNN takes float16": lambda: torch.ops.mkldnn._is_mkldnn_fp16_supported(),
    # no AVX2: random numbers are scaled without fused multiply-adds, and normal ones come from the
    # C library's logarithm and cosine, so that their last bits are others
    DRAWS_OTHERWISE: lambda: torch.backends.cpu.get_cpu_capability() == "DEFAULT",
    "ATen has vectors": lambda: torch.backends.cpu.get_cpu_capability() != "DEFAULT",
    "several threads": lambda: torch.get_num_threads() > 1,
}


def holds(name: str) -> bool:
    """Returns whether torch makes a choice in this process, or one of several with commas.

    Raises LookupError for a name that is none.
    """
    names = name.split(",") if name else []
    if unknown := [each for each in names if each not in CHOICES]:
        raise LookupError(f"torch makes no choice called {', '.join(unknown)}")
    return not names or any(CHOICES[each]() for each in names)
