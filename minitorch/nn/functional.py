"""torch.nn.functional: the stateless functions behind the modules of torch.nn.

The operators are declared in minitorch/aten; here they get the names and signatures of
https://docs.pytorch.org/docs/stable/nn.functional.html.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from operator import attrgetter as _attrgetter
from typing import Any

from minitorch import aten as _aten
from minitorch._public.later import missing as _missing
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.expose import refusing as _refusing
from minitorch.core.declare.protocols.torch_function import asked_for as _asked_for

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

DType = int
GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}

# Functions in Python, by the modules of nn/_functional that are imported with the first of them.
_LATER = {
    "activation": """_threshold celu elu glu hardsigmoid hardswish hardtanh leaky_relu log_softmax
        mish relu relu6 rrelu selu sigmoid silu softmax softmin softsign tanh tanhshrink
        threshold""",
    "attention": "_canonical_mask _mha_shape_check _none_or_dtype multi_head_attention_forward",
    "dropout": "alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout",
    "grouped_products": "ScalingType SwizzleType grouped_mm scaled_grouped_mm scaled_mm",
    "images": """affine_grid fold grid_sample interpolate unfold upsample upsample_bilinear
        upsample_nearest""",
    "losses": """cosine_embedding_loss ctc_loss gaussian_nll_loss hinge_embedding_loss
        linear_cross_entropy margin_ranking_loss multi_margin_loss multilabel_margin_loss
        multilabel_soft_margin_loss poisson_nll_loss soft_margin_loss triplet_margin_loss
        triplet_margin_with_distance_loss""",
    "normalization": "batch_norm group_norm instance_norm layer_norm normalize rms_norm",
    "pooling": """adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices
        adaptive_max_pool2d adaptive_max_pool2d_with_indices adaptive_max_pool3d
        adaptive_max_pool3d_with_indices avg_pool3d fractional_max_pool2d
        fractional_max_pool2d_with_indices fractional_max_pool3d fractional_max_pool3d_with_indices
        lp_pool1d lp_pool2d lp_pool3d max_pool1d max_pool1d_with_indices max_pool2d_with_indices
        max_pool3d max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d""",
    "rarely_used": "assert_int_or_pair gumbel_softmax local_response_norm",
    "usual_losses": """binary_cross_entropy binary_cross_entropy_with_logits cross_entropy
        huber_loss kl_div l1_loss mse_loss nll_loss smooth_l1_loss""",
}
_ELSEWHERE = {name: module for module, names in _LATER.items() for name in names.split()}

_asked_for(
    "torch.nn.functional",
    globals(),
    # Functions that torch does not write in Python,
    in_cpp="""avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear logsigmoid one_hot
        scaled_dot_product_attention softplus softshrink""".split(),
    # and functions that leave it to those that they call to ask the arguments.
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
