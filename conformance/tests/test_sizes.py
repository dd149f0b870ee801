"""conformance/cases/sizes.py: samples of torch's database that grow."""

import torch

from conformance.cases import sizes
from conformance.options import Options


def test_a_length_is_multiplied_wherever_it_stands():
    x = sizes.multiplied(torch.ones(2, 3, 2), 2, 4)
    assert x.shape == (8, 3, 8)


def test_copies_of_numbers_differ_but_those_of_integers_do_not():
    floats = sizes.multiplied(torch.ones(2), 2, 3)
    assert len(set(floats.tolist())) == 6
    assert sizes.multiplied(torch.arange(2), 2, 2).tolist() == [0, 1, 0, 1]


def test_cases_have_about_as_many_elements_as_are_wanted():
    for key in ("add", "nn.functional.max_pool2d", "matmul"):
        largest = [
            max(numel(each) for each in case.call.tensors)
            for case in sizes.cases(key, Options())
            if case.experiment == "forward"
        ]
        assert len(largest) == len(sizes.SIZES)
        for found, wanted in zip(largest, sizes.SIZES, strict=True):
            assert wanted / 4 <= found <= wanted


def test_a_sample_whose_results_would_be_too_large_grows_less():
    for case in sizes.cases("kron", Options()):
        sides = [numel(each) for each in case.call.tensors]
        assert sides[0] * sides[1] <= sizes.MOST * sizes.SIZES[-1]


def numel(spec):
    """How many elements a described tensor has."""
    return torch.Size(spec.size).numel()
