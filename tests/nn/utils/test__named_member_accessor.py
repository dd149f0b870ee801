"""Members of modules by their dotted names."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn.utils import _named_member_accessor as members
from minitorch.nn.utils._named_member_accessor import NamedMemberAccessor


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(2, 2, bias=False), nn.BatchNorm1d(2))
        self.w = nn.Parameter(torch.ones(2))
        self.register_buffer("b", torch.zeros(1))
        self.register_parameter("none", None)
        self.plain = torch.full((2,), 3.0)
        self.note = "text"


@pytest.fixture
def net():
    return Net()


def test_swap_tensor_returns_what_a_parameter_buffer_or_attribute_was(net):
    for name in ("w", "b", "none", "plain"):
        before, new = getattr(net, name), torch.rand(3)
        assert members.swap_tensor(net, name, new) is before
        assert getattr(net, name) is new
        assert members.swap_tensor(net, name, before) is new
        assert getattr(net, name) is before
    assert next(name for name, _ in net.named_parameters()) == "w"


def test_swap_tensor_takes_a_name_away_for_the_mark_of_what_is_missing(net):
    gone = members._MISSING
    for name in ("w", "b", "plain"):
        assert torch.is_tensor(members.swap_tensor(net, name, gone))
        assert not hasattr(net, name)
        assert members.swap_tensor(net, name, torch.ones(1), allow_missing=True) is gone
    assert members.swap_tensor(net, "other", gone, allow_missing=True) is gone


def test_swap_tensor_and_set_tensor_refuse_what_is_no_tensor_or_name(net):
    for function in (members.swap_tensor, members.set_tensor):
        with pytest.raises(TypeError, match=r"3 is not an instance of torch.nn.Module"):
            function(3, "w", None)
        with pytest.raises(TypeError, match=r"^4 is not an instance of torch.Tensor"):
            function(net, "w", 4)
        with pytest.raises(KeyError, match=r"tensor name can.*t contain"):
            function(net, "a.b", None)
        with pytest.raises(KeyError, match=r"tensor name can.*t be empty string"):
            function(net, "", None)
    with pytest.raises(AttributeError, match=r"Net has no attribute `absent`"):
        members.swap_tensor(net, "absent", None)
    with pytest.raises(TypeError, match=r"attribute `note`: text is not an instance of torch.Te"):
        members.swap_tensor(net, "note", None)


def test_swap_submodule_gives_the_one_that_was_there(net):
    before, new = net.inner[0], nn.Identity()
    accessor = NamedMemberAccessor(net)
    assert accessor.get_submodule("inner.0") is before
    assert accessor.swap_submodule("inner.0", new) is before
    assert net.inner[0] is new
    assert accessor.get_submodule("inner.0") is before  # it remembers
    with pytest.raises(KeyError, match="submodule w does not exist"):
        accessor.swap_submodule("w", new)
    with pytest.raises(KeyError, match=r"submodule name can.*t be empty"):
        accessor.swap_submodule("", new)
    with pytest.raises(TypeError, match=r"2 is not an instance of torch.nn.Module"):
        accessor.swap_submodule("inner.0", 2)


def test_an_accessor_reads_sets_and_deletes_by_dotted_names(net):
    accessor = NamedMemberAccessor(net)
    assert accessor.get_submodule("") is net
    weight = accessor.get_tensor("inner.0.weight")
    assert weight is net.inner[0].weight
    new = nn.Parameter(torch.zeros(2, 2))
    accessor.set_tensors(iter(["inner.0.weight", "w"]), [new, None])
    assert accessor.get_tensors(["inner.0.weight", "w", "none"]) == [new, None, None]
    accessor.set_tensors_dict({"w": new})
    assert accessor.swap_tensors(["w"], (weight,)) == [new]
    accessor.del_tensors(["w", "b"])
    assert not hasattr(net, "w")
    with pytest.raises(AttributeError, match=r"Net has no attribute `w`"):
        accessor.del_tensor("w")
    with pytest.raises(AttributeError, match=r"Linear has no attribute `inner.0.absent`"):
        accessor.get_tensor("inner.0.absent")
    with pytest.raises(AttributeError, match=r"Net has no attribute `absent`"):
        accessor.get_tensor("absent.0.weight")
    with pytest.raises(TypeError, match=r"submodule `inner.0.weight`: Parameter containing"):
        accessor.get_submodule("inner.0.weight")
    with pytest.raises(TypeError, match=r"text is not an instance of torch.Tensor"):
        accessor.get_tensor("note")
    with pytest.raises(AssertionError, match="got 1 names and 2 values"):
        accessor.set_tensors(["plain"], [None, None])


def test_swap_tensors_dict_puts_all_tensors_or_none(net):
    accessor = NamedMemberAccessor(net)
    w, weight, new = net.w, net.inner[0].weight, torch.ones(2, 2)
    before, missing = accessor.swap_tensors_dict({"w": None, "inner.0.weight": new})
    assert (before, missing) == ({"w": w, "inner.0.weight": weight}, [])
    accessor.swap_tensors_dict(before)
    with pytest.raises(RuntimeError, match=r"Missing key\(s\): 'x', 'y'\.$"):
        accessor.swap_tensors_dict({"w": None, "x": new, "y": new})
    assert net.w is w
    assert not hasattr(net, "x")
    with pytest.raises(TypeError):
        accessor.swap_tensors_dict({"w": None, "inner.0.weight": 1})
    assert net.w is w
    before, missing = accessor.swap_tensors_dict({"x": new}, allow_missing=True)
    assert missing == ["x"]
    accessor.swap_tensors_dict(before, allow_missing=True)
    assert not hasattr(net, "x")


def test_an_accessor_lists_and_checks_the_names_of_all_members(net):
    accessor = NamedMemberAccessor(net)
    parameters = ["w", "inner.0.weight", "inner.1.weight", "inner.1.bias"]
    buffers = ["b"] + [f"inner.1.{n}" for n in ("running_mean", "running_var")]
    buffers.append("inner.1.num_batches_tracked")
    assert [name for name, _ in accessor.named_parameters()] == parameters
    assert [name for name, _ in accessor.named_buffers()] == buffers
    assert [name for name, _ in accessor.named_tensors()] == parameters + buffers
    assert [name for name, _ in accessor.named_modules()] == ["", "inner", "inner.0", "inner.1"]
    assert accessor.check_keys(["z", *parameters[:3], *buffers]) == (["inner.1.bias"], ["z"])
