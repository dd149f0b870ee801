# names of modules that run, forward and backward
from torch.utils.module_tracker import ModuleTracker

m = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 1)))
log = []
with ModuleTracker() as tracker:
    for module in m.modules():
        module.register_forward_hook(
            lambda *a: log.append((sorted(tracker.parents), tracker.is_bw))
        )
    x = torch.ones(1, 2, requires_grad=True)
    y = m(x)
    y.register_hook(lambda g: log.append(("y", sorted(tracker.parents), tracker.is_bw)))
    for name, p in m.named_parameters():
        p.register_hook(
            lambda g, name=name: log.append((name, sorted(tracker.parents), tracker.is_bw))
        )
    y.sum().backward()
    print(log, tracker.parents, tracker.is_bw)
m(x).sum().backward()
print(tracker.parents)

# a module that is called twice, and one without gradients
from torch.utils.module_tracker import ModuleTracker

log = []


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.act = nn.Tanh()

    def forward(self, x):
        y = self.act(self.inner(x))
        log.append(sorted(tracker.parents))
        return self.inner(y), y


m = Twice()
with ModuleTracker() as tracker:
    with torch.no_grad():
        m(torch.ones(1, 2))
    a, b = m(torch.ones(1, 2))
    a.register_hook(lambda g: log.append(sorted(tracker.parents)))
    b.register_hook(lambda g: log.append(sorted(tracker.parents)))
    (a + b).sum().backward()
print(log, tracker.parents)
