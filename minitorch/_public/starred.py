"""The names that `from torch import *` takes: `torch.__all__`."""

from __future__ import annotations

import sys

from minitorch._public.namespace import LAZY

# Public names of torch that its __all__ leaves out, beside modules.
_UNLISTED = frozenset(
    (
        "BFloat16Storage BFloat16Tensor ComplexDoubleStorage ComplexFloatStorage HalfStorage "
        "HalfTensor LoggerBase PRIVATE_OPS QInt32Storage QInt8Storage QUInt2x4Storage "
        "QUInt4x2Storage QUInt8Storage Storage StorageBase TYPE_CHECKING USE_GLOBAL_DEPS "
        "USE_RTLD_GLOBAL_WITH_LIBTORCH autograd broadcast_shapes channels_last channels_last_3d "
        "classes classproperty compiled_with_cxx11_abi contiguous_format eig from_dlpack "
        "get_file_path jagged legacy_contiguous_format lstsq lu matrix_rank ops pca_lowrank "
        "per_channel_affine per_channel_affine_float_qparams per_channel_symmetric "
        "per_tensor_affine per_tensor_symmetric prepare_multiprocessing_environment "
        "preserve_format profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 quantized_gru "
        "quantized_lstm random segment_reduce set_default_dtype set_grad_enabled solve "
        "sparse_bsc sparse_bsr sparse_coo sparse_csc sparse_csr strided svd_lowrank symeig "
        "to_dlpack torch unique while_loop windows"
    ).split()
)
_LISTED_MODULES = {"export"}


def names() -> list[str]:
    """`torch.__all__`, in alphabetical order."""
    public = {name for name in dir(sys.modules["minitorch"]) if not name.startswith("_")}
    return sorted(public - _UNLISTED - ({*LAZY} - _LISTED_MODULES))
