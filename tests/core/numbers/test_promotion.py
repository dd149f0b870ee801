"""Promotion: the table of pairs, the three categories of operands, and what may be cast."""

import pytest

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import can_cast, promote_types, result_type

# Row and column in the order of the first line; "-" where torch refuses.
TABLE = """
      b8   u8   i8   i16  i32  i64  f16  bf16 f32  f64  c32  c64  c128 u16  u32  u64
b8    b8   u8   i8   i16  i32  i64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
u8    u8   u8   i16  i16  i32  i64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
i8    i8   i16  i8   i16  i32  i64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
i16   i16  i16  i16  i16  i32  i64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
i32   i32  i32  i32  i32  i32  i64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
i64   i64  i64  i64  i64  i64  i64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
f16   f16  f16  f16  f16  f16  f16  f16  f32  f32  f64  c32  c64  c128 f16  f16  f16
bf16  bf16 bf16 bf16 bf16 bf16 bf16 f32  bf16 f32  f64  c64  c64  c128 bf16 bf16 bf16
f32   f32  f32  f32  f32  f32  f32  f32  f32  f32  f64  c64  c64  c128 f32  f32  f32
f64   f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128 c128 f64  f64  f64
c32   c32  c32  c32  c32  c32  c32  c32  c64  c64  c128 c32  c64  c128 -    -    -
c64   c64  c64  c64  c64  c64  c64  c64  c64  c64  c128 c64  c64  c128 -    -    -
c128  c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 -    -    -
u16   -    -    -    -    -    -    f16  bf16 f32  f64  -    -    -    u16  -    -
u32   -    -    -    -    -    -    f16  bf16 f32  f64  -    -    -    -    u32  -
u64   -    -    -    -    -    -    f16  bf16 f32  f64  -    -    -    -    -    u64
"""

BY_ABBR = {d.abbr: d for d in dtypes.DTYPES}
COLUMNS, *ROWS = (line.split() for line in TABLE.strip("\n").splitlines())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_pairs_promote_as_in_torch(row):
    assert len(COLUMNS) == len(row) - 1 == len(dtypes.DTYPES)
    first = BY_ABBR[row[0]]
    for column, expected in zip(COLUMNS, row[1:]):
        second = BY_ABBR[column]
        if expected == "-":
            names = f"{first.scalar_name} and {second.scalar_name}$"
            with pytest.raises(RuntimeError, match=f"^Promotion for uint16, .* promote {names}"):
                promote_types(first, second)
        else:
            assert promote_types(first, second) is BY_ABBR[expected], (first, second)


# Operands are abbreviations with dimensions ("f32:2", ":0" for 0-dim tensors) or numbers.
RESULTS = """
f32:1 f64:0 -> f32
f16:1 f32:0 -> f16
i8:1 i64:0 -> i8
i8:1 i64:2 -> i64
u8:1 i8:0 -> u8
u8:0 i8:0 -> i16
b8:1 i8:0 -> i8
i64:1 f16:0 -> f16
f32:1 c128:0 -> c64
bf16:1 c64:0 -> c64
f16:1 c128:0 -> c32
c64:1 f64:0 -> c64
i32:1 c64:0 -> c64
u16:1 c64:0 -> c64
u16:1 i8:0 -> u16
i8:1 True -> i8
b8:1 1 -> i64
i8:1 1 -> i8
i8:1 1.5 -> f32
f16:1 1.5 -> f16
f64:0 1.5 -> f64
i8:0 1.5 -> f32
i8:1 2j -> c64
f64:1 2j -> c128
u16:0 2j -> c64
f32:1 f64:0 2j -> c64
f16:1 f64:0 1 -> f16
i8:1 i64:0 1.5 -> f32
1 2 -> i64
True 1 -> i64
True False -> b8
1 2.5 -> f32
2.5 1j -> c64
"""


@pytest.mark.parametrize("line", RESULTS.strip().splitlines())
def test_dimensions_decide_and_numbers_only_lift_the_kind(line):
    operands, expected = line.split(" -> ")
    assert result_type(*map(read_operand, operands.split())) is BY_ABBR[expected]


def read_operand(text):
    abbr, colon, ndim = text.partition(":")
    return (BY_ABBR[abbr], int(ndim)) if colon else eval(text)


def test_numbers_follow_the_default_dtype():
    try:
        dtypes.set_default_dtype(dtypes.float64)
        assert result_type((dtypes.int8, 1), 1.5) is dtypes.float64
        assert result_type((dtypes.int8, 1), 1j) is dtypes.complex128
        assert result_type((dtypes.float32, 1), 1j) is dtypes.complex64
    finally:
        dtypes.set_default_dtype(dtypes.float32)


def test_casting_may_raise_the_kind_but_never_lower_it():
    ladder = [dtypes.bool, dtypes.uint8, dtypes.float16, dtypes.complex64]
    for low, from_ in enumerate(ladder):
        for high, to in enumerate(ladder):
            assert can_cast(from_, to) is (low <= high)
    assert can_cast(dtypes.float64, dtypes.bfloat16)
    assert can_cast(dtypes.int64, dtypes.uint8)


def test_what_is_no_dtype_is_refused():
    with pytest.raises(
        TypeError, match=r"argument 'type1' \(position 1\) must be torch.dtype, not"
    ):
        promote_types(1, dtypes.int8)
    with pytest.raises(
        TypeError, match=r"argument 'to' \(position 2\) must be torch.dtype, not str"
    ):
        can_cast(dtypes.int8, "int8")
