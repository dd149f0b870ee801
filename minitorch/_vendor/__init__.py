"""torch._vendor: other packages that torch brings along."""

from minitorch._vendor import packaging as packaging
