"""SGD, Adam, AdamW: their arithmetic to the last bit, their state, and refused arguments."""

import copy
from fractions import Fraction

import numpy as np
import pytest

import minitorch as torch
from minitorch import nn
from minitorch.core.arrays import blas
from minitorch.optim import SGD, Adam, AdamW, Optimizer, arithmetic
from minitorch.utils._python_dispatch import TorchDispatchMode
from tests.strict_array import registered


def parameter(*values, dtype=torch.float32):
    return nn.Parameter(torch.tensor(values, dtype=dtype))


def stepped(optimizer, gradient):
    for group in optimizer.param_groups:
        for param in group["params"]:
            param.grad = torch.tensor(gradient, dtype=param.dtype)
    optimizer.step()
    return optimizer.param_groups[0]["params"][0].tolist()


def once(value):
    """A Fraction rounded once to float32."""
    low = np.float32(float(value))  # two roundings: at most one neighbour off
    near = [np.nextafter(low, np.float32(-np.inf)), low, np.nextafter(low, np.float32(np.inf))]
    return min(near, key=lambda x: (abs(Fraction(float(x)) - value), int(x.view(np.int32)) & 1))


@pytest.mark.parametrize("n", [1, 5, 67, 1000])
@pytest.mark.parametrize("fused", [True, False])
def test_scaled_additions_round_once(n, fused, monkeypatch):
    if not fused:
        monkeypatch.setattr(blas, "_axpy", {})
    generator = np.random.default_rng(n)
    x, out = generator.standard_normal((2, n), dtype=np.float32)
    factor = float(np.float32(-0.0137))
    exact = [Fraction(float(a)) * Fraction(factor) + Fraction(float(b)) for a, b in zip(x, out)]
    arithmetic.add_scaled(out, x, factor)
    assert out.tolist() == [float(once(value)) for value in exact]


def test_sgd_is_one_scaled_addition():
    assert stepped(SGD([parameter(1.0, 2.0)], lr=0.5), [1.0, -1.0]) == [0.5, 2.5]


def test_momentum_starts_as_a_copy_of_the_gradient_and_decays():
    sgd = SGD([parameter(0.0)], lr=1.0, momentum=0.5)
    assert [stepped(sgd, [1.0])[0] for _ in range(3)] == [-1.0, -2.5, -4.25]
    buffer = sgd.state[sgd.param_groups[0]["params"][0]]["momentum_buffer"]
    assert buffer.tolist() == [1.75]


def test_dampening_and_nesterov():
    sgd = SGD([parameter(0.0)], lr=1.0, momentum=0.5, dampening=0.5)
    assert [stepped(sgd, [1.0])[0] for _ in range(2)] == [-1.0, -2.0]
    sgd = SGD([parameter(0.0)], lr=1.0, momentum=0.5, nesterov=True)
    assert [stepped(sgd, [1.0])[0] for _ in range(2)] == [-1.5, -3.25]


def test_maximize_and_weight_decay():
    assert stepped(SGD([parameter(0.0)], lr=1.0, maximize=True), [2.0]) == [2.0]
    assert stepped(SGD([parameter(4.0)], lr=0.5, weight_decay=0.5), [0.0]) == [3.0]


def test_the_first_adam_step_has_the_size_of_the_rate():
    value = stepped(Adam([parameter(1.0, 1.0)], lr=0.125), [3.0, -0.01])
    assert value == pytest.approx([0.875, 1.125], abs=1e-6)


def test_adamw_shrinks_the_parameter_itself():
    value = stepped(AdamW([parameter(2.0)], lr=0.5, weight_decay=0.5), [0.0])
    assert value == [1.5]


def test_amsgrad_keeps_the_largest_second_moment():
    adam = Adam([parameter(1.0)], amsgrad=True)
    stepped(adam, [4.0])
    stepped(adam, [0.0])
    state = adam.state[adam.param_groups[0]["params"][0]]
    assert state["max_exp_avg_sq"].item() > state["exp_avg_sq"].item()


