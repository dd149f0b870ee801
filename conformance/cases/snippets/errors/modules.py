# nn.Conv2d(3, 4, 3, groups=2)
nn.Conv2d(3, 4, 3, groups=2)

# nn.Conv2d(4, 3, 3, groups=2)
nn.Conv2d(4, 3, 3, groups=2)

# nn.Conv2d(4, 4, 3, groups=0)
nn.Conv2d(4, 4, 3, groups=0)

# nn.Conv2d(4, 4, 3, padding="nonsense")
nn.Conv2d(4, 4, 3, padding="nonsense")

# nn.Conv2d(4, 4, 3, padding="same", stride=2)
nn.Conv2d(4, 4, 3, padding="same", stride=2)

# nn.Conv2d(4, 4, 3, padding_mode="nonsense")
try:
    nn.Conv2d(4, 4, 3, padding_mode="nonsense")
except ValueError as error:  # it shows a set, whose order goes by the hash seeds of now and then
    words = sorted(str(error).replace("{", "").replace("}", "").replace(",", "").split())

# nn.ConvTranspose2d(4, 4, 3, padding_mode="reflect")
nn.ConvTranspose2d(4, 4, 3, padding_mode="reflect")

# nn.ConvTranspose2d(1, 1, 3)(torch.ones(1, 1, 3, 3), output_size=[1])
nn.ConvTranspose2d(1, 1, 3)(torch.ones(1, 1, 3, 3), output_size=[1])

# nn.ConvTranspose2d(1, 1, 3)(torch.ones(1, 1, 3, 3), output_size=[50, 50])
nn.ConvTranspose2d(1, 1, 3)(torch.ones(1, 1, 3, 3), output_size=[50, 50])

# nn.Conv2d(1, 1, 3)(torch.ones(1, 2, 5, 5))
nn.Conv2d(1, 1, 3)(torch.ones(1, 2, 5, 5))

# nn.Conv2d(1, 1, 3)(torch.ones(5, 5))
nn.Conv2d(1, 1, 3)(torch.ones(5, 5))

# nn.Conv2d(1, 1, 7)(torch.ones(1, 1, 5, 5))
nn.Conv2d(1, 1, 7)(torch.ones(1, 1, 5, 5))

# nn.Linear(2, 3)(torch.ones(3))
nn.Linear(2, 3)(torch.ones(3))

# nn.Linear(2, 3, unknown=1)
nn.Linear(2, 3, unknown=1)

# nn.Module(3)
nn.Module(3)

# nn.Module(unknown=3)
nn.Module(unknown=3)

# nn.Module()(1)
nn.Module()(1)

# nn.Linear(2, 3).train("x")
nn.Linear(2, 3).train("x")

# nn.Linear(2, 3).unknown
nn.Linear(2, 3).unknown

# nn.Linear(2, 3).weight = 3
nn.Linear(2, 3).weight = 3

# nn.Linear(2, 3).get_submodule("unknown")
nn.Linear(2, 3).get_submodule("unknown")

# nn.Linear(2, 3).get_submodule("weight")
nn.Linear(2, 3).get_submodule("weight")

# nn.Linear(2, 3).get_parameter("unknown")
nn.Linear(2, 3).get_parameter("unknown")

# nn.Linear(2, 3).get_parameter("in_features")
nn.Linear(2, 3).get_parameter("in_features")

# nn.Linear(2, 3).get_buffer("weight")
nn.Linear(2, 3).get_buffer("weight")

# nn.Linear(2, 3).set_submodule("", nn.Linear(2, 3))
nn.Linear(2, 3).set_submodule("", nn.Linear(2, 3))

# nn.Linear(2, 3).set_submodule("x", 3)
nn.Linear(2, 3).set_submodule("x", 3)

# nn.Linear(2, 3).set_submodule("a.b", nn.Linear(2, 3))
nn.Linear(2, 3).set_submodule("a.b", nn.Linear(2, 3))

# nn.Module().register_parameter("a.b", None)
nn.Module().register_parameter("a.b", None)

# nn.Module().register_parameter("", None)
nn.Module().register_parameter("", None)

# nn.Module().register_parameter(3, None)
nn.Module().register_parameter(3, None)

# nn.Module().register_parameter("forward", nn.Parameter(torch.ones(2)))
nn.Module().register_parameter("forward", nn.Parameter(torch.ones(2)))

