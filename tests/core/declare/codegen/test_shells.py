"""Calls of composite operators and of rows that torch's argument parser refuses."""

import numpy
import pytest

import minitorch as torch
from minitorch.core.declare.wording.signatures import refusal, signatures_at


def test_composites_refuse_in_the_words_of_the_parser():
    x = torch.ones(2, 2)
    with pytest.raises(TypeError, match=r"^fft_fft\(\): argument 'input' \(position 1\) must be T"):
        torch.fft.fft(1)
    with pytest.raises(TypeError, match=r"^std\(\) received an invalid combination of arguments"):
        torch.std(x, "a")
    with pytest.raises(TypeError, match=r"^logsumexp\(\) missing 1 required positional argume"):
        torch.logsumexp(x)


def test_methods_leave_self_out_of_the_places_of_arguments():
    with pytest.raises(TypeError, match=r"^argsort\(\) received .* got \(float\), but expected"):
        torch.ones(2).argsort(1.5)


def test_rows_refuse_by_all_signatures_of_torch():
    with pytest.raises(TypeError, match=r"argument 'index' \(position 3\) must be Tensor, not int"):
        torch.index_select(torch.ones(2), 0, 1)


def test_names_of_numpy_are_taken_by_composites():
    x = torch.tensor([[1.0, 3.0]])
    assert torch.equal(torch.std_mean(x, axis=1)[1], torch.tensor([2.0]))


def test_errors_of_calls_that_fit_stay_as_they_are():
    with pytest.raises(IndexError, match=r"^Dimension out of range"):
        torch.logsumexp(torch.ones(2), 5)


def test_methods_without_arguments_say_so_as_cpython_does():
    error = refusal("Tensor.exp", (1,), {})
    assert str(error) == "TensorBase.exp() takes no arguments (1 given)"
    assert refusal("Tensor.exp", (), {}) is None


def test_functions_that_torch_writes_in_python_have_no_signature():
    assert signatures_at("torch.einsum") is None


def test_lists_of_several_tensors_are_no_numbers():
    error = refusal("torch.max", (torch.ones(2), 0), {"out": 3})
    assert str(error).startswith("max() received an invalid combination of arguments")


def test_factories_take_none_for_requires_grad():
    assert not torch.zeros(2, requires_grad=None).requires_grad


def test_a_call_is_refused_as_it_was_written():
    x = torch.ones(2, 2)
    with pytest.raises(TypeError, match=r"^sum\(\) received .* - got \(dim=str, \), but expected"):
        x.sum(dim="a")
    with pytest.raises(TypeError, match=r"^sum\(\) received .* - got \(str\), but expected one of"):
        x.sum("a")
    with pytest.raises(TypeError, match=r"- got \(Tensor, NoneType, str\), but expected one of"):
        torch.std(x, None, "a")
    with pytest.raises(TypeError, match=r"- got \(Tensor, str\), but expected one of"):
        torch.sum(*[x, "a"])
    with pytest.raises(TypeError, match=r"^argmax\(\): argument 'keepdim' must be bool, not int"):
        torch.argmax(*[x, 0], keepdim=1)
    with pytest.raises(TypeError, match=r"^argmax\(\): argument 'keepdim' must be bool, not int"):
        torch.argmax(*[x], dim=0, keepdim=1)


def test_a_call_is_refused_as_it_was_written_also_if_somebody_watches():
    x, watching = torch.ones(2, 2), torch.eye(2).to_sparse()
    with torch.inference_mode(), pytest.raises(TypeError, match=r"- got \(dim=str, \), but expec"):
        x.sum(dim="a")
    with pytest.raises(TypeError, match=r"- got \(str\), but expected one of"):
        x.sum("a")
    assert watching.is_sparse


def test_rows_say_what_is_missing_and_what_is_too_much():
    x = torch.ones(2, 2)
    with pytest.raises(TypeError, match=r'^unsqueeze\(\) missing 1 required .*: "dim"$'):
        torch.unsqueeze(x)
    with pytest.raises(TypeError, match=r"^unsqueeze\(\) takes 1 positional argument but 2 were"):
        x.unsqueeze(0, 1)
    with pytest.raises(TypeError, match=r"^TensorBase\.exp\(\) takes no arguments \(1 given\)$"):
        x.exp(1)
    with pytest.raises(TypeError, match=r"^unbound method TensorBase\.exp\(\) needs an argument$"):
        torch.Tensor.exp()


