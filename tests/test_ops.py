"""torch.ops: operators by name and overload."""

import pytest

import minitorch as torch


def test_operators_have_names():
    add = torch.ops.aten.add.Tensor
    assert add is torch.ops.aten.add.Tensor
    assert repr(add) == "<OpOverload(op='aten.add', overload='Tensor')>"
    assert (str(add), add.name()) == ("aten.add.Tensor", "aten::add.Tensor")
    assert (
        str(add._schema)
        == "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    )
    assert torch.ops.aten.mm.default.name() == "aten::mm"
    assert torch.ops.aten.mm.overloads()[0] == "default"
    assert str(torch.ops.aten.mm) == "aten.mm"


def test_operators_can_be_called():
    x = torch.ones(2)
    assert torch.ops.aten.add.Tensor(x, x, alpha=2).tolist() == [3.0, 3.0]
    assert torch.ops.aten.add(x, 1).tolist() == [2.0, 2.0]
    assert torch.ops.aten.add_.Tensor(x, x) is x
    assert torch.ops.aten.matmul.default(x, x).item() == 8.0


def test_what_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'aten' object has no attribute 'nosuch'"):
        torch.ops.aten.nosuch.default  # noqa: B018
    with pytest.raises(AttributeError, match="has no overload name 'foo'"):
        torch.ops.aten.mm.foo  # noqa: B018
    with pytest.raises(AttributeError, match="'other' object has no attribute 'f'"):
        torch.ops.other.f  # noqa: B018


def test_operators_that_are_not_here_have_names_and_refuse():
    pinned = torch.ops.aten._pin_memory.default
    assert pinned.name() == "aten::_pin_memory"
    assert torch.ops.aten.add.out.name() == "aten::add.out"
    with pytest.raises(NotImplementedError, match=r"torch\.ops\.aten\._pin_memory\.default"):
        pinned(torch.ones(1))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        torch.ops.aten.nonsense  # noqa: B018
    with pytest.raises(AttributeError, match="has no overload name 'nonsense'"):
        torch.ops.aten.add.nonsense  # noqa: B018


def test_operators_of_other_libraries_have_names_and_refuse():
    add = torch.ops.quantized.add.default
    assert str(add._schema).startswith("quantized::add(Tensor qa, Tensor qb, float scale")
    assert torch.ops.aten.__and__.overloads() == ["Scalar", "Tensor", "bool", "int"]
    assert torch.ops.aten.__and__.Tensor(torch.tensor(6), torch.tensor(3)).item() == 2
    with pytest.raises(NotImplementedError, match=r"torch\.ops\.quantized\.add\.default"):
        add(torch.ones(1), torch.ones(1), 1.0, 0)
    with pytest.raises(AttributeError, match="'quantized' object has no attribute 'nonsense'"):
        torch.ops.quantized.nonsense  # noqa: B018


def test_overloads_that_write_are_called_with_the_names_of_their_outputs():
    x, out = torch.tensor([[1.0, 3.0]]), torch.empty(1, 2)
    assert torch.ops.aten.exp.out(x, out=out) is out
    assert out.tolist() == x.exp().tolist()
    values, indices = torch.empty(1), torch.empty(1, dtype=torch.int64)
    torch.ops.aten.max.dim_max(x, 1, max=values, max_values=indices)
    assert values.tolist() == [3.0]
    assert indices.tolist() == [1]
