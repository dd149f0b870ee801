# Tensor.sum: an argument that does not exist
x = torch.ones(2).sum(axes=0)

# torch.add: too few arguments
x = torch.add(torch.ones(2))

# torch.Tensor(2, unknown=3)
torch.Tensor(2, unknown=3)


# torch.save: what has no name to go by
import io


def within():
    class Local(nn.Module):
        pass

    def function():
        pass

    return Local, function, lambda x: x


Local, function, nameless = within()
model = nn.Linear(1, 1)
model.extra = nameless
hooked = nn.Linear(1, 1)
hooked.register_forward_hook(nameless)
for obj in (Local, Local(), function, [nameless], model, hooked, nn, torch.finfo(torch.half)):
    for new in (True, False):
        try:
            torch.save(obj, io.BytesIO(), _use_new_zipfile_serialization=new)
        except Exception as e:
            print(type(e).__name__, e)

# torch.sum: keywords of NumPy beside one that is not taken
import numpy


def refused(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


x = torch.ones(2, 2)
for given in (
    {"axis": 0, "out": None},
    {"out": None, "axis": 0},
    {"axis": 0, "foo": 1},
    {"keepdims": True, "axis": 0, "foo": 1},
    {"axis": 0, "dim": 0},
):
    for name in ("sum", "mean", "prod", "max", "cumsum", "unbind", "flip", "softmax"):
        refused(lambda: getattr(x, name)(**given))
for function in (numpy.sum, numpy.mean, numpy.prod):
    refused(lambda: function(x))
    refused(lambda: function(x, axis=0))
refused(lambda: torch.sum(x, 0, dim=0))
refused(lambda: torch.sum(x, 0, axis=0))
