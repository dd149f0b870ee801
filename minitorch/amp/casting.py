"""Autocast of operator calls: which operators run in which dtype, and the casts.

torch lists operators per device (aten/src/ATen/autocast_mode.h and .cpp): those that multiply run
in the lower precision, delicate ones in float32, and some in the widest dtype of their arguments.
Nothing here runs while autocast is off: operators call it only if they have a watcher.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from minitorch.core.base.fields import LEAF, TensorBase
from minitorch.core.base.modes import TENSOR_FORMULAS, GradMode, watch
from minitorch.core.declare.calls import calls_of
from minitorch.core.declare.general.observe import WATCHERS
from minitorch.core.declare.protocols.torch_function import tensors_in
from minitorch.core.numbers import dtype as dtypes

LOWER, FULL, WIDEST, FULL_RESULT, BANNED = "lower", "float32", "widest", "float32 result", "banned"

_LOWER = """addbmm addmm baddbmm bmm conv1d conv2d conv3d conv_tbc conv_transpose1d
    conv_transpose2d conv_transpose3d linalg_vecdot linear matmul mm prelu
    scaled_dot_product_attention"""
_LOSSES = """binary_cross_entropy_with_logits cosine_embedding_loss hinge_embedding_loss huber_loss
    kl_div l1_loss margin_ranking_loss mse_loss multi_margin_loss multilabel_margin_loss nll_loss
    nll_loss2d poisson_nll_loss smooth_l1_loss soft_margin_loss triplet_margin_loss"""
_LISTS = {
    "cpu": {
        LOWER: _LOWER + " _addmm_activation _native_multi_head_attention mkldnn_rnn_layer",
        FULL: _LOSSES
        + """ adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d binary_cross_entropy cdist cholesky
        cholesky_inverse cholesky_solve cross_entropy_loss ctc_loss
        fake_quantize_per_tensor_affine fft_fft fft_fft2 fft_fftn fft_hfft fft_ifft fft_ifft2
        fft_ifftn fft_ihfft fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn
        fractional_max_pool2d fractional_max_pool3d geqrf grid_sampler grid_sampler_2d
        grid_sampler_3d inverse linalg_cholesky linalg_cholesky_ex linalg_cond linalg_eig
        linalg_eigh linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv
        linalg_inv_ex linalg_lstsq linalg_matrix_rank linalg_qr linalg_solve linalg_svd
        linalg_svdvals linalg_tensorinv linalg_tensorsolve lu_solve _lu_with_info max_pool3d
        max_unpool2d max_unpool3d multilabel_margin_loss_forward nanquantile orgqr ormqr
        pinverse polar prod qr quantile reflection_pad1d reflection_pad2d replication_pad1d
        replication_pad2d replication_pad3d stft svd trace triangular_solve view_as_complex""",
        WIDEST: "cat index_copy stack",
    },
    "cuda": {
        LOWER: _LOWER
        + """ addmv addr chain_matmul convolution einsum gru_cell linalg_multi_dot lstm_cell mv
        rnn_relu_cell rnn_tanh_cell""",
        FULL: _LOSSES
        + """ acos asin cdist cosh cosine_similarity dist erfinv exp expm1 frobenius_norm group_norm
        layer_norm log log10 log1p log2 logsumexp native_layer_norm nuclear_norm pdist pow
        reciprocal renorm rms_norm rsqrt sinh softplus tan upsample_bicubic2d upsample_bilinear2d
        upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d
        upsample_trilinear3d""",
        FULL_RESULT: """cumprod cumsum linalg_matrix_norm linalg_vector_norm log_softmax norm prod
        softmax sum""",
        WIDEST: """addcdiv addcmul atan2 bilinear cross dot grid_sampler index_put scatter_add
        tensordot vdot""",
        BANNED: "binary_cross_entropy",
    },
}
# device type -> operator -> what is done to its calls
POLICIES = {
    device: {name: policy for policy, names in lists.items() for name in names.split()}
    for device, lists in _LISTS.items()
}

_HALF = ("cuda", "ipu", "xpu", "mps", "mtia", "privateuseone")
_BRAIN = ("cpu", "maia", "xla", "hpu")
DEVICES = (*_HALF, *_BRAIN)  # those that torch has lists for
DTYPES = dict.fromkeys((*_HALF, "hip"), dtypes.float16) | dict.fromkeys(_BRAIN, dtypes.bfloat16)


class _State(threading.local):
    """Autocast in one thread.

    enabled: the device types for which it is on.
    listed: the operators that are in their lists, and the in-place variants of these.
    dtypes: the lower precision for each device type.
    nesting: how many contexts are open.
    cached: id -> (leaf, its cast), until the last context ends.
    casting: whether the call of a listed operator runs; what that calls is left alone.
    """

    def __init__(self) -> None:
        self.enabled: set[str] = set()
        self.listed: set[str] = set()
        self.dtypes = dict(DTYPES)
        self.nesting = 0
        self.cache_enabled = True
        self.cached: dict[int, tuple[Any, Any]] = {}
        self.casting = False


STATE = _State()


def enable(device_type: str, enabled: bool) -> None:
    """Switches autocast for a type of device."""
    if enabled == (device_type in STATE.enabled):
        return
    if enabled:
        STATE.enabled.add(device_type)
        TENSOR_FORMULAS.append(_casts)
    else:
        STATE.enabled.remove(device_type)
        TENSOR_FORMULAS.remove(_casts)
    names = [name for each in STATE.enabled for name in POLICIES.get(each, ())]
    STATE.listed = {name + end for name in names for end in ("", "_")}
    watch(+1 if enabled else -1)


def _casts(node: Any) -> bool:
    """Whether formulas of a node call listed operators: on the CPU those of the listed ones do."""
    operator = type(node).__name__.partition("Backward")[0].lower()
    return operator in STATE.listed or "cuda" in STATE.enabled


def casting(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The function that computes the operator `name` under autocast."""
    if STATE.casting:
        return compute
    if name in STATE.listed:
        return partial(_call, name, compute)
    joins = calls_of(name).joins if "cpu" in STATE.enabled else None
    return compute if joins is None else partial(_join, joins, compute)


