"""torch._functorch and the package functorch: the parts of vmap, and what torch.func was before."""

import pytest

import minitorch as torch
from minitorch import _functorch, nn
from minitorch._functorch import deprecated, vmap
from minitorch._functorch import make_functional as modules
from minitorch._functorch.apis import chunk_vmap


def test_parts_of_vmap_that_programs_replace_run_in_torch_vmap(monkeypatch):
    seen = []
    for name in ("_process_batched_inputs", "_create_batched_inputs", "_unwrap_batched"):
        original = getattr(vmap, name)

        def part(*args, name=name, original=original):
            seen.append(name)
            return original(*args)

        monkeypatch.setattr(vmap, name, part)
    assert torch.vmap(lambda x: x + 1)(torch.zeros(2)).tolist() == [1.0, 1.0]
    assert seen == ["_process_batched_inputs", "_create_batched_inputs", "_unwrap_batched"]
    assert _functorch.vmap is vmap


def test_parts_of_vmap_take_and_give_what_torch_s_do():
    x = torch.arange(6.0).reshape(2, 3)
    size, dims, flat, spec = vmap._process_batched_inputs((-1, None), (x, 4), torch.sin)
    assert (size, dims, flat[1]) == (3, [1, None], 4)
    with vmap.vmap_increment_nesting(size, "error") as level:
        one, four = vmap._create_batched_inputs(dims, flat, level, spec)
        assert (one.shape, four) == ((2,), 4)
        with pytest.raises(ValueError, match="`sin` can not return a BatchedTensor when out_dim"):
            vmap._maybe_remove_batch_dim("sin", one, level, size, None)
        with pytest.raises(ValueError, match="`sin` must only return Tensors, got type"):
            vmap._maybe_remove_batch_dim("sin", 4, level, size, 0)
        values, places = vmap.unwrap_batched([one, 4], level)
        assert values[0].shape == (2, 3)
        assert places == [1, None]
        assert vmap._unwrap_batched(one * four, 0, level, size, torch.sin).shape == (3, 2)
    outputs, places = vmap.restore_vmap(lambda a, b: (a.sum(), b), (1, None), 3, "error")(x, "b")
    assert (outputs[0].tolist(), outputs[1], places) == ([3.0, 5.0, 7.0], "b", (0, None))
    assert vmap.get_chunk_sizes(7, 3) == [3, 3, 1]


def test_vmap_names_partial_functions_by_what_they_call():
    from functools import partial

    with pytest.raises(ValueError, match=r"vmap\(functools.partial\(sum, ...\)\)\(<inputs>\): got"):
        torch.vmap(partial(torch.sum, dim=0))()


def test_batched_tensors_that_programs_keep_belong_to_the_next_vmap_of_their_level():
    kept = []
    torch.vmap(kept.append, out_dims=None)(torch.arange(3.0))
    found = torch.vmap(lambda x: x + kept[0])(torch.ones(3))
    assert found.tolist() == [1.0, 2.0, 3.0]
    found = torch.vmap(lambda x: (x * kept[0]).sum())(torch.ones(3, 2))
    assert found.tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize(("size", "chunks", "calls"), [(7, 3, 3), (2, 5, 2), (4, 1, 1)])
def test_chunk_vmap_calls_the_function_once_a_chunk(size, chunks, calls):
    shapes = []

    def double(x):
        shapes.append(x.shape)
        return x * 2, x.sum()

    x = torch.arange(2.0 * size).reshape(size, 2)
    twice, sums = chunk_vmap(double, chunks=chunks, out_dims=(1, 0))(x)
    assert torch.equal(twice, 2 * x.T)
    assert torch.equal(sums, x.sum(1))
    assert shapes == [(2,)] * calls
    with pytest.raises(RuntimeError, match="`chunks` to be greater than 0, got: 0"):
        chunk_vmap(double, chunks=0)(x)
    with pytest.raises(RuntimeError, match="Only allowed values for randomness"):
        chunk_vmap(double, randomness="x")


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


