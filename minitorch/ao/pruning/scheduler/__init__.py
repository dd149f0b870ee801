"""torch.ao.pruning.scheduler: how the share of zeros grows as a model trains."""
