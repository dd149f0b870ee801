"""Factories, regular sequences, and tensors of data."""

import hashlib
import warnings

import numpy
import pytest

import minitorch as torch


def digest(tensor: torch.Tensor) -> str:
    return hashlib.sha256(tensor._array.tobytes()).hexdigest()[:16]


# The digests of PyTorch 2.13.0's results: its vector units round in ways of their own.
SEQUENCES = {
    "torch.arange(0, 1, 0.1)": "c19f968c36d3f235",
    "torch.arange(0, 2, 0.3, dtype=torch.float64)": "faea117e5300fa77",
    "torch.arange(0, 4, 0.1, dtype=torch.float16)": "cb02aec4014b26e4",
    "torch.linspace(0, 1, 7, dtype=torch.float64)": "c1bd4994f093f494",
    "torch.linspace(3, 10, 13)": "7456b90d69db682b",
    "torch.linspace(0, 1, 11, dtype=torch.bfloat16)": "bccb2d8b4aa9e659",
    "torch.logspace(0, 2, 7, dtype=torch.float64)": "d009ad37ad3445c7",
}


@pytest.mark.parametrize("call", SEQUENCES)
def test_sequences_have_torchs_bits(call):
    assert digest(eval(call)) == SEQUENCES[call]


def test_a_size_is_written_out_or_given_as_one():
    for size in ((2, 3), ((2, 3),), ([2, 3],), (torch.Size([2, 3]),), (torch.tensor(2), 3)):
        assert torch.zeros(*size).shape == (2, 3)
    assert torch.ones(size=(2,)).tolist() == [1, 1]
    assert torch.zeros(()).shape == torch.zeros([]).shape == ()


UNPACKED = """\
ones(): argument 'size' failed to unpack the object at pos 2 with error \
"type must be tuple of ints,but got str\""""


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("torch.zeros()", 'zeros() missing 1 required positional arguments: "size"'),
        ("torch.zeros(2, foo=3)", "zeros() got an unexpected keyword argument 'foo'"),
        (
            "torch.zeros(True)",
            "zeros(): argument 'size' (position 1) must be tuple of ints, not bool",
        ),
        ("torch.zeros(2, dtype=3)", "zeros(): argument 'dtype' must be torch.dtype, not int"),
        ("torch.zeros(2, size=(3,))", "zeros() got multiple values for argument 'size'"),
        ("torch.ones([2, 'a'])", UNPACKED),
        ("torch.full((2,))", 'full() missing 1 required positional arguments: "fill_value"'),
        (
            "torch.full((2,), 'a')",
            "full(): argument 'fill_value' (position 2) must be Number, not str",
        ),
        ("torch.arange('a')", "arange(): argument 'end' (position 1) must be Number, not str"),
        (
            "torch.zeros_like(3)",
            "zeros_like(): argument 'input' (position 1) must be Tensor, not int",
        ),
        (
            "torch.ones(2).new_zeros('a')",
            "new_zeros(): argument 'size' (position 1) must be tuple of ints, not str",
        ),
        ("torch.tensor()", 'tensor() missing 1 required positional arguments: "data"'),
    ],
)
def test_wrong_arguments_are_refused_in_torchs_words(call, text):
    with pytest.raises(TypeError) as caught:
        eval(call)
    assert str(caught.value) == text


def test_negative_sizes_are_refused():
    with pytest.raises(RuntimeError, match=r"^zeros: Dimension size must be non-negative\.$"):
        torch.zeros(-1)
    with pytest.raises(RuntimeError, match=r"^Trying to create tensor with negative dimension -1"):
        torch.empty(2, -1)


def test_the_fill_value_decides_the_dtype():
    kinds = {True: torch.bool, 2: torch.int64, 2.5: torch.float32, 1j: torch.complex64}
    assert {value: torch.full((1,), value).dtype for value in kinds} == kinds
    assert torch.full((1,), 2.7, dtype=torch.int64).tolist() == [2]
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t without overflow"):
        torch.full((1,), 300, dtype=torch.uint8)


