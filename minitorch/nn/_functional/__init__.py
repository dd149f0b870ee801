"""The functions of torch.nn.functional that are imported with the first of their subject."""
