"""torch.backends: answers and switches."""

import pytest

import minitorch as torch
from minitorch.backends import cuda, mps, switches


def test_no_kernel_of_cuda_can_compute_an_attention():
    q = torch.ones(1, 1, 2, 2)
    params = cuda.SDPAParams(q, q, q, None, 0.5, True, False)
    assert (params.query is q, params.dropout, params.is_causal) == (True, 0.5, True)
    assert not cuda.can_use_flash_attention(params)
    assert not cuda.can_use_efficient_attention(params, True)
    assert not cuda.can_use_cudnn_attention(params)
    assert not cuda.is_ck_sdpa_available()


def test_sdp_kernel_allows_ways_of_attention_for_a_block_and_warns():
    with pytest.warns(FutureWarning, match=r"`torch.backends.cuda.sdp_kernel\(\)` is deprecated"):
        block = cuda.sdp_kernel(enable_flash=False, enable_math=False)
    with block as given:
        assert given == {}
        assert (cuda.flash_sdp_enabled(), cuda.math_sdp_enabled()) == (False, False)
        assert cuda.mem_efficient_sdp_enabled()
    assert cuda.flash_sdp_enabled()
    assert cuda.math_sdp_enabled()


def test_switches_of_products_are_those_of_torch():
    assert cuda.matmul.fp32_precision == torch.backends.fp32_precision == "none"
    for access in (lambda: cuda.matmul.zzz, lambda: setattr(cuda.matmul, "zzz", 1)):
        with pytest.raises(AttributeError, match="Unknown attribute zzz"):
            access()
    cuda.allow_fp16_bf16_reduction_math_sdp(True)
    assert cuda.fp16_bf16_reduction_math_sdp_allowed()
    cuda.allow_fp16_bf16_reduction_math_sdp(False)


@pytest.fixture
def _switches_back():
    yield
    torch.set_float32_matmul_precision("highest")
    cuda.matmul.fp32_precision = "none"
    cuda.matmul.allow_fp16_reduced_precision_reduction = True
    cuda.preferred_blas_library("cublas")
    cuda.preferred_rocm_fa_library("default")


@pytest.mark.usefixtures("_switches_back")
def test_the_precision_of_products_is_one_switch_by_several_names():
    cuda.matmul.allow_tf32 = True
    assert torch.get_float32_matmul_precision() == "high"
    assert cuda.matmul.fp32_precision == "tf32"
    torch.set_float32_matmul_precision("highest")
    assert (cuda.matmul.allow_tf32, cuda.matmul.fp32_precision) == (False, "ieee")
    cuda.matmul.fp32_precision = "tf32"
    with pytest.raises(RuntimeError, match="mix of the legacy and new APIs"):
        _ = cuda.matmul.allow_tf32
    for wrong, text in (("bf16", "does not support precision 'bf16'"), ("x", "Unknown precision")):
        with pytest.raises(RuntimeError, match=text):
            cuda.matmul.fp32_precision = wrong
    with pytest.raises(RuntimeError, match="set_allow_tf32_cublas expects a bool, but got int"):
        cuda.matmul.allow_tf32 = 1


@pytest.mark.usefixtures("_switches_back")
def test_sums_in_half_precision_are_allowed_with_or_without_splitting():
    matmul, name = cuda.matmul, "allow_fp16_reduced_precision_reduction"
    setattr(matmul, name, (False, False))
    assert getattr(matmul, name) is getattr(matmul, f"{name}_split_k") is False
    setattr(matmul, name, False)
    assert getattr(matmul, f"{name}_split_k")
    for wrong, text in (
        ((), "at least one boolean"),
        ((True, True, True), "at most two boolean"),
        ((1,), "a bool for allow_reduced_precision, but got <class 'int'>"),
        (3, "a bool or a tuple/list of bools, but got <class 'int'>"),
    ):
        with pytest.raises(TypeError, match=f"{name} expects {text}"):
            setattr(matmul, name, wrong)
    with pytest.raises(RuntimeError, match="allow_splitk=False is not supported"):
        setattr(matmul, name, (True, False))


