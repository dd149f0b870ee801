"""The dropouts of torch.nn.functional: of elements, and of whole channels."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch.core.base.formulas import OPS


def _check_chance(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _dropout(name: str, input: Any, p: float, training: bool, inplace: bool) -> Any:
    _check_chance(p)
    return getattr(OPS, name + "_" if inplace else name)(input, p, training)


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Each element zero with chance p, else divided by 1 - p. Hinton et al., arXiv 1207.0580.

    Args:
        input: floating, of any shape.
        p: the chance of an element to become zero, from 0 to 1.
        training: whether to drop at all; if False, the result is `input`.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        ValueError: if `p` is not from 0 to 1.
        RuntimeError: for integers while training.
        NotImplementedError: for complex numbers while training.

    As torch.nn.functional.dropout (ATen/native/Dropout.cpp).
    """
    return _dropout("dropout", input, p, training, inplace)


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Dropout that keeps the mean and variance of selu's outputs. arXiv 1706.02515.

    Args:
        input: floating, of any shape.
        p: the chance of an element to be dropped, from 0 to 1.
        training: whether to drop at all; False by default, unlike `dropout`.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`. What is dropped gets the limit of selu for very negative
            numbers, and then all is scaled and shifted.

    Raises:
        ValueError: if `p` is not from 0 to 1.
        RuntimeError: for integers while training.
        NotImplementedError: for complex numbers while training.

    As torch.nn.functional.alpha_dropout (ATen/native/Dropout.cpp).
    """
    return _dropout("alpha_dropout", input, p, training, inplace)


def feature_alpha_dropout(
    input: Any, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Any:
    """alpha_dropout of whole channels.

    Args:
        input: floating, (N, C, ...).
        p: the chance of a channel to be dropped, from 0 to 1.
        training: whether to drop at all; False by default, unlike `dropout`.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        ValueError: if `p` is not from 0 to 1.
        RuntimeError: for fewer than two dimensions while training.

    As torch.nn.functional.feature_alpha_dropout (ATen/native/Dropout.cpp).
    """
    return _dropout("feature_alpha_dropout", input, p, training, inplace)


def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of (N, C, L) or (C, L).

    Args:
        input: floating, (N, C, L) or (C, L).
        p: the chance of a channel to become zero, from 0 to 1; the others are divided by 1 - p.
        training: whether to drop at all.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        ValueError: if `p` is not from 0 to 1.
        RuntimeError: for another number of dimensions.

    As torch.nn.functional.dropout1d (ATen/native/Dropout.cpp).
    """
    rank = input.dim()
    if rank not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {rank}D input. Note that "
            "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, "
            "a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return _dropout_of_batch(input, rank == 3, p, training, inplace)


def _dropout_of_batch(input: Any, is_batched: bool, p: float, training: bool, inplace: bool) -> Any:
    """Dropout of whole channels of a batch, or of one image."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not is_batched:
        input = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = _dropout("feature_dropout", input, p, training, inplace)
    if not is_batched:
        result = result.squeeze_(0) if inplace else result.squeeze(0)
    return result


def _warn_of_rank(name: str, rank: int, usual: tuple[int, int]) -> None:
    if rank not in usual:
        warnings.warn(
            f"{name}: Received a {rank}-D input to {name}, which is deprecated and will result in "
            "an error in a future release. To retain the behavior and silence this warning, please "
            "use dropout instead. Note that "
            f"{name} exists to provide channel-wise dropout on inputs with {usual[0] - 1} spatial "
            "dimensions, a channel dimension, and an optional batch dimension (i.e. "
            f"{usual[0]}D or {usual[1]}D inputs).",
            stacklevel=3,
        )


def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of (N, C, H, W).

    Args:
        input: floating, (N, C, H, W). Three dimensions are taken for (N, C, L), with a warning.
        p: the chance of a channel to become zero, from 0 to 1; the others are divided by 1 - p.
        training: whether to drop at all.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        ValueError: if `p` is not from 0 to 1.
        RuntimeError: for fewer than two dimensions while training.

    As torch.nn.functional.dropout2d (ATen/native/Dropout.cpp).
    """
    _check_chance(p)  # before it warns
    rank = input.dim()
    _warn_of_rank("dropout2d", rank, (3, 4))
    if rank == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
            "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel "
            "dim. This behavior will change in a future release to interpret the input as one "
            "without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
            "dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _dropout("feature_dropout", input, p, training, inplace)


def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of (N, C, D, H, W).

    Args:
        input: floating, (N, C, D, H, W) or (C, D, H, W).
        p: the chance of a channel to become zero, from 0 to 1; the others are divided by 1 - p.
        training: whether to drop at all.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        ValueError: if `p` is not from 0 to 1.

    As torch.nn.functional.dropout3d (ATen/native/Dropout.cpp).
    """
    _check_chance(p)
    rank = input.dim()
    _warn_of_rank("dropout3d", rank, (4, 5))
    return _dropout_of_batch(input, rank == 5, p, training, inplace)
