"""torch._VF: functions of C++ that torch wraps in Python ones with other arguments."""

import pytest

import minitorch as torch
from minitorch import _VF

X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def test_lists_stand_where_torch_takes_tensors_one_by_one():
    assert _VF.block_diag([X, X]).shape == (4, 4)
    assert [each.shape for each in _VF.broadcast_tensors([X, X[0]])] == [(2, 2), (2, 2)]
    assert _VF.cartesian_prod([X[0], X[1]]).shape == (4, 2)
    assert [each.shape for each in _VF.atleast_3d([X])] == [(2, 2, 1)]
    assert _VF.atleast_3d(X).shape == (2, 2, 1)
    assert torch.equal(_VF.einsum("ij,jk->ik", [X, X]), X @ X)
    assert torch.equal(_VF.tensordot(X, X, [1], [0]), X @ X)


@pytest.mark.parametrize(
    ("args", "dtype", "node"),
    [
        ((1,), None, "NormBackward0"),
        ((1, 0), None, "NormBackward1"),
        ((3,), torch.float64, "NormBackward2"),
        ((1.5, (0,), True), torch.float64, "NormBackward3"),
    ],
)
def test_norm_has_a_node_for_each_of_its_signatures(args, dtype, node):
    x = X.clone().requires_grad_()
    found = _VF.norm(x, *args) if dtype is None else _VF.norm(x, *args, dtype=dtype)
    assert found.grad_fn.name() == node
    (grad,) = torch.autograd.grad(found.sum(), x)
    (expected,) = torch.autograd.grad(torch.norm(x, *args, dtype=dtype).sum(), x)
    torch.testing.assert_close(grad, expected)


def test_unique_functions_give_three_tensors():
    values, inverse, counts = _VF.unique_consecutive(X)
    assert torch.equal(values, X.flatten())
    assert (inverse.shape, counts.shape) == ((0,), (0,))
    values, inverse, counts = _VF.unique_dim(torch.ones(3, 2), 0)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([[1, 1]], [0, 0, 0], [3])


def test_stft_without_center_takes_a_signal_that_is_padded_already():
    found = _VF.stft(torch.arange(4.0), 2, 1, 2, torch.ones(2), False, True, True)
    assert found.shape == (2, 3)
    assert _VF.stft(torch.arange(4.0), 2, 1, window=torch.ones(2), return_complex=True).shape == (
        2,
        5,
    )


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: _VF.norm(X, dim=0), r"norm\(\) got an unexpected keyword argument 'dim'"),
        (
            lambda: _VF.block_diag(X),
            r"block_diag\(\): argument 'tensors' \(position 1\) must be tu",
        ),
        (lambda: _VF.cdist(X, X, x1=X), r"cdist\(\) got multiple values for argument 'x1'"),
    ],
)
def test_calls_are_refused_by_the_signatures_of_cpp(call, text):
    with pytest.raises(TypeError, match=f"^{text}"):
        call()


def test_cdist_refuses_the_number_of_no_mode():
    with pytest.raises(RuntimeError, match=r"^possible modes: 0, 1, 2, but was: 5"):
        _VF.cdist(X, X, 2.0, 5)


def test_einsum_with_a_path_is_refused_by_name():
    with pytest.raises(NotImplementedError, match=r"torch\._VF\.einsum"):
        _VF.einsum("ij,jk", [X, X], path=[0, 1])
