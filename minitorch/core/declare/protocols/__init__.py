"""Calls that classes and modes take over: `__torch_function__` and `__torch_dispatch__`."""
