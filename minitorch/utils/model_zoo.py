"""torch.utils.model_zoo: torch.hub's functions by their older place."""

from typing import Any

from minitorch import hub
from minitorch.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]


def __getattr__(name: str) -> Any:
    if name == "tqdm":  # packages import it from here
        return hub.tqdm
    raise AttributeError(f"module 'torch.utils.model_zoo' has no attribute {name!r}")
