# torch.UntypedStorage: what methods of storages say to arguments of every kind
import warnings

warnings.simplefilter("ignore")
PRIVATE = (
    "__getitem__",
    "__setitem__",
    "_byteswap",
    "_resize_with_addr_",
    "_release_ipc_counter_cuda",
    "_shared_decref",
)
VALUES = {
    "nothing": (),
    "a string": ("a",),
    "None": (None,),
    "a fraction": (1.5,),
    "a negative": (-1,),
    "a position": (2,),
    "a far one": (99,),
    "a list": ([1, 2],),
    "a list of strings": (["a"],),
    "an object": (Ellipsis,),
    "a dtype": (torch.int32,),
    "a device": (torch.device("cpu"),),
    "a device's name": ("cuda",),
    "another one": ("nowhere",),
    "a tensor": (torch.ones(2),),
    "a storage": (torch.UntypedStorage([0] * 8),),
    "a typed one": (torch.ones(2).storage(),),
    "a short one": (torch.ones(1).untyped_storage(),),
    "a slice": (slice(0, 4, 2),),
    "two": (1, 2),
    "two of others": (slice(0, 2), "a"),
    "a place and a large number": (0, 300),
    "a place and a fraction": (0, 1.5),
    "three": (0, 1, 2),
    "four": (0, 1, 2, 3),
}


def names(kind):
    """Methods, in the order of the alphabet."""
    found = [name for name in dir(kind) if not name.startswith("_") or name in PRIVATE]
    return [
        name for name in found if callable(getattr(kind, name)) and not name.startswith("from_")
    ]


def told(kind, name, label, call):
    try:
        call()
    except Exception as error:
        text = str(error)
        own = (
            "0x",
            "alloc_cpu",
            "unsupported operand",
            "device() received",
        )  # addresses, and others' words
        if not any(each in text for each in own):
            print(kind, name, label, type(error).__name__, text)


MADE = {
    "untyped": lambda: torch.ones(2).untyped_storage(),
    "typed": lambda: torch.ones(2).storage(),
    "integers": lambda: torch.tensor([1, 2]).storage(),
    "bools": lambda: torch.tensor([True]).storage(),
}
for kind, make in MADE.items():
    for name in names(type(make())):
        for label, values in VALUES.items():
            told(kind, name, label, lambda: getattr(type(x := make()), name)(x, *values))
        told(kind, name, "a keyword", lambda: getattr(type(x := make()), name)(x, other=1))
for kind in (torch.UntypedStorage, torch.TypedStorage, torch.FloatStorage, torch.BoolStorage):
    for label, values in VALUES.items():
        if len(values) < 3:
            told(kind.__name__, "made of", label, lambda: kind(*values))
    for name in ("wrap_storage", "device", "dtype", "_internal", "other"):
        for label, values in VALUES.items():
            if len(values) == 1:
                told(kind.__name__, name, label, lambda: kind(**{name: values[0]}))
                told(kind.__name__, f"1, {name}", label, lambda: kind(1, **{name: values[0]}))
# torch.UntypedStorage.from_buffer: what it is told
data = bytearray(range(16))


def told(*given, **named):
    for kind in (torch.UntypedStorage, torch.FloatStorage, torch.TypedStorage):
        try:
            print(kind.__name__, kind.from_buffer(*given, **named).nbytes())
        except Exception as error:
            print(kind.__name__, type(error).__name__, error)


told()
told(data)
told(data, "native")
told(data, byte_order="native")
told(data, byte_order="little", dtype=torch.float32)
told(data, "big", dtype=torch.int16)
told(data, "sideways", dtype=torch.int16)
told(data, 3, dtype=torch.int16)
told(data, byte_order=3, dtype=torch.int16)
told(data, dtype=torch.int16)
told(data, dtype=None)
told(data, dtype="int16")
told(data, dtype=torch.uint8)
told(data, dtype=torch.uint8, other=1)
told(data, 4, 2, dtype=torch.uint8)
told(data, "native", 1, 2, torch.uint8, 3)
told(3, dtype=torch.uint8)
told("text", dtype=torch.uint8)
told([1, 2], dtype=torch.uint8)
told(data, dtype=torch.uint8, offset=-1)
told(data, dtype=torch.uint8, offset=17)
told(data, dtype=torch.uint8, offset=16)
told(data, dtype=torch.uint8, count=17)
told(data, dtype=torch.uint8, count=0)
told(data, dtype=torch.uint8, count=-2)
told(data[:15], "native", dtype=torch.int32)
told(data, "native", dtype=torch.int32, offset=3)
told(data, "native", dtype=torch.int32, count=5)
told(data, "native", dtype=torch.int32, count=2, offset=12)
told(data, "native", dtype=torch.bool)
told(data, "native", dtype=torch.complex64)
told(data, "big", dtype=torch.complex64)
told(data, device="cuda")
told(data, device="cpu")
told(memoryview(data)[::2], dtype=torch.uint8)


# torch.UntypedStorage.from_file: what it is told
def told(*given, **named):
    for kind in (torch.UntypedStorage, torch.FloatStorage, torch.TypedStorage):
        try:
            print(kind.__name__, kind.from_file(*given, **named).nbytes())
        except Exception as error:
            print(kind.__name__, type(error).__name__, error)


told()
told(3)
told(None)
told("/nowhere/at/all", True, 8, 9)
told("/nowhere/at/all", True, "a")
told("/nowhere/at/all", shared="a", nbytes=1)
told("/nowhere/at/all", other=1)
told("/nowhere/at/all", False, 8)
