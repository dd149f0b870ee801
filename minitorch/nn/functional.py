"""torch.nn.functional: the stateless functions behind the modules of torch.nn.

The operators are declared in minitorch/aten; here they get the names and signatures of
https://docs.pytorch.org/docs/stable/nn.functional.html.
"""

from __future__ import annotations

import warnings
from importlib import import_module as _import_module
from operator import attrgetter as _attrgetter
from typing import Any

from minitorch import aten as _aten
from minitorch._public.later import missing as _missing
from minitorch.aten import elementwise as _elements
from minitorch.aten import layers as _layers
from minitorch.aten import losses as _losses
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.codegen.shells import refuse_handed as _refuse_handed
from minitorch.core.declare.expose import refusing as _refusing
from minitorch.core.declare.protocols.torch_function import asked_for as _asked_for
from minitorch.core.declare.wording.plain_numbers import as_float as _as_float

# Functions of `torch` that have the same name and signature here.
_SAME = """
    adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc
    conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity hardshrink
    native_channel_shuffle pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu_ rrelu_
    selu_ threshold_
""".split()
# Other operators of a family: a=b where it calls b what is a here.
_OPERATORS = {
    "elementwise.activation": "elu_ gelu logsigmoid=log_sigmoid softplus",
    "layers.adaptive_pooling": "adaptive_avg_pool2d",
    "layers.attention": "scaled_dot_product_attention",
    "indexing.lookup": """embedding=functional_embedding embedding_bag=functional_embedding_bag
        one_hot""",
    "layers.padding": "pad",
    "layers.pooling": "avg_pool2d=avg_pool2d_public max_pool2d",
    "elementwise.rectifiers": "hardtanh_ leaky_relu_ softshrink",
}
_OF_FAMILY = {
    each.partition("=")[0]: (family, each.rpartition("=")[2])
    for family, names in _OPERATORS.items()
    for each in names.split()
}
linear = OPS.linear

# ---- activations


def relu(input: Any, inplace: bool = False) -> Any:
    """max(x, 0)."""
    return input.relu_() if inplace else OPS.relu(input)


def relu6(input: Any, inplace: bool = False) -> Any:
    """min(max(x, 0), 6)."""
    try:
        return hardtanh(input, 0, 6, inplace)
    except TypeError:
        _refuse_handed("_nn.relu6", input)
        raise


def _threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """x where it is above `threshold`, else `value`."""
    return _aten.function_named("threshold_" if inplace else "threshold")(input, threshold, value)


threshold = _threshold  # as torch calls it where it is shown


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """x where positive, else negative_slope * x."""
    return (_elements.rectifiers.leaky_relu_ if inplace else _elements.rectifiers.leaky_relu)(
        input, negative_slope
    )


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """x where positive, else alpha * (exp(x) - 1). Clevert et al., https://arxiv.org/abs/1511.07289."""
    return (_elements.activation.elu_ if inplace else _elements.activation.elu)(input, alpha)


def selu(input: Any, inplace: bool = False) -> Any:
    """elu with the alpha and scale that keep mean and variance."""
    return (_elements.activation.selu_ if inplace else _elements.activation.selu)(input)


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""
    return (_elements.activation.celu_ if inplace else _elements.activation.celu)(input, alpha)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """x held between min_val and max_val."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (_elements.rectifiers.hardtanh_ if inplace else _elements.rectifiers.hardtanh)(
        input, min_val, max_val
    )


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """min(max(x + 3, 0), 6) / 6."""
    return (_elements.activation.hardsigmoid_ if inplace else _elements.activation.hardsigmoid)(
        input
    )


def hardswish(input: Any, inplace: bool = False) -> Any:
    """x * hardsigmoid(x). Howard et al., https://arxiv.org/abs/1905.02244."""
    return (_elements.activation.hardswish_ if inplace else _elements.activation.hardswish)(input)


def silu(input: Any, inplace: bool = False) -> Any:
    """x * sigmoid(x). Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415."""
    return (_elements.activation.silu_ if inplace else _elements.activation.silu)(input)


def mish(input: Any, inplace: bool = False) -> Any:
    """x * tanh(softplus(x)). Misra, https://arxiv.org/abs/1908.08681."""
    return (_elements.activation.mish_ if inplace else _elements.activation.mish)(input)


