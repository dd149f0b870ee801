"""What torch.utils.benchmark is made of."""
