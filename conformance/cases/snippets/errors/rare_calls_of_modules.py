# torch.optim: states and arguments that are not as an optimizer made them
def tell(call):
    try:
        print(call())
    except Exception as error:
        print(type(error), error)


def stepped(kind, grads, change=None, **settings):
    params = [torch.nn.Parameter(torch.ones_like(grad)) for grad in grads]
    for param, grad in zip(params, grads):
        param.grad = grad.clone()
    optimizer = kind(params, **settings)
    optimizer.step()
    if change is not None:
        for state in optimizer.state.values():
            change(state)
        optimizer.step()
    return [param.tolist() for param in params]


row, table = torch.tensor([1.0, -2.0]), torch.tensor([[0.5, 1.0], [2.0, -1.0]])
for kind, entries in (
    (torch.optim.Adafactor, ("row_var", "col_var", "variance")),
    (torch.optim.Adam, ("exp_avg", "exp_avg_sq", "step")),
    (torch.optim.AdamW, ("exp_avg", "step")),
    (torch.optim.Adamax, ("exp_inf", "step")),
    (torch.optim.RMSprop, ("square_avg", "step")),
    (torch.optim.Rprop, ("prev", "step_size", "step")),
    (torch.optim.Adadelta, ("acc_delta", "square_avg", "step")),
    (torch.optim.ASGD, ("eta", "mu", "ax", "step")),
    (torch.optim.NAdam, ("mu_product", "exp_avg", "step")),
    (torch.optim.RAdam, ("exp_avg_sq", "step")),
):
    for entry in entries:
        for grads in ([row], [table]):
            print(kind.__name__, entry)
            tell(lambda: stepped(kind, grads, lambda state: state.pop(entry, None), lr=0.1))
one, two = torch.tensor([0.9]), torch.tensor([0.9, 0.8])
for betas in ((one, one), (two, one), (one, two), (one, 0.9)):
    for settings in ({}, {"foreach": True}, {"foreach": True, "capturable": True}):
        tell(lambda: stepped(torch.optim.Adam, [row], lr=0.1, betas=betas, **settings))
for settings in ({"fused": True}, {"fused": True, "foreach": True}):
    for grad in (row + 1j, row.double(), row.half()):
        for kind in (torch.optim.Adam, torch.optim.SGD, torch.optim.Adagrad):
            tell(lambda: stepped(kind, [grad], lr=0.1, **settings))
param = torch.nn.Parameter(torch.tensor([1.0 + 1j, 2.0]))
optimizer = torch.optim.LBFGS([param], max_iter=3)


def closure():
    optimizer.zero_grad()
    loss = (param * param.conj()).real.sum()
    loss.backward()
    return loss


print(optimizer.step(closure).item(), param)
sparse = torch.sparse_coo_tensor([[0]], [1.0], (2,))
for kind in (torch.optim.Adam, torch.optim.RMSprop, torch.optim.Rprop, torch.optim.Adadelta):
    tell(lambda: stepped(kind, [row], foreach=True))
    other = torch.nn.Parameter(torch.ones(2))
    other.grad = sparse
    tell(lambda: kind([other], foreach=True).step())
    tell(lambda: kind([other]).step())


# torch.nn.Module: swapped parameters, and what module_load may return
import weakref


def tell(call):
    try:
        print(call())
    except Exception as error:
        print(type(error), error, error.__cause__)


torch.__future__.set_swap_module_params_on_conversion(True)
try:
    layer = torch.nn.Linear(2, 1)
    held = weakref.ref(layer.weight)
    tell(lambda: layer.double().weight.dtype)
    layer = torch.nn.Linear(2, 1)
    layer(torch.ones(2)).sum().backward()
    held = weakref.ref(layer.weight.grad)
    tell(lambda: layer.double().weight.dtype)

    class Kept(torch.nn.Parameter):
        pass

    class Same(torch.Tensor):
        def module_load(self, other, assign=False):
            return self

    class Given(torch.Tensor):
        def module_load(self, other, assign=False):
            return other

    for kind in (Same, Given):
        layer = torch.nn.Linear(2, 1, bias=False)
        layer.weight = torch.nn.Parameter(torch.ones(1, 2).as_subclass(kind))
        tell(lambda: layer.load_state_dict({"weight": torch.zeros(1, 2)}))
finally:
    torch.__future__.set_swap_module_params_on_conversion(False)
tell(lambda: torch.nn.FractionalMaxPool3d(0, output_size=1))
tell(lambda: torch.nn.FractionalMaxPool3d((1, 0, 1), output_size=1))
tell(lambda: torch.nn.FractionalMaxPool2d(0, output_size=1))
utils = torch.nn.modules.utils
tell(lambda: utils._list_with_default([None, 2], [3, 4, 5]))
tell(lambda: utils._list_with_default([None, 2], [3, 4]))
tell(lambda: utils._list_with_default(3, [3, 4]))
tell(lambda: F.instance_norm(torch.ones(2, 3, 1)))
tell(lambda: torch.nn.InstanceNorm2d(3)(torch.ones(2, 3, 1, 1)))
attention = torch.nn.MultiheadAttention(4, 2)
x, y = torch.ones(3, 2, 4), torch.ones(5, 2, 4)
for mask in (torch.zeros(1), torch.zeros(1, 1, 3, 5), torch.zeros(3, 4), torch.zeros(3, 3, 5)):
    tell(lambda: attention(x, y, y, attn_mask=mask)[0].shape)
for mask in (torch.zeros(3, 5).bool(), torch.zeros(2, 3).bool(), torch.zeros(5).bool()):
    tell(lambda: attention(x, y, y, key_padding_mask=mask)[0].shape)
    tell(lambda: attention(x, y, y, key_padding_mask=mask, need_weights=False)[0].shape)
tell(lambda: attention(x, x, x, is_causal=True)[0].shape)
tell(lambda: attention(x, x, x, is_causal=True, need_weights=False)[0].shape)


class Other(torch.Tensor):
    def detach(self):
        return torch.ones(2)


tell(lambda: torch.nn.Parameter(torch.ones(2).as_subclass(Other)))
tell(lambda: torch.ones(2).is_contiguous(memory_format=3))
tell(lambda: torch.finfo(torch.float32, type=1))
tell(lambda: torch.finfo(torch.float32, kind=1))
tell(lambda: torch.iinfo(torch.int32, kind=1))
tell(lambda: torch.iinfo(torch.int32, type=1))
tell(lambda: torch.promote_types(torch.float8_e5m2, torch.float32))
tell(lambda: torch.promote_types(torch.float8_e5m2, torch.int8))
tell(lambda: torch.result_type(torch.ones(1).to(torch.float8_e5m2), 1.0))
tell(lambda: torch.ones(2).to(torch.float8_e5m2).exponential_())
tell(lambda: torch.ones(2).to(torch.float8_e5m2).cauchy_())
tell(lambda: torch.ones(0).to(torch.float8_e5m2).cauchy_())
tell(lambda: torch.ones(0).to(torch.float8_e5m2).exponential_())
tell(lambda: torch.ones(2, dtype=torch.int64).cauchy_())
tell(lambda: torch.ones(2, dtype=torch.int64).exponential_())
del x, y, attention, layer
