# torch.compile: the first call lets distributions not validate their arguments
Distribution = torch.distributions.Distribution
torch.compiler.disable(lambda x: x)
torch.compile(lambda x: x, disable=True)
torch.compile()
print(Distribution._validate_args)
nn.Linear(1, 1).compile(backend="eager")
print(Distribution._validate_args, torch.distributions.Bernoulli(torch.tensor(2.0)))
print(torch.distributions.Bernoulli(torch.tensor(0.5), validate_args=True)._validate_args)
Distribution.set_default_validate_args(True)
torch.compile(lambda x: x, backend="eager")
print(Distribution._validate_args)
del Distribution
