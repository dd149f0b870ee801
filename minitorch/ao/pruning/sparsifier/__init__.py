"""torch.ao.pruning.sparsifier: objects that choose which weights are zero."""
