"""Products, layers, pooling and resizing, in ONNX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy

from minitorch.onnx._graph import Graph
from minitorch.onnx._translators import (
    TRANSLATORS,
    Names,
    Translator,
    Unsupported,
    each_of,
    translates,
)


@translates("mm", "bmm")
def mm(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("MatMul", g.name(a.self), g.name(getattr(a, "mat2", None)))


@translates("dot", "mv")
def mv(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    second = a.vec if hasattr(a, "vec") else a.tensor
    return g.add("MatMul", g.name(a.self), g.name(second))


@translates("addmm")
def addmm(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    factors = g.name(a.mat1), g.name(a.mat2)
    return g.add("Gemm", *factors, g.name(a.self), alpha=float(a.alpha), beta=float(a.beta))


@translates("baddbmm")
def baddbmm(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    if a.alpha != 1 or a.beta != 1:
        raise Unsupported("alpha or beta is not 1")
    return g.add("Add", g.add("MatMul", g.name(a.batch1), g.name(a.batch2)), g.name(a.self))


@translates("convolution")
def convolution(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    inputs = [g.name(each) for each in (a.input, a.weight, a.bias) if each is not None]
    dims = a.weight.dim() - 2
    padding = each_of(a.padding, dims)
    settings: dict[str, Any] = {
        "strides": each_of(a.stride, dims),
        "pads": padding + padding,
        "dilations": each_of(a.dilation, dims),
        "group": a.groups,
    }
    if not a.transposed:
        return g.add("Conv", *inputs, **settings)
    settings["output_padding"] = each_of(a.output_padding, dims)
    return g.add("ConvTranspose", *inputs, **settings)


@translates("native_batch_norm", "_native_batch_norm_legit_no_training", "cudnn_batch_norm")
def native_batch_norm(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    x = a.input
    if getattr(a, "training", False):
        # InstanceNorm comes as a batch of one, in which each channel has its own statistics.
        if a.running_mean is not None or x.shape[0] != 1:
            raise Unsupported("it is in training")
        scale = g.operand([1] * x.shape[1], x) if a.weight is None else g.name(a.weight)
        shift = g.operand([0] * x.shape[1], x) if a.bias is None else g.name(a.bias)
        return g.add("InstanceNormalization", g.name(x), scale, shift, epsilon=a.eps)
    size = x.shape[1]
    weight = g.name(a.weight) if a.weight is not None else g.operand([1] * size, x)
    bias = g.name(a.bias) if a.bias is not None else g.operand([0] * size, x)
    statistics = g.name(a.running_mean), g.name(a.running_var)
    return g.add("BatchNormalization", g.name(x), weight, bias, *statistics, epsilon=a.eps)


@translates("native_layer_norm")
def native_layer_norm(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    dims = len(a.normalized_shape)
    ones = numpy.ones(a.normalized_shape)
    scale = g.operand(ones, a.input) if a.weight is None else g.name(a.weight)
    inputs = [g.name(a.input), scale] + ([g.name(a.bias)] if a.bias is not None else [])
    return g.add("LayerNormalization", *inputs, axis=-dims, epsilon=a.eps)


@translates("native_group_norm")
def native_group_norm(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    x = a.input
    shape = list(x.shape)
    grouped = g.add("Reshape", g.name(x), g.constant([shape[0], a.group, -1]))
    ones, zeros = g.operand([1.0] * a.group, x), g.operand([0.0] * a.group, x)
    normal = g.add("InstanceNormalization", grouped, ones, zeros, epsilon=a.eps)
    found = g.add("Reshape", normal, g.constant(shape))
    channels = g.constant([shape[1]] + [1] * (len(shape) - 2))
    if a.weight is not None:
        found = g.add("Mul", found, g.add("Reshape", g.name(a.weight), channels))
    if a.bias is not None:
        found = g.add("Add", found, g.add("Reshape", g.name(a.bias), channels))
    return found


@translates("embedding")
def embedding(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Gather", g.name(a.weight), g.name(a.indices), axis=0)


def _softmax(node: str) -> Translator:
    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        return g.add(node, g.operand(a.self, out[0]), axis=a.dim)

    return write


TRANSLATORS["aten::_softmax"] = _softmax("Softmax")
TRANSLATORS["aten::_log_softmax"] = _softmax("LogSoftmax")


@translates("_scaled_dot_product_flash_attention_for_cpu")
def attention(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    if a.dropout_p:
        raise Unsupported("dropout_p is not 0")
    query, key = a.query, a.key
    scale = query.shape[-1] ** -0.5 if a.scale is None else a.scale
    order = [*range(key.dim() - 2), key.dim() - 1, key.dim() - 2]
    scores = g.add("MatMul", g.name(query), g.add("Transpose", g.name(key), perm=order))
    scores = g.add("Mul", scores, g.operand(scale, query))
    if a.is_causal:
        seen = numpy.tri(query.shape[-2], key.shape[-2])
        scores = g.add("Add", scores, g.operand(numpy.where(seen, 0, -numpy.inf), query))
    if a.attn_mask is not None:
        scores = g.add("Add", scores, g.operand(a.attn_mask, query))
    return g.add("MatMul", g.add("Softmax", scores, axis=-1), g.name(a.value))


@translates("mkldnn_rnn_layer")
def lstm_layer(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    if not a.has_biases or a.batch_sizes or a.weight0.shape[0] != 4 * a.hidden_size:
        raise Unsupported("it is no LSTM with biases, of sequences of one length")
    size = a.hidden_size
    first = g.constant([0])

    def gates(tensor: Any) -> str:
        """A parameter in ONNX's order of gates: input, output, forget, cell."""
        i, f, c, o = g.many("Split", [g.name(tensor), g.constant([size] * 4)], 4, axis=0)
        return g.add("Concat", i, o, f, c, axis=0)

    def state(tensor: Any) -> str:
        return g.add("Reshape", g.name(tensor), g.constant([1, -1, size]))

    weights = [g.add("Unsqueeze", gates(each), first) for each in (a.weight0, a.weight1)]
    biases = g.add("Concat", gates(a.weight2), gates(a.weight3), axis=0)
    biases = g.add("Unsqueeze", biases, first)
    states = [state(each) for each in (a.hx_, a.cx_)]
    settings = {"hidden_size": size, "direction": "reverse" if a.reverse else "forward"}
    inputs = [g.name(a.input), *weights, biases, "", *states]
    found = g.many("LSTM", inputs, 3, **settings)
    pairs = zip(found, out[:3], strict=True)
    return [g.add("Reshape", name, g.constant(list(each.shape))) for name, each in pairs]


