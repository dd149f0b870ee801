"""The makers and the expressions that programs with nested tensors are put together of."""

HEADER = """\
def show(x, name=""):
    if isinstance(x, (tuple, list)) and not isinstance(x, torch.Size):
        print(type(x).__name__, len(x))
        for each in x:
            show(each)
        return
    if not isinstance(x, torch.Tensor):
        print(type(x).__name__, x)
        return
    print(type(x).__name__, x.is_nested, x.layout, x.dtype, x.requires_grad, x.is_leaf)
    if not x.is_nested:
        print(x.shape, x.stride(), x)
    elif x.layout == torch.jagged:
        print(x)
        print(x.shape, x.stride(), x._ragged_idx, x._lengths, x._values.shape, x._values.stride())
        print(x._values.detach(), x._maybe_min_seqlen, x._maybe_max_seqlen)
    else:
        print(x)
        print(x._nested_tensor_size(), x._nested_tensor_strides(), x.is_contiguous())
        print(x._nested_tensor_storage_offsets(), x.dim(), x.numel())


def parts(x):
    if isinstance(x, (tuple, list)):
        return [part for each in x for part in parts(each)]
    if not isinstance(x, torch.Tensor) or not x.requires_grad:
        return []
    if not x.is_nested:
        return [x]
    return [x.values()] if x.layout == torch.jagged else list(x.unbind())


def total(x):
    return sum((p * torch.linspace(1, 2, p.numel()).view(p.shape)).sum() for p in parts(x))


def show_graph(x):
    seen, waiting = [], [x.grad_fn]
    while waiting:
        node = waiting.pop(0)
        if node is None or node in seen:
            continue
        seen.append(node)
        waiting += [next for next, _ in node.next_functions]
    print([node.name() for node in seen])


"""

MAKERS = {
    "jagged": {
        "a": "torch.nested.nested_tensor([torch.arange(8.0).view(2, 4) / 7 - 0.6, "
        "torch.arange(16.0).view(4, 4).cos(), torch.ones(1, 4) / 3], layout=torch.jagged)",
        "b": "torch.nested.nested_tensor_from_jagged("
        "torch.arange(28.0).view(7, 4).sin() + 1.5, a.offsets())",
        "c": "torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(4, 4) * 2, "
        "torch.ones(1, 4)], layout=torch.jagged)",
        "f": "torch.nested.nested_tensor([torch.arange(8.0).view(2, 4).sin(), "
        "torch.arange(16.0).view(4, 4).cos()], layout=torch.jagged)",
        "t": "torch.nested.nested_tensor([torch.arange(8.0).view(4, 2).sin(), "
        "torch.arange(12.0).view(4, 3).cos()], layout=torch.jagged)",
        "n": "torch.nested.narrow(torch.arange(30.0).view(3, 5, 2).cos(), 1, "
        "torch.tensor([0, 1, 2]), torch.tensor([2, 3, 1]), layout=torch.jagged)",
        "u": "torch.nested.nested_tensor([torch.tensor([1.0, -2.0]), "
        "torch.tensor([0.5, 3.0, -1.0])], layout=torch.jagged)",
        "k": "torch.nested.nested_tensor([torch.arange(12.0).view(2, 2, 3).sin(), "
        "torch.arange(18.0).view(3, 2, 3).cos()], layout=torch.jagged)",
        "l": "torch.nested.nested_tensor_from_jagged("
        "torch.arange(30.0).view(5, 3, 2).sin(), k.offsets())",
        "h": "torch.nested.nested_tensor([torch.arange(12.0).double().view(2, 6).sin(), "
        "torch.arange(18.0).double().view(3, 6).cos()], layout=torch.jagged)",
        "i": "torch.nested.nested_tensor([torch.tensor([0, 2], dtype=torch.int64), "
        "torch.tensor([1, 4, 3], dtype=torch.int64)], layout=torch.jagged)",
        "m": "a > 0.2",
        "o": "torch.nested.nested_tensor([torch.ones(2, 1) * 2, torch.ones(4, 1), "
        "torch.ones(1, 1)], layout=torch.jagged)",
        "d": "torch.arange(12.0).view(3, 1, 4) / 5",
        "e": "torch.arange(24.0).view(3, 4, 2).sin()",
        "w": "torch.linspace(-1, 1, 4)",
        "p": "torch.arange(20.0).view(4, 5).sin()",
        "q": "torch.arange(20.0).view(5, 4).cos()",
        "r": "torch.linspace(-1, 2, 5)",
        "z": "torch.tensor(2.0)",
    },
    "strided": {
        "a": "torch.nested.nested_tensor([torch.arange(8.0).view(2, 4) / 7 - 0.6, "
        "torch.arange(16.0).view(4, 4).cos(), torch.ones(1, 4) / 3])",
        "b": "torch.nested.nested_tensor([torch.arange(8.0).view(2, 4) + 1, "
        "torch.arange(16.0).view(4, 4).sin() + 2, torch.ones(1, 4) / 5])",
        "f": "torch.nested.nested_tensor([torch.arange(8.0).view(2, 4).sin(), "
        "torch.arange(16.0).view(4, 4).cos()])",
        "t": "torch.nested.nested_tensor([torch.arange(8.0).view(4, 2).sin(), "
        "torch.arange(12.0).view(4, 3).cos(), torch.ones(4, 1)])",
        "u": "torch.nested.nested_tensor([torch.tensor([1.0, -2.0]), "
        "torch.tensor([0.5, 3.0, -1.0])])",
        "v": "torch.nested.nested_tensor([torch.arange(6.0).view(2, 3).sin(), "
        "torch.arange(4.0).view(4, 1).cos()])",
        "k": "torch.nested.nested_tensor([torch.arange(12.0).view(2, 2, 3).sin(), "
        "torch.arange(18.0).view(2, 3, 3).cos()])",
        "h": "torch.nested.nested_tensor([torch.arange(12.0).double().view(2, 6).sin(), "
        "torch.arange(18.0).double().view(3, 6).cos()])",
        "i": "torch.nested.nested_tensor([torch.tensor([0, 2], dtype=torch.int64), "
        "torch.tensor([1, 4, 3], dtype=torch.int64)])",
        "m": "torch.nested.nested_tensor([torch.arange(8).view(2, 4) > 3, "
        "torch.arange(16).view(4, 4) > 5, torch.ones(1, 4) > 0])",
        "d": "torch.arange(12.0).view(3, 1, 4) / 5",
        "w": "torch.linspace(-1, 1, 4)",
        "p": "torch.arange(20.0).view(4, 5).sin()",
        "q": "torch.arange(20.0).view(5, 4).cos()",
        "r": "torch.linspace(-1, 2, 5)",
        "z": "torch.tensor(2.0)",
    },
}
