# torch.ao.pruning.WeightNormSparsifier: masks of blocks, gradients, states, and weights without masks
import copy

import torch.ao.pruning as pruning

found = []
for options in (
    dict(),
    dict(sparse_block_shape=(2, 3), norm=1),
    dict(sparse_block_shape=(1, 4), zeros_per_block=2),
    dict(sparsity_level=0.3, sparse_block_shape=(1, 1)),
    dict(sparsity_level=1.0),
):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 5), nn.Sequential(nn.Linear(5, 4)))
    sparsifier = pruning.WeightNormSparsifier(**options)
    sparsifier.prepare(model, [{"tensor_fqn": "0.weight"}])
    sparsifier.step()
    model(torch.randn(2, 8)).sum().backward()
    state = copy.deepcopy(sparsifier.state_dict())
    found.append(
        (
            model[0].parametrizations.weight[0].mask.clone(),
            model[0].parametrizations.weight.original.grad,
        )
    )
    print(sparsifier, list(state["state"]), state["groups"])
    sparsifier.squash_mask(params_to_keep=("sparsity_level",))
    print(model, model[0].sparse_params, (model[0].weight == 0).sum())

# torch.ao.pruning.BaseSparsifier: configurations, states that are loaded, what it refuses
import torch.ao.pruning as pruning

torch.manual_seed(1)
a, b = (nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 8)) for _ in range(2))
first, second = pruning.WeightNormSparsifier(), pruning.NearlyDiagonalSparsifier(3)
first.prepare(a, None)
first.step()
second.prepare(b, [{"tensor_fqn": "0.weight"}, {"tensor_fqn": "2.weight", "nearliness": 1}])
second.step()
masks = b[0].parametrizations.weight[0].mask.clone(), b[2].parametrizations.weight[0].mask.clone()
again = pruning.WeightNormSparsifier()
again.prepare(b, [])
again.load_state_dict(first.state_dict())
texts = []
for config in ([1], [{}], [{"tensor_fqn": "0.weight", "module_fqn": "1"}]):
    try:
        pruning.WeightNormSparsifier().prepare(a, config)
    except Exception as error:
        texts.append((type(error), str(error)))
print(
    second,
    texts,
    pruning.module_to_fqn(a, a[2]),
    pruning.fqn_to_module(a, "7"),
    pruning.FakeSparsity(torch.ones(1)).state_dict(),
)
pruning.WeightNormSparsifier(norm=3)

# torch.ao.pruning.CubicSL: shares of zeros that grow, schedulers by functions, their warnings
import torch.ao.pruning as pruning

torch.manual_seed(2)
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
sparsifier = pruning.WeightNormSparsifier(sparsity_level=0.8)
sparsifier.prepare(model, None)
scheduler = pruning.CubicSL(
    sparsifier, init_sl=[0.1, 0.2], init_t=1, delta_t=1, total_t=4, initially_zero=True
)
shares = [scheduler.get_last_sl()]
scheduler.step()
for _ in range(5):
    sparsifier.step()
    scheduler.step()
    shares.append(scheduler.get_last_sl())
other = pruning.LambdaSL(sparsifier, lambda epoch: 0.5**epoch, verbose=True)
sparsifier.step()
other.step(3)
print(scheduler, shares, other.get_last_sl(), sorted(other.state_dict()))
pruning.CubicSL(sparsifier, init_sl=[1])

# torch.ao.quantization._equalize: weights of layers in a row with ranges of one size
import torch.ao.quantization._equalize as equalize

torch.manual_seed(3)
model = nn.Sequential(nn.Conv2d(2, 3, 2), nn.Conv2d(3, 4, 2, bias=False))
x = torch.randn(2, 2, 5, 5)
before = model(x)
same = equalize.equalize(model, [["0", "1"]], inplace=False)
after = same(x)
ranges = equalize.channel_range(same[0].weight, 0), equalize.channel_range(same[1].weight, 1)
print(
    equalize.expand_groups_in_paired_modules_list([["a", "b", "c"]]),
    equalize.converged({"a": model[0]}, {"a": same[0]}),
)
equalize.cross_layer_equalization(nn.ReLU(), model[0])
