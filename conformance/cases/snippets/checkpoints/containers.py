# numbers, strings and None
thing = {
    "epoch": 3,
    "loss": 0.25,
    "name": "net",
    "none": None,
    "flags": [True, False],
    "big": 2**70,
}

# nested lists, tuples and dicts
thing = {"a": [torch.ones(1), (torch.zeros(2), {"b": torch.eye(2)})], "c": ()}

# an ordered dict
from collections import OrderedDict

thing = OrderedDict([("b", torch.ones(1)), ("a", 2)])

# a set, bytes and a complex number
thing = [{1, 2}, b"abc\x00\xff", 1 + 2j, bytearray(b"xy")]

# sizes, dtypes and devices
thing = [torch.Size([2, 3]), torch.float16, torch.int64, torch.device("cpu"), torch.ones(1).shape]

# long lists
thing = {"values": list(range(300)), "tensors": [torch.full((2,), float(n)) for n in range(20)]}

# strings of every kind
thing = ["", "ä€😀", "a\nb", "x" * 300]

# keys of every kind
thing = {1: "a", (1, 2): "b", None: "c", "d": torch.ones(1)}

# a training's state
m = nn.Linear(2, 1)
opt = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
m(torch.ones(1, 2)).sum().backward()
opt.step()
thing = {"model": m.state_dict(), "optimizer": opt.state_dict(), "epoch": 1}

# a counter
from collections import Counter

thing = Counter("abca")

# the random state
thing = {"rng": torch.get_rng_state()}
