"""tqdm counts the batches of a DataLoader, and the elements of a tensor."""

import io

import pytest

import minitorch as torch
from minitorch.utils.data import DataLoader, TensorDataset

tqdm = pytest.importorskip("tqdm", reason="tqdm is not installed")


def test_a_bar_over_a_loader_knows_how_many_batches_there_are():
    shown = io.StringIO()
    loader = DataLoader(TensorDataset(torch.arange(10)), batch_size=4)
    bar = tqdm.tqdm(loader, file=shown, ascii=True)
    assert bar.total == 3
    assert [batch.tolist() for (batch,) in bar] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert "3/3" in shown.getvalue()


def test_a_bar_over_a_tensor_gives_its_rows():
    t = torch.ones(2, 3)
    bar = tqdm.tqdm(t, file=io.StringIO())
    assert bar.total == 2
    assert all(row.shape == (3,) for row in bar)


def test_a_bar_shows_numbers_and_tensors():
    loss, steps = torch.tensor(2.5), torch.tensor(3)
    with tqdm.tqdm(total=6, file=io.StringIO()) as bar:
        bar.set_postfix(loss=loss.item(), n=steps)
        assert bar.postfix == "loss=2.5, n=tensor(3)"
        bar.set_description(f"loss {loss:.3f}")
        assert bar.desc == "loss 2.500: "
        bar.update(int(steps))
        assert bar.n == 3


def test_a_range_ends_where_a_tensor_says():
    assert list(tqdm.trange(torch.tensor(3), file=io.StringIO())) == [0, 1, 2]
