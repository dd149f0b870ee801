"""Wrong calls of many functions, and torch's words for them."""

import numpy
import pytest

import minitorch as torch

X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])

_KINDS = [
    (lambda: X.clone(memory_format="a"), r"clone\(\): argument 'memory_format' must be torch.mem"),
    (lambda: torch.zeros_like(X, layout=3), r"zeros_like\(\): argument 'layout' must be torch.la"),
    (lambda: torch.rrelu(X, generator=[1.5]), r"rrelu\(\): argument 'generator' must be torch.Ge"),
    (lambda: X.logit([1.5]), r"logit\(\): argument 'eps' \(position 1\) must be float, not list"),
    (lambda: X.pinverse(None), r"pinverse\(\): argument 'rcond' \(position 1\) must be float, no"),
]


@pytest.mark.parametrize(("call", "text"), _KINDS)
def test_options_of_another_kind_are_refused(call, text):
    with pytest.raises(TypeError, match=f"^{text}"):
        call()


_METHODS = [
    (lambda: X.size("a"), r"size\(\): argument 'dim' \(position 1\) must be int, not str"),
    (lambda: X.size(dim="a"), r"size\(\): argument 'dim' must be int, not str"),
    (lambda: X.size(nonsense=1), r"size\(\) got an unexpected keyword argument 'nonsense'"),
    (lambda: X.numpy(force=1), r"numpy\(\): argument 'force' must be bool, not int"),
    (lambda: X.requires_grad_(requires_grad=1), r"requires_grad_\(\): argument 'requires_grad' mu"),
    (lambda: X.type(memory_format=3), r"type\(\): argument 'memory_format' must be torch.memory_"),
    (lambda: X.type(X), r"dtype must be a type, str, or dtype object"),
    (lambda: X.is_same_size(1), r"is_same_size\(\): argument 'other' \(position 1\) must be Tenso"),
    (lambda: X.retain_grad(3), r"TensorBase.retain_grad\(\) takes no arguments \(1 given\)"),
]


@pytest.mark.parametrize(("call", "text"), _METHODS)
def test_methods_written_by_hand_refuse_as_the_parser_does(call, text):
    with pytest.raises(TypeError, match=f"^{text}"):
        call()


def test_sizes_of_integers_of_numpy_are_found():
    assert X.size(numpy.int64(1)) == 2
    assert X.stride(numpy.int32(0)) == 2


_LISTS = [
    (
        lambda: X.amax({}),
        r"amax\(\): argument 'dim' \(position 1\) must be tuple of ints, not dict",
    ),
    (
        lambda: X.sum({}),
        r"sum\(\) received an invalid combination of arguments - got \(dict\), but",
    ),
    (
        lambda: torch.zeros({}),
        r"zeros\(\): argument 'size' \(position 1\) must be tuple of ints, no",
    ),
    (
        lambda: X.roll(True),
        r"roll\(\): argument 'shifts' \(position 1\) must be tuple of ints, not ",
    ),
    (
        lambda: X.resize_({}),
        r"resize_\(\): argument 'size' \(position 1\) must be tuple of ints, no",
    ),
    (lambda: X.resize_(), r'resize_\(\) missing 1 required positional arguments: "size"'),
    (lambda: torch.fft.fft2(X, dim=None), r"fft_fft2\(\): argument 'dim' must be tuple of ints, n"),
    (
        lambda: X.squeeze({}),
        r"squeeze\(\) received an invalid combination of arguments - got \(dict",
    ),
]


@pytest.mark.parametrize(("call", "text"), _LISTS)
def test_what_is_no_list_of_ints_is_refused(call, text):
    with pytest.raises(TypeError, match=f"^{text}"):
        call()
    assert X.shape == (2, 2)


def test_a_size_may_be_given_by_its_name():
    assert torch.ones(2).resize_(size=(3,)).shape == (3,)
    assert X.sum_to_size(size=(2, 1)).shape == (2, 1)