def test_likenesses_keep_dense_layouts_and_close_gaps():
    x = torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert torch.zeros_like(x).stride() == x.stride()
    assert torch.zeros_like(x, memory_format=torch.contiguous_format).is_contiguous()
    assert torch.ones_like(torch.ones(1).expand(4, 3)).stride() == (3, 1)


def test_out_takes_the_shape_and_keeps_its_dtype():
    out = torch.empty(5, dtype=torch.float64)
    assert torch.zeros(2, out=out) is out
    assert (out.tolist(), out.dtype) == ([0, 0], torch.float64)
    with pytest.raises(RuntimeError, match="support automatic differentiation"):
        torch.zeros(2, out=torch.ones(2, requires_grad=True))


def test_factories_without_cuda_say_so():
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    with pytest.raises(AssertionError, match=r"^Torch not compiled with CUDA enabled$"):
        torch.zeros(2, device="cuda")


def test_triangles_are_listed_row_by_row():
    assert torch.tril_indices(2, 3).tolist() == [[0, 1, 1], [0, 0, 1]]
    assert torch.triu_indices(2, 3, 1).tolist() == [[0, 0, 1], [1, 2, 2]]


def test_data_is_copied_by_tensor_and_shared_by_from_numpy():
    x = numpy.zeros(3)
    copied, shared, also = torch.tensor(x), torch.from_numpy(x), torch.as_tensor(x)
    x[0] = 1
    assert (copied[0].item(), shared[0].item(), also[0].item()) == (0, 1, 1)
    assert torch.as_tensor(shared) is shared


def test_asarray_copies_as_it_is_told():
    x = torch.ones(3)
    assert torch.asarray(x) is x
    assert torch.asarray(x, copy=True).data_ptr() != x.data_ptr()
    with pytest.raises(
        ValueError, match="can't alias tensor with dtype 'Float' into dtype 'Double'"
    ):
        torch.asarray(x, dtype=torch.float64, copy=False)
    with pytest.raises(ValueError, match="can't alias arbitrary sequence into a tensor"):
        torch.asarray([1], copy=False)


def test_buffers_are_shared_within_their_bounds():
    buffer = bytearray(b"abcd")
    shared = torch.frombuffer(buffer, dtype=torch.uint8, offset=1)
    buffer[1] = 0
    assert shared.tolist() == [0, 99, 100]
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        torch.frombuffer(bytearray(3), dtype=torch.int16)


def test_the_legacy_constructors_take_sizes_or_data():
    assert torch.Tensor(2, 3).shape == (2, 3)
    assert torch.Tensor([2, 3]).tolist() == [2, 3]
    assert torch.LongTensor([1.9]).tolist() == [1]
    assert torch.Tensor(torch.Size([2])).shape == (2,)
    with pytest.raises(TypeError, match=r"^new\(\): data must be a sequence \(got float\)$"):
        torch.Tensor(3.5)


def test_legacy_types_ask_for_dtype_and_device():
    assert isinstance(torch.ones(1), torch.FloatTensor)
    assert not isinstance(torch.ones(1), torch.LongTensor)
    assert not isinstance(torch.ones(1), torch.cuda.FloatTensor)
    assert str(torch.FloatTensor) == "<class 'torch.FloatTensor'>"
    assert torch.ones(1).type(torch.DoubleTensor).dtype is torch.float64


def test_linspace_of_integers_takes_its_steps_in_double():
    assert torch.linspace(0, 7, 50, dtype=torch.int64)[28] == 4


def test_randn_counts_the_resizing_of_out_as_a_write():
    out = torch.ones(3)
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        torch.randn(3, out=torch.ones(3, requires_grad=True))
    assert torch.randn(2, out=out)._version == 2


