# torch.sparse_csr_tensor: refusals of parts that do not make a tensor, of each compressed layout
import warnings

warnings.simplefilter("ignore")
i = torch.tensor
ONES = torch.ones(2)
BLOCKS = torch.ones(2, 2, 2)
PARTS = {
    "fit": (i([0, 1, 2]), i([0, 1]), ONES, (2, 2)),
    "values of no dimension": (i([0, 1, 2]), i([0, 1]), i(1.0), (2, 2)),
    "a batch of values alone": (i([0, 1, 2]), i([0, 1]), torch.ones(1, 2), (1, 2, 2)),
    "indices of no dimension": (i(0), i([0, 1]), ONES, (2, 2)),
    "a batch of columns alone": (i([0, 1, 2]), i([[0, 1]]), ONES, (2, 2)),
    "batches of two sizes": (i([[0, 1, 2]]), i([[0, 1], [0, 1]]), torch.ones(1, 2), (1, 2, 2)),
    "a size of one dimension": (i([0, 1, 2]), i([0, 1]), ONES, (2,)),
    "a size of three": (i([0, 1, 2]), i([0, 1]), ONES, (1, 2, 2)),
    "another size of a batch": (i([[0, 1, 2]]), i([[0, 1]]), torch.ones(1, 2), (3, 2, 2)),
    "too few lines": (i([0, 2]), i([0, 1]), ONES, (2, 2)),
    "too many values": (i([0, 1, 2]), i([0, 1]), torch.ones(3), (2, 2)),
    "two dtypes of indices": (i([0, 1, 2]), i([0, 1]).int(), ONES, (2, 2)),
    "short integers": (i([0, 1, 2]).short(), i([0, 1]).short(), ONES, (2, 2)),
    "fractions as indices": (i([0.0, 1, 2]), i([0.0, 1]), ONES, (2, 2)),
    "a far index": (i([0, 1, 2]), i([0, 5]), ONES, (2, 2)),
    "a negative one": (i([0, 1, 2]), i([0, -1]), ONES, (2, 2)),
    "no zero at the start": (i([1, 1, 2]), i([0, 1]), ONES, (2, 2)),
    "another number at the end": (i([0, 1, 3]), i([0, 1]), ONES, (2, 2)),
    "lines that go back": (i([0, 2, 1, 2]), i([0, 1]), ONES, (3, 3)),
    "a line that is too long": (i([0, 3, 3, 3]), i([0, 1, 0]), torch.ones(3), (3, 2)),
    "indices out of order": (i([0, 2, 2]), i([1, 0]), ONES, (2, 2)),
    "an index twice": (i([0, 2, 2]), i([1, 1]), ONES, (2, 2)),
    "a batch out of order": (
        i([[0, 1, 2], [0, 2, 2]]),
        i([[0, 1], [1, 0]]),
        torch.ones(2, 2),
        (2, 2, 2),
    ),
    "none": (i([0, 0, 0]), i([]).long(), torch.ones(0), (2, 2)),
    "no lines": (i([0]), i([]).long(), torch.ones(0), (0, 0)),
    "blocks": (i([0, 1, 2]), i([0, 1]), BLOCKS, (4, 4)),
    "blocks that do not divide": (i([0, 1, 2]), i([0, 1]), BLOCKS, (5, 4)),
    "nor in columns": (i([0, 1, 2]), i([0, 1]), BLOCKS, (4, 5)),
    "blocks of no size": (i([0, 1, 2]), i([0, 1]), torch.ones(2, 0, 2), (4, 4)),
    "too few lines of blocks": (i([0, 2]), i([0, 1]), BLOCKS, (4, 4)),
    "blocks out of order": (i([0, 2, 2]), i([1, 0]), BLOCKS, (4, 4)),
    "blocks of values of one dimension": (i([0, 1, 2]), i([0, 1]), torch.ones(2, 2), (4, 4)),
    "a negative size": (i([0, 1, 2]), i([0, 1]), ONES, (-2, 2)),
}
for layout in ("csr", "csc", "bsr", "bsc"):
    make = getattr(torch, f"sparse_{layout}_tensor")
    for label, (starts, plain, values, size) in PARTS.items():
        for check in (True, None):
            if check is None and label not in ("indices of no dimension", "a negative size"):
                continue
            try:
                x = make(starts, plain, values, size, check_invariants=check)
                print(layout, label, check, tuple(x.shape), x._nnz(), x.values().tolist())
            except Exception as error:
                print(layout, label, check, type(error).__name__, error)
