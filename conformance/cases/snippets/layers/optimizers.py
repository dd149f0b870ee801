# torch.optim.SGD: schedules that are asked for an epoch
import warnings

warnings.simplefilter("ignore")
sched = torch.optim.lr_scheduler
made = {
    "steps": lambda o: sched.StepLR(o, 3, 0.5),
    "milestones": lambda o: sched.MultiStepLR(o, [2, 4, 4, 7], 0.5),
    "constant": lambda o: sched.ConstantLR(o, 0.25, 4),
    "linear": lambda o: sched.LinearLR(o, 0.25, 0.75, 5),
    "exponential": lambda o: sched.ExponentialLR(o, 0.9),
    "polynomial": lambda o: sched.PolynomialLR(o, 6, 1.5),
    "cosine": lambda o: sched.CosineAnnealingLR(o, 6, 0.05),
    "restarts": lambda o: sched.CosineAnnealingWarmRestarts(o, 3, 2, 0.05),
    "even restarts": lambda o: sched.CosineAnnealingWarmRestarts(o, 3, 1, 0.05),
    "lambda": lambda o: sched.LambdaLR(o, lambda epoch: 1 / (epoch + 1)),
}
for name, make in made.items():
    w, v = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([{"params": [w], "lr": 0.5}, {"params": [v]}], lr=0.2)
    schedule = make(optimizer)
    optimizer.step()
    rates = []
    for epoch in (1, 3, 4, 5, 6, 7, 9, 10, 20.5, 2, 0):
        schedule.step(epoch)
        rates.append([f"{group['lr']:.6g}" for group in optimizer.param_groups])
    print(name, rates)
for mode in ("min", "max"):
    for threshold_mode in ("rel", "abs"):
        optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.5)
        schedule = sched.ReduceLROnPlateau(
            optimizer, mode, 0.5, 1, 0.05, threshold_mode, 1, 0.01, 1e-3
        )
        rates = []
        for value in (1.0, 1.04, 1.06, 1.2, 1.23, 1.21, 0.9, 0.86, 0.82, 0.83, 0.84, 0.85, 0.8):
            schedule.step(value)
            rates.append((optimizer.param_groups[0]["lr"], schedule.num_bad_epochs, schedule.best))
        print(mode, threshold_mode, rates)
del optimizer, schedule, w, v


# torch.optim.LBFGS: L-BFGS that looks along lines
def valley(p):
    return (1 - p[0]) ** 2 + 20 * (p[1] - p[0] ** 2) ** 2


def steep(p):
    return (p**4).sum() - 3 * (p**2).sum() + p.prod()


def hill(p):
    return -torch.exp(-(p**2).sum()) + 0.01 * (p**2).sum()


def edge(p):
    return (p.abs() ** 1.5).sum() + torch.sin(5 * p).sum()


for function in (valley, steep, hill, edge):
    for rate in (1.0, 0.1, 10.0):
        for start in ([-1.2, 1.0], [2.0, -0.5], [0.01, 3.0]):
            p = torch.tensor(start, dtype=torch.float64, requires_grad=True)
            optimizer = torch.optim.LBFGS(
                [p], lr=rate, max_iter=6, history_size=3, line_search_fn="strong_wolfe"
            )
            count = 0

            def closure():
                global count
                count += 1
                optimizer.zero_grad()
                loss = function(p)
                loss.backward()
                return loss

            for _ in range(3):
                loss = optimizer.step(closure)
                print(count, [round(each, 6) + 0.0 for each in (loss.item(), *p.tolist())])
del optimizer, loss, p

# torch.optim.Adam: optimizers whose numbers are tensors, and whose steps are large
for make in (
    lambda p: torch.optim.Adam(
        p, lr=torch.tensor(0.1), betas=(torch.tensor(0.8), torch.tensor(0.9))
    ),
    lambda p: torch.optim.AdamW(p, lr=torch.tensor(0.1), weight_decay=0.1, amsgrad=True),
    lambda p: torch.optim.Muon(p, lr=0.1, adjust_lr_fn="match_rms_adamw"),
    lambda p: torch.optim.Muon(p, lr=0.1, adjust_lr_fn="original"),
    lambda p: torch.optim.Adam(p, lr=0.1, betas=(0.8, 0.9), eps=1e-3, maximize=True),
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.25, weight_decay=0.5),
    lambda p: torch.optim.Adam(p, lr=0.1, betas=(torch.ones(2) / 2, 0.9)),
    lambda p: torch.optim.Adam(p, lr=0.1, betas=(0.5, torch.ones(2) / 2)),
):
    w = (torch.arange(12.0).reshape(4, 3) / 5 - 1).requires_grad_()
    try:
        optimizer = make([w])
        for _ in range(3):
            optimizer.zero_grad()
            (w**3 - w).sum().backward()
            optimizer.step()
        print(w.detach())
    except (ValueError, RuntimeError) as error:
        print(type(error).__name__, error)
