"""Normalisation as operators: running statistics, refusals, second gradients."""

import pytest

import minitorch as torch
import minitorch.nn.functional as F


def test_batch_norm_writes_its_running_statistics():
    x = torch.tensor([[1.0], [3.0]])
    mean, var = torch.zeros(1), torch.ones(1)
    F.batch_norm(x, mean, var, training=True)
    assert mean.item() == pytest.approx(0.2)
    assert var.item() == pytest.approx(0.9 + 0.1 * 2.0)
    assert mean._version == 0  # as in torch, whose kernel writes past the counter


def test_batch_norm_refuses():
    with pytest.raises(ValueError, match="eps must be positive during training, but got 0"):
        F.batch_norm(torch.ones(2, 3), None, None, training=True, eps=0.0)
    with pytest.raises(ValueError, match="eps must be non-negative, but got -1"):
        F.batch_norm(torch.ones(2, 3), torch.zeros(3), torch.ones(3), eps=-1.0)
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        F.batch_norm(torch.ones(1, 3), torch.zeros(3), torch.ones(3), training=True)
    with pytest.raises(RuntimeError, match="running_mean should contain 4 elements not 3"):
        F.batch_norm(torch.ones(1, 4, 2, 2), torch.zeros(3), torch.ones(3))
    with pytest.raises(RuntimeError, match="running_mean must be defined in evaluation mode"):
        F.batch_norm(torch.ones(2, 4), None, None)


def test_layer_norm_refuses_another_shape():
    with pytest.raises(RuntimeError, match="expected input with shape \\[\\*, 4\\], but got"):
        F.layer_norm(torch.ones(2, 3), (4,))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.layer_norm(x, (4,)),
        lambda x: F.batch_norm(x, None, None, training=True),
        lambda x: F.group_norm(x, 2),
        lambda x: F.rms_norm(x, (4,)),
    ],
)
def test_second_gradients_are_differences_of_first_ones(function):
    weights = torch.randn(3, 4, dtype=torch.float64)

    def gradient(x, graph=False):
        y = function(x)
        return torch.autograd.grad((y * y * y * weights).sum(), x, create_graph=graph)[0]

    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    first = gradient(x, graph=True)
    (second,) = torch.autograd.grad((first * weights).sum(), x)
    h = 1e-6
    step = torch.zeros(3, 4, dtype=torch.float64)
    step[1, 2] = h
    ends = [gradient((x.detach() + sign * step).requires_grad_()) for sign in (1, -1)]
    wanted = ((ends[0] - ends[1]) * weights).sum().item() / (2 * h)
    assert second[1, 2].item() == pytest.approx(wanted, rel=1e-4, abs=1e-6)


def test_batch_norm_of_strided_halves_rounds_every_step():
    x = torch.tensor([[[3.125, -3.03125, 0.0]]], dtype=torch.bfloat16)
    strided = torch.zeros(1, 1, 6, dtype=torch.bfloat16)[..., ::2]
    strided.copy_(x)
    given = [
        torch.tensor([n], dtype=torch.bfloat16) for n in (0.5234375, 0.46679688, -8.5, -4.3125)
    ]
    assert F.batch_norm(x, *given).tolist() == [[[-36.75, 40.0, 2.203125]]]
    assert F.batch_norm(strided, *given).tolist() == [[[-36.5, 40.0, 2.1875]]]


def test_rms_norm_adds_a_number():
    root = F.rms_norm(torch.ones(2, 3, requires_grad=True), (3,)).grad_fn.next_functions[1][0]
    assert root.next_functions[0][0].name() == "AddBackward1"


def test_group_norm_of_its_own_wants_its_input_contiguous():
    x = torch.randn(2, 3, 4).transpose(1, 2)
    with pytest.raises(RuntimeError, match=r"Expected X.is_contiguous\(memory_format\) to be true"):
        torch.native_group_norm(x, None, None, 2, 4, 3, 2, 1e-5)
    assert F.group_norm(x, 2).shape == x.shape


def test_statistics_lie_in_rows():
    x = torch.randn(2, 4)
    assert torch.native_layer_norm(x, (4,), None, None, 1e-5)[1].stride() == (1, 1)
    assert torch.native_group_norm(x, None, None, 2, 4, 1, 1, 1e-5)[2].stride() == (1, 1)


def test_batch_norm_of_its_own_leaves_statistics_alone_in_evaluation():
    x, running = torch.randn(3, 2), (torch.zeros(2), torch.ones(2))
    out = (torch.empty(0), torch.full((2,), 7.0), torch.empty(0))
    torch.native_batch_norm(x, None, None, *running, False, 0.1, 0.0, out=out)
    assert (out[0].tolist(), out[1].tolist(), out[2].shape) == (x.tolist(), [7.0, 7.0], (0,))
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        torch.native_batch_norm(x, None, None, *running, True, 0.1, 0.0, out=(*out[:2], x.double()))


