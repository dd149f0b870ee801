"""torch.__future__: how Module.to and its kin change parameters: in their memory or by new ones."""

from __future__ import annotations

_settings = {"overwrite": False, "swap": False}


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Says whether conversions replace the parameters of a module in place of their data."""
    _settings["overwrite"] = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether conversions replace the parameters of a module in place of their data."""
    return _settings["overwrite"]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Says whether conversions swap parameters with converted ones: they cannot."""
    if value:
        raise NotImplementedError(
            "torch.__future__.set_swap_module_params_on_conversion(True) is not implemented by "
            "minitorch"
        )


def get_swap_module_params_on_conversion() -> bool:
    """Whether conversions swap parameters with converted ones."""
    return _settings["swap"]
