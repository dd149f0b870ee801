"""torch.version: the version of torch that minitorch follows."""

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

__version__ = "2.13.0+cpu"
debug = False
cuda = hip = xpu = rocm = None
git_version = "cf30153c4c131c8164ee7798e5022d810682e2cb"
