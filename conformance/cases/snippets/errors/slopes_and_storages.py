# torch.gradient: refusals of slopes, of storages without data and of eigenvalues
def told(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


x = torch.ones(3, 3)
meta = torch.ones(2, device="meta")
told(lambda: torch.gradient(x, spacing=(torch.ones(3, 1), torch.ones(3)), dim=(0, 1)))
told(lambda: torch.gradient(x, spacing=(torch.ones(3, 1),), dim=0))
told(lambda: torch.nonzero(x, as_tuple=True, out=torch.empty(0, dtype=torch.int64)))
told(lambda: torch.nonzero(x, as_tuple=False, out=1))
for call in (
    lambda: meta.untyped_storage()[0],
    lambda: meta.untyped_storage().tolist(),
    lambda: bytes(meta.untyped_storage()),
    lambda: meta.storage()[0],
):
    told(call)
for call in (torch.linalg.eigvals, torch.linalg.eig, torch.linalg.eigvalsh, torch.linalg.svdvals):
    told(lambda: call(torch.ones(2, 2, dtype=torch.int64)))
    told(lambda: call(torch.ones(2, 2, dtype=torch.int64), out=torch.ones(2)))
    told(lambda: call(torch.ones(2, 2), out=torch.ones(2, dtype=torch.int64)))

# torch.linalg.lstsq: batches of more than one dimension, and equals in long rows
A, b = torch.eye(3).expand(2, 1, 3, 3) * 2, torch.ones(2, 1, 3)
for call in (
    lambda: torch.linalg.solve(A, b.unsqueeze(-1)),
    lambda: torch.linalg.lstsq(A, b.unsqueeze(-1)).solution,
    lambda: torch.linalg.lstsq(A, torch.ones(2, 1, 3, 2), driver="gelsy").solution,
    lambda: torch.linalg.lstsq(A, torch.ones(1, 1, 3, 2), driver="gelsd").rank,
):
    print(call())
for n in (17, 33, 65, 200):
    x = (torch.arange(n * 4) * 7 % 5).reshape(4, n).float()
    print(x.topk(9, 1).indices.tolist(), x.topk(3, 1, largest=False).indices.tolist())
    print(x.kthvalue(n // 2, 1).indices.tolist(), x.sort(1).indices.sum(0).tolist()[:20])
    print(x.median(1).indices.tolist(), x.mode(1).indices.tolist())
