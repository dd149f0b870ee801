# torch.UntypedStorage.copy_: refusals of its words, and of storages that cannot be resized
import warnings

warnings.simplefilter("ignore")
TypedStorage = torch.storage.TypedStorage
own = torch.zeros(2).untyped_storage()
typed = torch.ones(4).storage()
meta = torch.ones(2, device="meta").untyped_storage()
shared = torch.ones(2).untyped_storage().share_memory_()
borrowed = torch.from_numpy(__import__("numpy").ones(3, "float32")).untyped_storage()
CALLS = {
    "copy_ of another word": lambda: own.copy_(torch.UntypedStorage(8), foo=1),
    "copy_ that waits for a number": lambda: own.copy_(torch.UntypedStorage(8), 1),
    "copy_ that waits for a text": lambda: own.copy_(torch.UntypedStorage(8), non_blocking="x"),
    "copy_ of no source": lambda: own.copy_(non_blocking=True),
    "copy_ of a named number": lambda: own.copy_(src=1),
    "copy_ of three": lambda: own.copy_(own, True, 1),
    "copy_ of another size": lambda: own.copy_(torch.UntypedStorage(4)),
    "resize_ of borrowed memory": lambda: borrowed.resize_(16),
    "resize_ of a negative": lambda: own.resize_(-3),
    "resizable": lambda: [x.resizable() for x in (own, shared, borrowed)],
    "byteswap of another size": lambda: torch.UntypedStorage(7).byteswap(torch.float32),
    "byteswap of no dtype": lambda: own.byteswap("float32"),
    "assignment too far": lambda: own.__setitem__(8, 1),
    "assignment before": lambda: own.__setitem__(-9, 1),
    "assignment of a slice": lambda: own.__setitem__(slice(6, 20), 1),
    "assignment of a fraction": lambda: own.__setitem__(0, 1.5),
    "typed assignment to a text": lambda: typed.__setitem__("a", 1.0),
    "typed assignment to None": lambda: typed.__setitem__(None, 1.0),
    "typed assignment to a fraction": lambda: typed.__setitem__(1.5, 1.0),
    "typed assignment of a storage": lambda: typed.__setitem__(0, own),
    "typed assignment to a slice": lambda: typed.__setitem__(slice(0, 2), 5.0),
    "typed index of a text": lambda: typed["a"],
    "typed index too far": lambda: typed[9],
    "typed index of a slice": lambda: typed[0:2],
    "wrapped index": lambda: typed._maybe_wrap_index(-1),
    "wrapped index of a text": lambda: typed._maybe_wrap_index("a"),
    "wrapped index of a fraction": lambda: typed._maybe_wrap_index(1.0),
    "wrapped index too far": lambda: typed._maybe_wrap_index(9),
    "wrapped index before": lambda: typed._maybe_wrap_index(-5),
    "wrapped end": lambda: [
        typed._maybe_wrap_index(i, is_stop=True) for i in (None, -4, -1, 0, 2, 4)
    ],
    "wrapped end too far": lambda: typed._maybe_wrap_index(5, is_stop=True),
    "wrapped end of a text": lambda: typed._maybe_wrap_index("a", is_stop=True),
    "share_memory_ of meta": lambda: meta.share_memory_(),
    "_share_fd_cpu_ of meta": lambda: meta._share_fd_cpu_(),
    "_get_shared_fd of memory": lambda: torch.UntypedStorage(8)._get_shared_fd(),
    "_get_shared_fd of a typed one": lambda: torch.ones(2).storage()._get_shared_fd(),
    "_resize_with_addr_": lambda: own._resize_with_addr_(8, 0),
    "_swap_data_ptr_": lambda: own._swap_data_ptr_("a"),
    "to no dtype": lambda: typed._to("float32"),
    "type to a text": lambda: typed.type("nowhere"),
    "typed of no dtype": lambda: TypedStorage(wrap_storage=own),
    "typed of a text as dtype": lambda: TypedStorage(wrap_storage=own, dtype="float32"),
    "typed of a device": lambda: TypedStorage(wrap_storage=own, dtype=torch.int8, device="cpu"),
    "typed of another": lambda: TypedStorage(wrap_storage=typed, dtype=torch.int8),
    "typed of two": lambda: TypedStorage(1, 2),
    "typed of an object": lambda: TypedStorage(object(), dtype=torch.int8),
    "typed of a word": lambda: TypedStorage(foo=1),
    "float of a device": lambda: torch.FloatStorage(2, device="cpu"),
    "float of a dtype": lambda: torch.FloatStorage(2, dtype=torch.int8),
    "float of storage and size": lambda: torch.FloatStorage(2, wrap_storage=own),
    "float of a typed one": lambda: torch.FloatStorage(wrap_storage=typed),
    "legacy index": lambda: torch.FloatStorage([1.0, 2.0])[5],
}
for label, call in CALLS.items():
    try:
        found = call()
        if isinstance(found, (torch.UntypedStorage, TypedStorage)):
            found = found.tolist()
        print(label, found)
    except Exception as error:
        text = str(error).partition(". This could be")[0]
        print(label, type(error).__name__, text.partition("<object object")[0])
