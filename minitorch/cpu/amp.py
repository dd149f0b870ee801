"""torch.cpu.amp: the older names of torch.amp."""

from minitorch.amp.deprecated import package
from minitorch.core.numbers.dtype import bfloat16

package(globals(), "cpu", bfloat16)
