"""Module: registration, attributes, traversal, calls and hooks, conversion, state, printing."""

import copy
from collections import OrderedDict

import pytest

import minitorch as torch
from minitorch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(1, 2)
        self.rest = nn.Sequential(nn.Tanh(), nn.Linear(2, 1))
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("seen", torch.arange(3.0))
        self.register_buffer("scratch", torch.zeros(1), persistent=False)
        self.note = "plain"

    def forward(self, x):
        return self.rest(self.first(x) * self.scale)


NAMES = ["scale", "first.weight", "first.bias", "rest.1.weight", "rest.1.bias"]


def test_parameters_come_in_order_of_registration_own_ones_first():
    assert [name for name, _ in Net().named_parameters()] == NAMES


def test_parameters_are_found_under_a_prefix_and_without_recursion():
    net = Net()
    assert [name for name, _ in net.named_parameters("net", recurse=False)] == ["net.scale"]


def test_a_shared_module_is_listed_once_but_saved_under_both_names():
    net = nn.Module()
    net.a = net.b = nn.Linear(1, 1)
    assert [name for name, _ in net.named_parameters()] == ["a.weight", "a.bias"]
    assert list(net.state_dict()) == ["a.weight", "a.bias", "b.weight", "b.bias"]
    both = [name for name, _ in net.named_parameters(remove_duplicate=False)]
    assert both == ["a.weight", "a.bias", "b.weight", "b.bias"]


def test_assigning_another_kind_moves_the_name():
    net = Net()
    net.note = nn.Linear(1, 1)
    net.seen = nn.Parameter(torch.zeros(1))
    net.first = nn.Parameter(torch.zeros(1))
    assert "note" not in vars(net)
    assert "note" in dict(net.named_children())
    assert [name for name, _ in net.named_buffers()] == ["scratch"]
    assert {"seen", "first"} <= set(dict(net.named_parameters()))
    assert "first" not in dict(net.named_children())


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "scale",
            5,
            "cannot assign 'int' as parameter 'scale' (torch.nn.Parameter or None expected)",
        ),
        (
            "first",
            5,
            "cannot assign 'int' as child module 'first' (torch.nn.Module or None expected)",
        ),
        (
            "seen",
            5,
            "cannot assign 'int' as buffer 'seen' (torch.nn.Buffer, torch.Tensor or None expected)",
        ),
    ],
)
def test_a_registered_name_refuses_other_kinds(name, value, message):
    net = Net()
    before = getattr(net, name)
    with pytest.raises(TypeError) as error:
        setattr(net, name, value)
    assert str(error.value) == message
    assert getattr(net, name) is before


def test_a_plain_tensor_is_refused_as_a_parameter():
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'scale'"):
        Net().scale = torch.ones(2)


@pytest.mark.parametrize("value", [nn.Parameter(torch.ones(1)), nn.Linear(1, 1)])
def test_registration_before_init_is_refused(value):
    class Early(nn.Module):
        def __init__(self):
            self.early = value

    with pytest.raises(AttributeError, match=r"before Module.__init__\(\) call"):
        Early()


def test_deleting_takes_a_name_out_of_its_table():
    net = Net()
    del net.scale, net.seen, net.first, net.note
    assert list(net.state_dict()) == ["rest.1.weight", "rest.1.bias"]
    with pytest.raises(AttributeError, match=r"'Net' object has no attribute 'scale'"):
        net.scale  # noqa: B018


def test_a_deleted_parameter_can_return_as_a_plain_tensor():
    layer = nn.Linear(2, 1, bias=False)
    del layer.weight
    layer.weight = torch.tensor([[1.0, 2.0]])
    assert list(layer.parameters()) == []
    assert layer(torch.ones(1, 2)).item() == 3.0


def test_writes_into_the_tables_are_seen_at_once():
    net = Net()
    fresh = nn.Parameter(torch.zeros(2))
    net._parameters["scale"] = fresh
    net._modules["first"] = nn.Identity()
    assert net.scale is fresh
    assert isinstance(net.first, nn.Identity)


def test_buffers_of_type_buffer_register_themselves():
    net = nn.Module()
    net.kept = nn.Buffer(torch.ones(1))
    net.passing = nn.Buffer(torch.ones(1), persistent=False)
    assert list(net.state_dict()) == ["kept"]
    assert [name for name, _ in net.named_buffers()] == ["kept", "passing"]
    assert type(net.kept) is torch.Tensor


