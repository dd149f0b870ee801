"""torch.testing._internal.distributed.fake_pg: a store for worlds whose ranks say nothing."""

from minitorch.distributed.store import Store


class FakeStore(Store):
    """A store that keeps nothing; a HashStore will do as well."""
