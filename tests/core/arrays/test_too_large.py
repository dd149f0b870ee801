"""torch's errors for arrays that are too large: sizes, bytes and the memory of the machine."""

import re

import pytest

import minitorch as torch


@pytest.mark.parametrize("make", [torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn])
@pytest.mark.parametrize("size", [[2**62], [2**31, 2**31, 4], [2**62, 2**62, 0]])
def test_factories_name_the_sizes_whose_bytes_overflow(make, size):
    words = re.escape(f"Storage size calculation overflowed with sizes={size}")
    with pytest.raises(RuntimeError, match=f"^{words}$"):
        make(size)


def test_empty_names_strides_that_overflow_beside_a_size_of_0():
    with pytest.raises(RuntimeError, match=r"^Stride calculation overflowed$"):
        torch.empty([0, 2**62, 4])


def test_zeros_names_the_bytes_that_the_machine_does_not_have():
    with pytest.raises(RuntimeError, match=f"you tried to allocate {2**60} bytes"):
        torch.zeros(2**58)


def test_out_of_zeros_and_expand_count_elements_first():
    for call in (
        lambda: torch.zeros([2**32, 2**32], out=torch.zeros(1)),
        lambda: torch.zeros(1).expand(2**32, 2**32),
        lambda: torch.eye(2**40),
    ):
        with pytest.raises(RuntimeError, match=r"^numel: integer multiplication overflow$"):
            call()


def test_empty_on_meta_has_sizes_that_no_machine_has():
    assert torch.empty(2**60, device="meta").shape == (2**60,)
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        torch.empty(2**61, device="meta")


def test_expand_beyond_the_bytes_that_numpy_counts_is_refused():
    with pytest.raises(NotImplementedError, match="which NumPy cannot describe"):
        torch.zeros(1).expand(2**62)