# --- pooling and resizing ---


def _pooled(dims: int) -> Callable[[Graph, SimpleNamespace], dict[str, Any]]:
    def settings(g: Graph, a: SimpleNamespace) -> dict[str, Any]:
        kernel = each_of(a.kernel_size, dims)
        padding = each_of(a.padding, dims)
        return {
            "kernel_shape": kernel,
            "strides": each_of(a.stride, dims) if a.stride else kernel,
            "pads": padding + padding,
            "ceil_mode": int(a.ceil_mode),
        }

    return settings


def _max_pool(dims: int) -> Translator:
    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        _want_batch(a.self, dims)
        settings = _pooled(dims)(g, a)
        return g.add("MaxPool", g.name(a.self), dilations=each_of(a.dilation, dims), **settings)

    return write


def _avg_pool(dims: int) -> Translator:
    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        _want_batch(a.self, dims)
        if getattr(a, "divisor_override", None) is not None:
            raise Unsupported("divisor_override is given")
        if a.ceil_mode:
            raise Unsupported("ceil_mode is True")
        settings = _pooled(dims)(g, a)
        counts = int(a.count_include_pad)
        return g.add("AveragePool", g.name(a.self), count_include_pad=counts, **settings)

    return write


def _want_batch(x: Any, dims: int) -> None:
    if x.dim() != dims + 2:
        raise Unsupported("the input has no batch dimension")


for dims in (1, 2, 3):
    TRANSLATORS[f"aten::max_pool{dims}d_with_indices"] = _max_pool(dims)
    TRANSLATORS[f"aten::avg_pool{dims}d"] = _avg_pool(dims)


@translates("_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool1d")
def adaptive_avg_pool(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return _adaptive(g, a, "AveragePool", "GlobalAveragePool")


@translates("adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return _adaptive(g, a, "MaxPool", "GlobalMaxPool")


def _adaptive(g: Graph, a: SimpleNamespace, node: str, whole: str) -> str:
    """A pooling to a given size, where all windows are of one size."""
    wanted = list(a.output_size)
    given = list(a.self.shape[-len(wanted) :])
    _want_batch(a.self, len(wanted))
    if wanted == [1] * len(wanted):
        return g.add(whole, g.name(a.self))
    if any(size % count for size, count in zip(given, wanted, strict=True)):
        raise Unsupported(f"sizes {given} are no multiples of {wanted}")
    window = [size // count for size, count in zip(given, wanted, strict=True)]
    return g.add(node, g.name(a.self), kernel_shape=window, strides=window)


@translates("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d")
def upsample_nearest(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    sizes = g.constant(list(out[0].shape))
    if any(new % old for new, old in zip(out[0].shape, a.self.shape, strict=True)):
        raise Unsupported("sizes do not grow by whole factors")
    settings = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return g.add("Resize", g.name(a.self), "", "", sizes, mode="nearest", **settings)


@translates("upsample_bilinear2d")
def upsample_bilinear2d(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    if a.scales_h is not None or a.scales_w is not None:
        factors = [new / old for new, old in zip(out[0].shape[2:], a.self.shape[2:], strict=True)]
        if [a.scales_h, a.scales_w] != factors:
            raise Unsupported("sizes do not grow by the scales exactly")
    kind = "align_corners" if a.align_corners else "half_pixel"
    sizes = g.constant(list(out[0].shape))
    x = g.name(a.self)
    return g.add("Resize", x, "", "", sizes, mode="linear", coordinate_transformation_mode=kind)


@translates("pixel_shuffle")
def pixel_shuffle(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    _want_batch(a.self, 2)
    return g.add("DepthToSpace", g.name(a.self), blocksize=a.upscale_factor, mode="CRD")


def _padded(mode: str) -> Translator:
    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        before, after = _sides(a.self.dim(), a.padding)
        return g.add("Pad", g.name(a.self), g.constant(before + after), mode=mode)

    return write


for dims in (1, 2, 3):
    TRANSLATORS[f"aten::reflection_pad{dims}d"] = _padded("reflect")
    TRANSLATORS[f"aten::replication_pad{dims}d"] = _padded("edge")


def _sides(dims: int, pad: Sequence[int]) -> tuple[list[int], list[int]]:
    """The padding before and after each dimension; torch begins with the last."""
    before, after = [0] * dims, [0] * dims
    for place in range(len(pad) // 2):
        before[-1 - place], after[-1 - place] = pad[2 * place], pad[2 * place + 1]
    return before, after


@translates("constant_pad_nd")
def constant_pad_nd(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    before, after = _sides(a.self.dim(), a.pad)
    return g.add("Pad", g.name(a.self), g.constant(before + after), g.operand(a.value, a.self))
