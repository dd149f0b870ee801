# torch.Tensor.__dlpack__: what a tensor refuses that another library asks for
def refused(call):
    try:
        print(type(call()).__name__)
    except Exception as error:
        print(type(error).__name__, error)


x, g = torch.ones(3), torch.ones(3, requires_grad=True)
refused(lambda: g.__dlpack__())
refused(lambda: x.to_sparse().__dlpack__())
refused(lambda: torch.ones(2, dtype=torch.complex64).conj().__dlpack__())
refused(lambda: x.__dlpack__(stream="a"))
refused(lambda: x.__dlpack__(stream=1.5))
refused(lambda: x.__dlpack__(stream=3))
refused(lambda: x.__dlpack__(stream=-1))
refused(lambda: x.__dlpack__(dl_device=3))
refused(lambda: x.__dlpack__(dl_device=(1, 0)))
refused(lambda: x.__dlpack__(copy=3))
refused(lambda: x.__dlpack__(max_version=(1, 0)))
refused(lambda: x.__dlpack__(max_version=(0, 8)))
refused(lambda: torch.ones(2, device="meta").__dlpack__())
refused(lambda: torch.ones(2, device="meta").__dlpack_device__())
refused(lambda: x.__dlpack_device__())
refused(lambda: torch.utils.dlpack.to_dlpack(g))
refused(lambda: torch.from_dlpack(3))
refused(lambda: torch.from_dlpack(x, other=3))
refused(lambda: torch.from_dlpack(x, device="meta"))


# torch.Tensor.grad_dtype: rare attributes, where they are not for the tensor
def refused(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


def put(x, name, value):
    setattr(x, name, value)
    return getattr(x, name)


g = torch.ones(3, requires_grad=True)
h = g * 2
refused(lambda: g.grad_dtype)
refused(lambda: h.grad_dtype)
refused(lambda: put(g, "grad_dtype", "float"))
refused(lambda: put(g, "grad_dtype", 3))
refused(lambda: put(h, "grad_dtype", torch.float32))
refused(lambda: put(g, "grad_dtype", torch.float32))
h.sum().backward()
refused(lambda: put(g, "grad_dtype", torch.float64))
refused(lambda: g.__cuda_array_interface__)
refused(lambda: torch.ones(2, dtype=torch.int16).__cuda_array_interface__)
refused(lambda: hasattr(g, "__cuda_array_interface__"))
refused(lambda: h.__setstate__((1, 2, 3)))
refused(lambda: g.pin_memory("cpu"))
refused(lambda: g.pin_memory())
refused(lambda: g.is_pinned("meta"))
refused(lambda: torch.Tensor.__torch_dispatch__(3))
refused(lambda: torch.Tensor.__torch_dispatch__(1, 2, 3, 4, 5))
refused(lambda: torch.Tensor.__torch_dispatch__(torch.add, (), (g, 1)))
refused(lambda: torch.Tensor.__torch_dispatch__(torch.add, (), (g, 1), {"alpha": 2}))
refused(lambda: g.names)
refused(lambda: g.layout)
refused(lambda: put(g, "data", 3))
refused(lambda: put(g, "data", None))
refused(lambda: put(g, "data", torch.ones(2)))
refused(lambda: put(g, "grad", 3))
refused(lambda: put(g, "grad", torch.ones(2)))
refused(lambda: put(g, "grad", torch.ones(3, dtype=torch.float64)))
refused(lambda: put(g, "requires_grad", 3))
refused(lambda: put(h, "requires_grad", False))
refused(lambda: put(torch.ones(2, dtype=torch.int64), "requires_grad", True))
refused(lambda: put(g, "is_leaf", True))
refused(lambda: put(g, "dtype", torch.int32))
refused(lambda: put(g, "shape", (3,)))
refused(lambda: put(g, "grad_fn", None))
refused(lambda: put(g, "retains_grad", True))
refused(lambda: put(g, "output_nr", 1))
refused(lambda: put(g, "_version", 1))
refused(lambda: put(g, "real", torch.ones(3)))
refused(lambda: put(torch.ones(2), "real", torch.zeros(2)))
refused(lambda: put(torch.ones(2), "imag", torch.zeros(2)))
refused(lambda: put(g, "_backward_hooks", 3))
refused(lambda: put(g, "T", 3))
refused(lambda: put(g, "device", 3))