def reference_adam(p, g, steps, rate):
    """Adam in double precision."""
    m = v = 0.0
    for t in range(1, steps + 1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        p = p - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return p


@pytest.mark.parametrize("shape", [(), (3,), (5, 7), (50, 500)])
def test_adam_follows_the_paper_in_every_shape(shape):
    generator = np.random.default_rng(0)
    values, gradient = generator.standard_normal((2, *shape))
    param = nn.Parameter(torch.tensor(values))
    adam = Adam([param], lr=0.01)
    for _ in range(3):
        param.grad = torch.tensor(gradient)
        adam.step()
    expected = reference_adam(values, gradient, 3, 0.01)
    assert np.allclose(param.detach().numpy(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("make", [SGD, Adam, lambda p: SGD(p, momentum=0.9, weight_decay=0.1)])
def test_the_layout_of_a_parameter_does_not_matter(make):
    generator = np.random.default_rng(0)
    values, gradient = generator.standard_normal((2, 6, 4), dtype=np.float32)
    plain = nn.Parameter(torch.tensor(values))
    turned = nn.Parameter(torch.tensor(values.T.copy()).t())
    sliced = nn.Parameter(torch.zeros(6, 8)[:, ::2].copy_(torch.tensor(values)))
    results = []
    for param in (plain, turned, sliced):
        optimizer = make([param])
        for _ in range(2):
            param.grad = torch.tensor(gradient)
            optimizer.step()
        results.append(param.tolist())
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("kind", [SGD, Adam])
def test_every_floating_dtype_keeps_its_dtype(kind, dtype):
    param = parameter(1.0, 2.0, dtype=dtype)
    stepped(kind([param], lr=0.5), [1.0, 1.0])
    assert param.dtype is dtype
    assert param.tolist() == pytest.approx([0.5, 1.5], abs=1e-2)


def test_a_step_counts_as_writes():
    param = parameter(1.0)
    stepped(SGD([param], lr=0.1), [1.0])
    assert param._version == 1
    stepped(AdamW([param]), [1.0])
    assert param._version == 3


def test_parameters_without_gradient_are_left_alone():
    used, unused = parameter(1.0), parameter(1.0)
    adam = Adam([used, unused])
    used.grad = torch.ones(1)
    adam.step()
    assert unused.tolist() == [1.0]
    assert list(adam.state) == [used]


def test_zero_grad_forgets_or_zeroes():
    param = parameter(1.0)
    sgd = SGD([param])
    param.grad = torch.ones(1)
    sgd.zero_grad(set_to_none=False)
    assert param.grad.tolist() == [0.0]
    sgd.zero_grad()
    assert param.grad is None


def test_a_closure_computes_the_loss_with_gradients():
    param = parameter(3.0)
    sgd = SGD([param], lr=0.5)

    def closure():
        sgd.zero_grad()
        loss = (param * param).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert sgd.step(closure).item() == 9.0
    assert param.tolist() == [0.0]


def test_groups_have_options_of_their_own():
    first, second = parameter(1.0), parameter(1.0)
    sgd = SGD([{"params": [first], "lr": 0.5}, {"params": second}], lr=0.25)
    stepped(sgd, [1.0])
    assert (first.item(), second.item()) == (0.5, 0.75)
    sgd.add_param_group({"params": parameter(1.0)})
    assert sgd.param_groups[2]["lr"] == 0.25


def test_state_survives_saving_and_loading():
    one, other = (Adam([parameter(1.0, 2.0)], lr=rate) for rate in (0.1, 0.7))
    stepped(one, [1.0, -2.0])
    with torch.no_grad():
        other.param_groups[0]["params"][0].copy_(one.param_groups[0]["params"][0])
    other.load_state_dict(copy.deepcopy(one.state_dict()))
    assert stepped(other, [0.5, 0.5]) == stepped(one, [0.5, 0.5])
    assert other.state_dict()["state"][0]["step"].item() == 2.0


def test_loaded_state_takes_the_dtype_of_its_parameter():
    one = SGD([parameter(1.0)], momentum=0.9)
    stepped(one, [1.0])
    param = parameter(1.0, dtype=torch.float64)
    other = SGD([param])
    other.load_state_dict(one.state_dict())
    assert other.state[param]["momentum_buffer"].dtype is torch.float64
    assert other.param_groups[0]["momentum"] == 0.9


def test_loading_another_number_of_parameters_is_refused():
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        SGD([parameter(1.0)]).load_state_dict(SGD([parameter(1.0), parameter(1.0)]).state_dict())


def test_step_hooks_run_around_a_step():
    calls = []

    class Still(Optimizer):
        def step(self, closure=None):
            calls.append("step")

    still = Still([parameter(1.0)], {})
    still.register_step_pre_hook(lambda optimizer, args, kwargs: calls.append("before"))
    handle = still.register_step_post_hook(lambda optimizer, args, kwargs: calls.append("after"))
    still.step()
    handle.remove()
    still.step()
    assert calls == ["before", "step", "after", "before", "step"]


def test_repr_lists_options_in_order():
    assert repr(SGD([parameter(1.0)], lr=0.1)) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n"
        "    foreach: None\n    fused: None\n    lr: 0.1\n    maximize: False\n"
        "    momentum: 0\n    nesterov: False\n    weight_decay: 0\n)"
    )


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: SGD([]), ValueError, "optimizer got an empty parameter list"),
        (lambda: SGD([parameter(1.0)], lr=-1), ValueError, "Invalid learning rate: -1"),
        (lambda: SGD(torch.ones(2)), TypeError, "iterable of Tensors or dicts, but got torch.F"),
        (lambda: SGD([parameter(1.0) * 2]), ValueError, "can't optimize a non-leaf Tensor"),
        (lambda: SGD([5]), TypeError, "one of the params is int"),
        (lambda: SGD([{"lr": 1}]), KeyError, "'params'"),
        (lambda: SGD([{"params": {parameter(1.0)}}]), TypeError, "ordered collections"),
        (lambda: SGD([parameter(1.0)], nesterov=True), ValueError, "Nesterov momentum requires"),
        (lambda: Adam([parameter(1.0)], betas=(1.0, 0.5)), ValueError, "beta parameter at index 0"),
        (
            lambda: Adam([parameter(1.0)], betas=(0, 0.5)),
            ValueError,
            "betas must be either both",
        ),
    ],
)
def test_what_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("flags", "dtype", "error", "message"),
    [
        ({"fused": True}, torch.complex64, RuntimeError, "but torch.complex64 and cpu"),
        ({"capturable": True}, torch.float32, AssertionError, "must be on supported devices"),
    ],
)
def test_a_step_refuses_what_its_implementation_cannot_take(flags, dtype, error, message):
    with pytest.raises(error, match=message):
        stepped(Adam([parameter(1.0, dtype=dtype)], **flags), [1.0])