_WINDOWS = [
    (lambda: torch.hann_window(4, dtype={}), r"hann_window\(\) received an invalid combination of"),
    (lambda: torch.hamming_window(4, False, "a"), r"hamming_window\(\) received an invalid combin"),
    (lambda: torch.kaiser_window(4, False, 1.0, 2), r"kaiser_window\(\) received an invalid combi"),
    (lambda: torch.trapezoid(X, 3), r"trapezoid\(\) received an invalid combination of arguments "),
]


@pytest.mark.parametrize(("call", "text"), _WINDOWS)
def test_values_and_options_of_windows_are_refused(call, text):
    with pytest.raises(TypeError, match=f"^{text}"):
        call()


_NAMES = [
    (
        lambda: torch.linalg.vector_norm(X, keepdim=3),
        r"linalg_vector_norm\(\): argument 'keepdim' m",
    ),
    (
        lambda: torch.special.i0(3),
        r"special_i0\(\): argument 'input' \(position 1\) must be Tensor",
    ),
    (lambda: torch.combinations("a"), r"combinations\(\): argument 'input' \(position 1\) must be"),
    (
        lambda: torch.nn.functional.avg_pool3d(X, "a"),
        r"avg_pool3d\(\): argument 'kernel_size' \(position 2\) must be tuple of ints, not str",
    ),
]


@pytest.mark.parametrize(("call", "text"), _NAMES)
def test_refusals_name_the_function_and_the_whole_type(call, text):
    with pytest.raises(TypeError, match=f"^{text}"):
        call()


def test_frequencies_of_no_points_are_none():
    assert torch.fft.fftfreq(0).shape == (0,)
    assert torch.fft.rfftfreq(0).isnan().all()


def test_a_chance_that_is_none_is_refused_after_those_before_it_were_drawn():
    torch.manual_seed(0)
    torch.rand(2)
    state = torch.get_rng_state()
    torch.manual_seed(0)
    with pytest.raises(RuntimeError, match=r"^Expected p_in >= 0 && p_in <= 1 to be true"):
        torch.bernoulli(torch.tensor([0.5, 0.5, 3.0, 0.5]))
    assert torch.equal(torch.get_rng_state(), state)


_OVER = [
    (lambda: torch.einsum(3, X), TypeError, r"einsum\(\): argument 'equation' \(position 1\) must"),
    (lambda: torch.unique(X, sorted=3), TypeError, r"_unique2\(\): argument 'sorted' must be bool"),
    (lambda: torch.tensordot(X, X, dims="a"), RuntimeError, r"tensordot expects dims to be int or"),
    (lambda: torch.tensordot(3, X, 1), AttributeError, r"'int' object has no attribute 'dim'"),
    (lambda: torch.masked.sum(3), AttributeError, r"'int' object has no attribute 'layout'"),
    (lambda: torch.split(X, 1, "a"), TypeError, r"split\(\) received an invalid combination of a"),
    (
        lambda: torch.nn.functional.kl_div(X, X, reduction="batchmean", log_target=3),
        TypeError,
        r"kl_div\(\): argument 'log_target' must be bool, not int",
    ),
    (
        lambda: torch.nn.functional.poisson_nll_loss(X, X, reduction=3),
        TypeError,
        r"unsupported operand type\(s\) for \+: 'int' and 'str'",
    ),
    (
        lambda: torch.nn.functional.adaptive_avg_pool2d(3, 2),
        AttributeError,
        r"'int' object has no attribute 'size'",
    ),
    (
        lambda: torch.nn.functional.grid_sample(
            torch.ones(1, 1, 2, 2), torch.ones(1, 2, 2, 2), align_corners=3
        ),
        TypeError,
        r"grid_sampler\(\): argument 'align_corners' \(position 5\) must be bool, not int",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), _OVER)
def test_functions_over_those_of_c_refuse_what_these_do(call, kind, text):
    with pytest.raises(kind, match=f"^{text}"):
        call()