def test_submodules_parameters_and_buffers_are_found_by_dotted_name():
    net = Net()
    assert net.get_submodule("rest.1") is net.rest[1]
    assert net.get_parameter("rest.1.bias") is net.rest[1].bias
    assert net.get_buffer("seen") is net.seen
    with pytest.raises(AttributeError, match=r"Sequential has no attribute `7`"):
        net.get_submodule("rest.7")
    with pytest.raises(AttributeError, match=r"`seen` is not an nn.Parameter"):
        net.get_parameter("seen")


def test_a_module_without_forward_says_so():
    with pytest.raises(NotImplementedError, match=r'missing the required "forward" function'):
        nn.Module()(1)


def test_forward_hooks_replace_arguments_and_results_until_removed():
    layer = nn.Identity()
    before = layer.register_forward_pre_hook(lambda module, args: args[0] + 1)
    after = layer.register_forward_hook(lambda module, args, output: output * 10)
    assert layer(1) == 20
    before.remove()
    assert layer(1) == 10
    after.remove()
    assert layer(1) == 1


def test_prepended_hooks_run_first():
    layer, order = nn.Identity(), []
    layer.register_forward_hook(lambda *_: order.append("second"))
    layer.register_forward_hook(lambda *_: order.append("first"), prepend=True)
    layer(1)
    assert order == ["first", "second"]


def test_a_hook_that_is_always_called_sees_a_failed_forward():
    layer, seen = nn.Linear(2, 2), []
    layer.register_forward_hook(lambda m, args, output: seen.append(output), always_call=True)
    with pytest.raises(RuntimeError):
        layer(torch.ones(3))
    assert seen == [None]


def test_conversion_keeps_parameters_the_objects_they_are():
    net = Net()
    weight = net.first.weight
    net(torch.ones(1, 1)).sum().backward()
    net.double()
    assert net.first.weight is weight
    assert weight.dtype is weight.grad.dtype is torch.float64
    assert net.seen.dtype is torch.float64


def test_conversion_leaves_integers_alone():
    norm = nn.BatchNorm1d(2).half()
    assert norm.running_mean.dtype is torch.float16
    assert norm.num_batches_tracked.dtype is torch.int64


def test_to_refuses_integer_dtypes():
    with pytest.raises(TypeError, match="only accepts floating point or complex dtypes"):
        Net().to(torch.int64)


def test_train_and_eval_reach_all_modules():
    net = Net()
    assert not any(module.training for module in net.eval().modules())
    assert all(module.training for module in net.train().modules())
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        net.train(1)


def test_zero_grad_forgets_gradients_or_zeroes_them():
    layer = nn.Linear(1, 1)
    layer(torch.ones(1)).backward()
    layer.zero_grad(set_to_none=False)
    assert layer.weight.grad.item() == 0.0
    layer.zero_grad()
    assert layer.weight.grad is None


def test_apply_visits_children_before_parents():
    order = []
    Net().apply(lambda module: order.append(type(module).__name__))
    assert order == ["Linear", "Tanh", "Linear", "Sequential", "Net"]


def test_state_dict_holds_detached_tensors_that_share_memory():
    net = Net()
    state = net.state_dict()
    assert isinstance(state, OrderedDict)
    assert list(state) == ["scale", "seen", *NAMES[1:]]
    assert not state["scale"].requires_grad
    state["scale"].zero_()
    assert net.scale.sum().item() == 0.0
    assert state._metadata["rest.1"] == {"version": 1}


def test_loading_copies_into_the_same_parameters():
    net, other = Net(), Net()
    scale = net.scale
    assert repr(net.load_state_dict(other.state_dict())) == "<All keys matched successfully>"
    assert net.scale is scale
    assert torch.equal(net.first.weight, other.first.weight)


def test_loading_with_assign_takes_the_tensors_over():
    net = Net()
    state = {name: value.clone() for name, value in net.state_dict().items()}
    net.load_state_dict(state, assign=True)
    assert net.scale.data_ptr() == state["scale"].data_ptr()
    assert isinstance(net.scale, nn.Parameter)