# nn.Module().register_parameter("a", torch.ones(2))
nn.Module().register_parameter("a", torch.ones(2))

# nn.Module().register_parameter("a", torch.ones(2, requires_grad=True) * 2)
nn.Module().register_parameter("a", torch.ones(2, requires_grad=True) * 2)

# nn.Module().register_buffer("a", 3)
nn.Module().register_buffer("a", 3)

# nn.Module().register_buffer("a.b", None)
nn.Module().register_buffer("a.b", None)

# nn.Module().register_buffer("", None)
nn.Module().register_buffer("", None)

# nn.Module().register_buffer(3, None)
nn.Module().register_buffer(3, None)

# nn.Module().register_buffer("forward", None)
nn.Module().register_buffer("forward", None)

# nn.Module().add_module("a", 3)
nn.Module().add_module("a", 3)

# nn.Module().add_module("a.b", None)
nn.Module().add_module("a.b", None)

# nn.Module().add_module("", None)
nn.Module().add_module("", None)

# nn.Module().add_module(3, None)
nn.Module().add_module(3, None)

# nn.Module().add_module("forward", None)
nn.Module().add_module("forward", None)

# nn.Module().load_state_dict(3)
nn.Module().load_state_dict(3)

# nn.Linear(2, 3).load_state_dict({})
nn.Linear(2, 3).load_state_dict({})

# nn.Linear(2, 3).load_state_dict({"weight": torch.ones(2, 2), "bias": torch.ones(3)})
nn.Linear(2, 3).load_state_dict({"weight": torch.ones(2, 2), "bias": torch.ones(3)})

# nn.Linear(2, 3).to(torch.int64)
nn.Linear(2, 3).to(torch.int64)

# nn.Module().get_extra_state()
nn.Module().get_extra_state()

# nn.Module().set_extra_state(3)
nn.Module().set_extra_state(3)

# nn.Sequential(nn.ReLU())[3]
nn.Sequential(nn.ReLU())[3]

# nn.Sequential(nn.ReLU()) + 3
nn.Sequential(nn.ReLU()) + 3

# nn.Sequential(nn.ReLU()) * 0
nn.Sequential(nn.ReLU()) * 0

# nn.Sequential(nn.ReLU()) * "x"
nn.Sequential(nn.ReLU()) * "x"

# nn.Sequential(nn.ReLU()).insert(5, nn.ReLU())
nn.Sequential(nn.ReLU()).insert(5, nn.ReLU())

# nn.Sequential(nn.ReLU()).insert(0, 3)
nn.Sequential(nn.ReLU()).insert(0, 3)

# nn.Sequential(3)
nn.Sequential(3)

# nn.Sequential(nn.ReLU()).__iadd__(3)
nn.Sequential(nn.ReLU()).__iadd__(3)

# nn.ModuleList([nn.ReLU()])[3]
nn.ModuleList([nn.ReLU()])[3]

# nn.ModuleList([nn.ReLU()]).extend(3)
nn.ModuleList([nn.ReLU()]).extend(3)

# nn.ModuleList([3])
nn.ModuleList([3])

# nn.ModuleDict({"a": nn.ReLU()})["b"]
nn.ModuleDict({"a": nn.ReLU()})["b"]

# nn.ModuleDict().update(3)
nn.ModuleDict().update(3)

# nn.ModuleDict().update([3])
nn.ModuleDict().update([3])

# nn.ModuleDict().update([("a", nn.ReLU(), 3)])
nn.ModuleDict().update([("a", nn.ReLU(), 3)])

# nn.ParameterList([torch.ones(2)])[3]
nn.ParameterList([torch.ones(2)])[3]

# nn.ParameterList().extend(3)
nn.ParameterList().extend(3)

# nn.ParameterDict({3: torch.ones(2)})
nn.ParameterDict({3: torch.ones(2)})

# nn.ParameterDict().update(3)
nn.ParameterDict().update(3)

# nn.ParameterDict().update([3])
nn.ParameterDict().update([3])

# nn.ParameterDict().update([("a", torch.ones(2), 3)])
nn.ParameterDict().update([("a", torch.ones(2), 3)])

# nn.Dropout(2)
nn.Dropout(2)

# nn.Embedding(3, 2, padding_idx=5)
nn.Embedding(3, 2, padding_idx=5)

# nn.Embedding(3, 2)(torch.tensor([5]))
nn.Embedding(3, 2)(torch.tensor([5]))

