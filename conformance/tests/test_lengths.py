"""conformance/cases/lengths.py: samples of which a length is cut to 0 or 1."""

import torch

from conformance.cases import lengths
from conformance.options import Options


def test_a_length_is_cut_wherever_it_stands():
    x = torch.ones(2, 3, 2, requires_grad=True)
    cut = lengths.shortened(x, 2, 0)
    assert cut.shape == (0, 3, 0)
    assert cut.requires_grad


def test_an_operator_is_called_with_nothing_and_with_one():
    sizes = [each.size for case in lengths.cases("add", Options()) for each in case.call.tensors]
    assert any(0 in size for size in sizes)
    assert any(1 in size for size in sizes)


def test_a_trial_shows_no_strides():
    case = next(lengths.cases("add", Options()))
    seen = case.run(torch)
    assert "value" in seen
    assert "stride" not in seen


def test_strides_are_taken_out_of_gradients():
    seen = {"grad": [{"stride": (1,), "shape": (0,)}], "stride": [(1,)]}
    assert lengths.without_strides(seen) == {"grad": [{"shape": (0,)}]}
