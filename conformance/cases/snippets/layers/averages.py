# nn.BatchNorm1d: the average of several models
import torch.optim.swa_utils as swa

m = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
average = swa.AveragedModel(m)
for i in range(4):
    m(torch.randn(5, 2))
    with torch.no_grad():
        m[0].weight.mul_(i + 1)
    average.update_parameters(m)
print(average, average.n_averaged, sorted(average.state_dict()))
swa.update_bn([torch.randn(4, 2), (torch.randn(4, 2), 1)], average)
y = average(torch.randn(3, 2))
print(list(average.buffers()), average.module[1].momentum)

# nn.BatchNorm1d: averages by functions
import torch.optim.swa_utils as swa

m = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
functions = [{"avg_fn": swa.get_ema_avg_fn(0.5)}, {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.9)}]
functions += [{"avg_fn": swa.get_swa_avg_fn()}, {"multi_avg_fn": swa.get_swa_multi_avg_fn()}]
functions += [
    {"use_buffers": True},
    {"multi_avg_fn": swa.get_ema_multi_avg_fn(), "use_buffers": True},
]
models = [swa.AveragedModel(m, **each) for each in functions]
for i in range(3):
    m(torch.randn(4, 2))
    with torch.no_grad():
        m[0].weight += i
    for each in models:
        each.update_parameters(m)
print([list(each.parameters()) + list(each.buffers()) for each in models])

# torch.optim.swa_utils: a decay that is none
import torch.optim.swa_utils as swa

swa.get_ema_avg_fn(1.5)

# nn.Linear: two functions for one average
import torch.optim.swa_utils as swa

swa.AveragedModel(nn.Linear(1, 1), avg_fn=min, multi_avg_fn=max)

# torch.optim.SGD: the rate of averages
import torch.optim.swa_utils as swa

opt = torch.optim.SGD(
    [
        {"params": [nn.Parameter(torch.ones(1))]},
        {"params": [nn.Parameter(torch.ones(1))], "lr": 2.0},
    ],
    lr=1.0,
)
rates = []
for strategy, epochs in (("cos", 3), ("linear", 4), ("linear", 0)):
    scheduler = swa.SWALR(opt, [0.1, 0.2], anneal_epochs=epochs, anneal_strategy=strategy)
    for _ in range(5):
        opt.step()
        scheduler.step()
        rates.append(scheduler.get_last_lr())
print(rates, sorted(scheduler.state_dict()), opt)

# torch.optim.SGD: another way to anneal
import torch.optim.swa_utils as swa

swa.SWALR(torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0), 0.1, anneal_strategy="cubic")

# torch.optim.SGD: no epochs to anneal
import torch.optim.swa_utils as swa

swa.SWALR(torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0), 0.1, anneal_epochs=-1)

# Adafactor for matrices and vectors
m = nn.Linear(3, 2)
opt = torch.optim.Adafactor(m.parameters(), lr=0.1, weight_decay=0.1)
for _ in range(3):
    opt.zero_grad()
    (m(torch.randn(4, 3)) ** 2).sum().backward()
    opt.step()
print(opt, opt.state_dict())
w = m.weight.detach().clone()

# Adafactor refuses complex parameters
p = nn.Parameter(torch.ones(2, dtype=torch.complex64))
p.grad = torch.ones_like(p)
torch.optim.Adafactor([p]).step()

# Adafactor with a clipping that is too low
torch.optim.Adafactor([nn.Parameter(torch.ones(2))], d=0.5)

# SparseAdam and dense gradients
p = nn.Parameter(torch.ones(2))
opt = torch.optim.SparseAdam([p])
print(opt, opt.step())
p.grad = torch.ones(2)
opt.step()

# SparseAdam without a rate
torch.optim.SparseAdam([nn.Parameter(torch.ones(2))], lr=0.0)

# SparseAdam of complex parameters
torch.optim.SparseAdam([nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2) + 1j)])

# torch.optim.swap_in_optimizer_params_and_state: an optimizer that steps other parameters
p, q = nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([p], lr=0.5)
p.grad, q.grad = torch.ones(2), torch.ones(2)
opt.step()
state = opt.state_dict()
before = p.detach().clone()
with torch.optim.swap_in_optimizer_params_and_state(opt, {"q": q}, state):
    opt.step()
print(torch.equal(p, before), q, opt.param_groups[0]["params"][0] is p)

# torch.optim.swap_in_optimizer_params_and_state: an optimizer that has not stepped yet
p = nn.Parameter(torch.ones(2))
opt = torch.optim.Adam([p])
with torch.optim.swap_in_optimizer_params_and_state(opt, {"p": p}, opt.state_dict()):
    pass

# torch.optim.swap_in_optimizer_params_and_state: other parameters, too few
p = nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([p], lr=1.0, momentum=0.9)
p.grad = torch.ones(2)
opt.step()
with torch.optim.swap_in_optimizer_params_and_state(opt, {}, opt.state_dict()):
    pass

# torch.optim.swap_in_optimizer_params_and_state: states that cannot be swapped into an optimizer
p = nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([p], lr=0.1, momentum=0.9)
p.sum().backward()
opt.step()
good = opt.state_dict()
group = good["param_groups"][0]
for state in (
    3,
    {"state": [], "param_groups": []},
    {"state": {p: {}}, "param_groups": []},
    {"state": {0: 3}, "param_groups": []},
    {"state": {0: {}}, "param_groups": ()},
    {"state": {0: {}}, "param_groups": []},
    {"state": {0: {}}, "param_groups": [3]},
    {"state": {0: {}}, "param_groups": [{**group, "params": [p]}]},
    {"state": {0: {}}, "param_groups": [{**group, "params": [0, 1]}]},
    {"state": {0: {}}, "param_groups": [{**group, "more": 1}]},
    {"state": {0: {}, 7: {}}, "param_groups": [group]},
):
    try:
        with torch.optim.swap_in_optimizer_params_and_state(opt, {"p": p}, state):
            print("swapped")
    except RuntimeError as error:
        print(error)
