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


def test_composite_operators_have_the_names_that_aten_gives_them():
    aten, x = torch.ops.aten, torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    assert aten.fft_rfft(x).tolist() == torch.fft.rfft(x).tolist()
    assert aten.linalg_norm.ord_str(x, "fro").item() == torch.linalg.norm(x).item()
    assert aten.special_xlogy(x, x).tolist() == torch.special.xlogy(x, x).tolist()
    assert aten.linear(x, x).tolist() == (x @ x.T).tolist()
    assert aten.l1_loss(x, x + 1, 2).item() == 4.0
    assert aten.zero(x).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert (aten.mT(x).tolist(), aten.sym_size.int(x, 1)) == (x.T.tolist(), 2)


def test_losses_by_name_take_the_mean_if_no_reduction_is_named():
    aten, x = torch.ops.aten, torch.tensor([0.5, 2.0])
    assert aten.hinge_embedding_loss(x, torch.ones(2)).item() == 1.25
    assert aten.kl_div.default(x, x).shape == ()
    assert torch.kl_div(x, x).shape == (2,)  # torch's parser takes none


def test_overloads_that_torch_composes_or_generates_can_be_called():
    aten, x = torch.ops.aten, torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    assert aten.var.dim(x, [1], False).tolist() == [0.25, 1.0]
    assert aten.max.other(x, 4 - x).tolist() == [[3.0, 2.0], [3.0, 5.0]]
    out = torch.empty(0)
    assert aten.flip.out(x, [0], out=out) is out
    assert out.tolist() == [[3.0, 5.0], [1.0, 2.0]]
    assert aten.im2col(x[None], 2, 1, 0, 1).shape == (4, 1)
    assert [each.numel() for each in aten.unique_consecutive(x)] == [4, 0, 0]