def test_names_of_numpy_are_taken_by_rows():
    x = torch.tensor([[1.0, 3.0]])
    assert torch.equal(torch.cat([x, x], axis=1), torch.tensor([[1.0, 3.0, 1.0, 3.0]]))
    assert torch.equal(x.softmax(axis=1), x.softmax(1))
    assert torch.equal(torch.add(x1=x, x2=x), x + x)
    assert torch.equal(x.mul(x2=x), x * x)


@pytest.mark.parametrize("keepdim", [1, "a", None, 1.0])
def test_only_bools_are_bools(keepdim):
    with pytest.raises(TypeError, match=r"^argmax\(\): argument 'keepdim' must be bool, not "):
        torch.ones(2).argmax(keepdim=keepdim)


def test_bools_are_no_ints():
    with pytest.raises(TypeError, match=r"^unsqueeze\(\): argument 'dim' \(position 1\) must"):
        torch.ones(2).unsqueeze(True)


def test_integers_of_numpy_are_ints():
    x = torch.ones(2)
    assert x.unsqueeze(numpy.int64(0)).shape == (1, 2)
    assert torch.argmax(x, numpy.int32(0)) == 0


def test_second_names_of_operators_refuse_under_their_own():
    with pytest.raises(TypeError, match=r"^clip\(\) received an invalid combination"):
        torch.clip(torch.ones(2), "a")
    with pytest.raises(TypeError, match=r"^greater\(\) received an invalid combination"):
        torch.greater(torch.ones(2), "a")
    with pytest.raises(TypeError, match=r"^special_expit\(\): argument 'input' \(position 1\)"):
        torch.special.expit(1)


def test_a_refused_call_leaves_data_as_it_was():
    x = torch.ones(2)
    with pytest.raises(TypeError, match=r"^add_\(\): argument 'other' \(position 1\) must be Te"):
        x.add_("a")
    assert x.tolist() == [1.0, 1.0]
    assert x._version == 0


def test_an_error_of_a_call_by_names_of_numpy_is_that_of_the_call():
    with pytest.raises(IndexError, match=r"^Dimension out of range"):
        torch.ones(2).softmax(axis=3)


def test_a_call_that_spreads_its_names_gets_the_operators_own_error():
    def call(function, *args, **kwargs):
        return function(*args, **kwargs)

    z = torch.ones(3, dtype=torch.complex64)
    with pytest.raises(RuntimeError, match="Sort does not support complex dtypes"):
        call(torch.sort, z, dim=0, descending=True, stable=True)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        call(torch.sort, z, 0, nonsense=True)


OF_SEVERAL_KINDS = [
    (lambda x: torch.bucketize(None, x[0]), r"bucketize\(\) received an invalid combination"),
    (
        lambda x: torch.searchsorted(x[0], [True]),
        r"searchsorted\(\) received an invalid combination",
    ),
    (lambda x: x.narrow(0, 1.5, 0), r"narrow\(\) received an invalid combination"),
    (lambda x: torch.tensor_split(x, True), r"tensor_split\(\) received an invalid combination"),
]


@pytest.mark.parametrize(("call", "text"), OF_SEVERAL_KINDS)
def test_arguments_of_none_of_several_kinds_are_refused(call, text):
    with pytest.raises(TypeError, match=f"^{text}"):
        call(torch.ones(2, 2))


def test_arguments_of_each_of_several_kinds_are_taken():
    x = torch.tensor([[1.0, 3.0]])
    assert torch.where(x > 2, 0.5, x).tolist() == [[1.0, 0.5]]
    assert x.narrow(1, torch.tensor(1), 1).tolist() == x.narrow(1, 1, 1).tolist() == [[3.0]]
    assert torch.bucketize(2, x[0]).tolist() == torch.bucketize(torch.tensor(2), x[0]).tolist() == 1
    assert x.max(torch.tensor(2.0)).tolist() == [[2.0, 3.0]]


WRITTEN = [
    (lambda x: x.round_(decimals=None), r"round_\(\): argument 'decimals' must be int, not NoneTy"),
    (lambda x: x.squeeze_(True), r"squeeze_\(\) received an invalid combination of arguments - g"),
    (lambda x: x.round_(decimals=True), r"round_\(\): argument 'decimals' must be int, not bool"),
    (lambda x: x.index_fill_(True, torch.tensor([0]), 1), r"index_fill_\(\) received an invalid"),
]


