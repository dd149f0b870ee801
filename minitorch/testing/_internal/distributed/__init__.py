"""torch.testing._internal.distributed: process groups without processes."""
