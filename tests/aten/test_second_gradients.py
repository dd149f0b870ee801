"""The graphs that create_graph gives gradients: torch's nodes, in torch's order."""

import pytest

import minitorch as torch


def gradients(outputs, inputs):
    """The gradients of `inputs` by way of create_graph, with cotangents that require grad."""
    outputs = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
    cotangents = [torch.ones_like(each).requires_grad_() for each in outputs]
    return torch.autograd.grad(outputs, inputs, cotangents, create_graph=True)


def names(tensor):
    """The names of all nodes behind a tensor, depth first; each once, and no leaves."""
    found, seen, waiting = [], set(), [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        name = node.name().removeprefix("torch::autograd::").replace("Backward0", "")
        if name != "AccumulateGrad":
            found.append(name)
        waiting.extend(child for child, _ in reversed(node.next_functions))
    return " ".join(found)


def matrix(*shape):
    """Well-conditioned numbers, the same ones each time."""
    torch.manual_seed(0)
    return (torch.rand(*shape) + torch.eye(*shape[-2:])).requires_grad_()


def vector(n):
    return torch.linspace(0.3, 0.7, n).requires_grad_()


def test_mv_gives_its_matrix_a_column_by_view():
    x, v = matrix(2, 3), vector(3)
    assert names(gradients(x.mv(v), [x, v])[0]) == "Mul View"


def test_masked_select_leaves_the_sum_to_the_engine():
    x = torch.tensor(2.0, requires_grad=True)
    out = torch.masked_select(x, torch.tensor(True))
    assert names(gradients(out, [x])[0]) == "MaskedScatter"


def test_diff_reads_the_later_elements_last():
    x = vector(5)
    found = names(gradients(torch.diff(x, n=2), [x])[0])
    assert found == "Add SliceBackward Add SliceBackward SliceBackward Neg SliceBackward Neg"


def test_det_takes_its_gradient_by_columns():
    x = matrix(3, 3)
    found = names(gradients(torch.linalg.det(x), [x])[0])
    assert found == "LinalgSolveEx Transpose Transpose DiagEmbed Expand Unsqueeze Mul LinalgDet"


def test_irfft_doubles_its_gradient_in_place():
    x = torch.ones(3, dtype=torch.complex64, requires_grad=True)
    (found,) = gradients(torch.fft.irfft(x, 5), [x])
    assert names(found) == "CopySlices FftR2C"
    assert found.grad_fn.next_functions[1:] == ()


def test_eigh_copies_the_gradient_of_its_values():
    x = matrix(3, 3)
    values, vectors = torch.linalg.eigh(x + x.mT)
    found = names(gradients([values, vectors], [x])[0])
    assert "CopySlices Div MulBackward1 Sub" in found


def test_cumprod_with_a_zero_copies_part_by_part():
    x = torch.tensor([1.0, 0.0, 3.0], requires_grad=True)
    found = names(gradients(torch.cumprod(x, 0), [x])[0])
    assert found.startswith("CopySlices CopySlices CopySlices SumBackward1 Mul Slice Cat Cumprod")


def test_matrix_exp_copies_blocks():
    x = matrix(2, 2)
    found = names(gradients(torch.matrix_exp(x), [x])[0])
    assert found == "Slice Slice LinalgMatrixExp CopySlices CopySlices CopySlices Transpose"


def test_lu_unpack_joins_the_parts_of_wide_matrices():
    x = matrix(2, 3)
    _, lower, upper = torch.lu_unpack(x, torch.tensor([1, 2], dtype=torch.int32))
    assert names(gradients([lower, upper], [x])[0]) == "Cat Add Tril Triu Slice Slice"


def test_group_norm_unsqueezes_its_sums_in_place():
    x = torch.arange(12.0).reshape(1, 4, 3).requires_grad_()
    found = names(gradients(torch.nn.functional.group_norm(x, 2), [x])[0])
    assert found.startswith("View Add Add Mul View NativeGroupNorm View Mul MulBackward1 Mul Sub")
    assert found.count("UnsqueezeBackward1") == 4


def test_polar_conjugates_its_gradient_once():
    size, angle = vector(2), vector(2)
    by_size, by_angle = gradients(torch.polar(size, angle), [size, angle])
    first, second = (each.grad_fn for each in (by_size, by_angle))
    for _ in range(2):
        first, second = (each.next_functions[0][0] for each in (first, second))
    assert first.next_functions[0][0] is second.next_functions[0][0]


def test_vector_norm_of_order_inf_multiplies_by_a_mask():
    x = vector(3)
    (found,) = gradients(torch.linalg.vector_norm(x, float("inf")), [x])
    share = found.grad_fn.next_functions[1][0]
    assert share._saved_other.dtype is torch.bool
    assert share.next_functions[0][0]._saved_other.dtype is torch.int64


def test_vector_norm_raises_to_floating_powers():
    x = vector(3)
    (found,) = gradients(torch.linalg.vector_norm(x, 3), [x])
    power = found.grad_fn.next_functions[0][0].next_functions[1][0]
    assert type(power._saved_exponent) is float


def test_adaptive_avg_pool_saves_the_sizes_of_the_image():
    x = torch.ones(1, 2, 4, 4, requires_grad=True)
    (found,) = gradients(torch.nn.functional.adaptive_avg_pool2d(x, 2), [x])
    saved = [each for each in dir(found.grad_fn) if each.startswith("_saved_")]
    assert saved == [f"_saved_grad_output_sym_argsize_minus_{i}" for i in (1, 2)]


def test_ormqr_gives_gradients_that_lie_as_their_input_does():
    x, tau, other = matrix(3, 3).detach().mT.requires_grad_(), vector(3), matrix(3, 2)
    found = torch.autograd.grad(torch.ormqr(x, tau, other).sum(), [x, tau, other])
    assert found[0].stride() == (1, 3)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_ormqr_has_the_gradients_that_differences_say(left, transpose):
    x, other = matrix(3, 3).detach().double(), matrix(3, 3).detach().double()
    inputs = [each.requires_grad_() for each in (x, vector(3).detach().double(), other)]
    assert torch.autograd.gradcheck(
        lambda *given: torch.ormqr(*given, left=left, transpose=transpose), inputs
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.fft.irfft(torch.complex(x, x), 4).sum(),
        lambda x: torch.cumprod(x - x.detach()[0], 0).sum(),
        lambda x: torch.linalg.eigh(torch.outer(x, x) + torch.diag(x))[0].sum(),
        lambda x: torch.matrix_exp(torch.outer(x, x)).sum(),
        lambda x: torch.linalg.qr(torch.outer(x, x) + torch.diag(x))[1].sum(),
        lambda x: torch.linalg.svd(torch.outer(x, x) + torch.diag(x))[1].sum(),
        lambda x: torch.linalg.vector_norm(x, float("inf")),
    ],
)
def test_formulas_that_write_agree_with_function_transforms(function):
    x = torch.tensor([0.3, 0.7, 1.5], dtype=torch.float64)

    def square(y):
        return function(y).square()

    plain = x.clone().requires_grad_()
    (first,) = torch.autograd.grad(square(plain), [plain], create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), [plain])
    by_transform = torch.func.grad(lambda y: torch.func.grad(square)(y).sum())
    torch.testing.assert_close(by_transform(x), second)
    by_products = torch.func.jacrev(torch.func.jacrev(square))(x)
    torch.testing.assert_close(by_products.sum(0), second)
    batch = torch.stack([x, 2 * x])
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(square))(batch)[0], first)


def test_the_gradient_of_a_prod_with_zeros_copies_what_has_gaps():
    x = torch.tensor([2.0, 0.0, 3.0, 0.0, 4.0, 0.0])[::2].detach().requires_grad_()
    with torch.no_grad():
        x[1] = 0.0
    (grad,) = gradients(torch.prod(x), [x])
    assert "View Clone" in names(grad)


def test_residuals_of_lstsq_weigh_the_difference_once_for_each_side():
    A, B = (matrix(4, 2).detach().requires_grad_(), matrix(4, 1).detach().requires_grad_())
    for_A, for_B = gradients(torch.linalg.lstsq(A, B, driver="gels").residuals, [A, B])
    assert names(for_A).startswith("MulBackward1 Mm Mul Unsqueeze Sub")
    assert names(for_B).startswith("Mul MulBackward1 Unsqueeze Sub")
