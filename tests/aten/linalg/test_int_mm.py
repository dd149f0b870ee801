"""_int_mm: products of matrices of bytes."""

import pytest

import minitorch as torch

A = torch.tensor([[1, -2, 127], [3, 4, -128]], dtype=torch.int8)
B = torch.tensor([[1, 2], [-3, 4], [100, -100]], dtype=torch.int8)


def test_int_mm_gives_int32_and_takes_unsigned_bytes_first():
    found = torch._int_mm(A, B)
    assert found.tolist() == [[12707, -12706], [-12809, 12822]]
    assert found.dtype is torch.int32
    unsigned = torch._int_mm(A.to(torch.uint8), B)
    assert unsigned.tolist() == [[11939, -11682], [12791, -12778]]
    assert torch._int_mm(A[:, :0], B[:0]).tolist() == [[0, 0], [0, 0]]


def test_int_mm_wraps_around_as_int32_does():
    long = torch.full((1, 140000), -128, dtype=torch.int8)
    assert torch._int_mm(long, long.T).tolist() == [[-2001207296]]


def test_int_mm_writes_out_that_fits():
    out = torch.empty(2, 2, dtype=torch.int32)
    assert torch._int_mm(A, B, out=out) is out
    assert out.tolist() == torch._int_mm(A, B).tolist()


WRONG = {
    "Expected self dtype to be int8 or uint8 but got float": lambda: torch._int_mm(A.float(), B),
    "Expected mat2 dtype to be of type int8 but got bool": lambda: torch._int_mm(A, B.bool()),
    "Expected self to be of dimension 2 but got 1": lambda: torch._int_mm(A[0], B),
    "self.size(1) needs to match mat2.size(0) but got 3 and 2": lambda: torch._int_mm(A, A),
    "Expected result dtype to be of type kInt but got float": lambda: torch._int_mm(
        A, B, out=torch.empty(2, 2)
    ),
    "Expected result.size(1) to be 2 but got 3": lambda: torch._int_mm(
        A, B, out=torch.empty(2, 3, dtype=torch.int32)
    ),
    "Expected result to be contiguous.": lambda: torch._int_mm(
        A, B, out=torch.empty(2, 4, dtype=torch.int32)[:, ::2]
    ),
}


@pytest.mark.parametrize("words", WRONG)
def test_int_mm_refuses_other_matrices(words):
    with pytest.raises(RuntimeError) as caught:
        WRONG[words]()
    assert str(caught.value) == f"int_mm_out_cpu: {words}"