def test_numbers_that_are_written_out_are_refused_as_they_were_written():
    spread = (torch.Tensor.view, torch.ones(2, 3).t())
    with pytest.raises(RuntimeError, match=r"^view size is not compatible with input tensor's"):
        spread[0](*spread[1:], 6)
    with pytest.raises(TypeError, match=r"^view\(\) received .* - got \(int, size=tuple\), but"):
        torch.ones(2, 3).view(6, size=(6,))
    with pytest.raises(TypeError, match=r"^tile\(\) got multiple values for argument 'dims'$"):
        torch.ones(2, 3).tile(2, dims=(2,))


_BOOLS = [
    (
        lambda: X.flip(True),
        r"flip\(\): argument 'dims' \(position 1\) must be tuple of ints, not bo",
    ),
    (
        lambda: X.tile(True),
        r"tile\(\): argument 'dims' \(position 1\) must be tuple of ints, not bo",
    ),
    (lambda: X.count_nonzero(True), r"count_nonzero\(\) received an invalid combination of argum"),
    (
        lambda: X.hsplit(True),
        r"hsplit\(\) received an invalid combination of arguments - got \(bool\)",
    ),
    (
        lambda: X.narrow(0, True, 0),
        r"narrow\(\) received an invalid combination of arguments - got",
    ),
    (
        lambda: X.histogram(True),
        r"histogram\(\) received an invalid combination of arguments - got",
    ),
    (
        lambda: X.is_pinned(True),
        r"is_pinned\(\): argument 'device' \(position 1\) must be torch.device",
    ),
]


@pytest.mark.parametrize(("call", "text"), _BOOLS)
def test_bools_are_no_integers(call, text):
    with pytest.raises(TypeError, match=f"^{text}"):
        call()


_ORDERS = [
    (lambda: torch.dist(X, X, 1j), r"linalg.vector_norm: Expected a non-complex scalar as the ord"),
    (lambda: torch.linalg.norm(X, 1j), r"linalg.matrix_norm: Expected a non-complex scalar as the"),
    (lambda: torch.linalg.cond(X, 3), r"linalg.cond got an invalid norm type: 3$"),
    (lambda: torch.linalg.cond(X, "a"), r"linalg.cond got an invalid norm type: a$"),
    (
        lambda: torch.linalg.cond(X, 1j),
        r"value cannot be converted to type double without overflow",
    ),
]


@pytest.mark.parametrize(("call", "text"), _ORDERS)
def test_norms_refuse_what_is_no_order(call, text):
    with pytest.raises(RuntimeError, match=f"^{text}"):
        call()


def test_errors_name_functions_of_namespaces_as_cpp_does():
    for function, name in (
        (torch.special.erf, "special_erf"),
        (torch.fft.fftfreq, "fft_fftfreq"),
        (torch.linalg.diagonal, "linalg_diagonal"),
    ):
        assert function.__name__ == name
        with pytest.raises(TypeError, match=rf"^{name}\(\) got multiple values for argument"):
            function(X, n=X, input=X, A=X)


def test_likenesses_refuse_memory_that_is_locked_for_a_device():
    for function in (torch.empty_like, torch.zeros_like, torch.rand_like):
        with pytest.raises(RuntimeError, match=r"^pin_memory=True requires a CUDA or other accel"):
            function(X, pin_memory=True)


def test_matrix_rank_refuses_tolerances_that_are_no_real_numbers():
    with pytest.raises(TypeError, match=r"^linalg_matrix_rank\(\) received an invalid combination"):
        torch.linalg.matrix_rank(X, atol=1j)


_LARGE = numpy.uint64(2**63)
_TOO_LARGE = [
    lambda: torch.add(X, _LARGE),
    lambda: X.clone().mul_(_LARGE),
    lambda: X.eq(_LARGE),
    lambda: torch.where(X > 0, X, _LARGE),
    lambda: X.masked_fill(X > 0, _LARGE),
    lambda: torch.isin(X, _LARGE),
    lambda: torch.float_power(X, _LARGE),
    lambda: torch.arange(_LARGE, numpy.uint64(2**63 + 1)),
]


