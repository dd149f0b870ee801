# torch.finfo and storages: words for what they do not take
import copy

found = []


def tell(call):
    try:
        found.append(call())
    except Exception as error:
        print(type(error), error)


class Wrong:
    __cuda_array_interface__ = 3


class Plain(torch.Tensor):
    def new_empty(self, *args, **kwargs):
        return torch.empty(*args)


storage = torch.ones(2).untyped_storage()
for name in ("bits8", "quint8"):
    tell(lambda: torch.finfo(getattr(torch, name)))
tell(lambda: storage.copy_(torch.zeros(2).untyped_storage(), wrong=1))
tell(lambda: storage.copy_())
tell(lambda: torch.tensor(Wrong()))
tell(lambda: copy.deepcopy(torch.ones(2).as_subclass(Plain)))
tell(lambda: torch.nn.functional.batch_norm(torch.tensor(1.0), None, None, training=True))
tell(lambda: torch.unbind_copy(torch.ones(2, 2), out=torch.ones(2)))
tell(lambda: torch.split_copy(torch.ones(2, 2), 1, out=torch.ones(2)))
a = [each for each in found if isinstance(each, torch.Tensor)]

# torch._foreach_powsum: sums of powers
xs = [torch.tensor([1.0, -2.0, 3.0]), torch.tensor([[0.5, 2.0]])]
a = torch._foreach_powsum(xs, 2), torch._foreach_powsum(xs, 3.0, dtype=torch.float64)
