# nn.Conv2d with _conv_forward replaced
class Standardized(nn.Conv2d):
    def _conv_forward(self, input, weight, bias):
        mean = weight.mean(dim=[1, 2, 3], keepdim=True)
        spread = weight.std(dim=[1, 2, 3], keepdim=True)
        return super()._conv_forward(input, (weight - mean) / (spread + 1e-5), bias)


m = Standardized(2, 3, 3, padding=1, padding_mode="reflect")
y = m(torch.ones(1, 2, 5, 5).cumsum(-1))
y.sum().backward()

# nn.Conv1d._conv_forward called with other weights, as adapters do
m = nn.Conv1d(2, 3, 3, padding="same", padding_mode="circular")
change = torch.zeros(3, 2, 3, requires_grad=True)
y = m._conv_forward(torch.ones(2, 2, 6).cumsum(-1), m.weight + change, None)
y.sum().backward()
print(m.transposed, m.output_padding, m._reversed_padding_repeated_twice, m.__constants__)


# nn.modules.conv._ConvNd derived directly
class Plain(nn.modules.conv._ConvNd):
    def __init__(self):
        super().__init__(
            4, 6, (3,), (1,), (1,), (1,), False, (0,), 2, True, "zeros", dtype=torch.float64
        )

    def forward(self, x):
        return F.conv1d(x, self.weight, self.bias, self.stride, self.padding, groups=self.groups)


m = Plain()
y = m(torch.ones(1, 4, 5, dtype=torch.float64))
print(m, m.weight.shape)


# nn.modules.conv._ConvTransposeNd derived directly, and its _output_padding
class Transposed(nn.modules.conv._ConvTransposeNd):
    def __init__(self):
        super().__init__(2, 3, (3,), (2,), (1,), (1,), True, (0,), 1, True, "zeros")

    def forward(self, x, size):
        own = self._output_padding(x, size, self.stride, self.padding, self.kernel_size, 1)
        return F.conv_transpose1d(x, self.weight, self.bias, 2, 1, own)


m = Transposed()
y = m(torch.ones(1, 2, 5), [10])
print(m, y.shape)
try:
    m(torch.ones(1, 2, 5), [12])
except ValueError as error:
    print(error)


# nn.ConvTranspose2d with _output_padding replaced
class Fixed(nn.ConvTranspose2d):
    def _output_padding(self, *args, **kwargs):
        return [1, 1]


y = Fixed(1, 1, 3, stride=2)(torch.ones(1, 1, 3, 3))


# nn.BatchNorm1d and nn.InstanceNorm1d with _check_input_dim replaced
class Any(nn.BatchNorm1d):
    def _check_input_dim(self, input):
        print("dim", input.dim())


class AnyInstance(nn.InstanceNorm1d):
    def _check_input_dim(self, input):
        print("dim", input.dim())

    def _get_no_batch_dim(self):
        return 3


y = Any(2)(torch.ones(2, 2, 2, 2).cumsum(0))
z = AnyInstance(2)(torch.ones(2, 2, 3, 3).cumsum(-1))

# nn.Module's private names for hooks and replicas
m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
m.register_full_backward_pre_hook(lambda module, grad: None)
m.register_full_backward_hook(lambda module, grad_in, grad_out: None)
full, others = m._get_backward_hooks()
print(len(full), len(others), len(m._get_backward_pre_hooks()), m._compiled_call_impl)
copy = m._replicate_for_data_parallel()
print(copy, list(copy._parameters), copy[0] is m[0], copy._is_replica)
y = m[0]._slow_forward(torch.ones(1, 2))
print(m._get_item_by_idx(m.children(), -1), nn.ModuleList([m])._get_abs_string_index(-1))
try:
    m._get_item_by_idx(m.children(), 2)
except IndexError as error:
    print(error)

# nn.Transformer layers called by the names of their blocks' arguments
m = nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0)
x = torch.ones(3, 1, 4).cumsum(0)
y = m._sa_block(x, attn_mask=None, key_padding_mask=None)
z = m._mha_block(x, x * 2, attn_mask=None, key_padding_mask=None, is_causal=False)

# nn.Embedding and nn.Unflatten by their private names
m = nn.Embedding(3, 2, padding_idx=1)
with torch.no_grad():
    m.weight.fill_(1.0)
m._fill_padding_idx_with_zero()
w = m.weight
try:
    nn.Unflatten(1, (2, 2))._require_tuple_int((2, 2.0))
except TypeError as error:
    print(error)

# torch.amp.GradScaler by its private names
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
print(scaler._get_scale_async())
scaler._lazy_init_scale_growth_tracker("cpu")
print(scaler._get_scale_async(), scaler._growth_tracker)
(w * 2).sum().backward()
fine, bad = torch.zeros(()), torch.ones(())
scaler._maybe_opt_step(optimizer, {"found_inf_per_device": {"cpu": bad}})
before = w.detach().clone()
scaler._maybe_opt_step(optimizer, {"found_inf_per_device": {"cpu": fine}})

# torch.optim.Optimizer's private names
w = torch.ones(2, dtype=torch.float16, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
print(optimizer._accelerator_graph_capture_health_check(), optimizer._optimizer_step_code())
made = optimizer._group_tensors_by_device_and_dtype(
    [[torch.ones(1), torch.ones(2, dtype=torch.float64), torch.ones(3)]], with_indices=True
)
print(sorted(f"{place} {lists} {places}" for place, (lists, places) in made.items()))
del made  # in the order of a hash table of torch's
group = {"params": [0], "capturable": False, "fused": False}
for key in "exp_avg", "step":
    kept = optimizer._process_value_according_to_param_policy(
        w, torch.ones(2, dtype=torch.float64), 0, [group], key
    )
    print(key, kept.dtype)

# nn.Buffer: a buffer that persists no longer, in place of None
m = nn.Module()
m.a = nn.Buffer(torch.ones(1))
m.a = None
m.a = nn.Buffer(torch.ones(1), persistent=False)
print(list(m.state_dict()), m._non_persistent_buffers_set)
m.a = torch.zeros(1)
print(list(m.state_dict()))


# nn.Buffer: a buffer that is assigned by the register_buffer of its class
class Own(nn.Module):
    def register_buffer(self, name, tensor):
        print("registers", name)
        super().register_buffer(name, tensor)


m = Own()
m.a = nn.Buffer(torch.ones(1))
m.a = torch.zeros(1)
m.a = nn.Buffer(torch.ones(1), persistent=False)

# nn.Buffer: a buffer in place of another attribute
m = nn.Module()
m.a = 3
m.a = nn.Buffer(torch.ones(1))

# nn.Module.xpu: modules on devices that there are not
print(nn.Identity().xpu(), nn.Identity().ipu(), nn.Identity().mtia())
nn.Linear(1, 1).xpu()


# nn.Module: a call of a module whose __init__ never ran
class Own(nn.Module):
    def __init__(self):
        self.k = 1


Own()(1)
