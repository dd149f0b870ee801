"""Convolutions as operators: refusals, layouts, graphs."""

import pytest

import minitorch as torch
import minitorch.nn.functional as F
from minitorch.core.arrays import blas


def test_an_image_without_batch_is_wrapped():
    y = F.conv2d(torch.ones(2, 5, 5), torch.ones(3, 2, 2, 2, requires_grad=True))
    assert y.shape == (3, 4, 4)
    assert type(y.grad_fn).__name__ == "SqueezeBackward1"
    assert type(y.grad_fn.next_functions[0][0]).__name__ == "ConvolutionBackward0"


def test_channels_last_goes_through():
    x = torch.ones(2, 3, 5, 5).contiguous(memory_format=torch.channels_last).requires_grad_()
    y = F.conv2d(x, torch.ones(4, 3, 2, 2))
    assert y.stride() == (64, 1, 16, 4)
    y.sum().backward()
    assert x.grad.stride() == x.stride()


@pytest.mark.parametrize(
    ("input", "weight", "options", "text"),
    [
        ((1, 1, 8, 8), (4, 3, 3, 3), {}, "to have 3 channels, but got 1 channels instead"),
        (
            (8, 8),
            (4, 3, 3, 3),
            {},
            "Expected 3D \\(unbatched\\) or 4D \\(batched\\) input to conv2d",
        ),
        ((1, 3, 2, 2), (4, 3, 3, 3), {}, "Kernel size can't be greater than actual input size"),
        ((1, 1, 4, 4), (1, 1, 2, 2), {"stride": 0}, "non-positive stride is not supported"),
        ((1, 1, 4, 4), (1, 1, 2, 2), {"padding": "foo"}, "Invalid padding string: 'foo'"),
    ],
)
def test_conv2d_refuses(input, weight, options, text):
    with pytest.raises(RuntimeError, match=text):
        F.conv2d(torch.ones(*input), torch.ones(*weight), **options)


def test_complex_numbers_are_convolved_by_parts():
    x = torch.tensor([[[1 + 2j, 3 - 1j]]], requires_grad=True)
    w = torch.tensor([[[2 - 1j, 1j]]])
    y = F.conv1d(x, w)
    assert y.tolist() == [[[(1 + 2j) * (2 - 1j) + (3 - 1j) * 1j]]]
    y.abs().sum().backward()
    unit = y.detach() / y.detach().abs()
    assert abs(x.grad[0, 0, 0].item() - (unit * w[0, 0, 0].conj()).item()) < 1e-5


def test_gradients_of_gradients_reach_all_three():
    x = torch.randn(1, 2, 4, 4, dtype=torch.float64, requires_grad=True)
    w = torch.randn(2, 2, 3, 3, dtype=torch.float64, requires_grad=True)
    y = F.conv2d(x, w, padding=1)
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    by_x, by_w = torch.autograd.grad(g.sum(), (x, w))
    h = 1e-6
    with torch.no_grad():
        moved = x.clone()
        moved[0, 0, 1, 1] += h
    moved.requires_grad_()
    y = F.conv2d(moved, w, padding=1)
    (g2,) = torch.autograd.grad((y * y).sum(), moved)
    assert by_x[0, 0, 1, 1].item() == pytest.approx((g2 - g).sum().item() / h, rel=1e-4)
    assert by_w.shape == w.shape


def test_complex_convolution_goes_backward_into_real_parts():
    input = torch.randn(2, 2, 4, dtype=torch.complex128, requires_grad=True)
    weight = torch.randn(2, 2, 3, dtype=torch.complex128, requires_grad=True)
    F.conv1d(input, weight).sum().abs().backward()
    assert input.grad.dtype is torch.complex128
    assert weight.grad.dtype is torch.complex128


def test_volumes_keep_channels_last_where_onednn_computes_them():
    x = torch.randn(2, 2, 4, 4, 4).contiguous(memory_format=torch.channels_last_3d)
    weight = torch.ones(2, 2, 3, 3, 3)
    assert F.conv3d(x, weight, padding=1).stride() == (128, 1, 32, 8, 2)
    assert F.conv3d(x[:1], weight, padding=1).is_contiguous()
    assert F.conv3d(x.double(), weight.double(), padding=1).is_contiguous()


@pytest.mark.parametrize(("threads", "strides"), [(1, (16, 8, 4, 2, 1)), (2, (16, 1, 8, 4, 2))])
def test_pointwise_volumes_keep_channels_last_with_more_threads_than_one(threads, strides):
    x = torch.randn(2, 2, 2, 2, 2).contiguous(memory_format=torch.channels_last_3d)
    before = blas.threads()
    blas.use_threads(threads)
    try:
        assert F.conv3d(x, torch.ones(2, 2, 1, 1, 1)).stride() == strides
    finally:
        blas.use_threads(before)


def test_valid_padding_is_saved_as_it_is():
    node = F.conv2d(
        torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2).requires_grad_(), padding="valid"
    )
    assert (node.grad_fn._saved_padding, node.grad_fn._saved_output_padding) == ((0,), (0,))


