"""torch._vendor.packaging: versions, as the package `packaging` compares them."""

from minitorch._vendor.packaging import _structures as _structures
from minitorch._vendor.packaging import version as version
