# torch.Tensor.to_sparse: refusals of blocks, of dense dimensions and of layouts
import warnings

warnings.simplefilter("ignore")
x = torch.eye(4)
CALLS = {
    "a block of three": lambda: x.to_sparse(blocksize=(1, 2, 3)),
    "a block of zero": lambda: x.to_sparse(blocksize=(0, 2)),
    "a block": lambda: x.to_sparse(blocksize=(2, 2)),
    "a block of coordinates": lambda: x.to_sparse(layout=torch.sparse_coo, blocksize=(2, 2)),
    "a block of one negative": lambda: x.to_sparse(layout=torch.sparse_coo, blocksize=(2, -2)),
    "a block of rows": lambda: x.to_sparse(layout=torch.sparse_csr, blocksize=(2, 2)),
    "a block of one number": lambda: x.to_sparse(layout=torch.sparse_csr, blocksize=(2,)),
    "a block of a dense one": lambda: x.to_sparse(layout=torch.strided, blocksize=(2, 2)),
    "three numbers of a dense one": lambda: x.to_sparse(layout=torch.strided, blocksize=(2, 2, 2)),
    "blocks of none": lambda: x.to_sparse(layout=torch.sparse_bsr),
    "blocks of three": lambda: x.to_sparse(layout=torch.sparse_bsr, blocksize=(1, 2, 3)),
    "blocks of zero": lambda: x.to_sparse(layout=torch.sparse_bsr, blocksize=(0, 2)),
    "blocks of zero in columns": lambda: x.to_sparse_bsc((2, 0)),
    "blocks of a negative": lambda: x.to_sparse_bsr((-1, 2)),
    "blocks of one number": lambda: x.to_sparse_bsr((1,)),
    "blocks that do not divide": lambda: x.to_sparse_bsr((3, 2)),
    "dense dimensions": lambda: x.to_sparse(dense_dim=3),
    "all dense": lambda: x.to_sparse(dense_dim=2),
    "negative ones": lambda: x.to_sparse(dense_dim=-1),
    "dense ones of coordinates": lambda: x.to_sparse(layout=torch.sparse_coo, dense_dim=5),
    "dense ones of rows": lambda: x.to_sparse(layout=torch.sparse_csr, dense_dim=1),
    "dense ones of blocks": lambda: x.to_sparse(
        layout=torch.sparse_bsr, blocksize=(2, 2), dense_dim=1
    ),
    "dense ones of a dense one": lambda: x.to_sparse(layout=torch.strided, dense_dim=9),
    "a layout of another library": lambda: x.to_sparse(layout=torch._mkldnn),
    "its block": lambda: x.to_sparse(layout=torch._mkldnn, blocksize=(2, 2)),
}
for label, call in CALLS.items():
    try:
        print(label, call())
    except Exception as error:
        print(label, type(error).__name__, str(error).partition(". This could be")[0])

# torch.Tensor.to_sparse_csr: refusals of what is sparse already, for all pairs of layouts
import warnings

warnings.simplefilter("ignore")
whole = torch.tensor([[1.0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4], [5, 0, 0, 0]])
hybrid = torch.stack([whole, whole], 2)
batch = torch.stack([whole, whole.t()])
uneven = torch.stack([whole, torch.eye(4) * whole])
FROM = {
    "coo": whole.to_sparse(),
    "coo of rows": whole.to_sparse(1),
    "coo of three": batch.to_sparse(),
    "hybrid coo": hybrid.to_sparse(2),
    "csr": whole.to_sparse_csr(),
    "csc": whole.to_sparse_csc(),
    "bsr": whole.to_sparse_bsr((2, 2)),
    "bsc": whole.to_sparse_bsc((2, 2)),
    "hybrid csr": hybrid.to_sparse_csr(dense_dim=1),
    "batch of csr": batch.to_sparse_csr(),
    "batch of bsr": batch.to_sparse_bsr((2, 2)),
    "dense": whole,
    "uneven": uneven,
}
TO = {
    "csr": lambda x: x.to_sparse_csr(),
    "csc": lambda x: x.to_sparse_csc(),
    "bsr": lambda x: x.to_sparse_bsr((2, 2)),
    "bsr by one": lambda x: x.to_sparse_bsr((1, 1)),
    "bsr by one number": lambda x: x.to_sparse_bsr(2),
    "bsr of none": lambda x: x.to_sparse_bsr((0, 2)),
    "bsc": lambda x: x.to_sparse_bsc((2, 2)),
    "bsc of none": lambda x: x.to_sparse_bsc((2, 0)),
    "csr with dense_dim": lambda x: x.to_sparse_csr(dense_dim=0),
    "csc with dense_dim": lambda x: x.to_sparse_csc(dense_dim=1),
    "bsr with dense_dim": lambda x: x.to_sparse_bsr((2, 2), dense_dim=1),
    "layout csr": lambda x: x.to_sparse(layout=torch.sparse_csr),
    "layout csr with dense_dim": lambda x: x.to_sparse(layout=torch.sparse_csr, dense_dim=1),
    "layout bsc with dense_dim": lambda x: x.to_sparse(
        layout=torch.sparse_bsc, blocksize=(2, 2), dense_dim=1
    ),
    "layout coo with dense_dim": lambda x: x.to_sparse(layout=torch.sparse_coo, dense_dim=1),
    "layout bsr": lambda x: x.to_sparse(layout=torch.sparse_bsr, blocksize=(2, 2)),
    "layout bsr of none": lambda x: x.to_sparse(layout=torch.sparse_bsr, blocksize=(0, 2)),
    "dense of doubles": lambda x: x.to_dense(dtype=torch.float64),
    "sparse dimensions": lambda x: x.to_sparse(1),
}
for first, x in FROM.items():
    for second, call in TO.items():
        try:
            y = call(x)
            print(first, second, y.layout, tuple(y.shape), y.to_dense().sum().item())
        except NotImplementedError as error:
            print(first, second, str(error).partition(". This could be")[0])
        except Exception as error:
            print(first, second, type(error).__name__, str(error).partition(". This could be")[0])

# torch.Tensor.sparse_mask: refusals of masks that are not sparse, or sparse in another way
import warnings

warnings.simplefilter("ignore")
x = torch.eye(4)
hybrid = torch.ones(4, 4, 2)
MASKS = {
    "dense": x,
    "coo": x.to_sparse(),
    "coo of rows": x.to_sparse(1),
    "csr": x.to_sparse_csr(),
    "csc": x.to_sparse_csc(),
    "bsr": x.to_sparse_bsr((2, 2)),
    "other": torch.ones(2, 2).to_sparse_csr(),
}
for first, a in MASKS.items():
    for second, mask in MASKS.items():
        try:
            y = a.sparse_mask(mask)
            print(first, second, y.layout, tuple(y.shape), y.to_dense().tolist())
        except Exception as error:
            print(first, second, type(error).__name__, str(error).partition(". This could be")[0])
