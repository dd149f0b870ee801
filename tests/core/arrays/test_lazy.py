"""The arrays of tensors: whether a program can learn when their memory goes."""

import weakref

import pytest

import minitorch as torch

KINDS = {
    "plain": lambda: torch.ones(3),
    "0-d": lambda: torch.tensor(1.0),
    "summed": lambda: torch.ones(3).sum(),
    "transposed": lambda: torch.ones(2, 3).t(),
    "expanded": lambda: torch.ones(1).expand(3),
    "strided": lambda: torch.empty_strided((2, 2), (1, 2)),
    "bfloat16": lambda: torch.ones(2, dtype=torch.bfloat16),
    "conjugated": lambda: torch.ones(2, dtype=torch.complex64).conj(),
    "negated": lambda: torch.ones(2, dtype=torch.complex64).conj().imag,
    "borrowed": lambda: torch.frombuffer(bytearray(8), dtype=torch.float32),
}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_arrays_and_their_memory_can_be_referenced_weakly(make):
    x = make()
    died = []
    array = weakref.ref(x._array, lambda _: died.append("array"))
    memory = weakref.ref(x.untyped_storage()._owner, lambda _: died.append("memory"))
    assert array() is x._array
    assert memory() is not None
    view = x.view_as(x)
    del x
    assert memory() is not None
    assert "memory" not in died
    del view
    assert memory() is None
    assert array() is None
    assert sorted(died) == ["array", "memory"]


def test_coordinates_of_sparse_tensors_can_be_referenced_weakly():
    x = torch.sparse_coo_tensor([[0]], [1.0], (3,))
    coordinates = weakref.ref(x._array)
    assert coordinates() is x._array
    del x
    assert coordinates() is None
