"""torch.ao.quantization.fuser_method_mappings: functions that make one module of several."""

from __future__ import annotations

import itertools
from typing import Any

from minitorch import nn
from minitorch.ao.nn import intrinsic as nni
from minitorch.ao.quantization.utils import MatchAllNode, get_combined_dict

__all__ = [
    "fuse_conv_bn",
    "fuse_conv_bn_relu",
    "fuse_linear_bn",
    "fuse_convtranspose_bn",
    "get_fuser_method",
    "get_fuser_method_new",
]


def _check_mode(words: str, *modules: Any) -> None:
    if len({each.training for each in modules}) > 1:
        raise AssertionError(f"{words} and BN both must be in the same mode (train or eval).")


def _check_batch_norm(bn: Any, channels: int, words: str, name: str) -> None:
    """Checks that a batch norm can be trained as a part of the layer before it."""
    if bn.num_features != channels:
        raise AssertionError(words)
    if not bn.affine:
        raise AssertionError(f"Only support fusing {name} with affine set to True")
    if not bn.track_running_stats:
        raise AssertionError(f"Only support fusing {name} with tracking_running_stats set to True")


def fuse_conv_bn(is_qat: bool, conv: Any, bn: Any) -> Any:
    """A convolution and the batch norm behind it as one module.

    Args:
        is_qat: whether the module is to be trained; else it is a convolution that computes both.
        conv, bn: the layers.

    Raises:
        AssertionError: they do not belong together.
        NotImplementedError: for a convolution of another class in training.

    As torch.ao.quantization.fuse_conv_bn.
    """
    _check_mode("Conv", conv, bn)
    if not is_qat:
        return nn.utils.fuse_conv_bn_eval(conv, bn)
    words = "Output channel of Conv2d must match num_features of BatchNorm2d."
    _check_batch_norm(bn, conv.out_channels, words, "BatchNorm2d")
    classes: dict[Any, Any] = {
        nn.Conv1d: nni.ConvBn1d,
        nn.Conv2d: nni.ConvBn2d,
        nn.Conv3d: nni.ConvBn3d,
    }
    if type(conv) not in classes:
        raise NotImplementedError(f"Cannot fuse train modules: {(conv, bn)}")
    return classes[type(conv)](conv, bn)


def fuse_conv_bn_relu(is_qat: bool, conv: Any, bn: Any, relu: Any) -> Any:
    """A convolution, a batch norm and a ReLU as one module.

    Args:
        is_qat: whether the module is to be trained; else it has two layers.
        conv, bn, relu: the layers.

    Raises:
        AssertionError: they do not belong together.
        NotImplementedError: for a convolution of another class.

    As torch.ao.quantization.fuse_conv_bn_relu.
    """
    _check_mode("Conv", conv, bn, relu)
    if is_qat:
        words = "Output channel of Conv2d must match num_features of BatchNorm2d"
        _check_batch_norm(bn, conv.out_channels, words, "BatchNorm2d")
        classes: dict[Any, Any] = {
            nn.Conv1d: nni.ConvBnReLU1d,
            nn.Conv2d: nni.ConvBnReLU2d,
            nn.Conv3d: nni.ConvBnReLU3d,
        }
        if type(conv) not in classes:
            raise NotImplementedError(f"Cannot fuse train modules: {(conv, bn, relu)}")
        return classes[type(conv)](conv, bn, relu)
    classes = {nn.Conv1d: nni.ConvReLU1d, nn.Conv2d: nni.ConvReLU2d, nn.Conv3d: nni.ConvReLU3d}
    if type(conv) not in classes:
        raise NotImplementedError(f"Cannot fuse eval modules: {(conv, bn, relu)}")
    return classes[type(conv)](nn.utils.fusion.fuse_conv_bn_eval(conv, bn), relu)


def fuse_linear_bn(is_qat: bool, linear: Any, bn: Any) -> Any:
    """A Linear and the batch norm behind it as one module.

    Args:
        is_qat: whether the module is to be trained; else it is a Linear that computes both.
        linear, bn: the layers.

    Raises:
        AssertionError: they do not belong together.

    As torch.ao.quantization.fuse_linear_bn.
    """
    _check_mode("Linear", linear, bn)
    if not is_qat:
        return nn.utils.fusion.fuse_linear_bn_eval(linear, bn)
    words = "Output features of Linear must match num_features of BatchNorm1d"
    _check_batch_norm(bn, linear.out_features, words, "BatchNorm1d")
    return nni.LinearBn1d(linear, bn)