def test_running_statistics_of_bfloat16_are_updated_in_bfloat16():
    x = torch.tensor([[[1.5, 3.828125, 3.5625, -1.1328125]]], dtype=torch.bfloat16)
    mean, var = [torch.tensor([n], dtype=torch.bfloat16) for n in (3.484375, 7.625)]
    F.batch_norm(x, mean, var, training=True, momentum=-1.2)
    assert (mean.item(), var.item()) == (5.375, 10.375)


def test_the_variance_of_bfloat16_is_held_in_bfloat16():
    x = torch.tensor([[[1.0, 2.0, 4.0, 8.0, 16.0]]]).bfloat16()
    invstd = torch.native_batch_norm(x, None, None, None, None, True, 0.1, 0.0)[2]
    assert invstd.item() == (1 / torch.tensor(149 / 5).bfloat16().double().sqrt()).bfloat16().item()


def test_the_root_mean_square_of_2_byte_floats_is_scaled_before_it_is_rounded():
    x = torch.arange(6.0, dtype=torch.bfloat16).view(3, 2).t().requires_grad_()
    with pytest.warns(UserWarning, match="Mismatch dtype between input and weight"):
        y = torch.nn.functional.rms_norm(x, (3,), torch.full((3,), 1.3))
    assert y.dtype is torch.bfloat16
    assert y.stride() == (3, 1)
    assert y.tolist() == [[0.0, 1.0078125, 2.015625], [0.380859375, 1.140625, 1.90625]]
    names, node = [], y.grad_fn
    while node.next_functions and len(names) < 3:
        names.append(node.name())
        node = node.next_functions[0][0]
    assert names == ["ToCopyBackward0", "CloneBackward0", "MulBackward0"]


def test_rms_norm_is_contiguous():
    y = F.rms_norm(torch.ones(3, 2).T.requires_grad_(), (3,))
    assert (y.stride(), y.grad_fn.name()) == ((3, 1), "CloneBackward0")


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_of_no_images_is_a_copy(training):
    x, weight = torch.ones(0, 3, 2, requires_grad=True), torch.full((3,), 2.0)
    mean, var = torch.zeros(3), torch.ones(3)
    out = F.batch_norm(x, mean, var, weight, training=training)
    assert type(out.grad_fn.next_functions[0][0]).__name__ == "CloneBackward0"
    out.sum().backward()
    assert out.shape == x.grad.shape == (0, 3, 2)
    assert mean.tolist() == [0.0] * 3


def test_batch_norm_of_an_empty_vector_is_a_copy():
    x = torch.zeros(0, requires_grad=True)
    assert F.batch_norm(x, torch.zeros(0), torch.ones(0)).grad_fn.name() == "CloneBackward0"
    with pytest.raises(
        IndexError, match=r"select\(\): index 0 out of range for tensor of size \[0"
    ):
        F.batch_norm(x, torch.zeros(0), torch.ones(0), torch.ones(0))


def test_second_gradients_of_batch_norm_keep_strides_of_size_one():
    x = torch.tensor([[1.0], [2.0]], dtype=torch.float64)
    x = torch.zeros(2, dtype=torch.float64).as_strided((2, 1), (1, 2)).copy_(x)
    x = x.detach().requires_grad_()
    (grad,) = torch.autograd.grad(
        F.batch_norm(x, None, None, training=True).sum(), x, create_graph=True
    )
    (second,) = torch.autograd.grad(grad.sum(), x)
    assert second.stride() == (1, 2)


def test_a_bias_without_a_weight_takes_no_part_in_second_gradients_of_layer_norm():
    x, bias = torch.rand(2, 3, requires_grad=True), torch.rand(3, requires_grad=True)
    given = torch.rand(2, 3, requires_grad=True)
    y = torch.nn.functional.layer_norm(x, (3,), None, bias)
    by_x, by_bias = torch.autograd.grad(y, (x, bias), given, create_graph=True)
    ones = torch.ones(3)
    assert torch.autograd.grad(by_bias, given, ones, True, allow_unused=True) == (None,)
    with pytest.raises(RuntimeError, match="Expected a proper Tensor but got None"):
        torch.autograd.grad((by_x, by_bias), given, (torch.ones(2, 3), ones))


