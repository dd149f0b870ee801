"""conformance/cases/layouts.py: samples whose tensors lie otherwise in memory."""

import pytest
import torch

from conformance.cases import layouts
from conformance.options import Options


@pytest.mark.parametrize("way", layouts.WAYS)
def test_each_way_keeps_sizes_and_dtypes_and_changes_strides(way):
    change, _ = layouts.WAYS[way]
    x = torch.arange(24.0).reshape(2, 3, 4)
    changed = change(x)
    assert (changed.shape, changed.dtype) == (x.shape, x.dtype)
    assert changed.stride() != x.stride()


def test_all_ways_but_one_keep_the_numbers():
    x = torch.arange(24.0).reshape(2, 3, 4)
    lost = [way for way, (change, _) in layouts.WAYS.items() if not change(x).equal(x)]
    assert lost == ["the first of one row", "the others of one row"]


def test_an_operator_is_called_with_strides_of_several_kinds():
    calls = [case.call.tensors for case in layouts.cases("add", Options())]
    strides = {each.stride for tensors in calls for each in tensors if len(each.size) == 2}
    assert len(strides) >= 4
