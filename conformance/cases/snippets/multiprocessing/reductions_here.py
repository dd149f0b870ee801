"""What tensors and storages are sent as, taken apart and put together within one process."""

import os
import pickle
import warnings
from multiprocessing.reduction import ForkingPickler

from shown import part, show

import torch
import torch.multiprocessing as mp
from torch import nn
from torch.multiprocessing import _atfork, reductions


class Own(torch.Tensor):
    pass


class OwnParameter(nn.Parameter):
    pass


def sent(thing):
    """Returns what arrives of a thing that is sent."""
    return pickle.loads(ForkingPickler.dumps(thing))


def shown(thing):
    if isinstance(thing, torch.Tensor):
        return f"{type(thing).__name__} {thing.dtype} {list(thing.shape)} {thing.requires_grad}"
    if isinstance(thing, (torch.UntypedStorage, torch.TypedStorage)):
        return f"{type(thing).__name__}({thing.nbytes()})"
    if isinstance(thing, tuple):
        return f"({', '.join(map(shown, thing))})"
    return getattr(thing, "__name__", None) or type(thing).__name__ + f" {str(thing)[:40]}"


def main():
    warnings.filterwarnings("ignore", "Sparse")
    base = torch.arange(6.0).view(2, 3)
    leaf = torch.ones(2, requires_grad=True)

    part("reduced")
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    for thing in (
        base,
        base[1],
        base.t(),
        leaf,
        nn.Parameter(base),
        base.to("meta"),
        base.to_sparse(),
        base.to_sparse_csr(),
        base.to_sparse_csc(),
        base.as_subclass(Own),
        torch.empty(0),
    ):
        function, arguments = reductions.reduce_tensor(thing)
        print(
            function.__name__,
            len(arguments) if "compressed" in function.__name__ else shown(arguments),
        )
        show("again", lambda: function(*arguments))
    function, arguments = reductions.reduce_tensor(nested)
    print(function.__name__, len(arguments), function(*arguments))
    for thing in (base.untyped_storage(), torch.empty(0).untyped_storage()):
        function, arguments = reductions.reduce_storage(thing)
        print(function.__name__, arguments[0].__name__, len(arguments), arguments[2:])
    warnings.filterwarnings("ignore", "TypedStorage")
    typed = base._typed_storage()
    function, arguments = reductions.reduce_typed_storage(typed)
    print(function.__name__, shown(arguments[0]), arguments[1], function(*arguments).dtype)
    show("no leaf", reductions.reduce_tensor, leaf * 2)
    show("meta storage", reductions.reduce_storage, torch.empty(2, device="meta").untyped_storage())

    part("sent")
    for thing in (
        base,
        base.t(),
        base[:, 1],
        base.bool(),
        base.half(),
        base.bfloat16(),
        base * 1j,
        (base * 1j).imag,
        base.int(),
        torch.tensor(1.5),
        torch.empty(0),
        torch.empty(2, 0),
        torch.ones(1).expand(3),
        leaf,
        nn.Parameter(torch.ones(2)),
        nn.Buffer(torch.ones(2)),
        nn.Parameter(torch.ones(2, dtype=torch.long), requires_grad=False),
        OwnParameter(torch.ones(2)),
        torch.ones(2).as_subclass(Own),
        base.to("meta"),
        torch.ones(2, dtype=torch.uint16),
    ):
        got = sent(thing)
        print(shown(got), got.stride(), got.storage_offset(), got.is_leaf, got._version)
        if got.device.type == "cpu":
            print("   ", got, got.is_shared(), thing.is_shared())
    print(sent(base.to_sparse()), sent(base.to_sparse().coalesce()).is_coalesced())
    print(sent(base.to_sparse_csr()))
    print(sent(torch._neg_view(torch.ones(2))), sent((torch.ones(2) * 1j).conj()).is_conj())
    one, two, three = sent([base, base[1], base])
    print(one.data_ptr() == base.data_ptr(), one is three, two.data_ptr() - one.data_ptr())
    print(one.untyped_storage()._cdata == base.untyped_storage()._cdata)
    one.zero_()
    print(base, two)
    marked = torch.ones(2)
    marked.mark = "text"
    print(hasattr(sent(marked), "mark"))
    leaf.grad = torch.ones(2)
    print(sent(leaf).grad)
    for kind in (torch.FloatStorage, torch.BoolStorage, torch.LongStorage):
        got = sent(kind(2).fill_(1))
        print(type(got).__name__, got.dtype, got.is_shared(), list(got))
    print(sent(base.untyped_storage()).is_shared(), sent(nn.Linear(1, 1)))
    print(
        sent(torch.device("cpu")), sent(torch.float16), sent(torch.Size([2])), sent(torch.strided)
    )
    show("lambda", sent, lambda: None)

    part("references")
    tensor = torch.ones(2)
    reference = reductions.StorageWeakRef(tensor.untyped_storage())
    other = reductions.StorageWeakRef(tensor[1:].untyped_storage())
    print(
        reference.expired(),
        reference == other,
        hash(reference) == reference.cdata,
        len({reference, other}),
    )
    print(reference == reductions.StorageWeakRef(torch.ones(2).untyped_storage()))
    tensor.share_memory_()
    print(reference.expired(), tensor.untyped_storage()._weak_ref() == reference.cdata)
    again = torch.UntypedStorage._new_with_weak_ptr(reference.cdata)
    print(
        again.data_ptr() == tensor.data_ptr(),
        reductions.StorageWeakRef.from_weakref(reference.cdata) == other,
    )
    del tensor, again
    print(reference.expired(), torch.UntypedStorage._new_with_weak_ptr(reference.cdata))
    cache = reductions.SharedCache()
    kept = [torch.ones(1) for _ in range(200)]
    for i, each in enumerate(kept):
        cache[i] = reductions.StorageWeakRef(each.untyped_storage())
    print(len(cache), cache.limit, cache.get(3) == cache[3], cache.get(1000))
    del kept, each
    cache.free_dead_references()
    print(len(cache), cache.limit, type(reductions.shared_cache).__name__)
    print(reductions.storage_from_cache(torch.UntypedStorage, "nothing"))
    status = os.fstat(0)
    print(reductions.fd_id(0) == (status.st_ino, status.st_dev))
    for i in range(300):
        sent(torch.ones(1))
    print(len(reductions.shared_cache) < 200, len(os.listdir("/proc/self/fd")) < 100)

    part("strategies")
    print(mp.get_sharing_strategy(), sorted(mp.get_all_sharing_strategies()))
    mp.set_sharing_strategy("file_system")
    print(mp.get_sharing_strategy(), sent(base), sent(torch.empty(0)))
    mp.set_sharing_strategy("file_descriptor")
    try:
        mp.set_sharing_strategy("pigeon")
    except AssertionError as error:
        print(str(error)[:40])
    print(mp.get_sharing_strategy())

    part("names")
    for module in (mp, reductions, _atfork):
        print(module.__name__, getattr(module, "__all__", None))
    for name in (
        "rebuild_cuda_tensor",
        "rebuild_event",
        "reduce_event",
        "rebuild_storage_filename",
        "rebuild_typed_storage_child",
        "reduce_sparse_tensor",
        "init_reductions",
    ):
        print(name, callable(getattr(reductions, name)))
    before = mp._get_thread_name()
    mp._set_thread_name("a_long_name_for_a_thread")
    print(mp._get_thread_name(), before)
    descriptor, size = torch.ones(3).untyped_storage()._share_fd_cpu_()
    print(descriptor > 2, size, torch.empty(0).untyped_storage()._share_fd_cpu_())
    show("meta", torch.empty(2, device="meta").untyped_storage()._share_fd_cpu_)


if __name__ == "__main__":
    main()