w = torch.linspace(-1, 1, 70000).requires_grad_()
optimizer = torch.optim.Adam([w], lr=0.01, weight_decay=0.1)
for _ in range(2):
    optimizer.zero_grad()
    (w**2).sum().backward()
    optimizer.step()
w = torch.linspace(-1, 1, 70002).reshape(2, 35001).t().requires_grad_()
other = torch.optim.Adam([w], lr=0.01)
(w**3).sum().backward()
other.step()
del optimizer, other

# torch.optim.swa_utils.AveragedModel: averages of weights and of what batches are normalised by
net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
average = torch.optim.swa_utils.AveragedModel(net, use_buffers=True)
for i in range(3):
    with torch.no_grad():
        net[0].weight += i
    net(torch.arange(8.0).reshape(4, 2) * (i + 1))
    average.update_parameters(net)
    print(average.module[0].weight, average.module[1].running_mean, average.n_averaged)
for own in (
    torch.optim.swa_utils.get_swa_multi_avg_fn(),
    torch.optim.swa_utils.get_ema_multi_avg_fn(0.75),
):
    average = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=own)
    for i in range(3):
        with torch.no_grad():
            net[0].weight += i
        average.update_parameters(net)
    print(average.module[0].weight)
torch.optim.swa_utils.update_bn([torch.ones(4, 2), torch.arange(6.0).reshape(3, 2)], average)
seen = average.module[1].running_mean * 1, average.module[1].running_var * 1

# nn.utils.clip_grad_value_: clipped values, and parameters as one vector
w, v = torch.ones(2, 3, requires_grad=True), torch.ones(4, requires_grad=True)
(w * torch.arange(6.0).reshape(2, 3) - v[:3] * 5).sum().backward()
nn.utils.clip_grad_value_([w, v], 2.5)
print(w.grad, v.grad)
vector = nn.utils.parameters_to_vector([w, v]) * 2
nn.utils.vector_to_parameters(torch.arange(10.0), [w, v])
print(w, v)

# nn.init.calculate_gain: how weights are begun
for shape, groups in (
    ((6, 4), 1),
    ((6, 4), 3),
    ((4, 6, 3), 1),
    ((4, 6, 3, 5), 2),
    ((6, 4, 1, 2, 3), 3),
):
    torch.manual_seed(3)
    w = torch.zeros(shape)
    if len(shape) > 2:
        print(nn.init.dirac_(w, groups).nonzero().tolist())
    for begin in (
        nn.init.orthogonal_,
        nn.init.xavier_uniform_,
        nn.init.xavier_normal_,
        nn.init.kaiming_uniform_,
        lambda w: nn.init.kaiming_normal_(w, 0.25, "fan_out", "leaky_relu"),
        lambda w: nn.init.sparse_(w, 0.4) if w.dim() == 2 else w,
        lambda w: nn.init.trunc_normal_(w, 0.5, 2.0, -1.0, 1.5),
    ):
        print([f"{x:.4f}" for x in begin(w).flatten()[:5].tolist()])
print(
    [nn.init.calculate_gain(n) for n in ("linear", "tanh", "relu", "leaky_relu", "selu", "sigmoid")]
)
print(nn.init.calculate_gain("leaky_relu", 0.2))
del w

# nn.utils.spectral_norm: spectral norms that are saved, taken away and loaded
torch.manual_seed(0)
layer = nn.utils.spectral_norm(nn.Linear(2, 3), n_power_iterations=2)
y = layer(torch.ones(1, 2))
state = layer.state_dict()
print(sorted(state), state._metadata)
other = nn.utils.spectral_norm(nn.Linear(2, 3))
print(other.load_state_dict(state), other(torch.ones(1, 2)))
old = {k: v for k, v in state.items() if not k.endswith("_v")}
try:
    print(other.load_state_dict(old))
except RuntimeError as error:
    print(error)