@pytest.mark.parametrize(("dtype", "large"), [(torch.float16, 2048.0), (torch.bfloat16, 256.0)])
def test_windows_of_half_types_are_added_up_in_their_type(dtype, large):
    x, w = torch.ones(1, 1, 2, dtype=dtype), torch.tensor([[[large, 1.0, 1.0]]]).to(dtype)
    assert F.conv_transpose1d(x, w).tolist() == [[[large, large, 2.0, 1.0]]]


def test_second_gradients_of_transposed_weights_lie_over_inputs():
    x, w = torch.randn(1, 2, 4).requires_grad_(), torch.randn(2, 3, 2).requires_grad_()
    y = F.conv_transpose1d(x, w)
    (g,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
    assert torch.autograd.grad(g, w, torch.ones_like(g))[0].stride() == (2, 4, 1)


def test_unequal_padding_on_both_sides_is_warned_of():
    with pytest.warns(UserWarning, match="may require a zero-padded copy of the input"):
        F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2), padding="same")


def test_second_gradients_of_a_convolution_lie_as_sums_of_tensors() -> None:
    x = torch.empty_strided((1, 2, 4, 3), (24, 1, 6, 2)).fill_(1.0).requires_grad_()
    w = torch.empty_strided((4, 2, 3, 4), (24, 1, 8, 2)).fill_(1.0).requires_grad_()
    out = F.conv2d(x, w, stride=2, padding=1)
    given = torch.ones_like(out).requires_grad_()
    first = torch.autograd.grad(out, (x, w), given, create_graph=True)
    (second,) = torch.autograd.grad(first, given, [torch.ones_like(each) for each in first])
    assert second.stride() == (8, 1, 4, 4)


def test_halves_leave_room_for_output_padding_beyond_the_stride():
    x, weight = torch.ones(1, 1, 2, dtype=torch.float16), torch.ones(1, 1, 2, dtype=torch.float16)
    settings = {"stride": 1, "output_padding": 1, "dilation": 2}
    y = torch.nn.functional.conv_transpose1d(x, weight, **settings)
    assert y.tolist() == [[[1.0, 1.0, 1.0, 1.0, 0.0]]]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "expected scalar type Float but found Double"),
        (2, "Input type \\(torch.FloatTensor\\) and {} type \\(torch.DoubleTensor\\) should be"),
    ],
)
def test_the_kernel_of_a_convolution_says_that_dtypes_differ(count, text):
    x, weight = torch.ones(count, 1, 4, 4), torch.ones(1, 1, 3, 3)
    for convolve in (F.conv2d, F.conv_transpose2d):
        with pytest.raises(RuntimeError, match=text.format("weight")):
            convolve(x, weight.double())
    with pytest.raises(RuntimeError, match="Input type \\(float\\) and bias type \\(double\\)"):
        F.conv2d(x, weight, torch.ones(1).double())
    with pytest.raises(RuntimeError, match="\\(CPUComplexFloatType\\) and weight type"):
        F.conv2d(x.cfloat(), weight)


def test_conv_transpose_adds_a_bias_of_another_dtype_where_torch_computes_it():
    x, weight = torch.ones(1, 1, 2), torch.ones(1, 1, 2)
    bias = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    y = F.conv_transpose1d(x, weight, bias)
    assert (y.tolist(), y.dtype) == ([[[1.5, 2.5, 1.5]]], torch.float32)
    y.sum().backward()
    assert (bias.grad.tolist(), bias.grad.dtype) == ([3.0], torch.float64)
    with pytest.raises(RuntimeError, match="ComplexFloat can't be cast to the desired output"):
        F.conv_transpose1d(x, weight, bias.detach().cfloat())
    with pytest.raises(RuntimeError, match=r"\(torch.FloatTensor\) and bias type"):
        F.conv_transpose1d(x.repeat(2, 1, 1), weight, bias)
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        F.conv_transpose3d(x[..., None, None], weight[..., None, None], bias)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_are_not_computed_by_onednn(dtype):
    x, weight = torch.ones(2, 2, 3, 3, 3, dtype=dtype), torch.ones(2, 2, 3, 3, 3)
    with pytest.raises(RuntimeError, match=r"^expected scalar type \w+ but found Float$"):
        F.conv3d(x, weight)
    with pytest.raises(RuntimeError, match=r"but got: 3 x 3 x 0 \(TxHxW\)"):
        F.conv3d(x, weight.to(dtype)[..., :0])
    last = x.contiguous(memory_format=torch.channels_last_3d)
    assert F.conv3d(last, weight.to(dtype), padding=1).is_contiguous()
    assert F.conv_transpose3d(last, weight.to(dtype), padding=1).is_contiguous()


@pytest.mark.parametrize(
    ("shape", "options", "text"),
    [
        ((1, 1, 4, 0), {}, "Only zero batch or zero channel inputs are supported, but got"),
        ((1, 1, 4), {"output_padding": -1}, "negative output_padding is not supported"),
        ((1, 1, 2, 2), {"padding": 9}, "per channel: \\(-14 x -14\\). Output size is too small"),
    ],
)
def test_conv_transpose_refuses(shape, options, text):
    weight = torch.ones(1, 1, *[3] * (len(shape) - 2))
    convolve = F.conv_transpose1d if len(shape) == 3 else F.conv_transpose2d
    with pytest.raises(RuntimeError, match=text):
        convolve(torch.ones(shape), weight, **options)


