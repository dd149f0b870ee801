# Tensor.reshape: the order of dimensions
from torch.func import rearrange

x = torch.arange(24.0).reshape(2, 3, 4)
print(rearrange(x, "a b c -> c a b"))

# Tensor.reshape: joining dimensions
from torch.func import rearrange

x = torch.arange(24.0).reshape(2, 3, 4)
print(rearrange(x, "a b c -> (a b) c"), rearrange(x, "a b c -> b (a c)"))
print(rearrange(x, "a b c -> (c b a)"))

# Tensor.reshape: splitting dimensions
from torch.func import rearrange

x = torch.arange(24.0).reshape(2, 12)
print(rearrange(x, "a (b c) -> a b c", b=3), rearrange(x, "a (b c) -> c a b", c=2))
print(rearrange(x, "a (b c d) -> (a c) (b d)", b=3, d=2))

# Tensor.reshape: the other dimensions
from torch.func import rearrange

x = torch.arange(24.0).reshape(2, 3, 4)
print(rearrange(x, "a ... -> ... a"), rearrange(x, "... a -> a (...)"))

# torch.zeros: several tensors
from torch.func import rearrange

print(rearrange([torch.zeros(2), torch.ones(2)], "a b -> b a"))

# torch.ones: a pattern without an arrow
from torch.func import rearrange

rearrange(torch.ones(2), "a")

# torch.ones: a name twice
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a a -> a")

# torch.ones: a name on one side
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b -> a")

# torch.ones: too many dimensions
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b c -> a b c")

# torch.ones: too many dimensions beside the others
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b c ... -> a b c ...")

# torch.ones: brackets within brackets
from torch.func import rearrange

rearrange(torch.ones(2, 2), "(a (b)) c -> a b c")

# torch.ones: a bracket that is not closed
from torch.func import rearrange

rearrange(torch.ones(2, 2), "(a b -> a b")

# torch.ones: a bracket that is not opened
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a) b -> a b")

# torch.ones: a number
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a 2 -> a")

# torch.ones: an unknown character
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a+b -> a b")

# torch.ones: a length that is not asked for
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b -> b a", c=2)

# torch.ones: a length that is no integer
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b -> b a", a=2.0)

# torch.ones: a name that begins with an underscore
from torch.func import rearrange

rearrange(torch.ones(2, 2), "_a b -> b _a")

# torch.ones: dots that are no ellipsis
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a . -> . a")

# torch.ones: the others on the right alone
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b -> ... a b")

# torch.ones: the others in brackets on the left
from torch.func import rearrange

rearrange(torch.ones(2, 2), "(a ...) -> a ...")
