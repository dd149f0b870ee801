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
