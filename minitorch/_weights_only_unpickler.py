"""torch._weights_only_unpickler: which globals files may name where only weights are loaded."""