nn.utils.remove_spectral_norm(layer)
print(sorted(layer.state_dict()), layer.weight)
early = dict(state)
early["weight"] = early["weight_orig"] / 2
early.pop("weight_v")
early = type(state)(early)
early._metadata = {"": {"version": 1}}
try:
    print(other.load_state_dict(early), other.weight_v)
except RuntimeError as error:
    print(error)
del y, layer, other

# F.batch_norm: batches of half precision, normalised by what runs
for dtype in (torch.bfloat16, torch.float16):
    x = (torch.arange(24.0).reshape(4, 3, 2) / 7 - 1).to(dtype)
    for kind in (dtype, torch.float32):
        mean, var = (
            torch.tensor([0.5, -0.25, 1.0]).to(kind),
            torch.tensor([1.5, 0.25, 2.0]).to(kind),
        )
        weight, bias = (
            torch.tensor([1.5, -1.0, 0.5]).to(kind),
            torch.tensor([0.1, 0.2, 0.3]).to(kind),
        )
        for given in ((weight, bias), (weight, None), (None, None)):
            print(F.batch_norm(x, mean, var, *given))
            print(F.batch_norm(x, mean.clone(), var.clone(), *given, training=True))

# Adam as a function without options
from torch.optim.adam import adam

adam([], [], [], [], [], [])

# torch.optim.SGD: hooks around the steps of all optimizers
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.optim.optimizer import register_optimizer_step_pre_hook

seen = []
w = torch.ones(2, requires_grad=True)
w.sum().backward()
optimizer = torch.optim.SGD([w], lr=0.1)
handles = [
    register_optimizer_step_pre_hook(lambda o, a, k: seen.append(("before", len(a), k))),
    register_optimizer_step_post_hook(lambda o, a, k: seen.append(type(o).__name__)),
]
optimizer.register_step_post_hook(lambda o, a, k: seen.append("its own"))
optimizer.step()
for handle in handles:
    handle.remove()
optimizer.step()

# torch.optim.Adam: an optimizer through whose rates one differentiates
beta = torch.tensor(0.9, requires_grad=True)
w = torch.tensor([1.0, -2.0], requires_grad=True)
p = w * 1
o = torch.optim.Adam([w], lr=torch.tensor(0.1), differentiable=True, betas=(0.5, 0.5))
print(o.defaults["betas"])
p = w.clone()
p.retain_grad()
q = torch.optim.Adam([p], lr=0.1, betas=(torch.tensor(0.5), beta), differentiable=True)
p.grad = torch.tensor([0.5, 1.0])
q.step()
p.sum().backward()
print(p, beta.grad, w.grad)

# torch.optim: optimizers that forget quickly, in all precisions
kept = {}
for name, options in (
    ("Adam", {"betas": (0.3, 0.4)}),
    ("AdamW", {"betas": (0.2, 0.5), "amsgrad": True}),
    ("NAdam", {"betas": (0.4, 0.3)}),
    ("RAdam", {"betas": (0.3, 0.6)}),
    ("Adamax", {"betas": (0.1, 0.2)}),
    ("RMSprop", {"alpha": 0.3, "centered": True}),
    ("Adadelta", {"rho": 0.2}),
):
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        p = torch.tensor([1.0, -2.0, 0.5], dtype=dtype, requires_grad=True)
        o = getattr(torch.optim, name)([p], lr=0.1, **options)
        for k in range(3):
            p.grad = torch.tensor([0.5, 1.0, -2.0], dtype=dtype) * (k + 1)
            o.step()
        kept[name, str(dtype)] = p.detach()
        print(name, dtype, [v.dtype for v in o.state[p].values()])


# torch.optim.Adam: rates that are text, and betas that are no pair
for name in ("Adam", "AdamW", "Adamax", "NAdam", "RAdam", "SparseAdam", "Adafactor", "Muon", "SGD"):
    make = getattr(torch.optim, name)
    for options in ({"lr": "0.1"}, {"lr": None}, {"betas": 0.9}, {"betas": "x"}, {"betas": (1.0,)}):
        try:
            make([torch.ones(1, 1)], **options)
            print("made")
        except Exception as e:
            print(type(e).__name__, e)
del make

# Optimizer.add_param_group: a parameter that is there already, without the name it has there
m = nn.Linear(1, 1)
torch.optim.SGD(m.named_parameters(), 0.1).add_param_group({"params": [m.weight]})