@pytest.mark.parametrize(("call", "text"), WRITTEN)
def test_variants_in_place_refuse_before_they_write(call, text):
    x = torch.full((2, 2), 1.5)
    with pytest.raises(TypeError, match=f"^{text}"):
        call(x)
    assert x.tolist() == [[1.5, 1.5], [1.5, 1.5]]


def test_none_is_refused_where_an_argument_may_only_be_left_out():
    x = torch.tensor([2.0, 1.0])
    assert x.argsort().tolist() == [1, 0]
    with pytest.raises(TypeError, match=r"^argsort\(\) received .* \(stable=NoneType, \)"):
        x.argsort(stable=None)
    with pytest.raises(TypeError, match=r"^trapz\(\) received .* \(Tensor, NoneType\)"):
        torch.trapz(x, None)


LISTS = [
    (lambda x: x.as_strided((2,), [True]), "must be tuple of ints, but found element of type bool"),
    (lambda x: x.roll(1, [True]), "must be tuple of ints, but found element of type bool"),
    (lambda x: x.split_with_sizes([1, numpy.bool_(True)]), "unpack the object at pos 2"),
    (lambda x: x.to_sparse_bsr(None), "must be tuple of ints, not NoneType"),
    (lambda x: x.new_empty_strided(numpy.int64(2), (1,)), "must be tuple of ints, not numpy.int64"),
]


@pytest.mark.parametrize(("call", "text"), LISTS)
def test_lists_whose_ends_are_no_ints_are_refused(call, text):
    with pytest.raises(TypeError, match=text):
        call(torch.ones(2, 2))


def test_tensors_of_bools_are_no_sizes():
    with pytest.raises(RuntimeError, match=r"^Expected scalar.isIntegral\( false\) to be true"):
        torch.zeros([torch.tensor(True)])
    assert torch.zeros([torch.tensor(2)]).shape == (2,)


def test_a_name_of_one_overload_alone_is_taken():
    x = torch.tensor([1.0, 2.0])
    assert torch.pow(self=2, exponent=x).tolist() == [2.0, 4.0]
    assert torch.searchsorted(x, self=2).tolist() == 1
    assert torch.zeros(2).copy_(other=x).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match=r"^pow\(\) received .* \(Tensor, self=int, exponent=Tens"):
        torch.pow(x, exponent=x, self=2)


REFUSED = [
    (lambda x: torch.eye(0, None), r"eye\(\) received an invalid .* \(int, NoneType\)"),
    (lambda x: torch.hsplit(x, 0, 1, 2), r"hsplit\(\) received .* \(Tensor, int, int, int\)"),
    (lambda x: torch.squeeze(x, 0, 1), r"squeeze\(\) received .* \(Tensor, int, int\)"),
    (lambda x: x.hash_tensor({}), r"hash_tensor\(\): argument 'dim' \(position 1\) must be tuple"),
    (lambda x: torch.logical_not(x, out=[x]), r"logical_not\(\): argument 'out' must be Tensor, n"),
    (lambda x: torch.linalg.multi_dot(x), r"linalg_multi_dot\(\): argument 'tensors' \(position 1"),
    (lambda x: torch.column_stack(x), r"column_stack\(\): argument 'tensors' \(position 1\) must "),
    (lambda x: x.movedim(0, (1,)), r"movedim\(\) received .* \(int, tuple\)"),
    (lambda x: torch.margin_ranking_loss(1.0, x, x), r"margin_ranking_loss\(\): argument 'input1'"),
    (lambda x: x.size(torch.tensor(True)), r"size\(\): argument 'dim' \(position 1\) must be int"),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_calls_that_would_compute_something_are_refused(call, text):
    with pytest.raises(TypeError, match=f"^{text}"):
        call(torch.ones(2, 2))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("F.pad(x)", r"^pad\(\) missing 1 required positional argument: 'pad'"),
        (
            "F.max_pool2d(x)",
            r"^_max_pool2d\(\) missing 1 required positional argument: 'kernel_size'",
        ),
        ("torch.cdist(x)", r"^cdist\(\) missing 1 required positional argument: 'x2'"),
    ],
)
def test_a_missing_argument_is_reported_under_the_name_that_torch_has(call, text):
    F, x = torch.nn.functional, torch.ones(1, 4, 4)
    with pytest.raises(TypeError, match=text):
        eval(call, {"F": F, "x": x, "torch": torch})
