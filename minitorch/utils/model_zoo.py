"""torch.utils.model_zoo: torch.hub's functions by their older place."""

from minitorch.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]
