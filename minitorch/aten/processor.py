"""The processor whose choices minitorch follows, where torch chooses kernels by the processor.

Which dtypes oneDNN computes decides more than the last bits: the strides of a convolution's
result, the nodes of an LSTM, the words of an error. torch's answers differ from processor to
processor; minitorch gives those of one with AVX2 and nothing above, on any machine.
As docs/decisions/0017-one-verdict-on-any-processor.md.
"""

from __future__ import annotations

from minitorch.core.numbers import dtype as dtypes

# The dtypes that ATen gives to oneDNN. With mkldnn_bf16_device_check it adds bfloat16 where there
# is AVX-512 (F, BW, VL and DQ), with mkldnn_fp16_device_check float16 where there is AVX512-FP16;
# torch.ops.mkldnn._is_mkldnn_bf16_supported() and _is_mkldnn_fp16_supported() give the answers.
ONEDNN_DTYPES = frozenset({dtypes.float32})
