"""torch.nn.utils."""

from minitorch._public.later import names_of as _names_of
from minitorch.nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from minitorch.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from minitorch.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from minitorch.nn.utils.weight_norm import remove_weight_norm, weight_norm

__all__ = (
    "clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ "
    "convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format fuse_conv_bn_eval "
    "fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights get_total_norm "
    "parameters_to_vector parametrizations parametrize remove_spectral_norm remove_weight_norm "
    "rnn skip_init spectral_norm stateless vector_to_parameters weight_norm"
).split()

# Functions and modules that few programs use, imported with the first of them.
_ELSEWHERE = {
    "convert_conv2d_weight_memory_format": "memory_format",
    "convert_conv3d_weight_memory_format": "memory_format",
    "fuse_conv_bn_eval": "fusion",
    "fuse_conv_bn_weights": "fusion",
    "fuse_linear_bn_eval": "fusion",
    "fuse_linear_bn_weights": "fusion",
    "skip_init": "init",
}
_MODULES = (
    "_named_member_accessor",
    "parametrizations",
    "parametrize",
    "prune",
    "rnn",
    "stateless",
)

__getattr__ = _names_of("torch.nn.utils", _ELSEWHERE, _MODULES)