@pytest.mark.parametrize(
    ("cls", "options"),
    [
        (SGD, {"lr": 0.5, "weight_decay": 0.25}),
        (SGD, {"lr": 0.5, "maximize": True}),
        (Adam, {"lr": 0.5, "weight_decay": 0.25}),
        (AdamW, {"lr": 0.5, "maximize": True}),
    ],
)
def test_a_differentiable_step_is_the_step_and_has_its_derivative(cls, options):
    def step(start, gradient, **more):
        param = start.clone() if more else nn.Parameter(start.detach().clone())
        optimizer = cls([param], **options, **more)
        for factor in (1.0, -0.5):
            param.grad = gradient * factor
            optimizer.step()
        return param

    start, gradient = (torch.tensor(x, dtype=torch.float64) for x in ([1.0, -2.0], [0.5, 3.0]))
    start.requires_grad_()
    gradient.requires_grad_()
    end = step(start, gradient, differentiable=True)
    plain = step(start, gradient.detach())
    assert end.tolist() == pytest.approx(plain.tolist(), rel=1e-4)  # Adam's corrections are float32
    end.sum().backward()
    for x in (start, gradient):
        for i in range(2):
            shift = torch.zeros_like(x)
            shift[i] = 1e-6
            ends = []
            for sign in (1, -1):
                moved = [(y + sign * shift if y is x else y).detach() for y in (start, gradient)]
                ends.append(step(*moved).sum().item())
            assert x.grad[i].item() == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-8)


def test_a_first_momentum_is_detached_as_in_torch():
    start, gradient = torch.tensor([1.0], requires_grad=True), torch.tensor([2.0])
    param = start * 1
    param.grad = gradient.requires_grad_()
    SGD([param], lr=0.5, momentum=0.5, nesterov=True, differentiable=True).step()
    param.sum().backward()
    assert (param.item(), start.grad.item(), gradient.grad.item()) == (-0.5, 1.0, -0.5)


def test_a_parameter_in_two_groups_is_refused():
    param = parameter(1.0)
    with pytest.raises(ValueError, match="some parameters appear in more than one parameter group"):
        SGD([{"params": [param]}, {"params": [param]}])


@pytest.mark.parametrize(
    "make",
    [
        SGD,
        Adam,
        lambda p: SGD(p, momentum=0.9, weight_decay=0.1, nesterov=True),
        lambda p: SGD(p, momentum=0.9, dampening=0.5, maximize=True),
        lambda p: Adam(p, eps=1e-3, amsgrad=True, weight_decay=0.1),  # 1e-8 is 0 in float16
        lambda p: AdamW(p, betas=(0.2, 0.7), maximize=True),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.complex64])
