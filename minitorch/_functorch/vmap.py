"""torch._functorch.vmap is minitorch.func.mapping.vmap, so that what programs replace runs."""

import sys

from minitorch.func.mapping import vmap

sys.modules[__name__] = vmap
