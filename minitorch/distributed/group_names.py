"""Groups by name, or by their ranks and a tag."""

from __future__ import annotations

from typing import Any

from minitorch.distributed.world import (
    _world,
    get_process_group_ranks,
    get_rank,
    new_group,
)


def _resolve_process_group(group_name: str) -> Any:
    """The group of a name. RuntimeError if there is none."""
    for each in _world.pg_map:
        if each.group_name == group_name:
            return each
    raise RuntimeError(
        f"Could not resolve the process group registered under the name {group_name}"
    )


def _get_group_size_by_name(group_name: Any) -> int:
    """The number of ranks of a group, by the group's name or the group itself."""
    group = _resolve_process_group(group_name) if isinstance(group_name, str) else group_name
    return group.size()


def _get_group_tag(pg: Any) -> str:
    """The tag of a group: its purpose, or its name."""
    return getattr(pg, "_tag", f"ptd:{pg.group_name}")


def _find_pg_by_ranks_and_tag(tag: str, ranks: list[int]) -> Any:
    """The group of these ranks and a tag; None if there is none."""
    for each in _world.pg_map:
        known = getattr(each, "_tag", None)
        fits = known is None if not tag else tag in (known, _get_group_tag(each))
        if fits and sorted(get_process_group_ranks(each)) == sorted(ranks):
            return each
    return None


def _find_or_create_pg_by_ranks_and_tag(tag: str, ranks: list[int], stride: int) -> Any:
    """The group that this rank is in, of groups of `stride` ranks; made where there is a tag.

    Raises:
        ValueError: the ranks cannot be shared out so, or there is no group and no tag.
        AssertionError: this rank is not one of them.
    """
    if len(ranks) % stride:
        raise ValueError(f"Ranks length ({len(ranks)}) must be divisible by stride ({stride})")
    shares = [sorted(ranks[i : i + stride]) for i in range(0, len(ranks), stride)]
    own = next((share for share in shares if get_rank() in share), None)
    if own is None:
        raise AssertionError("rankset doesn't include the current node")
    found = _find_pg_by_ranks_and_tag(tag, own)
    if found is not None:
        return found
    if not tag:
        raise ValueError("Cannot automatically create PG with empty tag")
    made = new_group(own, use_local_synchronization=True)
    made._tag = tag
    return made


def _resolve_group_name_by_ranks_and_tag(ranks: list[int], tag: str) -> str:
    """The name of the group of these ranks and a tag. ValueError if there is none."""
    found = _find_pg_by_ranks_and_tag(tag, ranks)
    if found is None:
        raise ValueError("")
    return found.group_name
