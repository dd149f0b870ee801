# torch: words and results of rare calls whose warnings, versions or frames of C++ are others
import re
import warnings

warnings.simplefilter("ignore")  # of once-warnings, other cases ask
A, x, i = torch.ops.aten, torch.arange(6.0).reshape(2, 3), torch.arange(6).reshape(2, 3)
b, c, h, meta, g = x > 2, x + 1j * x, x.half(), x.to("meta"), x.clone().requires_grad_()
for text in r"""
torch.zeros_like(x, layout=torch.sparse_csr)
torch.eye(2, dtype=torch.complex32)
torch.equal(x.to(torch.complex32), x.to(torch.complex32))
(lambda y: torch.equal(y,y))(x.to(torch.complex32))
torch.isclose(x.to(torch.complex32), x.to(torch.complex32))
A.conv2d.padding(torch.ones(1,4,4),torch.ones(1,1,2,2),padding="same")
torch.choose_qparams_optimized(x, 6, 200, .16, 8)
torch.choose_qparams_optimized(x, 7, 200, .16, 8)
torch.choose_qparams_optimized(x, -1, 200, .16, 8)
torch.choose_qparams_optimized(torch.cat([torch.randn(50),torch.tensor([30.,-9.])]), 52, 200, .16, 8)
torch.choose_qparams_optimized(torch.cat([torch.randn(50),torch.tensor([30.,-9.])]), 52, 20, .5, 4)
torch.choose_qparams_optimized(torch.cat([torch.randn(50),torch.tensor([3.,-90.])]), 52, 200, .9, 2)
torch.choose_qparams_optimized(torch.tensor([1.,2.,100.,1.5,1.2]), 5, 200, .9, 2)
torch.addmv(torch.ones(1), torch.ones(2,0), torch.ones(0), beta=2)
torch.addmv(torch.tensor(1.), torch.ones(2,0), torch.ones(0), beta=2)
torch.addr(torch.ones(2,2,dtype=torch.complex32), torch.ones(2,dtype=torch.complex32), torch.ones(2,dtype=torch.complex32))
torch.dist(x.to(torch.complex32), x.to(torch.complex32))
torch.dist(x.to(torch.complex32), x.to(torch.complex32)*2)
torch.renorm(x.to(torch.complex32), 2, 0, 1)
torch.isin(torch.ones(2).to(torch.complex32), torch.ones(2))
torch.isin(torch.ones(2), torch.ones(2).to(torch.complex32))
torch.searchsorted(x.half()[0], 1+1j)
torch.sort(x.to(torch.complex32))
torch.median(x.to(torch.complex32))
torch.kthvalue(x.to(torch.complex32), 1)
torch.nanmedian(x.to(torch.complex32))
torch.mode(x.to(torch.complex32))
torch.msort(x.to(torch.complex32))
torch.unique(x.to(torch.complex32))
torch.zeros(3).to(torch.complex32).index_put_((torch.tensor([0,0,1]),), torch.ones(3).to(torch.complex32)*.1, accumulate=True)
x.sum(2**70)
x.sum((0, 2**70))
x.view(2**70)
x.view((1, 2**70))
torch.zeros(2**70)
x.roll(2**70)
x.roll((1, 2**70), (0,1))
torch.sort(torch.empty(0,dtype=torch.complex32))
torch.sort(torch.ones(1,dtype=torch.complex32))
torch.sort(torch.tensor(1.).to(torch.complex32))
torch.argsort(x.to(torch.complex32))
x.to(torch.complex32).sort(stable=True)
""".strip().split("\n"):
    try:
        result = eval(text)
    except Exception as error:
        # lists of backends and frames of C++ follow
        print(text, type(error), re.split(r"resolutions\.|long long", str(error))[0])
        continue
    results = result if isinstance(result, (list, tuple)) else (result,)
    for each in results:
        print(text, each.detach() if isinstance(each, torch.Tensor) else each)
del result, results, each, meta
