"""torch._functorch.vmap is minitorch.func.mapping itself, so that what programs replace runs."""

import sys

from minitorch.func import mapping

sys.modules[__name__] = mapping
