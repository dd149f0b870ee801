"""torch.utils._foreach_utils: groups of tensors by device and dtype."""

import pytest

import minitorch as torch
from minitorch.utils import _foreach_utils

GROUP = _foreach_utils._group_tensors_by_device_and_dtype
X = [torch.ones(1), torch.ones(2).double(), torch.ones(3)]


def test_parallel_lists_are_taken_apart_by_the_first():
    groups = GROUP([X, [None, X[1], X[2]], []], with_indices=True)
    (first, second, third), places = groups[torch.device("cpu"), torch.float32]
    assert first[0] is X[0]
    assert second == [None, X[2]]
    assert (third, places) == ([], [0, 2])
    assert groups[torch.device("cpu"), torch.float64][1] == [1]
    assert GROUP([X])[torch.device("cpu"), torch.float64][1] == []


def test_steps_may_have_another_dtype():
    assert len(GROUP([X[1:2], [torch.tensor(1.0)]])) == 1
    with pytest.raises(RuntimeError, match="Tensors of the same index must be on the same device"):
        GROUP([X[:1], [torch.tensor(1)]])


@pytest.mark.parametrize(
    ("lists", "kind", "text"),
    [
        ([], RuntimeError, r"Expected !nested_tensorlist.empty\(\) to be true"),
        ([[], X], RuntimeError, r"Expected !nested_tensorlist\[0\].empty\(\) to be true"),
        ([X, X[:2]], RuntimeError, r"tensorlist.size\(\) == num_tensors"),
        ([[None]], RuntimeError, "the 0-th Tensor is not"),
        (X, TypeError, "incompatible function arguments"),
        ([X, [1, 2, 3]], TypeError, "incompatible function arguments"),
    ],
)
def test_lists_that_do_not_fit_are_refused(lists, kind, text):
    with pytest.raises(kind, match=text):
        GROUP(lists)


def test_whole_lists_are_of_tensors_alone():
    cpu = torch.device("cpu")
    assert _foreach_utils._has_foreach_support([*X, None], cpu)
    assert not _foreach_utils._has_foreach_support([torch.nn.Parameter(X[0])], cpu)
    assert not _foreach_utils._device_has_foreach_support(torch.device("meta"))
    assert "cpu" in _foreach_utils._get_fused_kernels_supported_devices()
