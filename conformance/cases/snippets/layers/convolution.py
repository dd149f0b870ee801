# nn.functional.conv1d: the gradients of convolutions by their sizes
x, w = torch.randn(1, 2, 5), torch.randn(4, 1, 3)
y = torch.nn.functional.conv1d(x, w, stride=2, padding=1, groups=2)
a = torch.nn.grad.conv1d_input(x.shape, w, torch.ones_like(y), stride=2, padding=1, groups=2)
b = torch.nn.grad.conv1d_weight(x, w.shape, torch.ones_like(y), stride=2, padding=1, groups=2)
x, w = torch.randn(1, 2, 5, 4), torch.randn(3, 2, 2, 2)
c = torch.nn.grad.conv2d_input(x.shape, w, torch.ones(1, 3, 4, 3))
d = torch.nn.grad.conv2d_weight(x, w.shape, torch.ones(1, 3, 2, 1), dilation=(2, 3), stride=2)

# torch.convolution: lists as settings of convolution
x = torch.arange(30.0).reshape(1, 1, 5, 6).requires_grad_()
w, ones = torch.arange(8.0).reshape(2, 1, 2, 2).requires_grad_(), torch.ones(2)
for stride, padding in (([1, 1], [0, 0]), ([2, 1], [1, 0]), ([2], [1])):
    found = torch.convolution(x, w, ones, stride, padding, [1, 1], False, [0, 0], 1)
    turned = torch.convolution(x, w[:1], ones[:1], stride, padding, [1, 1], True, [0, 0], 1)
    (found.sum() + turned.sum()).backward()

# F.conv1d: a bias of another dtype
x, w = torch.randn(1, 2, 5), torch.randn(3, 2, 3)
for bias in (
    torch.ones(3).double(),
    torch.ones(3).half(),
    torch.ones(3).bfloat16(),
    torch.ones(3).int(),
):
    for given in (x, x.double(), x.half(), x.bfloat16()):
        try:
            print(F.conv1d(given, w.to(given.dtype), bias).dtype)
        except RuntimeError as error:
            print(error)

# F.conv_transpose2d: transposed convolutions with a rest, differentiated twice
x, w = torch.rand(1, 2, 3, 3, requires_grad=True), torch.rand(2, 1, 2, 2, requires_grad=True)
for stride, rest, apart in (
    (2, 1, 1),
    ((2, 3), (1, 2), 1),
    ((3, 2), (1, 0), 1),
    (1, 1, 2),
    ((2, 1), (2, 1), 3),
):
    y = F.conv_transpose2d(x, w, None, stride, 0, rest, 1, apart)
    by = torch.autograd.grad((y * y).sum(), (x, w), create_graph=True)
    again = torch.autograd.grad(by[0].sum() + (by[1] ** 2).sum(), (x, w))
    print([each.stride() for each in (*by, *again)])
    again = [each.sum((2, 3)) for each in again]