def glu(input: Any, dim: int = -1) -> Any:
    """The first half along `dim`, times the sigmoid of the second. arXiv 1612.08083."""
    try:
        return _elements.activation.glu(input, dim)
    except TypeError:
        input.dim()  # which torch asks for first
        raise


def softsign(input: Any) -> Any:
    """x / (1 + |x|)."""
    return input / (input.abs() + 1)


def tanhshrink(input: Any) -> Any:
    """x - tanh(x)."""
    return input - input.tanh()


def tanh(input: Any) -> Any:
    """The hyperbolic tangent."""
    return input.tanh()


def sigmoid(input: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return input.sigmoid()


def _softmax_dim(name: str, rank: int) -> int:
    """The dimension that softmax works along if none is given."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument.",
        stacklevel=4,
    )
    return 0 if rank in (0, 1, 3) else 1


def softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along `dim`."""
    if dim is None:
        dim = _softmax_dim("softmax", input.dim())
    return OPS.softmax(input, dim, dtype)


def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """softmax(-x) along `dim`."""
    if dim is None:
        dim = _softmax_dim("softmin", input.dim())
    return (-input).softmax(dim, dtype)


def log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """log(softmax(x)) along `dim`."""
    if dim is None:
        dim = _softmax_dim("log_softmax", input.dim())
    return OPS.log_softmax(input, dim, dtype)


def rrelu(
    input: Any,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Any:
    """x where positive, else times a slope drawn from [lower, upper). arXiv 1505.00853."""
    return (OPS.rrelu_ if inplace else OPS.rrelu)(input, lower, upper, training)


# ---- dropout


def _check_chance(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _dropout(name: str, input: Any, p: float, training: bool, inplace: bool) -> Any:
    _check_chance(p)
    return getattr(OPS, name + "_" if inplace else name)(input, p, training)


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Each element zero with chance p, else divided by 1 - p. Hinton et al., arXiv 1207.0580."""
    return _dropout("dropout", input, p, training, inplace)


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Dropout that keeps the mean and variance of what selu gives. arXiv 1706.02515."""
    return _dropout("alpha_dropout", input, p, training, inplace)


def feature_alpha_dropout(
    input: Any, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Any:
    """alpha_dropout of whole channels."""
    return _dropout("feature_alpha_dropout", input, p, training, inplace)


def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of (N, C, L) or (C, L)."""
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
    """Dropout of whole channels of (N, C, H, W)."""
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
    """Dropout of whole channels of (N, C, D, H, W)."""
    _check_chance(p)
    rank = input.dim()
    _warn_of_rank("dropout3d", rank, (4, 5))
    return _dropout_of_batch(input, rank == 5, p, training, inplace)


# ---- losses

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def _reduction(reduction: str, size_average: Any = None, reduce: Any = None) -> int:
    """ATen's number of a reduction. ValueError for a word that is none."""
    if size_average is not None or reduce is not None:
        average, reduce = size_average is not False, reduce is not False
        reduction = "none" if not reduce else "mean" if average else "sum"
        warnings.warn(
            "size_average and reduce args will be deprecated, please use "
            f"reduction='{reduction}' instead.",
            stacklevel=4,
        )
    number = _REDUCTIONS.get(reduction) if type(reduction) is str else None
    if number is None:
        if reduction != "elementwise_mean":
            raise ValueError(f"{reduction} is not a valid value for reduction")
        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
            stacklevel=4,
        )
        number = 1
    return number


def _same_size(input: Any, target: Any) -> tuple[Any, Any]:
    """Both broadcast to one shape, with a warning where they differ."""
    try:
        if input._array.shape == target._array.shape:
            return input, target
    except AttributeError:
        target.size(), input.size()  # the error of what is no tensor
        raise
    warnings.warn(
        f"Using a target size ({target.size()}) that is different to the input size "
        f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size.",
        stacklevel=3,
    )
    return tuple(OPS.broadcast_tensors(input, target))


def _weighted(losses: Any, input: Any, weight: Any, reduction: str) -> Any:
    """Losses times their weights, reduced; the mean is by the weights."""
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    losses = losses * weight
    if reduction == "none":
        return losses
    if reduction == "sum":
        return OPS.sum(losses)
    if reduction == "mean":
        return OPS.sum(losses) / OPS.sum(weight)
    raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


def mse_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """The squared error."""
    input, target = _same_size(input, target)
    if weight is not None:
        return _weighted(OPS.pow(input - target, 2), input, weight, reduction)
    return _losses.loss.mse_loss(input, target, _reduction(reduction, size_average, reduce))


def l1_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """The absolute error."""
    input, target = _same_size(input, target)
    if weight is not None:
        return _weighted(OPS.abs(input - target), input, weight, reduction)
    return _losses.loss.l1_loss(input, target, _reduction(reduction, size_average, reduce))


def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    """Half the squared error over beta below beta, the absolute error less beta / 2 above."""
    number = _reduction(reduction, size_average, reduce)
    input, target = _same_size(input, target)
    if type(beta) is not float and type(beta) is not int:
        if beta == 0:
            return _losses.loss.l1_loss(input, target, number)
        _refuse_handed("_nn.smooth_l1_loss", input, target, number, beta)
        beta = _as_float(beta)
    return _losses.loss.smooth_l1_loss(input, target, number, beta)


def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """Half the squared error below delta, delta times the absolute error less delta / 2 above."""
    input, target = _same_size(input, target)
    if weight is not None:
        mean = reduction == "mean"  # that of all, not by the weights
        losses = _losses.loss.huber_loss(input, target, 0, delta)
        losses = _weighted(losses, input, weight, "none" if mean else reduction)
        return OPS.mean(losses) if mean else losses
    return _losses.loss.huber_loss(input, target, _reduction(reduction), delta)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """The cross entropy of softmax(input) and `target`, classes or probabilities of classes."""
    number = _reduction(reduction, size_average, reduce)
    return _losses.likelihood.cross_entropy(
        input, target, weight, number, ignore_index, label_smoothing
    )


def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Minus the log-probabilities `input` at the classes `target`."""
    number = _reduction(reduction, size_average, reduce)
    return _losses.likelihood.nll_loss(input, target, weight, number, ignore_index)


def _broadcast_size(first: Any, second: Any) -> list[int]:
    """The size of both together. RuntimeError in the words of torch.broadcast_shapes if there is
    none."""
    rank = max(len(first), len(second))
    wanted = [1] * (rank - len(first)) + list(first)
    for dim in range(-1, -len(second) - 1, -1):
        if second[dim] != wanted[dim] and 1 not in (second[dim], wanted[dim]):
            raise RuntimeError(
                f"Attempting to broadcast a dimension of length {second[dim]} at {dim}! "
                f"Mismatching argument at index 1 had {second}; but expected shape should be "
                f"broadcastable to {wanted}"
            )
        wanted[dim] = second[dim] if wanted[dim] == 1 else wanted[dim]
    return wanted


def binary_cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The cross entropy of the chances `input` and `target`."""
    number = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(_broadcast_size(target.size(), weight.size()))
    return _losses.loss.binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """The cross entropy of the chances sigmoid(input) and `target`."""
    number = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    return _losses.loss.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


def kl_div(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    """The Kullback-Leibler divergence of log-probabilities `input` from `target`."""
    if size_average is None and reduce is None and reduction == "batchmean":
        losses = _losses.loss.kl_div(input, target, 2, log_target)
        return losses / input.size(0) if input.dim() else losses
    if size_average is None and reduce is None and reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    number = _reduction(reduction, size_average, reduce)
    return _losses.loss.kl_div(input, target, number, log_target)


# ---- pooling and normalisation


def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of (N, C, L) or (C, L)."""
    pool = _layers.pooling.max_pool1d_with_indices if return_indices else _layers.pooling.max_pool1d
    stride = () if stride is None else stride
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


max_pool1d.__qualname__ = "_max_pool1d"  # as torch's errors call it


def _check_more_than_one(size: Any) -> None:
    """ValueError if a batch has but one value per channel."""
    count = size[0]
    for n in size[2:]:
        count *= n
    if count == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {size}"
        )


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel standardised over the batch, or by its running statistics."""
    if training:
        _check_more_than_one(input.size())
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return _layers.normalization.batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps, True
    )


def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel of each image standardised by itself."""
    if use_input_stats:
        size = input.size()
        count = 1
        for n in size[2:]:
            count *= n
        if count == 1:
            raise ValueError(
                f"Expected more than 1 spatial element when training, got input size {size}"
            )
    return _layers.normalization.instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True
    )


def layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """The last dimensions standardised together, scaled and shifted."""
    return _layers.normalization.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Each group of channels standardised by itself."""
    if input.dim() < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {input.dim()}"
        )
    size = input.size()
    count = size[0] * (size[1] // num_groups)
    for n in size[2:]:
        count *= n
    if count == 1:
        raise ValueError(
            "Expected more than 1 value per channel when training, got input size "
            f"{[size[0] * size[1] // num_groups, num_groups, *size[2:]]}"
        )
    return _layers.normalization.group_norm(input, num_groups, weight, bias, eps)


def rms_norm(
    input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None
) -> Any:
    """The last dimensions over their root mean square."""
    return _layers.normalization.rms_norm(input, normalized_shape, weight, eps)


def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """`input` over its p-norm along `dim`."""
    norm = input.norm(p, dim, True)
    if out is None:
        return input / norm.clamp_min(eps).expand_as(input)
    return OPS.div(input, norm.clamp_min_(eps).expand_as(input), out=out)


DType = int
GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}

# Functions that few programs use, by the modules that are imported with the first of them.
_LATER = {
    "attention": """_canonical_mask _mha_shape_check _none_or_dtype
        multi_head_attention_forward""",
    "images": """affine_grid fold grid_sample interpolate unfold upsample upsample_bilinear
        upsample_nearest""",
    "losses": """cosine_embedding_loss ctc_loss gaussian_nll_loss hinge_embedding_loss
        linear_cross_entropy margin_ranking_loss multi_margin_loss multilabel_margin_loss
        multilabel_soft_margin_loss poisson_nll_loss soft_margin_loss triplet_margin_loss
        triplet_margin_with_distance_loss""",
    "rarely_used": "assert_int_or_pair gumbel_softmax local_response_norm",
    "pooling": """adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices
        adaptive_max_pool2d adaptive_max_pool2d_with_indices adaptive_max_pool3d
        adaptive_max_pool3d_with_indices avg_pool3d fractional_max_pool2d
        fractional_max_pool2d_with_indices fractional_max_pool3d fractional_max_pool3d_with_indices
        lp_pool1d lp_pool2d lp_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d
        max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d""",
    "grouped_products": "ScalingType SwizzleType grouped_mm scaled_grouped_mm scaled_mm",
}
_ELSEWHERE = {name: module for module, names in _LATER.items() for name in names.split()}


l1_loss.untold = ("weight",)  # type: ignore[attr-defined]  # those who take calls over
_asked_for(
    "torch.nn.functional",
    globals(),
    # What torch does not write in Python,
    in_cpp="""avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear logsigmoid one_hot
        scaled_dot_product_attention softplus softshrink""".split(),
    # and what asks nobody itself, but by what it calls.
    by_method="""assert_int_or_pair sigmoid tanh upsample upsample_bilinear upsample_nearest
        """.split(),
)


def __dir__() -> list[str]:
    return [*globals(), *_SAME, *_OF_FAMILY, *_ELSEWHERE]


def __getattr__(name: str) -> Any:
    if name == "__all__":  # of `from torch.nn.functional import *`; torch's module lists none
        helpers = {"Any", "OPS", "annotations"}
        return sorted({each for each in __dir__() if not each.startswith("_")} - helpers)
    if name in _SAME:
        found = _aten.function_named(name)
    elif name in _OF_FAMILY:
        family, its_name = _OF_FAMILY[name]
        found = _refusing(f"nn.{name}", _attrgetter(f"{family}.{its_name}")(_aten))
    elif name in _ELSEWHERE:
        found = getattr(_import_module(f"minitorch.nn._functional.{_ELSEWHERE[name]}"), name)
    else:
        return _missing("torch.nn.functional", name)
    _asked_for("torch.nn.functional", {name: found})
    return globals().setdefault(name, found)