# nn.Embedding(3, 2)(torch.ones(2))
nn.Embedding(3, 2)(torch.ones(2))

# nn.BatchNorm1d(3)(torch.ones(3))
nn.BatchNorm1d(3)(torch.ones(3))

# nn.BatchNorm1d(3)(torch.ones(1, 3))
nn.BatchNorm1d(3)(torch.ones(1, 3))

# nn.BatchNorm2d(3)(torch.ones(2, 3))
nn.BatchNorm2d(3)(torch.ones(2, 3))

# nn.GroupNorm(2, 3)
nn.GroupNorm(2, 3)

# nn.LayerNorm(3)(torch.ones(2, 4))
nn.LayerNorm(3)(torch.ones(2, 4))

# nn.MultiheadAttention(5, 2)
nn.MultiheadAttention(5, 2)

# nn.Unflatten(1, (2, 2))(torch.ones(2, 3))
nn.Unflatten(1, (2, 2))(torch.ones(2, 3))

# nn.Unflatten(1, "x")
nn.Unflatten(1, "x")

# nn.init.calculate_gain("nonsense")
nn.init.calculate_gain("nonsense")

# nn.init.calculate_gain("leaky_relu", "x")
nn.init.calculate_gain("leaky_relu", "x")

# nn.init.eye_(torch.ones(2))
nn.init.eye_(torch.ones(2))

# nn.init.dirac_(torch.ones(2, 2))
nn.init.dirac_(torch.ones(2, 2))

# nn.init.dirac_(torch.ones(3, 2, 2), groups=2)
nn.init.dirac_(torch.ones(3, 2, 2), groups=2)

# nn.init.kaiming_uniform_(torch.ones(2, 2), mode="nonsense")
nn.init.kaiming_uniform_(torch.ones(2, 2), mode="nonsense")

# nn.init.xavier_uniform_(torch.ones(2))
nn.init.xavier_uniform_(torch.ones(2))

# nn.init.orthogonal_(torch.ones(2))
nn.init.orthogonal_(torch.ones(2))

# nn.init.sparse_(torch.ones(2), 0.1)
nn.init.sparse_(torch.ones(2), 0.1)

# torch.optim.SGD([], lr=0.1)
torch.optim.SGD([], lr=0.1)

# torch.optim.SGD(torch.ones(2), lr=0.1)
torch.optim.SGD(torch.ones(2), lr=0.1)

# torch.optim.SGD([3], lr=0.1)
torch.optim.SGD([3], lr=0.1)

# torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1)
torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1)

# torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=-1)
torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=-1)

# torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, momentum=-1)
torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, momentum=-1)

# torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, weight_decay=-1)
torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, weight_decay=-1)

# torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, nesterov=True)
torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, nesterov=True)

# torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, foreach=True, fused=True)
torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, foreach=True, fused=True)

# torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, fused=True, differentiable=True)
torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, fused=True, differentiable=True)

# torch.optim.SGD([{"params": {nn.Parameter(torch.ones(2))}}], lr=0.1)
torch.optim.SGD([{"params": {nn.Parameter(torch.ones(2))}}], lr=0.1)

# torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1).add_param_group(3)
torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1).add_param_group(3)

# torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1).load_state_dict({"state": {}, "para
torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1).load_state_dict(
    {"state": {}, "param_groups": []}
)

# torch.optim.Adam([nn.Parameter(torch.ones(2))], lr=-1)
torch.optim.Adam([nn.Parameter(torch.ones(2))], lr=-1)

# torch.optim.Adam([nn.Parameter(torch.ones(2))], betas=(2, 0.9))
torch.optim.Adam([nn.Parameter(torch.ones(2))], betas=(2, 0.9))

# torch.optim.Adam([nn.Parameter(torch.ones(2))], betas=(0.9, 2))
torch.optim.Adam([nn.Parameter(torch.ones(2))], betas=(0.9, 2))

# torch.optim.Adam([nn.Parameter(torch.ones(2))], eps=-1)
torch.optim.Adam([nn.Parameter(torch.ones(2))], eps=-1)

# torch.optim.AdamW([nn.Parameter(torch.ones(2))], weight_decay=-1)
torch.optim.AdamW([nn.Parameter(torch.ones(2))], weight_decay=-1)
