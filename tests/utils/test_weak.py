"""torch.utils.weak: keys by identity, held weakly."""

import gc

import pytest

from minitorch import ones
from minitorch.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakTensorKeyDictionary


def test_keys_are_told_apart_by_identity_and_go_with_their_tensors():
    a, b = ones(2), ones(2)
    table = WeakIdKeyDictionary({a: 1})
    table[b] = 2
    assert (table[a], table[b], len(table)) == (1, 2, 2)
    assert ones(2) not in table
    del b
    gc.collect()
    assert list(table.items()) == [(a, 1)]


def test_a_weak_dictionary_has_the_methods_of_a_dictionary():
    a, b = ones(1), ones(1)
    table = WeakTensorKeyDictionary()
    assert table.setdefault(a, 3) == 3
    assert table.get(b) is None
    merged = table | {b: 4}
    assert set(merged.values()) == {3, 4}
    assert merged.pop(b) == 4
    assert merged == table.copy()
    del table[a]
    assert not table
    assert len(merged.keyrefs()) == 1


def test_tensor_weak_ref_takes_tensors_alone():
    x = ones(1)
    reference = TensorWeakRef(x)
    assert reference() is x
    del x
    gc.collect()
    assert reference() is None
    with pytest.raises(AssertionError, match=r"expected torch\.Tensor"):
        TensorWeakRef(3)
