"""Indices of rows and where rows start, each from the other."""

import pytest

import minitorch as torch

ROWS, STARTS, COLUMNS = [0, 0, 2, 3], [0, 2, 2, 3, 4], [1, 3, 0, 2]
to_starts = torch._convert_indices_from_coo_to_csr
to_rows = torch._convert_indices_from_csr_to_coo


def test_rows_become_starts_and_starts_rows_again():
    starts = to_starts(torch.tensor(ROWS), 4)
    assert starts.tolist() == STARTS
    assert to_starts(torch.tensor(ROWS), 4, out_int32=True).dtype is torch.int32
    assert to_starts(torch.tensor([], dtype=torch.long), 2).tolist() == [0, 0, 0]
    assert to_rows(starts, torch.tensor(COLUMNS)).tolist() == [ROWS, COLUMNS]
    assert to_rows(starts, torch.tensor(COLUMNS), transpose=True).tolist() == [COLUMNS, ROWS]


def test_rows_that_are_not_sorted_give_the_starts_that_torch_gives():
    assert to_starts(torch.tensor([1, 3, 0, 2]), 4).tolist() == [0, 0, 1, 4, 4]
    assert to_starts(torch.tensor([2, 0, 1]), 4).tolist() == [0, 0, 3, 3, 3]


def test_batches_of_starts_become_rows_with_the_number_of_their_batch():
    starts, columns = torch.tensor([STARTS, STARTS]), torch.tensor([COLUMNS, COLUMNS])
    places = to_rows(starts, columns)
    assert places.tolist() == [[0] * 4 + [1] * 4, ROWS * 2, COLUMNS * 2]
    assert to_rows(starts[0, :1], columns[0, :0]).shape == (2, 0)


def test_indices_of_other_ranks_and_dtypes_are_refused():
    with pytest.raises(RuntimeError, match="supposed to be a vector, but got 2 dim"):
        to_starts(torch.tensor([ROWS]), 4)
    with pytest.raises(NotImplementedError, match=r"coo_to_csr_cpu.* not implemented for 'Float'"):
        to_starts(torch.ones(2), 4)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype long int, but got"):
        to_starts(torch.tensor(ROWS), 4, out=torch.empty(5, dtype=torch.int32))
    with pytest.raises(RuntimeError, match="the same dimensionality, but got 1 and 1 dim"):
        to_rows(torch.tensor(STARTS), torch.tensor([COLUMNS]))
