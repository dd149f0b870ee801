# the order of dimensions
from torch.func import rearrange

x = torch.arange(24.0).reshape(2, 3, 4)
print(rearrange(x, "a b c -> c a b"))


# joining dimensions
from torch.func import rearrange

x = torch.arange(24.0).reshape(2, 3, 4)
print(rearrange(x, "a b c -> (a b) c"), rearrange(x, "a b c -> b (a c)"))
print(rearrange(x, "a b c -> (c b a)"))


# splitting dimensions
from torch.func import rearrange

x = torch.arange(24.0).reshape(2, 12)
print(rearrange(x, "a (b c) -> a b c", b=3), rearrange(x, "a (b c) -> c a b", c=2))
print(rearrange(x, "a (b c d) -> (a c) (b d)", b=3, d=2))


# the other dimensions
from torch.func import rearrange

x = torch.arange(24.0).reshape(2, 3, 4)
print(rearrange(x, "a ... -> ... a"), rearrange(x, "... a -> a (...)"))


# several tensors
from torch.func import rearrange

print(rearrange([torch.zeros(2), torch.ones(2)], "a b -> b a"))


# a pattern without an arrow
from torch.func import rearrange

rearrange(torch.ones(2), "a")


# a name twice
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a a -> a")


# a name on one side
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b -> a")


# too many dimensions
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b c -> a b c")


# too many dimensions beside the others
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b c ... -> a b c ...")


# brackets within brackets
from torch.func import rearrange

rearrange(torch.ones(2, 2), "(a (b)) c -> a b c")


# a bracket that is not closed
from torch.func import rearrange

rearrange(torch.ones(2, 2), "(a b -> a b")


# a bracket that is not opened
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a) b -> a b")


# a number
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a 2 -> a")


# an unknown character
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a+b -> a b")


# a length that is not asked for
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b -> b a", c=2)


# a length that is no integer
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b -> b a", a=2.0)


# a name that begins with an underscore
from torch.func import rearrange

rearrange(torch.ones(2, 2), "_a b -> b _a")


# dots that are no ellipsis
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a . -> . a")


# the others on the right alone
from torch.func import rearrange

rearrange(torch.ones(2, 2), "a b -> ... a b")


# the others in brackets on the left
from torch.func import rearrange

rearrange(torch.ones(2, 2), "(a ...) -> a ...")
