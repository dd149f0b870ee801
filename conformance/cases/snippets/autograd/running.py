# torch._C._current_autograd_node: which node runs, as hooks and Functions see it
class F_(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print("Function", torch._C._current_autograd_node() is ctx)
        return g


a = torch.ones(2, requires_grad=True)
b = F_.apply(a.exp() * 2)
b.sum().backward()
b = F_.apply(a.exp() * 2)
name = lambda: torch._C._current_autograd_node().name()
b.register_hook(lambda g: print("hook", name()))
b.grad_fn.register_prehook(lambda g: print("before", name()))
b.grad_fn.register_hook(lambda i, o: print("after", name()))
a.register_hook(lambda g: print("leaf", name()))
a.register_post_accumulate_grad_hook(lambda t: print("end", name()))
b.sum().backward()
torch.autograd.grad(F_.apply(a * 2).sum(), a)
print(torch._C._current_autograd_node())

# torch._C._current_graph_task_id: the number of a backward
a = torch.ones(2, requires_grad=True)
numbers = []
a.register_hook(lambda g: numbers.append(torch._C._current_graph_task_id()))
(a * 2).sum().backward()
(a * 2).sum().backward()
print(numbers[0] >= 0, numbers[1] > numbers[0], torch._C._current_graph_task_id())
del numbers


# torch._C._current_autograd_node: the number and the node of a backward within a backward
class F_(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        outer = torch._C._current_graph_task_id()
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        y.register_hook(
            lambda g: print(
                torch._C._current_graph_task_id() != outer, torch._C._current_autograd_node().name()
            )
        )
        y.sum().backward()
        print(torch._C._current_graph_task_id() == outer, torch._C._current_autograd_node() is ctx)
        return g


a = torch.ones(2, requires_grad=True)
F_.apply(a).sum().backward()

# torch._C._will_engine_execute_node: which nodes will run
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
x, y = a.exp(), b.sin()
nodes = x.grad_fn, y.grad_fn


class F_(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print([torch._C._will_engine_execute_node(n) for n in nodes])
        return g


F_.apply(x).sum().backward(retain_graph=True)
F_.apply(x + y).sum().backward(retain_graph=True)
torch.autograd.grad(F_.apply(x + y).sum(), b, retain_graph=True)
del nodes
torch._C._will_engine_execute_node(x.grad_fn)
