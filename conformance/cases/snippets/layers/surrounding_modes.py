# nn.LazyLinear: lazy layers get their weights under modes of functions and of operators
from torch.utils._python_dispatch import TorchDispatchMode


class Calls(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Operators(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


for mode in (Calls(), Operators()):
    for make in (
        lambda: nn.LazyLinear(2),
        lambda: nn.LazyConv1d(2, 1),
        lambda: nn.LazyBatchNorm1d(),
        lambda: nn.LazyInstanceNorm1d(),
    ):
        with mode:
            made = make()
            print(made, made.state_dict().keys())
            try:
                print(
                    made(
                        torch.ones(3, 2, 2)[:, :, 0]
                        if "Linear" in repr(made)
                        else torch.ones(3, 2, 2)
                    ).shape
                )
            except RuntimeError as error:
                print(error)
            print(made)
del made, make, mode

# nn.TransformerEncoder: padding is computed where functions may be taken over
import warnings

warnings.simplefilter("ignore")  # of nested tensors, as often as torch makes one
torch.manual_seed(0)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 1).eval()
x, hidden = torch.ones(2, 3, 4), torch.tensor([[False, False, True], [False, True, True]])


class Calls(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


with torch.no_grad():
    found = [encoder(x, src_key_padding_mask=hidden) * 1]
    with Calls():
        found.append(encoder(x, src_key_padding_mask=hidden) * 1)
    with torch.device("cpu"):
        found.append(encoder(x, src_key_padding_mask=hidden) * 1)
print([(each == 0).sum() for each in found])

# nn.InstanceNorm1d: running values of another dtype are converted to that of the input
x = torch.linspace(-1, 2, 30).reshape(2, 3, 5)
for dtype in (torch.float64, torch.bfloat16):
    for weight in (None, torch.ones(3)):
        mean, var = torch.zeros(3, dtype=dtype), torch.ones(3, dtype=dtype)
        print(F.instance_norm(x, mean, var, weight, use_input_stats=True).dtype, mean, var)
print(F.rms_norm(x, (5,), torch.ones(5, dtype=torch.float64)).dtype)
