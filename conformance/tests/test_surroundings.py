"""Surroundings: both libraries enter them, and leave them as they were."""

import pytest
import torch

import minitorch
from conformance.surroundings import SURROUNDINGS, surrounded


def state(library):
    """Everything that surroundings change."""
    x = library.ones(1, requires_grad=True)
    seen = x.dtype, (x * 2).requires_grad, x.is_inference(), library.is_anomaly_enabled()
    modes = len(library.overrides._get_current_function_mode_stack())
    modes += len(library.utils._python_dispatch._get_current_dispatch_mode_stack())
    return (
        *map(str, seen),
        modes,
        str(library.get_default_device()),
        library.is_autocast_enabled("cpu"),
    )


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_both_libraries_are_inside_alike_and_come_out_as_they_went_in(name):
    before = state(torch)
    assert state(minitorch) == before
    with surrounded(name, torch, minitorch):
        assert state(minitorch) == state(torch)
    assert state(torch) == state(minitorch) == before


def test_no_name_changes_nothing():
    with surrounded("", torch):
        assert torch.ones(1).dtype is torch.float32


def test_a_default_dtype_is_seen_by_what_is_made_inside():
    with surrounded("float64", torch, minitorch):
        assert torch.ones(1).dtype is torch.float64
        assert minitorch.ones(1).dtype is minitorch.float64