def test_loading_lists_everything_that_does_not_fit():
    net = Net()
    state = net.state_dict()
    del state["scale"]
    state["first.weight"] = torch.ones(3, 3)
    state["extra"] = torch.ones(1)
    with pytest.raises(RuntimeError) as error:
        net.load_state_dict(state)
    assert str(error.value) == (
        "Error(s) in loading state_dict for Net:\n"
        '\tMissing key(s) in state_dict: "scale". \n'
        '\tUnexpected key(s) in state_dict: "extra". \n'
        "\tsize mismatch for first.weight: copying a param with shape torch.Size([3, 3]) from "
        "checkpoint, the shape in current model is torch.Size([2, 1])."
    )
    del state["first.weight"]
    keys = net.load_state_dict(state, strict=False)
    assert keys.missing_keys == ["scale", "first.weight"]
    assert keys.unexpected_keys == ["extra"]


def test_extra_state_goes_through_state_dict():
    class Counting(nn.Module):
        count = 0

        def get_extra_state(self):
            return self.count

        def set_extra_state(self, state):
            self.count = state

    counting = Counting()
    counting.count = 7
    fresh = Counting()
    fresh.load_state_dict(counting.state_dict())
    assert fresh.count == 7


def test_a_deep_copy_shares_nothing():
    net = Net()
    other = copy.deepcopy(net)
    assert repr(other) == repr(net)
    with torch.no_grad():
        other.scale.zero_()
    assert net.scale.sum().item() == 2.0
    assert other.first.weight.requires_grad


def test_repr_shows_children_indented():
    assert repr(Net()) == (
        "Net(\n"
        "  (first): Linear(in_features=1, out_features=2, bias=True)\n"
        "  (rest): Sequential(\n"
        "    (0): Tanh()\n"
        "    (1): Linear(in_features=2, out_features=1, bias=True)\n"
        "  )\n"
        ")"
    )


def test_classes_carry_the_names_of_torch():
    assert str(nn.Linear) == "<class 'torch.nn.modules.linear.Linear'>"


def test_wrong_arguments_are_blamed_on_the_class_that_was_called():
    with pytest.raises(TypeError, match=r"^Conv2d.__init__\(\) missing 2 required"):
        nn.Conv2d(1)
    with pytest.raises(TypeError, match=r"^ReLU.__init__\(\) got an unexpected"):
        nn.ReLU(slope=1)


def test_a_module_itself_has_no_extra_state():
    module = torch.nn.Module()
    with pytest.raises(RuntimeError, match=r"a code path in Module\.get_extra_state\(\) that"):
        module.get_extra_state()
    with pytest.raises(RuntimeError, match=r"a code path in Module\.set_extra_state\(\) that"):
        module.set_extra_state(3)


def test_parameters_are_new_where_a_module_goes_to_meta_or_comes_from_it():
    module = nn.Linear(2, 2)
    weight = module.weight
    weight.grad = torch.ones(2, 2)
    assert module.half().weight is weight
    assert weight.grad.dtype is torch.half
    module.bias.requires_grad_(False)
    module.to("meta")
    assert module.weight is not weight
    assert weight.device.type == "cpu"
    assert module.weight.grad.is_meta
    assert [p.requires_grad for p in module.parameters()] == [True, False]
    empty = module.weight
    with pytest.raises(NotImplementedError, match=r"no data! Please use torch.nn.Module.to_empty"):
        module.to("cpu")
    assert module.to_empty(device="cpu").weight is not empty
    assert [type(p) for p in module.parameters()] == [nn.Parameter] * 2


def test_tied_parameters_part_on_the_way_from_meta():
    with torch.device("meta"):
        first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    second.weight = first.weight
    nn.ModuleList([first, second]).to_empty(device="cpu")
    assert first.weight is not second.weight


def test_a_state_that_was_assigned_once_is_assigned_by_later_loads_too():
    state = nn.Linear(2, 2).state_dict()
    state["bias"] = torch.ones(2, dtype=torch.float64)
    layer = nn.Linear(2, 2)
    layer.load_state_dict(state)
    assert layer.bias.dtype is torch.float32
    nn.Linear(2, 2).load_state_dict(state, assign=True)
    assert state._metadata[""] == {"version": 1, "assign_to_params_buffers": True}
    layer.load_state_dict(state)
    assert layer.bias.dtype is torch.float64


def test_names_that_did_not_match_print_under_their_own_name():
    found = nn.Linear(1, 1, bias=False).load_state_dict({"extra": torch.ones(1)}, strict=False)
    assert repr(found) == "_IncompatibleKeys(missing_keys=['weight'], unexpected_keys=['extra'])"
    assert type(found).__name__ == "_IncompatibleKeys"