def test_arrays_of_another_library_are_stepped_alike(make, dtype):
    generator = np.random.default_rng(0)
    shapes = [(), (3,), (4, 5), (40, 500)]
    values, gradients = ([generator.standard_normal(s) for s in shapes] for _ in range(2))
    results = []
    with registered():
        for device in ("cpu", "cuda"):
            params = [nn.Parameter(torch.tensor(x).to(dtype).to(device)) for x in values]
            optimizer = make(params)
            for _ in range(3):
                for param, gradient in zip(params, gradients):
                    param.grad = torch.tensor(gradient).to(dtype).to(device)
                optimizer.step()
            assert all(param.device.type == device for param in params)
            results.append([param.detach().cpu().tolist() for param in params])
    assert results[0] == results[1]


def test_an_optimizer_around_another_steps_without_hooks_of_its_own():
    class Around(torch.optim.Optimizer):
        def __init__(self, inner):
            self.inner = inner

        def step(self, closure=None):
            return self.inner.step(closure)

    w = torch.ones(1, requires_grad=True)
    w.grad = torch.ones(1)
    Around(torch.optim.SGD([w], lr=0.5)).step()
    assert w.item() == 0.5
    assert not hasattr(Around.step, "hooked")
    assert torch.optim.SGD.step.hooked


def test_a_class_gets_hooks_with_its_first_instance():
    class Base(torch.optim.Optimizer):
        def step(self, closure=None):
            pass

    class Derived(Base):
        def step(self, closure=None):
            return super().step(closure)

    w = torch.ones(1, requires_grad=True)
    made, seen = Derived([w], {}), []
    made.register_step_pre_hook(lambda *given: seen.append("before"))
    made.step()
    assert seen == ["before"]
    Base([w], {})
    made.step()
    assert seen == ["before"] * 3


class Seen(TorchDispatchMode):
    """Keeps the names of the operators."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(str(func).removeprefix("aten."))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_steps_that_modes_see_give_the_same_parameters(make, dtype):
    found = []
    for seen in (False, True):
        param = torch.tensor([1.0, -2.0, 3.0], dtype=dtype, requires_grad=True)
        optimizer = make([param], 0.1)
        for number in (1.0, -0.5):
            param.grad = torch.full((3,), number, dtype=dtype)
            with Seen() if seen else torch.no_grad():
                optimizer.step()
        found.append((param.tolist(), param._version))
    assert found[0] == found[1]


def test_modes_see_the_operators_of_a_step_of_adam():
    param = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.Adam([param], amsgrad=True)
    param.grad = torch.ones(2)
    optimizer.step()
    with Seen() as mode:
        optimizer.step()
    assert mode.names == [
        "profiler._record_function_enter_new.default",
        "add_.Tensor",
        "lerp_.Scalar",
        "mul_.Tensor",
        "addcmul_.default",
        "_local_scalar_dense.default",
        "maximum.out",
        "sqrt.default",
        "div.Tensor",
        "add_.Tensor",
        "addcdiv_.default",
        "profiler._record_function_exit._RecordFunction",
    ]


@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adafactor", "Muon", "RMSprop", "NAdam"])
def test_a_rate_that_is_text_is_refused_in_the_words_of_a_comparison_with_zero(name):
    with pytest.raises(
        TypeError, match="'<=' not supported between instances of 'float' and 'str'"
    ):
        getattr(torch.optim, name)([torch.ones(1, 1)], lr="0.1")


@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adamax", "NAdam", "RAdam", "SparseAdam"])
def test_betas_are_asked_one_by_one(name):
    make = getattr(torch.optim, name)
    with pytest.raises(TypeError, match="'float' object is not subscriptable"):
        make([torch.ones(1)], betas=0.9)
    with pytest.raises(ValueError, match=r"Invalid beta parameter at index 0: 1.0"):
        make([torch.ones(1)], betas=(1.0,))


def test_a_group_without_names_is_refused_before_parameters_that_are_there():
    m = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(m.named_parameters(), 0.1)
    with pytest.raises(ValueError, match="cannot add param group without names"):
        optimizer.add_param_group({"params": [m.weight]})


def test_steps_stand_in_profiles_under_the_names_of_their_optimizers():
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([weight], 0.1)
    weight.grad = torch.ones(2)
    with torch.profiler.profile() as recorded:
        optimizer.step()
        optimizer.zero_grad()
    names = {event.key for event in recorded.key_averages()}
    assert {"Optimizer.step#SGD.step", "Optimizer.zero_grad#SGD.zero_grad"} <= names
    assert weight.grad is None


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW])
def test_a_step_may_write_weights_that_are_saved_where_that_is_allowed(optimizer):
    w = torch.tensor([2.0], requires_grad=True)
    x = torch.tensor([3.0], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = (x * w).sum()
        y.backward(retain_graph=True)
        optimizer([w], lr=0.5).step()
        y.backward()
    assert x.grad.item() == 4.0
    assert w.item() != 2.0
