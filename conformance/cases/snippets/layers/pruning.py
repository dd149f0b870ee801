# nn.Linear: pruned elements
import torch.nn.utils.prune as prune

m = prune.l1_unstructured(nn.Linear(4, 3), "weight", amount=0.5)
x = torch.randn(2, 4)
y = m(x)
y.sum().backward()
print(m.weight_mask, sorted(m.state_dict()), m.weight_orig.grad, prune.is_pruned(m))
prune.remove(m, "weight")
print(m.weight, sorted(m.state_dict()), prune.is_pruned(m), m._forward_pre_hooks)

# nn.Conv2d: pruned at random
import torch.nn.utils.prune as prune

torch.manual_seed(3)
m = prune.random_unstructured(nn.Linear(4, 3), "weight", amount=5)
n = prune.random_structured(nn.Conv2d(3, 4, 2), "weight", amount=0.5, dim=0)
print(m.weight_mask, n.weight_mask[:, 0, 0, 0])
y = n(torch.randn(1, 3, 3, 3))
y.sum().backward()

# Tensor.values: pruned channels on top of elements
import torch.nn.utils.prune as prune

torch.manual_seed(5)
m = nn.Linear(4, 6)
prune.l1_unstructured(m, "weight", amount=4)
prune.ln_structured(m, "weight", amount=2, n=2, dim=0)
prune.ln_structured(m, "weight", amount=1, n=float("inf"), dim=-1)
prune.identity(m, "bias")
hooks = list(m._forward_pre_hooks.values())
print(m.weight_mask, [type(each).__name__ for each in hooks], len(hooks[0]))
y = m(torch.ones(1, 4))
y.sum().backward()

# nn.Linear: pruned by a mask, by scores and everywhere
import torch.nn.utils.prune as prune

a, b = nn.Linear(2, 2), nn.Linear(2, 3, bias=False)
prune.custom_from_mask(a, "bias", torch.tensor([1, 0]))
prune.l1_unstructured(a, "weight", 1, importance_scores=torch.tensor([[3.0, 2.0], [1.0, 4.0]]))
prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=4)
print(a.bias, a.weight_mask, b.weight_mask, a.weight_mask.sum() + b.weight_mask.sum())

# Tensor.tril: pruned tensors
import torch.nn.utils.prune as prune

t = torch.randn(3, 4)
a = prune.L1Unstructured(0.25).prune(t)
b = prune.LnStructured(1, 1, dim=1).prune(t, importance_scores=t.abs())
c = prune.Identity().prune(t, default_mask=torch.ones(3, 4).tril())

# nn.Linear: too much to prune
import torch.nn.utils.prune as prune

prune.l1_unstructured(nn.Linear(2, 2), "weight", 5)

# nn.Linear: more than everything to prune
import torch.nn.utils.prune as prune

prune.random_unstructured(nn.Linear(2, 2), "weight", 1.5)

# nn.Linear: a share that is none
import torch.nn.utils.prune as prune

prune.random_unstructured(nn.Linear(2, 2), "weight", "half")

# nn.Linear: channels of a vector
import torch.nn.utils.prune as prune

prune.random_structured(nn.Linear(2, 2), "bias", 1, 0)

# nn.Linear: channels along a dimension that is not there
import torch.nn.utils.prune as prune

prune.ln_structured(nn.Linear(2, 2), "weight", 1, 2, 2)

# nn.Linear: nothing that was pruned
import torch.nn.utils.prune as prune

prune.remove(nn.Linear(2, 2), "weight")

# nn.Linear: channels everywhere
import torch.nn.utils.prune as prune

prune.global_unstructured([(nn.Linear(2, 2), "weight")], prune.LnStructured, amount=1, n=2)

# nn.Linear: a mask of another shape
import torch.nn.utils.prune as prune

m = nn.Linear(2, 2)
try:
    prune.custom_from_mask(m, "weight", torch.ones(3))
except AssertionError as error:
    print(error, sorted(m.state_dict()))

# nn.utils.prune: what is no method
import torch.nn.utils.prune as prune

prune.PruningContainer().add_pruning_method(3)