def test_an_empty_out_is_resized_or_left_alone():
    out = torch.ones(2)
    assert torch.empty(2, out=out)._version == 0
    assert torch.empty(3, out=out)._version == 1
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        torch.empty(3, out=torch.ones(2, requires_grad=True))


def test_a_permutation_says_which_of_its_dimensions_is_none():
    with pytest.raises(RuntimeError, match=r"between 0 and 1, but got -1 at index 1\).  NB: negat"):
        torch.empty_permuted((2, 3), (0, -1))


def test_given_strides_count_where_the_size_is_1():
    x = torch.empty_strided((2, 1), (1, 2)).fill_(1.0).requires_grad_()
    y = torch.nn.functional.batch_norm(x, None, None, None, None, True)
    (grad,) = torch.autograd.grad(y, x, torch.rand(2, 1, requires_grad=True), create_graph=True)
    assert torch.autograd.grad(grad.sum(), x)[0].stride() == (1, 2)


def test_a_tensor_stands_for_a_number_unless_its_gradient_would_be_lost():
    two, wanted = torch.tensor(2.0), torch.tensor(2.0, requires_grad=True)
    assert torch.full((2,), two).tolist() == [2.0, 2.0]
    assert torch.ones(2).clamp(two, 5).tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="argument 'fill_value'"):
        torch.full((2,), wanted)
    with pytest.raises(TypeError, match="argument 'end'"):
        torch.arange(wanted)
    with pytest.raises(TypeError, match="invalid combination"):
        torch.ones(2).clamp(wanted, 5)
    assert torch.linspace(0, wanted, 2).tolist() == [0.0, 2.0]


def test_examples_of_vmap_are_no_use_of_cuda():
    assert torch.vmap(torch.sin)(torch.zeros(2)).tolist() == [0.0, 0.0]
    assert torch.cuda.is_available() or not torch.cuda.is_initialized()


def test_a_file_is_mapped_and_written_if_it_is_shared(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(torch.arange(6.0).numpy().tobytes())
    x = torch.from_file(str(path), shared=True, size=8)
    assert x.tolist() == [0, 1, 2, 3, 4, 5, 0, 0]
    x[0] = 42
    y = torch.from_file(str(path), size=2)
    y[1] = 7
    assert torch.from_file(str(path), size=2).tolist() == [42, 1]
    assert torch.from_file(str(path)).shape == (0,)
    with pytest.raises(RuntimeError, match="size <32> is smaller than the required mapping size"):
        torch.from_file(str(path), size=9)
    with pytest.raises(RuntimeError, match="in read-only mode: No such file or directory"):
        torch.from_file(str(tmp_path / "missing"), size=1)


@pytest.mark.parametrize("device", ["cpu", torch.device("cpu"), None])
def test_as_tensor_of_a_tensor_takes_a_device_in_each_spelling(device):
    x = torch.ones(2, requires_grad=True)
    assert torch.as_tensor(x, device=device) is x
    assert torch.as_tensor(x, dtype=torch.half, device=device).dtype is torch.half
    with pytest.raises(TypeError, match="takes 1 positional argument but 3 were given"):
        torch.as_tensor(x, torch.half, device)
    with pytest.raises(NotImplementedError, match="no data!") as error:
        torch.as_tensor(torch.ones(2, device="meta"), device=device or "cpu")
    assert error.type.__name__ == "NotImplementedError"


def test_errors_for_missing_numbers_go_by_the_name_of_torchs():
    x = torch.ones(2, dtype=torch.long, device="meta")
    for call in (lambda: x.numpy(force=True), lambda: torch.tensor(x, device="cpu")):
        with (
            warnings.catch_warnings(action="ignore"),
            pytest.raises(NotImplementedError, match="no data!") as error,
        ):
            call()
        assert error.type.__name__ == "NotImplementedError"
    with pytest.raises(RuntimeError, match=r"Tensor.item\(\) cannot be called on meta tensors"):
        range(x[0])
