# torch.utils.checkpoint.checkpoint: what is recomputed has saved its inputs before it fails
texts = []
a = torch.ones(2, 3, requires_grad=True)
b = torch.ones(2, 3, requires_grad=True)
c = torch.utils.checkpoint.checkpoint(lambda x: x * b + x, a, use_reentrant=False)
d = torch.utils.checkpoint.checkpoint(lambda x: x * b, torch.ones(2, 3), use_reentrant=False)
b = torch.ones(3, 2, requires_grad=True)
shown = d.grad_fn._saved_self
c.sum().backward()

# torch.utils.checkpoint.checkpoint: a checkpoint looks whether what it was given has lost its history since
a = torch.ones(2, requires_grad=True)
b = a * 2
c = torch.utils.checkpoint.checkpoint(lambda x: x.sin() * x, b, use_reentrant=False)
b.detach_()
c.sum().backward()
b = a * 2
c = torch.utils.checkpoint.checkpoint(lambda x: x.sin().detach_() * x, b, use_reentrant=False)
c.sum().backward()
