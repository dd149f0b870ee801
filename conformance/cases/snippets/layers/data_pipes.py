# Tensor.__getstate__: pipes of one's own, and those that are methods of others
from torch.utils.data import IterDataPipe, MapDataPipe, functional_datapipe


class Source(IterDataPipe):
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        yield from self.items

    def __len__(self):
        return len(self.items)


@functional_datapipe("data_pipes_times")
class Times(IterDataPipe):
    """Multiplies."""

    def __init__(self, source, by=2):
        self.source, self.by = source, by

    def __iter__(self):
        return iter([self.by * item for item in self.source])


@functional_datapipe("data_pipes_pairs")
class Pairs(MapDataPipe):
    def __init__(self, source):
        self.source = source

    def __getitem__(self, key):
        return key, self.source[key]


s = Source([1, 2, 3])
t = s.data_pipes_times(by=3)
print(t, list(t), list(t), len(s), Times(s).by, s.data_pipes_times.__doc__)
print(Pairs([5, 6]).data_pipes_pairs()[1], "data_pipes_times" in dir(s), s.__getstate__())

# torch.utils.data: a method of pipes that there is not
from torch.utils.data import IterDataPipe


class Source(IterDataPipe):
    pass


Source().data_pipes_nothing()

# torch.utils.data: a name of pipes that is taken
from torch.utils.data import IterDataPipe, functional_datapipe

for _ in range(2):
    functional_datapipe("data_pipes_taken")(type("Source", (IterDataPipe,), {}))

# torch.utils.data: one iterator over a pipe is valid
from torch.utils.data import IterDataPipe


class Source(IterDataPipe):
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        yield from self.items


class Listed(Source):
    def __iter__(self):
        return iter(self.items)


said = []
for kind in Source, Listed:
    pipe = kind([1, 2])
    first = iter(pipe)
    one = next(first)
    second = iter(pipe)
    also = next(second), pipe._number_of_samples_yielded
    try:
        next(first)
    except RuntimeError as error:
        said.append((one, also, str(error), list(second)))
del first, second
print(said)

# torch.utils.data: errors of pipes name them
from torch.utils.data import IterDataPipe


class Failing(IterDataPipe):
    def __init__(self, items, source=None):
        self.items, self.source = items, source

    def __iter__(self):
        yield 1
        raise ValueError("no more")


list(Failing([1], Failing([2])))

# torch.utils.data: pipes without an order
from torch.utils.data import IterDataPipe, guaranteed_datapipes_determinism, non_deterministic


class Source(IterDataPipe):
    def __init__(self, items):
        self.items = items


@non_deterministic
class Random(Source):
    pass


@non_deterministic(lambda items: len(items) > 1)
class Mixed(Source):
    pass


said = [Random([1]), Mixed([1, 2])]
with guaranteed_datapipes_determinism():
    for make in (lambda: Random([1]), lambda: Mixed([1]), lambda: Mixed([1, 2])):
        try:
            said.append(make())
        except TypeError as error:
            said.append(str(error))
del Random, Mixed, make
print(said)

# Tensor.__getstate__: hooks of pipes
from torch.utils.data import IterDataPipe


class Source(IterDataPipe):
    pass


IterDataPipe.set_getstate_hook(lambda state: "mine")
print(Source().__getstate__())
try:
    IterDataPipe.set_getstate_hook(lambda state: "yours")
except RuntimeError as error:
    print(error)
IterDataPipe.set_getstate_hook(None)
print(Source().__getstate__(), Source().__reduce_ex__(2)[1:])

# torch.cuda.nvtx.range: context managers of devices that are not there refuse when they are entered
said = []
for make in (
    lambda: torch.cuda.nvtx.range("a"),
    torch.cuda.profiler.profile,
    torch.mps.profiler.profile,
):
    block = make()
    try:
        with block:
            pass
    except (RuntimeError, AssertionError) as error:
        said.append((type(error).__name__, str(error)))


@torch.cuda.nvtx.range("a")
def marked():
    return 1


print(said, marked.__name__)
marked()

# torch.utils.data: what gives batches
from torch.utils.data.dataloader import _DatasetKind, get_worker_info

fetcher = _DatasetKind.create_fetcher(0, [1, 2, 3], True, sum, False)
print(fetcher.fetch([0, 2]), get_worker_info())
del fetcher

# torch.utils.data: what workers were given once
from torch.utils.data.backward_compatibility import worker_init_fn

worker_init_fn(0)
