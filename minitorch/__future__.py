"""torch.__future__: how modules change parameters: in their memory, by new ones, by swapping."""

from __future__ import annotations

_settings = {"overwrite": False, "swap": False}


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Says whether conversions replace the parameters of a module in place of their data."""
    _settings["overwrite"] = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether conversions replace the parameters of a module in place of their data."""
    return _settings["overwrite"]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Sets whether conversions and load_state_dict give parameters other contents by
    torch.utils.swap_tensors, which keeps what optimizers hold."""
    _settings["swap"] = value


def get_swap_module_params_on_conversion() -> bool:
    """Whether conversions and load_state_dict swap parameters with new ones."""
    return _settings["swap"]
