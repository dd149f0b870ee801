"""The expression by which an operator of op_db is reached from the module `torch`.

Without an entry here it is `torch.NAME`, or `torch.Tensor.NAME` where torch has no such function.
The expressions are text so that reproducers can show them.
"""

import operator
import re
from functools import lru_cache
from types import CodeType

import torch as real_torch

from conformance.oracle.build import Missing

# Operators whose samples' order of arguments, or whose name, is not that of a function.
EXPRESSIONS = {
    "bool": "torch.Tensor.bool",
    "double": "torch.Tensor.double",
    "float": "torch.Tensor.float",
    "int": "torch.Tensor.int",
    "long": "torch.Tensor.long",
    "bfloat16": "torch.Tensor.bfloat16",
    "byte": "torch.Tensor.byte",
    "char": "torch.Tensor.char",
    "half": "torch.Tensor.half",
    "short": "torch.Tensor.short",
    "cdouble": "torch.Tensor.cdouble",
    "cfloat": "torch.Tensor.cfloat",
    "chalf": "torch.Tensor.chalf",
    "T": "lambda input: input.T",
    "mT": "lambda input: input.mT",
    "H": "lambda input: input.H",
    "mH": "lambda input: input.mH",
    "exponential": "torch.Tensor.exponential_",
    "cauchy": "torch.Tensor.cauchy_",
    "geometric": "torch.Tensor.geometric_",
    "log_normal": "torch.Tensor.log_normal_",
    "uniform": "torch.Tensor.uniform_",
    "normal.in_place": "torch.Tensor.normal_",
    "normal.number_mean": "lambda std, mean, *args, **kw: torch.normal(mean, std, *args, **kw)",
    "where": "lambda input, condition, other, **kw: torch.where(condition, input, other, **kw)",
    "einsum": "lambda operands, equation: torch.einsum(equation, operands)",
    "nn.functional.embedding": (
        "lambda weight, index, **kw: torch.nn.functional.embedding(index, weight, **kw)"
    ),
    "nn.functional.embedding_bag": (
        "lambda weight, index, **kw: torch.nn.functional.embedding_bag(index, weight, **kw)"
    ),
    "polygamma": "lambda input, n, **kw: torch.polygamma(n, input, **kw)",
    "special.polygamma": "lambda input, n, **kw: torch.special.polygamma(n, input, **kw)",
    "resize_": "lambda input, size: input.clone().resize_(size)",
    "resize_as_": "lambda input, other: torch.resize_as_(input.clone(), other)",
    "zero_": "lambda input: torch.zero_(input.clone())",
    "svd_lowrank": "lambda a, b, **kw: torch.svd_lowrank(a @ b.mT, **kw)",
    "pca_lowrank": "lambda a, b, **kw: torch.pca_lowrank(a @ b.mT, **kw)",
    "linalg.lstsq.grad_oriented": (
        "lambda a, b, driver: torch.linalg.lstsq(a, b, driver=driver)[:2]"
    ),
    "linalg.pinv.singular": "lambda a, b: torch.linalg.pinv(a @ b.mT)",
    "_softmax_backward_data": "torch.ops.aten._softmax_backward_data",
    "_batch_norm_with_update": "torch.ops.aten._batch_norm_with_update",
    "_upsample_bilinear2d_aa": "torch.ops.aten._upsample_bilinear2d_aa",
    "max_pool2d_with_indices_backward": (
        "lambda input, kernel_size=(), stride=(), padding=(0,), dilation=(1,), "
        "ceil_mode=False, **kw: "
        "torch.ops.aten.max_pool2d_with_indices_backward.default("
        "torch.ones_like(torch.nn.functional.max_pool2d(input, kernel_size, stride, padding, "
        "dilation, ceil_mode)), input, kernel_size, stride or kernel_size, padding, dilation, "
        "ceil_mode, torch.nn.functional.max_pool2d(input, kernel_size, stride, padding, "
        "dilation, ceil_mode, True)[1])"
    ),
    "native_dropout_backward": "torch.ops.aten.native_dropout_backward.default",
    "slice": "torch.ops.aten.slice.Tensor",
}

# Their output is memory as it was found: its numbers mean nothing.
UNINITIALISED = frozenset(
    (
        "empty",
        "empty_like",
        "empty_permuted",
        "empty_strided",
        "new_empty",
        "new_empty_strided",
        "resize_",
        "resize_as_",
    )
)

# Their draws on CUDA come from torch's generator there, Philox: other numbers than on the CPU,
# and other numbers than minitorch's. Everything else about their results is compared.
DRAW = frozenset(
    (
        "bernoulli cauchy exponential geometric log_normal multinomial normal rand rand_like "
        "randint randint_like randn randn_like randperm uniform native_dropout_backward "
        "nn.functional.rrelu nn.functional.dropout nn.functional.dropout2d "
        "nn.functional.dropout3d nn.functional.alpha_dropout nn.functional.feature_alpha_dropout "
        "nn.functional.fractional_max_pool2d nn.functional.fractional_max_pool3d"
    ).split()
)

# They save memory that they have written in part, or not at all (the noise of a rrelu which does
# not train, the log_alpha of targets that are shorter than the longest).
SAVE_UNINITIALISED = frozenset(("nn.functional.ctc_loss", "nn.functional.rrelu"))


def expression(key: str, name: str) -> str:
    """Returns the expression in `torch` for the operator of op_db."""
    for entry in (key, name):
        if entry in EXPRESSIONS:
            return EXPRESSIONS[entry]
    return f"torch.{name}" if _has(name) else f"torch.Tensor.{name}"


def inplace_expression(name: str, variant) -> str:
    """Returns the expression of an in-place variant: a method, or a function with `inplace`."""
    if getattr(variant, "__name__", "<lambda>") == "<lambda>":
        return f"lambda input, *args, **kw: torch.{name}(input, *args, **kw, inplace=True)"
    return f"torch.Tensor.{variant.__name__}"


def _has(name: str) -> bool:
    found = real_torch
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is not None


def reach(torch, text: str):
    """Returns the function which an expression names in this library; raises Missing."""
    names = {"torch": torch, "operator": operator}
    named, whole = _compiled(text)
    try:
        for name in named:
            eval(name, names)
        return eval(whole, names)
    except AttributeError as error:
        raise Missing(str(error)) from None


@lru_cache(maxsize=256)
def _compiled(text: str) -> tuple[list[CodeType], CodeType]:
    """Returns an expression as code, after the names of torch in it: a lambda has some within."""
    names = re.findall(r"\btorch(?:\.\w+)+", text)
    return [compile(name, text, "eval") for name in names], compile(text, text, "eval")
