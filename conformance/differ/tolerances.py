"""How far numbers may lie apart, and why. Everything not listed here is compared exactly."""

# torch.testing.assert_close's own defaults: relative, absolute. They are what torch's tests hold
# one device to against another; integers and bools have none.
DEFAULTS = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex32": (1e-3, 1e-5),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}

# Two roundings at the end of a sum in another order, or of an exp from another libm.
ULPS = 4

# Half precision sums and their like are rounded once by torch's CPU kernels and again by others
# at other places: torch's own tests allow a few more units there. (key -> dtype -> tolerance)
BY_OPERATOR: dict[str, dict[str, tuple[float, float]]] = {
    # The override of torch's own OpInfo: sums of several products of 1e4 that cancel to ones.
    "addbmm": {"float32": (1.3e-5, 1.3e-5)},
    # The relative tolerance of torch's own OpInfo on CPU. Products of up to 81 cancel: against
    # float64, torch errs by 1.9e-8 of the largest element, minitorch by 1.6e-8 (rms of 200 products
    # of 5 by 5 matrices in batches of 5, as op_db's samples; largest errors 1.4e-7 and 1.3e-7).
    "matmul": {"float32": (1e-5, 1e-5)},
    # The override that torch's OpInfo has for transposed convolutions. Hundreds of products of up
    # to 80 cancel to ones: against float64, torch errs by 0.6e-7 (conv2d), 2.0e-7, 0.9e-7 and
    # 1.6e-7 of the largest element, minitorch by 0.6e-7, 1.5e-7, 0.8e-7 and 1.0e-7 (rms of outputs
    # and gradients of op_db's samples).
    "nn.functional.conv2d": {"float32": (1.3e-6, 1e-4)},
    "nn.functional.conv3d": {"float32": (1.3e-6, 1e-4)},
    "nn.functional.conv_transpose2d": {"float32": (1.3e-6, 1e-4)},
    "nn.functional.conv_transpose3d": {"float32": (1.3e-6, 1e-4)},
    # The override of torch's own OpInfo. Scores of the samples reach hundreds, and their rounding
    # goes through exp: against float64, torch and minitorch err alike (60 samples of 4 heads, rms:
    # 1.0e-6 and 0.9e-6 forward, 5.9e-6 and 6.0e-6 in the worst gradient).
    "nn.functional.scaled_dot_product_attention": {"float32": (5e-6, 5e-5)},
}


def tolerance(key: str, dtype: str) -> tuple[float, float]:
    """Returns the relative and absolute tolerance for an operator's numbers of a dtype."""
    return BY_OPERATOR.get(key, {}).get(dtype) or DEFAULTS.get(dtype, (0.0, 0.0))