@pytest.mark.parametrize(
    ("input", "weight", "bias", "error", "text"),
    [
        (torch.float32, torch.float64, None, RuntimeError, "expect parameter to have scalar type"),
        (torch.float64, torch.float32, None, RuntimeError, "all inputs must share same datatype"),
        (torch.float32, torch.float32, torch.int64, RuntimeError, "type Float but found Long"),
        (torch.int64, torch.int64, None, NotImplementedError, "not implemented for 'Long'"),
        (torch.bfloat16, torch.bfloat16, torch.float32, RuntimeError, "BFloat16 but found Float"),
    ],
)
def test_the_first_parameter_decides_how_a_mixture_of_dtypes_is_refused(
    input, weight, bias, error, text
):
    bias = None if bias is None else torch.ones(4, dtype=bias)
    x, weight = torch.ones(2, 4, dtype=input), torch.ones(4, dtype=weight)
    with pytest.raises(error, match=text):
        F.layer_norm(x, (4,), weight, bias)
    with pytest.raises(error, match=text):
        F.group_norm(x, 2, weight, bias)


def test_the_statistics_of_batch_norm_are_vectors():
    x, rows = torch.ones(2, 3), torch.ones(1, 3)
    with pytest.raises(RuntimeError, match="TensorAccessor expected 1 dims but tensor has 2"):
        F.batch_norm(x, rows, torch.ones(3))
    with pytest.raises(RuntimeError, match="input tensor must have at least one element"):
        torch.native_batch_norm(x[:0], None, None, None, None, True, 0.1, 0.1)


def test_native_group_norm_counts_for_itself():
    x, four = torch.ones(2, 4, 3), torch.ones(4)
    with pytest.raises(RuntimeError, match="N \\* C \\* HxW to be true"):
        torch.native_group_norm(x, four, four, 2, 4, 5, 2, 0.1)
    with pytest.raises(RuntimeError, match="negative dimension -2: \\[-2, 2\\]"):
        torch.native_group_norm(x, four, four, -2, 4, 3, 2, 0.1)
    with pytest.raises(RuntimeError, match="but got bias of shape \\[4\\] and input"):
        torch.native_group_norm(x, four, four[1:], 2, 4, 3, 2, 0.1)


def test_rms_norm_refuses():
    with pytest.raises(NotImplementedError, match="\"rms_norm\" not implemented for 'Long'"):
        F.rms_norm(torch.ones(2, 3).long(), (3,))
    with pytest.raises(ValueError, match="Input tensor must have at least 2 dimensions, but got 1"):
        F.rms_norm(torch.ones(3), (2, 3))


def test_the_other_overloads_of_batch_norm_agree_with_it() -> None:
    x = torch.arange(12.0).reshape(2, 3, 2).requires_grad_()
    mean, var = torch.zeros(3), torch.ones(3)
    out = torch._native_batch_norm_legit(x, None, None, mean, var, True, 0.1, 1e-5)
    plain = torch.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5)
    assert torch.equal(out[0], plain[0])
    assert mean.tolist() == pytest.approx([0.35, 0.55, 0.75])
    assert out[0].grad_fn.name() == "NativeBatchNormLegitBackward0"
    fresh = torch._native_batch_norm_legit(x, None, None, True, 0.1, 1e-5)
    assert fresh[0].grad_fn.name() == "NativeBatchNormLegitBackward1"
    update = torch.ops.aten._batch_norm_with_update(x, None, None, mean, var, 0.1, 1e-5)
    assert torch.equal(update[0], plain[0])
    assert update[3].dtype is torch.uint8
    into = tuple(torch.empty(0) for _ in range(3))
    with torch.no_grad():
        torch._native_batch_norm_legit(x, None, None, True, 0.1, 1e-5, out=into)
    assert torch.equal(into[0], plain[0])
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch._native_batch_norm_legit(x)


def test_constant_gradients_of_layer_and_group_norm_leave_exactly_nothing():
    x = torch.tensor([[4.933784, 4.684929]], requires_grad=True)
    for y in (torch.group_norm(x, 1), torch.layer_norm(x, (2,))):
        (grad,) = torch.autograd.grad(y, x, torch.ones_like(y))
        assert grad.tolist() == [[0.0, 0.0]]


def test_batch_norm_update_stats_writes_each_running_statistic_alone():
    x = torch.tensor([[1.0, 0.0], [3.0, 4.0]])
    mean, var = torch.zeros(2), torch.ones(2)
    found = torch.batch_norm_update_stats(x, mean, None, 0.5)
    assert [each.tolist() for each in found] == [[2, 2], [1, 4]]
    assert mean.tolist() == [1, 1]
    torch.batch_norm_update_stats(x, None, var, 0.5)
    assert var.tolist() == [1.5, 4.5]
