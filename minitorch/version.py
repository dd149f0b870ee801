"""torch.version: of which torch this is the like."""

__version__ = "2.13.0+cpu"
debug = False
cuda = hip = xpu = rocm = None
git_version = ""
