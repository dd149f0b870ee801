"""The adapter of minitorch, and which library is meant."""

import types
from typing import Any

import pytest

import minitorch as torch
from minitorch.study.libraries.chosen import library_named, library_of
from minitorch.study.libraries.kinds import real_torch

LIBRARY = library_named("minitorch")


def leaf() -> Any:
    return torch.ones(2, requires_grad=True)


def test_views_share_the_owner_of_their_storage() -> None:
    x = torch.arange(12.0).reshape(3, 4)
    for view in (x[1:], x.t(), x.expand(2, 3, 4), x.detach(), x.conj(), x.view(-1)[::2]):
        assert LIBRARY.storage_owner(view) is LIBRARY.storage_owner(x)
    assert LIBRARY.storage_bytes(x[0]) == 48
    assert LIBRARY.storage_owner(x.clone()) is not LIBRARY.storage_owner(x)


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (torch.tensor([1.5], dtype=torch.bfloat16), [1.5]),
        (torch.tensor([1 + 2j]).conj(), [1 - 2j]),
        (torch.tensor([[0.0, 3.0]]).to_sparse(), [3.0]),
        (torch.tensor([True]), [True]),
    ],
)
def test_numbers_of_each_kind_can_be_read(tensor: Any, expected: list[Any]) -> None:
    assert LIBRARY.array(tensor).tolist() == expected


def test_versions_are_read_of_inference_tensors_too() -> None:
    with torch.inference_mode():
        x = torch.ones(2)
    assert LIBRARY.version(x) == 0
    y = torch.ones(2).add_(1)
    assert LIBRARY.version(y) == 1


def test_the_library_of_tensors_nodes_modules_and_optimizers_is_known() -> None:
    x = leaf()
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=1)
    for thing in (x, x.exp().grad_fn, model, optimizer):
        assert library_of(thing) is LIBRARY
    assert library_of(3) is None


def test_minitorch_under_the_name_of_torch_is_not_real_torch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", torch)
    assert real_torch() is None
    assert library_named() is LIBRARY


def test_real_torch_is_taken_where_a_program_has_imported_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    torch_like = types.ModuleType("torch")
    torch_like.Tensor = object  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, "torch", torch_like)
    assert real_torch() is torch_like


def test_real_torch_has_to_be_imported_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(__import__("sys").modules, "torch", raising=False)
    with pytest.raises(ValueError, match="import torch first"):
        library_named("torch")
