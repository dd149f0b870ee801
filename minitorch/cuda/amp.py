"""torch.cuda.amp: the older names of torch.amp."""

from minitorch.amp.deprecated import package
from minitorch.core.numbers.dtype import float16

package(globals(), "cuda", float16)
