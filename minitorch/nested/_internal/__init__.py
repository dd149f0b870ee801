"""torch.nested._internal: the class of jagged tensors, and the operators that it has."""