def test_make_functional_gives_a_function_of_a_copy_of_the_parameters():
    net = nn.Linear(2, 3)
    function, params = modules.make_functional(net)
    assert isinstance(function, modules.FunctionalModule)
    assert function.param_names == ("weight", "bias")
    assert function.stateless_model.weight.is_meta
    assert [type(each) for each in params] == [nn.Parameter] * 2
    assert params[0] is not net.weight
    x = torch.ones(4, 2)
    assert torch.equal(function(params, x), net(x))
    assert function.stateless_model.weight.is_meta
    assert not modules.make_functional(net, True)[1][0].requires_grad
    function, params = modules.make_functional(Tied())
    assert function.names_map == {"a.weight": ["a.weight", "b.weight"]}
    assert function((torch.ones(2, 2),), torch.ones(1, 2)).tolist() == [[4.0, 4.0]]
    with pytest.raises(RuntimeError, match=r"make_functional\(model\): `model` has buffers"):
        modules.make_functional(nn.BatchNorm1d(2))


def test_make_functional_with_buffers_writes_into_the_buffers_that_it_gave():
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    function, params, buffers = modules.make_functional_with_buffers(net)
    assert function.buffer_names[-1] == "1.num_batches_tracked"
    assert list(function.all_names_map)[:2] == ["0.weight", "0.bias"]
    function(params, buffers, torch.rand(4, 2))
    assert buffers[2].item() == 1
    assert net[1].num_batches_tracked.item() == 0


def test_combine_state_for_ensemble_maps_over_models():
    nets = [nn.Linear(2, 3) for _ in range(4)]
    function, params, buffers = modules.combine_state_for_ensemble(nets)
    assert params[0].shape == (4, 3, 2)
    assert not params[0].requires_grad
    x = torch.rand(5, 2)
    found = torch.vmap(function, in_dims=(0, 0, None))(params, buffers, x)
    assert torch.allclose(found, torch.stack([net(x) for net in nets]))
    for wrong in ([], [nets[0], nn.ReLU()], [nets[0], nn.Linear(2, 3).eval()]):
        with pytest.raises(RuntimeError, match="combine_state_for_ensemble: Expected a"):
            modules.combine_state_for_ensemble(wrong)


def test_functional_init_makes_one_module_or_an_ensemble():
    weights, function, names = modules.functional_init(nn.Linear)(2, 1)
    assert names == ("weight", "bias")
    assert function(weights, (torch.ones(2),)).shape == (1,)
    assert modules.functional_init(nn.Linear, (2,))(2, 1)[0][0].shape == (2, 1, 2)
    made = modules.functional_init_with_buffers(nn.BatchNorm1d, (2,))(3)
    assert [len(each) for each in (made[0], made[1], made[3], made[4])] == [2, 3, 2, 3]
    with pytest.raises(ValueError, match="num_models 0 should be > 0"):
        modules.functional_init(nn.Linear, (0,))(2, 1)
    with pytest.raises(ValueError, match="NYI: ensemble_shape with more than 1 element"):
        modules.functional_init(nn.Linear, (2, 2))(2, 1)


def test_states_are_put_back_under_their_names():
    net = nn.Linear(2, 1)
    weights, names, names_map = modules.extract_weights(net)
    assert net.weight.is_meta
    modules.load_weights(net, names, weights)
    assert net.weight is weights[0]
    assert modules._swap_state(net, names_map, (None, None)) == list(weights)
    assert net.weight is None
    with pytest.raises(AssertionError, match=r"len\(weight_names\)=1 != len\(weights\)=2"):
        modules.load_state(net, weights, names[:1])
    with pytest.raises(AssertionError, match="tensor for key 'c' not found"):
        modules.create_names_map({"a": weights[0]}, {"a": weights[0], "c": weights[1]})
    with pytest.raises(RuntimeError, match="models that do parameter tying"):
        modules.raise_parameter_tying_error()


def test_functorch_warns_and_computes():
    with pytest.warns(FutureWarning, match=r"`functorch.vmap` is deprecated as of PyTorch 2.0 and"):
        mapped = deprecated.vmap(torch.sin)
    assert mapped(torch.zeros(2)).tolist() == [0.0, 0.0]
    with pytest.warns(FutureWarning, match=r"Please use `torch.func.grad` instead"):
        assert deprecated.grad(torch.sin)(torch.zeros(())).item() == 1
    with pytest.warns(FutureWarning, match=r"Please use `torch.func.functional_call` instead"):
        deprecated.make_functional(nn.Linear(1, 1))
