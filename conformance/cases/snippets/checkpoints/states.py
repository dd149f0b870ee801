# of a linear layer
thing = nn.Linear(3, 2).state_dict()

# of a network
thing = nn.Sequential(
    nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2)
).state_dict()

# of an embedding and a normalisation
thing = nn.ModuleDict({"e": nn.Embedding(4, 2, padding_idx=0), "n": nn.LayerNorm(2)}).state_dict()

# of layers in half precision
thing = nn.Linear(2, 2).half().state_dict()

# of an optimizer that has not stepped
thing = torch.optim.Adam(nn.Linear(2, 1).parameters(), lr=0.1).state_dict()

# of SGD with momentum
p = nn.Parameter(torch.tensor([1.0, 2.0]))
opt = torch.optim.SGD([p], lr=0.5, momentum=0.9)
p.sum().backward()
opt.step()
thing = opt.state_dict()

# of Adam
p = nn.Parameter(torch.tensor([1.0, 2.0]))
opt = torch.optim.Adam([p], lr=0.5)
(p**2).sum().backward()
opt.step()
thing = opt.state_dict()

# of AdamW with groups and amsgrad
p, q = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(1))
opt = torch.optim.AdamW([{"params": [p]}, {"params": [q], "lr": 1e-3}], lr=0.5, amsgrad=True)
(p.sum() * q).sum().backward()
opt.step()
thing = opt.state_dict()

# of tied weights
e, out = nn.Embedding(4, 3), nn.Linear(3, 4, bias=False)
out.weight = e.weight
thing = nn.Sequential(e, out).state_dict()

# of a recurrent layer
thing = nn.LSTM(2, 3).state_dict()

# of a scheduler
opt = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
thing = torch.optim.lr_scheduler.StepLR(opt, 2).state_dict()