def fuse_convtranspose_bn(is_qat: bool, convt: Any, bn: Any) -> Any:
    """A transposed convolution that computes the batch norm behind it, too.

    Args:
        is_qat: False.
        convt, bn: the layers.

    Raises:
        AssertionError: one of them is in training.
        Exception: with is_qat.

    As torch.ao.quantization.fuse_convtranspose_bn.
    """
    _check_mode("ConvTranspose", convt, bn)
    if is_qat:
        raise Exception("Fusing ConvTranspose+BatchNorm not yet supported in QAT.")
    return nn.utils.fusion.fuse_conv_bn_eval(convt, bn, transpose=True)


def _sequential_wrapper2(sequential: Any) -> Any:
    """The function that makes a row of two layers."""

    def fuser_method(is_qat: bool, m1: Any, m2: Any) -> Any:
        return sequential(m1, m2)

    return fuser_method


_DEFAULT_OP_LIST_TO_FUSER_METHOD: dict[tuple[Any, ...], Any] = {
    (nn.Conv1d, nn.BatchNorm1d): fuse_conv_bn,
    (nn.Conv1d, nn.BatchNorm1d, nn.ReLU): fuse_conv_bn_relu,
    (nn.Conv2d, nn.BatchNorm2d): fuse_conv_bn,
    (nn.Conv2d, nn.BatchNorm2d, nn.ReLU): fuse_conv_bn_relu,
    (nn.Conv3d, nn.BatchNorm3d): fuse_conv_bn,
    (nn.Conv3d, nn.BatchNorm3d, nn.ReLU): fuse_conv_bn_relu,
    (nn.Conv1d, nn.ReLU): _sequential_wrapper2(nni.ConvReLU1d),
    (nn.Conv2d, nn.ReLU): _sequential_wrapper2(nni.ConvReLU2d),
    (nn.Conv3d, nn.ReLU): _sequential_wrapper2(nni.ConvReLU3d),
    (nn.Linear, nn.BatchNorm1d): fuse_linear_bn,
    (nn.Linear, nn.ReLU): _sequential_wrapper2(nni.LinearReLU),
    (nn.BatchNorm2d, nn.ReLU): _sequential_wrapper2(nni.BNReLU2d),
    (nn.BatchNorm3d, nn.ReLU): _sequential_wrapper2(nni.BNReLU3d),
    (nn.ConvTranspose1d, nn.BatchNorm1d): fuse_convtranspose_bn,
    (nn.ConvTranspose2d, nn.BatchNorm2d): fuse_convtranspose_bn,
    (nn.ConvTranspose3d, nn.BatchNorm3d): fuse_convtranspose_bn,
}


def get_fuser_method(op_list: Any, additional_fuser_method_mapping: Any = None) -> Any:
    """The function that makes one module of modules of some classes.

    Args:
        op_list: a tuple of the classes.
        additional_fuser_method_mapping: more functions, by such tuples.

    Raises:
        AssertionError: there is none.

    As torch.ao.quantization.get_fuser_method.
    """
    known = get_combined_dict(
        _DEFAULT_OP_LIST_TO_FUSER_METHOD, additional_fuser_method_mapping or {}
    )
    found = known.get(op_list, None)
    if found is None:
        raise AssertionError(f"did not find fuser method for: {op_list} ")
    return found


def _reverse2(f: Any) -> Any:
    def reversed(is_qat: bool, x: Any, y: Any) -> Any:
        return f(is_qat, y, x)

    return reversed


def _reverse3(f: Any) -> Any:
    def reversed(is_qat: bool, x: Any, w: Any) -> Any:
        y, z = w
        return f(is_qat, z, y, x)

    return reversed


def _get_valid_patterns(op_pattern: Any) -> list[Any]:
    """The patterns that a pattern fits: each part, or any node in its place."""
    if isinstance(op_pattern, (tuple, list)):
        return list(itertools.product(*[_get_valid_patterns(each) for each in op_pattern]))
    return [op_pattern, MatchAllNode]


def get_fuser_method_new(op_pattern: Any, fuser_method_mapping: Any) -> Any:
    """The function of the first pattern of a mapping that `op_pattern` fits.

    Args:
        op_pattern: nested tuples of classes.
        fuser_method_mapping: functions by such patterns.

    Raises:
        AssertionError: there is none.

    As torch.ao.quantization.get_fuser_method_new.
    """
    for pattern in _get_valid_patterns(op_pattern):
        found = fuser_method_mapping.get(pattern)
        if found is not None:
            return found
    raise AssertionError(f"did not find fuser method for: {pattern} ")