def test_a_kernel_without_pixels_is_refused_by_the_kernel_that_is_chosen():
    x, weight = torch.ones(1, 2, 3, 3, 3), torch.ones(2, 2, 3, 3, 0)
    with pytest.raises(RuntimeError, match="but got: 3 x 3 x 0 \\(TxHxW\\)"):
        F.conv3d(x, weight)
    with pytest.raises(RuntimeError, match="expected for weight, but got: \\[2, 2, 3, 3, 0\\]"):
        F.conv_transpose3d(x, weight)
    with pytest.raises(RuntimeError, match="for the deconvolution forward propagation primitive"):
        F.conv_transpose3d(x.repeat(2, 1, 1, 1, 1), weight)
    with pytest.raises(RuntimeError, match="for the convolution forward propagation primitive"):
        F.conv1d(torch.ones(2, 1, 3), torch.ones(1, 1, 0))


def test_time_may_come_first() -> None:
    torch.manual_seed(0)
    x, w, b = torch.randn(5, 2, 3), torch.randn(3, 3, 4), torch.randn(4)
    expected = torch.conv1d(x.permute(1, 2, 0), w.permute(2, 1, 0), b, padding=1).permute(2, 0, 1)
    found = torch.conv_tbc(x.requires_grad_(), w, b, 1)
    assert torch.allclose(found, expected, atol=1e-6)
    assert found.grad_fn.name() == "ConvTbcBackward0"
    assert torch.conv_tbc(x, w, b, -1).shape == (1, 2, 4)
    with pytest.raises(RuntimeError, match="Bias must be 1-D"):
        torch.conv_tbc(x, w, b[None])
    with pytest.raises(RuntimeError, match=r"negative dimension -1: \[-1, 2, 4\]"):
        torch.conv_tbc(x[:1], w, b)


def test_settings_of_the_operator_may_be_lists():
    x, w = torch.randn(1, 2, 5, 6), torch.randn(3, 2, 2, 2, requires_grad=True)
    for stride, padding in (([1, 1], [0, 0]), ([2, 1], [1, 0]), ([2], [1])):
        rest = [1, 1], False, [0, 0], 1
        found = torch.convolution(x, w, None, stride, padding, *rest)
        assert torch.equal(found, torch.conv2d(x, w, None, stride * (3 - len(stride)), padding))
        found.sum().backward()


@pytest.mark.parametrize(
    ("options", "kernel"),
    [
        ({"dilation": 2}, "slow_conv_dilated<>"),
        ({"transposed": True}, "slow_conv_transpose2d_out_cpu"),
    ],
)
def test_dilated_and_transposed_kernels_know_no_integers_but_int64(options, kernel):
    given = dict(options)
    function = F.conv_transpose1d if given.pop("transposed", False) else F.conv1d
    x, weight = torch.ones(1, 2, 6), torch.ones(2, 2, 3)
    assert function(x.long(), weight.long(), **given).dtype is torch.int64
    for kind, name in ((torch.int32, "Int"), (torch.uint8, "Byte"), (torch.bool, "Bool")):
        with pytest.raises(NotImplementedError, match=f"\"{kernel}\" not implemented for '{name}'"):
            function(x.to(kind), weight.to(kind), **given)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_dilation_of_zero_is_refused_with_the_dilation_of_the_image(count):
    x, w = torch.ones(1, 2, *[4] * count), torch.ones(2, 2, *[2] * count)
    steps = [1, 0] if count == 1 else [0] * count
    with pytest.raises(RuntimeError) as error:
        getattr(F, f"conv{count}d")(x, w, dilation=0)
    assert str(error.value) == f"dilation should be greater than zero, but got {steps}"
    with pytest.raises(RuntimeError, match=r"got (dilation_depth: 0, )?dilation_height: "):
        getattr(F, f"conv_transpose{count}d")(x, w, dilation=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_convolution_backward_refuses_gradients_of_another_shape(dtype):
    x, w = torch.ones(2, 3, 4, 4, dtype=dtype), torch.ones(4, 3, 2, 2, dtype=dtype)
    rest = [4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True]

    def backward(*shape):
        return torch.ops.aten.convolution_backward(torch.ones(shape, dtype=dtype), x, w, *rest)

    assert [each.shape for each in backward(2, 4, 3, 3)] == [x.shape, w.shape, (4,)]
    with pytest.raises(RuntimeError, match="same number of dimensions, but got: 4 and 3"):
        backward(2, 4, 3)
    words = "could not create a primitive" if dtype is torch.float32 else r"size\[1\] == 4 but got"
    with pytest.raises(RuntimeError, match=words):
        backward(2, 5, 3, 3)
    with pytest.raises(RuntimeError):
        backward(1, 4, 3, 3)
    w = torch.ones(4, 5, 2, 2, dtype=dtype)
    with pytest.raises(RuntimeError, match=r"expected input.* to have 5 channels"):
        backward(2, 4, 3, 3)