@pytest.mark.usefixtures("_switches_back")
def test_libraries_that_torch_is_built_with_can_be_preferred():
    assert repr(cuda.preferred_blas_library()) == "<_BlasBackend.Cublas: 1>"
    assert cuda.preferred_blas_library("default") is cuda.preferred_blas_library("hipblas")
    with pytest.raises(AttributeError, match="no attribute '_cuda_setCublasWorkspaceSize'"):
        cuda.blas_workspace_size(1024)
    assert cuda.preferred_blas_library("ck").name == "Ck"
    with pytest.raises(RuntimeError, match="CK backend does not use a workspace"):
        cuda.blas_workspace_size()
    with pytest.raises(RuntimeError, match="preferred backend to MAGMA if PyTorch has not been"):
        cuda.preferred_linalg_library("magma")
    with pytest.raises(RuntimeError, match=r"Choose from: default, cusolver, magma\."):
        cuda.preferred_linalg_library("lapack")
    with pytest.raises(RuntimeError, match="Unknown input value type"):
        cuda.preferred_blas_library(3)
    assert int(cuda.preferred_rocm_fa_library("aotriton")) == 1
    with pytest.raises(ValueError, match=r"Choose from: default, aotriton, ck\."):
        cuda.preferred_rocm_fa_library(3)


@pytest.mark.skipif(torch.cuda.is_available(), reason="says what there is without a GPU")
def test_plans_of_fourier_transforms_are_those_of_a_gpu():
    with pytest.raises(RuntimeError, match="expected 0 <= device index < 0, but got device with"):
        _ = cuda.cufft_plan_cache[0]
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        _ = cuda.cufft_plan_cache["cpu"]
    cache = cuda.cuFFTPlanCache(0)
    with pytest.raises(RuntimeError, match="Cannot access cuFFT plan cache without ATen_cuda"):
        cache.max_size = 3
    with pytest.raises(RuntimeError, match=r"\.size is a read-only property"):
        cache.size = 3


def test_enumerations_of_torch_stand_for_integers_and_are_none():
    assert (repr(torch.AVG), str(torch.SUM)) == ("<AggregationType.AVG: 1>", "AggregationType.SUM")
    assert int(torch.AVG) == 1 != torch.AVG
    assert ["sum", "average"][torch.AVG] == "average"
    assert torch.AggregationType(1) is torch.AVG is torch._C.AggregationType.AVG


def test_mps_cannot_tell_the_version_of_macos():
    with pytest.raises(RuntimeError, match="without MPS backend"):
        mps.is_macos_or_newer(13, 0)
    with pytest.raises(RuntimeError, match="without MPS backend"):
        mps.is_macos13_or_newer()


def test_libraries_of_torchs_cpu_build_are_importable_and_available():
    import minitorch.backends.mkl as mkl
    import minitorch.backends.openmp as openmp

    assert mkl is torch.backends.mkl
    assert mkl.is_available()
    assert openmp.is_available()
    assert not torch.backends.cusparselt.is_available()


def test_set_fastpath_enabled_is_remembered():
    assert torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    assert not torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(True)


def test_switches_of_attention_kernels_take_bools_alone():
    with pytest.raises(RuntimeError, match="set_sdp_use_math expects a bool, but got int"):
        torch.backends.cuda.enable_flash_sdp(0)


def test_flags_set_all_switches_of_cudnn_for_a_block():
    cudnn = torch.backends.cudnn
    with cudnn.flags(benchmark=True):
        assert (cudnn.enabled, cudnn.benchmark, cudnn.allow_tf32) == (False, True, True)
    assert (cudnn.enabled, cudnn.benchmark, cudnn.allow_tf32) == (True, False, True)


def test_set_flags_gives_what_switches_were_before():
    assert torch.backends.mkldnn.set_flags(_enabled=False)[0] is True
    assert torch._C._get_mkldnn_enabled() is False
    torch._C._set_mkldnn_enabled(True)
    assert torch.backends.mkldnn.enabled is True


def test_a_switch_refuses_what_is_no_bool():
    with pytest.raises(RuntimeError, match="set_benchmark_cudnn expects a bool, but got int"):
        torch.backends.cudnn.benchmark = 3
    with pytest.raises(RuntimeError, match="set_enabled_NNPACK expects a bool, but got str"):
        torch._C._set_nnpack_enabled("x")


def test_frozen_switches_are_set_for_a_block_alone(monkeypatch):
    monkeypatch.setattr(switches, "_FROZEN", [False])
    torch.backends.disable_global_flags()
    assert torch.backends.flags_frozen()
    with pytest.raises(RuntimeError, match=r"not allowed to set torch\.backends\.cudnn flags"):
        torch.backends.cudnn.benchmark = True
    with pytest.raises(RuntimeError, match=r"not allowed to set torch\.backends flags"):
        torch.backends.fp32_precision = "ieee"
    with torch.backends.cudnn.flags(benchmark=True):
        assert torch.backends.cudnn.benchmark


def test_older_questions_of_features_warn_each_time():
    for name, answer in (("has_mkldnn", True), ("has_mps", False)):
        for _ in range(2):
            with pytest.warns(UserWarning, match=f"'{name}' is deprecated, please use 'torch.b"):
                assert getattr(torch, name) is answer
        assert name not in dir(torch)
