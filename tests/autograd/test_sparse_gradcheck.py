"""torch.sparse.as_sparse_gradcheck, which checks functions of sparse tensors."""

import pytest

import minitorch as torch

gradcheck = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)


# torch gives this warning for every compressed tensor that is made.
@pytest.mark.filterwarnings("ignore:Sparse (CSR|invariant)")
def test_as_sparse_gradcheck_takes_functions_of_sparse_tensors():
    x = torch.tensor([[0, 1], [2, 3]], dtype=torch.float64).to_sparse_coo().requires_grad_(True)
    assert gradcheck(lambda x: x * 2, (x,), masked=True)
    assert gradcheck(lambda x: x.to_sparse_csr(), x)


def test_as_sparse_gradcheck_finds_a_wrong_gradient():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    x = torch.ones(2, 2, dtype=torch.float64).to_sparse_coo().requires_grad_(True)
    assert not gradcheck(lambda x: Wrong.apply(x.to_dense()), (x,), raise_exception=False)
