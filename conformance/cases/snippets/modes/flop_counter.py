# counts by module and operator
from torch.utils.flop_counter import FlopCounterMode


def count(name, module, *shape):
    x = torch.ones(shape, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        y = module(x)
        (y[0] if isinstance(y, tuple) else y).sum().backward()
    counts = counter.get_flop_counts()
    print(name, counter.get_total_flops())
    for key in sorted(counts):
        print(" ", key, {str(op): number for op, number in counts[key].items()})


count("mlp", nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), 5, 3)
count("nested", nn.Sequential(nn.Linear(30, 40), nn.Sequential(nn.Linear(40, 20))), 5, 30)
convolutions = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ConvTranspose2d(4, 2, 3, stride=2))
count("convolutions", convolutions, 2, 1, 8, 8)
count("groups", nn.Sequential(nn.Conv1d(2, 4, 3, groups=2), nn.Conv1d(4, 2, 3)), 2, 2, 8)
count("transformer", nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, 5, 8)
count("lstm", nn.LSTM(4, 3), 5, 2, 4)
count("nothing", nn.ReLU(), 3)

# formulas of one's own, and errors
from torch.utils.flop_counter import FlopCounterMode, register_flop_formula
from torch.utils import flop_counter

with FlopCounterMode(
    display=False, custom_mapping={torch.ops.aten.exp: lambda shape, out_shape: 7}
) as c:
    torch.ones(2).exp() @ torch.ones(2)
print(c.get_total_flops(), {str(op): n for op, n in c.get_flop_counts()["Global"].items()})
for target in (torch.ops.aten.mm, torch.ops.aten.mm.default, 3):
    try:
        register_flop_formula(target)(lambda *args: 0)
    except Exception as error:
        print(type(error).__name__, error)
print([flop_counter.get_suffix_str(n) for n in (0, 99, 9999, 99999, 10**9)])
print(flop_counter.convert_num_with_suffix(123456, "K"), flop_counter.convert_to_percent_str(1, 3))
try:
    flop_counter.mm_flop((2, 3), (4, 5))
except Exception as error:
    print(type(error).__name__, error)
