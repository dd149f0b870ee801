"""Queues, pipes and pools between forked processes, and what they do with tensors."""

import pickle
import warnings

from shown import part, show

import torch
import torch.multiprocessing as mp
from torch import nn

fork = mp.get_context("fork")


def through(queue_type, *things):
    """Returns what a child puts into a queue."""
    queue, taken = queue_type(), fork.Event()
    child = fork.Process(target=put_all, args=(queue, things, taken))
    child.start()
    got = [queue.get() for _ in things]
    taken.set()
    child.join()
    return got


def put_all(queue, things, taken):
    for thing in things:
        queue.put(thing)
    taken.wait()  # memory is asked of the process that sent it


def echo(inward, outward):
    while (thing := inward.get()) is not None:
        outward.put(thing)
        thing = None


def double_in_place(inward, outward):
    tensor = inward.get()
    tensor.mul_(2)
    outward.put("done")
    inward.get()


def make(inward, outward):
    tensor = torch.arange(4.0)
    outward.put(tensor)
    outward.put(tensor[1:3])
    inward.get()
    outward.put(tensor.tolist())
    inward.get()


def with_child(function, talk):
    inward, outward = fork.Queue(), fork.Queue()
    child = fork.Process(target=function, args=(inward, outward))
    child.start()
    try:
        talk(inward, outward)
    finally:
        inward.put(None)
        child.join()
    print("ended with", child.exitcode)


def describe(tensor):
    return (
        f"{type(tensor).__name__} {tensor.dtype} {tuple(tensor.shape)} {tensor.stride()} "
        f"{tensor.storage_offset()} {tensor.is_shared()} {tensor.requires_grad} {tensor.is_leaf} "
        f"{tensor.tolist()}"
    )


def square(x):
    return x * x


def fail(x):
    raise ValueError(f"no {x}")


def start_up(number):
    global STARTED
    STARTED = torch.tensor(float(number))


def started(x):
    return STARTED + x


def total(x):
    return started(x).sum().item()