# From the start: what is appended while another watcher is open stands outside of that one, which
# would then see the casts as calls of the program.
WATCHERS.append(casting)


def _call(name: str, compute: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    given = {each.device.type for each in tensors_in(args, kwargs)}
    device = next((each for each in ("cuda", "cpu") if each in given & STATE.enabled), "")
    policy = POLICIES.get(device, {}).get(name.removesuffix("_"))
    if policy is None:
        return compute(*args, **kwargs)
    if name.endswith("_") or kwargs.get("out") is not None:  # which keeps its dtype
        if calls_of(name).copies_out:
            return compute(*args, **kwargs)
        policy = None
    STATE.casting = True
    try:
        if policy is None:
            return compute(*args, **kwargs)
        if policy is FULL_RESULT:
            first, *rest = [*args, *kwargs.values()]
            asked = any([isinstance(each, dtypes.dtype) for each in rest])
            if _is_lower(first, device) and not asked:
                kwargs["dtype"] = dtypes.float32
            return compute(*args, **kwargs)
        if policy is BANNED:
            raise RuntimeError(_BANNED_TEXT)
        to = STATE.dtypes[device] if policy is LOWER else dtypes.float32
        if policy is WIDEST:
            to = _widest(tensors_in(args, kwargs), device)
        # The last argument first, as torch's compiler has it: it is the age of the casts.
        named = {key: _cast(kwargs[key], to, device) for key in reversed(kwargs)}
        listed = [_cast(each, to, device) for each in reversed(args)]
        return compute(*reversed(listed), **named)
    finally:
        STATE.casting = False


def _join(joins: Callable[..., Any], compute: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls an operator whose kernel calls `cat`, which refuses some dtypes under autocast."""
    result = compute(*args, **kwargs)
    given = tensors_in(args, kwargs)
    if given[0].device.type == "cpu" and joins(*args, **kwargs):
        _widest(given, "cpu")
    return result


def _is_floating(self: Any, device: str) -> bool:
    return isinstance(self, TensorBase) and self.is_floating_point() and self.device.type == device


def _is_lower(self: Any, device: str) -> bool:
    """Whether autocast casts a tensor at all: floating point, but not float64."""
    return _is_floating(self, device) and self.dtype is not dtypes.float64


def _widest(given: list[Any], device: str) -> Any:
    """float32 if a tensor has it, else the lower precision. As prioritize in autocast_mode.h."""
    lower = widest = STATE.dtypes[device]
    for each in given:
        if _is_floating(each, device) and each.dtype is not dtypes.float64:
            if dtypes.float32 in (widest, each.dtype):
                widest = dtypes.float32
            elif each.dtype is not lower:
                raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return widest


def _cast(value: Any, to: Any, device: str) -> Any:
    """An argument in another dtype; leaves, such as weights, are cast once and for all uses."""
    if isinstance(value, (list, tuple)):
        return type(value)([_cast(each, to, device) for each in value])
    if not _is_lower(value, device) or value.dtype is to:
        return value
    lasting = (
        STATE.cache_enabled
        and to is STATE.dtypes[device]
        and value.dtype is dtypes.float32
        and value._edge is LEAF
        and value._base is None
    )
    if not lasting:
        return value.to(to)
    if id(value) not in STATE.cached:
        with GradMode(True):
            STATE.cached[id(value)] = value, value.to(to)
    return STATE.cached[id(value)][1]


_BANNED_TEXT = """\
torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.
Many models use a sigmoid layer right before the binary cross entropy layer.
In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits
or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are
safe to autocast."""
