# torch.sparse_csr: operators of compressed layouts that are refused, or rarely called
import warnings

warnings.simplefilter("ignore")
whole = torch.tensor([[1.0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4], [5, 0, 0, 0]])
batch = torch.stack([whole, whole.t()])
hybrid = torch.stack([whole, whole], 2)
MAKERS = {
    "csr": lambda: whole.to_sparse_csr(),
    "csc": lambda: whole.to_sparse_csc(),
    "bsr": lambda: whole.to_sparse_bsr((2, 2)),
    "bsc": lambda: whole.to_sparse_bsc((2, 2)),
    "other bsr": lambda: (whole * 0 + 1).to_sparse_bsr((4, 1)),
    "bools": lambda: whole.bool().to_sparse_csr(),
    "integers": lambda: whole.long().to_sparse_csr(),
    "complex": lambda: (whole * 1j).to_sparse_csr(),
    "batch": lambda: batch.to_sparse_csr(),
    "batch of csc": lambda: batch.to_sparse_csc(),
    "hybrid": lambda: hybrid.to_sparse_csr(dense_dim=1),
}
CALLS = {
    "real": lambda x: x.real,
    "broadcast_tensors": lambda x: torch.broadcast_tensors(x, torch.ones(2, 2).to_sparse_csr()),
    "broadcast_tensors with itself": lambda x: torch.broadcast_tensors(x, x),
    "clone contiguous": lambda x: x.clone(memory_format=torch.contiguous_format),
    "clone channels_last": lambda x: x.clone(memory_format=torch.channels_last),
    "clone channels_last_3d": lambda x: x.clone(memory_format=torch.channels_last_3d),
    "new_ones": lambda x: x.layout in (torch.sparse_bsr, torch.sparse_bsc) and x.new_ones((2, 2)),
    "copy_ of others": lambda x: x.copy_(x.to_sparse_csr() * 2),
    "copy_ of blocks": lambda x: x.copy_((whole * 0 + 1).to_sparse_bsr((1, 4))),
    "copy_ of a dense one": lambda x: x.copy_(whole),
    "sin out": lambda x: x.dim() == 2 and torch.sin(x, out=whole.to_sparse_csr()),
    "sin out of csc": lambda x: torch.sin(x, out=whole.to_sparse_csc()),
    "sin out of coo": lambda x: torch.sin(x, out=whole.to_sparse()),
    "sin out of a dense one": lambda x: torch.sin(x, out=torch.empty(4, 4)),
    "abs out of blocks": lambda x: torch.abs(x, out=whole.to_sparse_bsr((2, 2))),
    "resize_": lambda x: x.dim() == 2 and x.resize_(6, 5),
    "resize_ of a row": lambda x: x.dim() == 2 and x.resize_(5, 4),
    "resize_ to fewer columns": lambda x: x.dense_dim() == 0 and x.resize_(4, 3),
    "sum of rows": lambda x: torch.sum(x, 0, keepdim=True),
    "sum of columns": lambda x: torch.sum(x, (1,), keepdim=True),
    "sum of both": lambda x: torch.sum(x, (0, 1), keepdim=True),
    "sum of a dimension": lambda x: torch.sum(x, 0),
    "sum_to_size": lambda x: x.sum_to_size(1, 4),
    "sum_to_size of columns": lambda x: x.sum_to_size((4, 1)),
    "sum_to_size of itself": lambda x: x.sum_to_size(x.shape),
    "sum_to_size of another": lambda x: x.sum_to_size(3, 4),
    "sum_to_size of more": lambda x: x.sum_to_size(1, 1, 1, 4, 4),
    "sum_to_size of fewer": lambda x: x.sum_to_size(4),
    "t": lambda x: x.t(),
    "transpose": lambda x: x.transpose(0, 1),
    "transpose of the last": lambda x: x.transpose(-1, -2),
    "transpose of itself": lambda x: x.transpose(0, 0),
    "transpose of the ends": lambda x: x.transpose(0, 2),
    "select": lambda x: x.select(0, 1),
    "select of columns": lambda x: x.select(1, 0),
    "select of the last": lambda x: x.select(-1, 3),
    "select too far": lambda x: x.select(0, 9),
    "x[0, 0]": lambda x: x[0, 0],
    "x[0]": lambda x: x[0],
    "x[0, 0, 0, 0]": lambda x: x[0, 0, 0, 0],
    "x[None]": lambda x: x[None],
    "x[0, None]": lambda x: x[0, None],
    "x[0, [0, 1]]": lambda x: x[0, [0, 1]],
    "x[[0, 1]]": lambda x: x[[0, 1]],
    "x[0, 1:]": lambda x: x[0, 1:],
    "x[..., 0]": lambda x: x[..., 0],
    "assignment": lambda x: x.__setitem__(0, 1.0),
    "dropout": lambda x: F.dropout(x, 2.0),
    "torch.dropout": lambda x: torch.dropout(x, 1.5, True),
    "torch.dropout in place": lambda x: torch.dropout_(x, -0.5, False),
    "alpha_dropout": lambda x: torch.alpha_dropout(x, 0.0, True),
}


def told(label, call, make):
    try:
        y = call(make())
        for each in y if isinstance(y, (tuple, list)) else [y]:
            if isinstance(each, torch.Tensor):
                print(label, each.layout, each.shape, each.to_dense().tolist())
            else:
                print(label, each)
    except Exception as error:
        print(label, type(error).__name__, str(error).partition(". This could be")[0])


for kind, make in MAKERS.items():
    for name, call in CALLS.items():
        told(f"{kind} {name}", call, make)
