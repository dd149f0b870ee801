"""Checks of normalizations for the dtypes of their input and parameters.

As ATen/native/cpu/mixed_data_type.h, and the kernels that come after it.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.numbers import dtype as dtypes


def require_floating(kernel: str, x: Any) -> None:
    """NotImplementedError in ATen's words unless `x` is of a real floating dtype."""
    if x.dtype.kind != "f" and not dtypes.of(x).is_floating_point:
        raise dtypes.unknown_to(kernel, x)


def check_mixed(input: Any, *parameters: Any) -> None:
    """RuntimeError unless all are of one dtype, or the parameters float32 beside a half input.

    As ATen/native/cpu/mixed_data_type.h: the first parameter decides what the input is beside.
    What others are beside it, kernels say: see check_alike.
    """
    dtype = input.dtype
    for each in parameters:
        if each is not None and each.dtype != dtype:
            given = [x.dtype for x in parameters if x is not None]
            if given[0] == dtype:
                return
            if any(one.name != "float32" for one in given):
                text = "mixed dtype (CPU): expect parameter to have scalar type of Float"
                raise RuntimeError(text)
            if dtype.itemsize != 2 or not dtypes.of(input).is_floating_point:
                raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
            return


def check_alike(input: Any, *parameters: Any) -> None:
    """RuntimeError if the first parameter is of the input's dtype, and another is not."""
    given = [x for x in parameters if x is not None]
    if given and given[0].dtype == input.dtype:
        for each in given:
            if each.dtype != input.dtype:
                raise RuntimeError(
                    f"expected scalar type {dtypes.of(input).scalar_name} but found "
                    f"{dtypes.of(each).scalar_name}"
                )