x = None  # blocks without elements, which torch divides by where it looks at more of them

# torch.sparse_csr_tensor: refusals of parts from which the size is to be taken
import warnings

warnings.simplefilter("ignore")
i = torch.tensor
PARTS = {
    "fit": (i([0, 1, 2]), i([0, 1]), torch.ones(2)),
    "values of no dimension": (i([0, 1, 2]), i([0, 1]), i(1.0)),
    "values of blocks": (i([0, 1, 2]), i([0, 1]), torch.ones(2, 2, 2)),
    "values of two dimensions": (i([0, 1, 2]), i([0, 1]), torch.ones(2, 2)),
    "a batch": (i([[0, 1, 2]]), i([[0, 1]]), torch.ones(2)),
    "fractions": (i([0.0, 1, 2]), i([0.0, 1]), torch.ones(2)),
    "indices of no dimension": (i(0), i(0), torch.ones(2)),
    "two numbers of dimensions": (i([[0, 1, 2]]), i([0, 1]), torch.ones(2)),
    "lists": ([0, 1, 2], [0, 1], [1.0, 2.0]),
}
for layout in ("csr", "csc", "bsr", "bsc"):
    make = getattr(torch, f"sparse_{layout}_tensor")
    for label, parts in PARTS.items():
        for options in ({}, {"requires_grad": True}, {"dtype": torch.int32, "requires_grad": True}):
            if options and label != "fit":
                continue
            try:
                x = make(*parts, check_invariants=True, **options)
                print(layout, label, tuple(x.shape), x.values().tolist(), x.requires_grad)
            except Exception as error:
                print(layout, label, type(error).__name__, error)

# torch.sparse_coo_tensor: refusals of options and of parts that are sparse themselves
import warnings

warnings.simplefilter("ignore")
i, v = torch.tensor([[0, 1]]), torch.ones(2)
s = torch.eye(2).to_sparse()
c = torch.eye(2).to_sparse_csr()
CALLS = {
    "a number as a flag": lambda: torch.sparse_coo_tensor(i, v, (2,), requires_grad=1),
    "a text as a flag": lambda: torch.sparse_coo_tensor(i, v, (2,), pin_memory="no"),
    "a number to check": lambda: torch.sparse_coo_tensor(i, v, (2,), check_invariants=1),
    "a number for coalesced": lambda: torch.sparse_coo_tensor(i, v, (2,), is_coalesced=1),
    "a size and coalesced": lambda: torch.sparse_coo_tensor((2,), is_coalesced=True),
    "a size, pinned": lambda: torch.sparse_coo_tensor((2,), pin_memory=True),
    "a size and False": lambda: torch.sparse_coo_tensor((2,), is_coalesced=False),
    "integers with gradients": lambda: torch.sparse_coo_tensor(
        i, v.int(), (2,), requires_grad=True
    ),
    "bools of a size alone": lambda: torch.sparse_coo_tensor(
        (2,), dtype=torch.bool, requires_grad=True
    ),
    "sparse indices": lambda: torch.sparse_coo_tensor(s, v, (2,)),
    "sparse values": lambda: torch.sparse_coo_tensor(i, s, (2, 2)),
    "compressed indices": lambda: torch.sparse_coo_tensor(c, v, (2,)),
    "compressed values": lambda: torch.sparse_coo_tensor(i, c, (2, 2)),
    "compressed ones without a size": lambda: torch.sparse_coo_tensor(i, c),
    "pinned": lambda: torch.sparse_coo_tensor(i, v, (2,), pin_memory=True),
    "pinned without a size": lambda: torch.sparse_coo_tensor(i, v, pin_memory=True),
    "pinned of rows": lambda: torch.sparse_csr_tensor(
        [0, 1, 2], [0, 1], v, (2, 2), pin_memory=True
    ),
}
for label, call in CALLS.items():
    try:
        print(label, call())
    except Exception as error:
        print(label, type(error).__name__, str(error).partition(". This could be")[0])

# torch.sparse.check_sparse_tensor_invariants: one that is entered twice
once = torch.sparse.check_sparse_tensor_invariants()
with once:
    print(torch.sparse.check_sparse_tensor_invariants.is_enabled())
    try:
        with once:
            pass
    except Exception as error:
        print(type(error).__name__, error)
print(torch.sparse.check_sparse_tensor_invariants.is_enabled())
with once:
    print(torch.sparse.check_sparse_tensor_invariants.is_enabled())
