"""torch.utils._dtype_abbrs: short names of dtypes, as graphs show them."""

from __future__ import annotations

import minitorch

dtype_abbrs = {
    minitorch.bfloat16: "bf16",
    minitorch.float64: "f64",
    minitorch.float32: "f32",
    minitorch.float16: "f16",
    minitorch.complex32: "c32",
    minitorch.complex64: "c64",
    minitorch.complex128: "c128",
    minitorch.int8: "i8",
    minitorch.int16: "i16",
    minitorch.int32: "i32",
    minitorch.int64: "i64",
    minitorch.bool: "b8",
    minitorch.uint8: "u8",
    minitorch.uint16: "u16",
    minitorch.uint32: "u32",
    minitorch.uint64: "u64",
}