def main():
    warnings.filterwarnings("ignore", "Sparse")
    part("what is sent")
    base = torch.arange(6.0).view(2, 3)
    parameter = nn.Parameter(torch.ones(2))
    parameter.grad = torch.ones(2)
    leaf = torch.ones(2, requires_grad=True)
    things = [
        base,
        base.t(),
        base[1],
        base[:, ::2],
        torch.tensor(3),
        torch.empty(0),
        leaf,
        torch.zeros(2, 0),
        torch.ones(1).expand(3),
        torch.ones(2).half(),
        torch.ones(2) * 1j,
        (torch.ones(2) * 1j).conj(),
        torch.ones(2).bool(),
        torch.ones(2, dtype=torch.uint16),
        torch.ones(2).bfloat16(),
        parameter,
        nn.Parameter(torch.ones(2), False),
    ]
    for kind in (fork.Queue, fork.SimpleQueue, fork.JoinableQueue):
        for got in through(kind, *things):
            print(describe(got))
    got = through(fork.Queue, parameter)[0]
    print(got.grad, got.grad_fn, type(got) is nn.Parameter)
    nested = through(fork.Queue, {"a": [base, (base, 1)], "b": None, "c": "text"})[0]
    print(nested)
    print(nested["a"][0].data_ptr() == nested["a"][1][0].data_ptr())
    model = through(fork.Queue, nn.Linear(2, 1, bias=False))[0]
    print(model, model.weight.is_shared(), model.weight.requires_grad)
    print(through(fork.Queue, torch.float16, torch.device("cpu"), torch.Size([1, 2])))
    storage = through(fork.Queue, torch.arange(3).untyped_storage())[0]
    print(type(storage).__name__, storage.is_shared(), storage.tolist()[:9])
    for sent in (
        torch.eye(2).to_sparse(),
        torch.eye(2).to_sparse_csr(),
        torch.eye(2).to_sparse_csc(),
    ):
        print(through(fork.Queue, sent)[0])
    print(through(fork.Queue, torch.empty(2, 3, device="meta"))[0])
    one, two = through(fork.Queue, base, base[0])
    one[0] = -1
    print(one, two, one.data_ptr() == two.data_ptr())

    part("what is written reaches the other side")

    def doubled(inward, outward):
        tensor = torch.arange(3.0)
        print(tensor.is_shared())
        inward.put(tensor)
        print(outward.get(), tensor, tensor.is_shared())

    with_child(double_in_place, doubled)

    def made(inward, outward):
        whole, piece = outward.get(), outward.get()
        print(whole, piece, whole.data_ptr() + 4 == piece.data_ptr(), piece.storage_offset())
        piece.fill_(9)
        inward.put("go on")
        print(outward.get())

    with_child(make, made)

    def echoed(inward, outward):
        tensor = torch.arange(3.0).share_memory_()
        inward.put(tensor)
        back = outward.get()
        back[0] = 7
        print(tensor, back, back.data_ptr() == tensor.data_ptr(), back is tensor)
        inward.put([tensor, tensor])
        both = outward.get()
        print(both[0] is both[1], both)

    with_child(echo, echoed)

    part("refusals")
    simple = fork.SimpleQueue()
    show("no leaf", simple.put, leaf * 2)
    show("no leaf within", simple.put, {"x": [leaf * 2]})
    show("detached", lambda: (simple.put((leaf * 2).detach()), simple.get()))
    hooked = torch.ones(1, requires_grad=True)
    hooked.register_hook(lambda grad: grad)
    show("hooks", lambda: (simple.put(hooked), simple.get()))
    show("lambda", simple.put, lambda: None)
    show("meta storage", simple.put, torch.empty(2, device="meta").untyped_storage())
    print(simple.empty())

    part("pipes")
    here, there = fork.Pipe()
    child = fork.Process(
        target=lambda: (there.send([torch.ones(2), there.recv() + 1]), there.recv())
    )
    child.start()
    here.send(torch.zeros(2))
    print(here.recv())
    here.send(None)
    child.join()
    reader, writer = fork.Pipe(duplex=False)
    taken = fork.Event()
    child = fork.Process(target=lambda: (writer.send(base[1]), taken.wait()))
    child.start()
    print(describe(reader.recv()), reader.poll())
    taken.set()
    child.join()
    show("no leaf", writer.send, leaf * 2)

    part("pools")
    with fork.Pool(2) as pool:
        print(pool.map(square, [torch.tensor(float(i)) for i in range(4)]))
        print(pool.apply(square, (torch.arange(3),)), pool.starmap(torch.add, [(1, 2), (base, 1)]))
        print(list(pool.imap(square, torch.arange(3))))
        print(sorted(x.item() for x in pool.imap_unordered(square, torch.arange(3))))
        print(pool.map_async(torch.sum, [base, base + 1]).get())
        show("error", pool.apply, fail, (torch.ones(1),))
        show("error", pool.map, fail, [torch.ones(1)])
        show("no leaf", pool.apply, square, (leaf * 2,))
        show("result is no leaf", pool.apply, square, (leaf,))
    with fork.Pool(1, start_up, (4,)) as pool:
        print(pool.map(started, [torch.ones(1), torch.ones(2)], chunksize=1))
    with fork.Pool(1, start_up, (4,), maxtasksperchild=1) as pool:
        print(pool.map(total, [torch.ones(1), torch.ones(2)], chunksize=1))
    print(type(fork.Pool).__name__, type(mp.Pool).__name__)
    from torch.multiprocessing import pool as pools
    from torch.multiprocessing import queue as queues

    print(pools.Pool.__mro__[1].__module__, queues.Queue.__module__, queues.SimpleQueue.__mro__[1])
    own = queues.SimpleQueue(ctx=fork)
    own.put(base)
    print(type(own._reader).__name__, own.get())
    show("Pool", pools.Pool, 1, context=fork)
    show("Pool", pools.Pool, 1)
    own = queues.Queue(ctx=fork)
    own.put(base[0])
    print(type(own._writer).__name__, own.get(timeout=60))
    show("wrapper", getattr, queues.ConnectionWrapper.__new__(queues.ConnectionWrapper), "fd")

    part("managers")
    with fork.Manager() as manager:
        shared = manager.dict(x=torch.ones(2))
        shared["y"] = [torch.zeros(1), base[1]]
        print(shared["x"], shared["y"], sorted(shared.keys()))
        numbers = manager.list([torch.tensor(1)])
        numbers.append(torch.tensor(2))
        print(list(numbers))

    part("pickles")
    print(len(pickle.dumps(torch.ones(3))) > 0, torch.ones(3).is_shared())


if __name__ == "__main__":
    main()
