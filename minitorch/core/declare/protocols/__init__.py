"""Calls that others take over: `__torch_function__`, `__torch_dispatch__`, and modes of both."""