@pytest.mark.parametrize("call", _TOO_LARGE)
def test_integers_of_numpy_that_no_int64_holds_are_refused(call):
    with pytest.raises(TypeError, match=r"^an integer is required$"):
        call()


def test_operators_leave_integers_that_no_int64_holds_to_numpy():
    assert (X + _LARGE).dtype == numpy.float64
    with pytest.raises(TypeError, match=r"^unsupported operand type"):
        _LARGE + X


def test_frequencies_take_none_for_requires_grad():
    assert not torch.fft.fftfreq(2, requires_grad=None).requires_grad


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: torch.flip(x, 0), "flip(): argument 'dims' (position 2) must be tuple of ints"),
        (lambda x: torch.flip(x, 0, 1), "flip() takes 2 positional arguments but 3 were given"),
        (lambda x: torch.tile(x, 2), "tile(): argument 'dims' (position 2) must be tuple of ints"),
        (lambda x: torch.reshape(x, 4), "reshape(): argument 'shape' (position 2) must be tuple"),
        (lambda x: torch.zeros(size=3), "zeros(): argument 'size' must be tuple of ints, not int"),
        (lambda x: torch.empty_strided(3, 1), "argument 'size' (position 1) must be tuple of ints"),
    ],
)
def test_one_int_stands_for_no_list_of_ints_in_a_function(call, text):
    with pytest.raises(TypeError) as caught:
        call(torch.ones(2, 2))
    assert text in str(caught.value)


def test_methods_take_a_list_of_ints_written_out():
    x = torch.ones(2, 2)
    assert x.flip(0, 1).shape == x.view(2, 2).shape == x.tile(1, 1).shape == (2, 2)
    assert torch.zeros(2, 2).shape == (2, 2)
    assert torch.squeeze(x, 0).shape == (2, 2)


@pytest.mark.parametrize("name", ["sum", "prod", "median", "nanmedian"])
def test_overloads_without_out_refuse_it(name):
    with pytest.raises(TypeError):
        getattr(torch, name)(torch.ones(2, 2), out=torch.zeros(()))


def test_storages_are_called_by_their_module_in_refusals():
    storage = torch.ones(4).untyped_storage()
    with pytest.raises(TypeError, match=r"got \(torch\.storage\.UntypedStorage, int\)"):
        torch.ones(3).set_(storage, 2)


_METHOD = torch.Tensor.subtract_
_UNBOUND = {
    "by its class": lambda: torch.Tensor.subtract_(X.clone(), "1"),
    "by a variable": lambda: _METHOD(X.clone(), "1"),
    "bound": lambda: X.clone().subtract_("1"),
}


@pytest.mark.parametrize("call", _UNBOUND.values(), ids=_UNBOUND)
def test_a_refused_method_shows_what_was_given_however_it_is_called(call):
    with pytest.raises(TypeError, match=r"got \(str\), but expected one of"):
        call()


def test_scatter_in_place_shows_no_default_of_its_own_where_it_is_called_unbound():
    index = torch.tensor(0.0)
    with pytest.raises(RuntimeError, match="Expected dtype int32/int64 for index"):
        torch.Tensor.scatter_(torch.ones(3), 0, index, 0.5)


