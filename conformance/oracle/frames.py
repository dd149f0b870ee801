"""Python's own evaluation of frames, in the place of the one that a failed torch.compile leaves.

Where frames are evaluated otherwise, a call's arguments stay on the caller's stack: one reference
more, by which a gradient looks shared and is copied instead of stolen, in every unit that the
process examines from then on.
"""

import ctypes
import sys

_PYTHON = ctypes.pythonapi
_get = _PYTHON.PyInterpreterState_Get
_get.restype = ctypes.c_void_p
_set = _PYTHON._PyInterpreterState_SetEvalFrameFunc
_set.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
_DEFAULT = ctypes.cast(_PYTHON._PyEval_EvalFrameDefault, ctypes.c_void_p)


def restore() -> None:
    """Lets Python evaluate frames as it does by default, if torch.compile may have changed it."""
    if "torch._dynamo" in sys.modules:
        _set(_get(), _DEFAULT)
