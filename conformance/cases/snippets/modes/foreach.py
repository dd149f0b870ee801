# every overload, its errors, and the names of its nodes
x = [torch.tensor([1.0, 2.0]), torch.tensor([[3.0]])]
y = [torch.tensor([0.5, 4.0]), torch.tensor([[2.0]])]
r = [t.clone().requires_grad_() for t in x]
i = [torch.tensor([1, 2])]
T = torch


def c():
    return [t.clone() for t in x]


for call in """
T._foreach_abs(x)
T._foreach_add(x,1)
T._foreach_add(x,y)
T._foreach_add(x,y,alpha=2)
T._foreach_add(x,[1,2])
T._foreach_add(x,T.tensor(3.))
T._foreach_add(x,T.tensor(3.),alpha=2)
T._foreach_add(x,T.tensor([3.,1.]))
T._foreach_add(x,T.tensor([3.]))
T._foreach_add(x,1,alpha=2)
T._foreach_add(x,[1])
T._foreach_add(x,[1,2,3])
T._foreach_add(x,y[:1])
T._foreach_add([],[])
T._foreach_add([],1)
T._foreach_abs([])
T._foreach_abs(x[0])
T._foreach_abs(3)
T._foreach_abs([3])
T._foreach_abs(x,1)
T._foreach_add(x)
T._foreach_add(x,'a')
T._foreach_add(x,other=y)
T._foreach_add(x,scalar=2)
T._foreach_add(x,scalars=[2,3])
T._foreach_add_(c(),1)
T._foreach_add_(c(),y,alpha=3)
T._foreach_add_([],1)
T._foreach_add_(tuple(c()),1)
T._foreach_add_(r,1)
T._foreach_add_(i,1.5)
T._foreach_add(i,1.5)
T._foreach_add(r,1)
T._foreach_add(r,y)
T._foreach_add(x,r)
T._foreach_mul(r,2)
T._foreach_mul(r,[2,3])
T._foreach_mul(r,T.tensor(2.))
T._foreach_mul(x,T.tensor([2.,1]))
T._foreach_div(x,y)
T._foreach_div(r,2)
T._foreach_div(x,T.tensor(2.))
T._foreach_sub(x,y,alpha=2)
T._foreach_sub(x,T.tensor(1.))
T._foreach_addcmul(x,y,y)
T._foreach_addcmul(x,y,y,2)
T._foreach_addcmul(x,y,y,value=2)
T._foreach_addcmul(x,y,y,[2,3])
T._foreach_addcmul(x,y,y,scalars=[2,3])
T._foreach_addcmul(x,y,y,T.tensor([2.,3.]))
T._foreach_addcmul(x,y,y,T.tensor([2.]))
T._foreach_addcmul(x,y,y,T.tensor(2.))
T._foreach_addcmul(x,y,y,T.tensor([[2.,3.]]))
T._foreach_addcdiv(r,y,y,.5)
T._foreach_addcdiv(x,y,y[:1])
T._foreach_addcdiv_(c(),y,y,[1.,2.])
T._foreach_addcdiv(x,y,y,[1.])
T._foreach_lerp(x,y,.5)
T._foreach_lerp(x,y,y)
T._foreach_lerp(x,y,[.1,.2])
T._foreach_lerp(x,y[:1],.5)
T._foreach_lerp(x,y,y[:1])
T._foreach_lerp(x,y,[.1])
T._foreach_lerp(r,y,.5)
T._foreach_lerp_(c(),y,weight=.5)
T._foreach_clamp_max(x,1.5)
T._foreach_clamp_min(x,y)
T._foreach_clamp_min(x,[1,2])
T._foreach_maximum(x,1.5)
T._foreach_maximum(x,y)
T._foreach_minimum_(c(),[1,2])
T._foreach_maximum(r,y)
T._foreach_clamp_max(r,1.5)
T._foreach_max(x)
T._foreach_max(r)
T._foreach_max([T.ones(0)])
T._foreach_norm(x)
T._foreach_norm(x,1)
T._foreach_norm(x,float('inf'))
T._foreach_norm(x,2,T.float64)
T._foreach_norm(x,ord=2,dtype=T.float64)
T._foreach_norm(r)
T._foreach_norm(i)
T._foreach_powsum(x)
T._foreach_powsum(x,3)
T._foreach_pow(x,2)
T._foreach_pow(x,y)
T._foreach_pow(x,[2,3])
T._foreach_pow(2,x)
T._foreach_pow(2,r)
T._foreach_pow_(c(),2)
T._foreach_pow(r,2)
T._foreach_copy_(c(),y)
T._foreach_copy_(c(),y,True)
T._foreach_copy_(c(),y[:1])
T._foreach_copy_([],[])
T._foreach_zero_(c())
T._foreach_zero_([])
T._foreach_clone(x)
T._foreach_clone(r)
T._foreach_clone(x,memory_format=T.contiguous_format)
T._foreach_mm([T.ones(2,3)],[T.ones(3,2)])
T._foreach_mm([T.ones(2,3)],[T.ones(3,2),T.ones(1,1)])
T._foreach_sqrt_(c())
T._foreach_sqrt(r)
T._foreach_rsqrt(x)
T._foreach_sigmoid(r)
T._foreach_round(x)
T._foreach_zero_(r)
T._foreach_neg(i)
T._foreach_exp(i)
T._foreach_exp_(i)
T._foreach_frac(x)
T._foreach_sign(x)
T._foreach_lgamma(x)
T._foreach_trunc(x)
T._foreach_erf(x)
T._foreach_reciprocal(x)
T._foreach_add([x[0],y[1]],[y[0].double(),i[0]])
T.ops.aten._foreach_add.Scalar(x,1)
T.ops.aten._foreach_add.List(x,y,alpha=2)
T._foreach_sub(x,1)
T._foreach_sub([T.ones(2)>0],1)
T._foreach_add(x,True)
T._foreach_add(x,1j)
T._foreach_div(i,2)
T._foreach_div_(i,2)
T._foreach_abs(self=x)
T._foreach_add([None],1)
""".strip().splitlines():
    try:
        v = eval(call)
        nodes = [t.grad_fn.name() if t.grad_fn else None for t in v or []]
        print(call, v, type(v).__name__, nodes)
    except Exception as error:
        print(call, type(error).__name__, error)

# gradients
x = [torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([[3.0]], requires_grad=True)]
y = [torch.tensor([0.5, 4.0]), torch.tensor([[2.0]])]
for f in (
    lambda: torch._foreach_mul(x, y),
    lambda: torch._foreach_addcdiv(x, y, y, value=2),
    lambda: torch._foreach_norm(x),
    lambda: torch._foreach_lerp(x, y, 0.3),
    lambda: torch._foreach_sigmoid(x),
    lambda: torch._foreach_pow(2, x),
    lambda: torch._foreach_add_([t * 1 for t in x], y, alpha=2),
):
    print(torch.autograd.grad(sum(t.sum() for t in f()), x))

# all names
print([name for name in sorted(dir(torch)) if name.startswith("_foreach")] or "lazy")
print(
    all(
        callable(getattr(torch, "_foreach_" + n))
        for n in "abs add_ copy_ zero_ mm max norm".split()
    )
)