_INVALID = r" received an invalid combination of arguments"
_TAKEN_BEFORE = [
    (lambda: X.squeeze(True), r"squeeze\(\)" + _INVALID),
    (lambda: X.squeeze((True, 0)), r"squeeze\(\)" + _INVALID),
    (lambda: torch.count_nonzero(X, {}), r"count_nonzero\(\)" + _INVALID),
    (lambda: X.set_(size=(2,), storage_offset=0), r"set_\(\)" + _INVALID),
    (
        lambda: X.new_empty_strided((2,), 3),
        r"new_empty_strided\(\): argument 'stride' \(position 2",
    ),
    (lambda: torch.normal(0.5, size=(2,)), r"normal\(\)" + _INVALID),
    (lambda: torch.native_dropout(X, 0.5), r"native_dropout\(\) missing 1 required positional"),
    (
        lambda: torch.range(0, 1, layout=None),
        r"range\(\): argument 'layout' must be torch.layout, n",
    ),
    (
        lambda: torch.range(0, 1, requires_grad=None),
        r"range\(\): argument 'requires_grad' must be b",
    ),
    (lambda: torch.hamming_window(3, alpha=0.5), r"hamming_window\(\)" + _INVALID),
    (lambda: torch.kaiser_window(3, beta=1.0), r"kaiser_window\(\)" + _INVALID),
    (
        lambda: torch.linalg.lstsq(X, X, driver={}),
        r"linalg_lstsq\(\): argument 'driver' must be str",
    ),
    (
        lambda: torch.is_autocast_enabled(None),
        r"is_autocast_enabled\(\): argument 'device_type' \(p",
    ),
    (lambda: X.to(1j, dtype=torch.float64), r"to\(\)" + _INVALID),
    (
        lambda: X.to_sparse(1, layout=torch.sparse_coo),
        r"to_sparse\(\) takes 0 positional arguments",
    ),
    (
        lambda: X.is_contiguous(torch.contiguous_format),
        r"is_contiguous\(\) takes 0 positional argum",
    ),
    (lambda: X.numpy(1, 2), r"numpy\(\) takes 0 positional arguments but 2 were given"),
    (
        lambda: X.requires_grad_(True, 1),
        r"requires_grad_\(\) takes from 0 to 1 positional arguments",
    ),
    (lambda: X.requires_grad_(*[True, 1, 2]), r"requires_grad_\(\) .* arguments but 3 were given"),
]


@pytest.mark.parametrize(("call", "text"), _TAKEN_BEFORE)
def test_what_a_function_would_understand_is_refused_all_the_same(call, text):
    with pytest.raises(TypeError, match=f"^{text}"):
        call()


@pytest.mark.parametrize("name", ["hardshrink", "rot90"])
def test_a_missing_input_is_missing_where_a_default_is_no_constant(name):
    with pytest.raises(TypeError, match=f"^{name}.* missing 1 required positional argum.*input"):
        getattr(torch, name)()


def test_aliases_in_place_refuse_under_their_own_names():
    with pytest.raises(TypeError, match=r"^arctan2_\(\) got multiple values for argument 'other'"):
        X.arctan2_(X, other=X)


def test_record_stream_cannot_print_its_signature():
    with pytest.raises(RuntimeError, match="unknown parameter type"):
        X.record_stream(1, nonsense=1)


@pytest.mark.parametrize("name", ["add", "mul", "sum", "matmul", "reshape", "relu", "fill_", "max"])
def test_methods_called_without_a_tensor_are_refused_as_descriptors(name):
    method = getattr(torch.Tensor, name)
    for first in (3, "a", [1], None):
        with pytest.raises(TypeError) as caught:
            method(first, 4)
        assert str(caught.value) == (
            f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a "
            f"'{type(first).__name__}' object"
        )
    with pytest.raises(TypeError, match=f"unbound method TensorBase.{name}.. needs an argument"):
        method()


def test_the_first_keyword_that_is_no_parameters_name_is_the_unexpected_one():
    x = torch.ones(2, 2)
    for given, named in (
        ({"axis": 0, "out": None}, "axis"),
        ({"foo": 1, "axis": 0}, "foo"),
        ({"axis": 0, "dim": 0}, "axis"),
    ):
        words = rf"sum\(\) got an unexpected keyword argument '{named}'"
        with pytest.raises(TypeError, match=words):
            x.sum(**given)
    with pytest.raises(TypeError, match=r"cumsum\(\) got multiple values for argument 'dim'"):
        x.cumsum(0, dim=0)
