"""The reducer: averages gradients over ranks while backward goes on. As torch's reducer.cpp.

A hook of each parameter copies its gradient into a bucket, times one over the number of ranks; a
full bucket starts its all-reduce once all buckets before it have. The order of gloo's additions
depends on where a gradient lies in its bucket, so the buckets are torch's: one for all parameters
in the first iteration, then in the order in which gradients arrived, 1 MiB first and 25 after.
"""

from __future__ import annotations

import functools
import sys
from datetime import datetime
from time import time_ns
from typing import Any, NoReturn

import numpy

import minitorch
from minitorch.autograd.profiler import record_function
from minitorch.core.arrays import namespace
from minitorch.core.graph.current_backward import queue_callback
from minitorch.distributed.buckets import Bucket, GradBucket, assigned
from minitorch.distributed.debug_level import get_debug_level
from minitorch.distributed.distributed_c10d import (
    broadcast_object_list,
    get_global_rank,
    get_rank,
)
from minitorch.distributed.reducer_texts import (
    GRAPH_CHANGED,
    MISPLACED,
    NOTHING_UNUSED,
    marked_twice,
    unfinished,
)

Tensor = Any


@functools.cache
def _tell_nothing_unused(rank: int) -> None:
    """Says once a process that no parameter was unused, as C++ warns: on stderr."""
    now = f"{datetime.now():%m%d %H:%M:%S.%f}000"
    sys.stderr.write(f"[rank{rank}]:[W{now} reducer.cpp:1529] Warning: {NOTHING_UNUSED}\n")


def _shares_memory(one: Tensor, other: Tensor) -> bool:
    if one.device != other.device:
        return False
    return bool(namespace(one._array).may_share_memory(one._array, other._array))


class Reducer:
    """The buckets of a module, and which of its gradients have come.

    Args:
        parameters: those that require gradients.
        group: the ranks.
        first_limits: bytes of the first buckets, until they are made anew.
        limits: bytes of the buckets that are made anew.
        find_unused: whether parameters may take no part in an iteration.
        as_view: whether gradients are views of their buckets.
        names: of the parameters.
        sparse: numbers of the parameters whose gradients are sparse; each has its own bucket.
        skip_unused: whether a bucket without a used parameter is left out, which must hold for
            that bucket on all ranks.
    """

    def __init__(
        self,
        parameters: list[Tensor],
        group: Any,
        first_limits: list[int],
        limits: list[int],
        find_unused: bool,
        as_view: bool,
        names: list[str],
        sparse: Any = (),
        skip_unused: bool = False,
    ) -> None:
        self.parameters, self.group, self.limits = parameters, group, limits
        self.find_unused, self.as_view, self.names = find_unused, as_view, names
        self.sparse, self.skip_unused = frozenset(sparse), skip_unused
        self.hook: tuple[Any, Any] | None = None
        self.builtin: Any = None
        self.static = False
        self.rebuilt = False
        self.arrived: list[int] = []
        self.expecting = self.must_finish = False
        self.ready: set[int] = set()
        self.unused: list[int] = []
        self.marked_unused = True
        self.triggers: dict[int, int] = {}  # of a static graph: how often each hook ran
        self.left: dict[int, int] = {}
        self.used = numpy.zeros(len(parameters), numpy.int32)
        self.used_everywhere: Any = None
        self.seen: set[tuple[bool, ...]] = set()  # which parameters iterations used
        self.used_work: Any = None
        self.used_known = False
        self.factor: int | None = None
        self.join_work: Any = None  # and whether all ranks of the start divide
        self.futures: list[Any] = []
        self.iterations = self.backwards = 0
        self.next = 0  # the first bucket that is not full
        self.reduced = 0  # how many full ones were sent
        self.order: list[int] = []  # in which gradients came
        self.log: Any = None
        self.moments: dict[str, int] = {}  # when the parts of an iteration began and ended
        self._lay_out(list(range(len(parameters))), first_limits, turned=True)
        self._watch()

    def _watch(self) -> None:
        """Registers a hook behind the accumulation of each gradient."""
        self.accumulators, self.handles = [], []
        for i, each in enumerate(self.parameters):
            node = each.expand_as(each).grad_fn.next_functions[0][0]
            self.accumulators.append(node)
            self.handles.append(node.register_hook(lambda *_, i=i: self._arrive(i)))

    def unwatch(self) -> None:
        """Removes the hooks."""
        for each in self.handles:
            each.remove()

    def _lay_out(self, order: list[int], limits: list[int], turned: bool = False) -> None:
        groups = self._grouped(order, limits)
        self._make(sorted(groups)[::-1] if turned else groups)

    def _grouped(self, order: list[int], limits: list[int]) -> list[list[int]]:
        """Numbers of parameters by bucket."""
        ordered = [self.parameters[i] for i in order]
        sizes = [(each.nbytes, each.dtype) for each in ordered]
        alone = [place for place, i in enumerate(order) if i in self.sparse]
        return [[order[i] for i in members] for members, _ in assigned(sizes, limits, alone)]

    def _make(self, groups: list[list[int]]) -> None:
        self.buckets = [
            Bucket([self.parameters[i] for i in each], each, each[0] in self.sparse)
            for each in groups
        ]
        self.places: dict[int, tuple[Bucket, Tensor]] = {}
        for bucket in self.buckets:
            for i, view in zip(bucket.numbers, bucket.views):
                self.places[i] = bucket, view
                grad = self.parameters[i].grad
                if bucket.is_sparse or grad is None:
                    continue
                if self.as_view and not _shares_memory(grad, view):
                    with minitorch.no_grad():
                        view.copy_(grad)
                    self.parameters[i].grad = view

    # ---- between iterations

    @property
    def searches(self) -> bool:
        """Whether each iteration looks for unused parameters."""
        return self.find_unused and not self.static

    @property
    def counts(self) -> bool:
        """Whether this is a static graph's first iteration, which counts the used parameters."""
        return self.static and not self.backwards

    @property
    def will_rebuild(self) -> bool:
        """Whether buckets are still to be made anew."""
        return (self.static or not self.find_unused) and not self.rebuilt

    def start_forward(self) -> None:
        """Counts an iteration."""
        self.iterations += 1

    def rebuild(self) -> bool:
        """Makes the buckets anew, in the order in which gradients arrived; whether it did.

        Raises:
            RuntimeError: gradients of the iteration before have not come.
        """
        self._check_finished()
        if self.static and self.arrived:
            self.arrived += self.unused
        if not self.will_rebuild or len(self.arrived) != len(self.parameters):
            return False
        told = [self._grouped(self.arrived, self.limits)]
        broadcast_object_list(told, get_global_rank(self.group, 0), group=self.group)
        self.rebuilt, self.arrived = True, []
        self._make(told[0])
        return True

    def push_all(self) -> None:
        """Takes the order of the parameters for that of arrival: a rank without data."""
        if self.will_rebuild and not self.arrived:
            self.arrived = list(range(len(self.parameters)))

    def _fail(self, text: str) -> NoReturn:
        """Raises a RuntimeError, which the log of the module shows, too."""
        if self.log is not None:
            self.log.note_error(text)
        raise RuntimeError(text)

    def _check_finished(self) -> None:
        if not self.must_finish:
            return
        lacking = [i for i in range(len(self.parameters)) if i not in self.ready]
        names = [self.names[i] for i in lacking] if get_debug_level() else None
        self._fail(unfinished(self.static, self.find_unused, self.group.rank(), lacking, names))

    def start_backward(self, outputs: list[Tensor]) -> None:
        """Awaits the gradients of a backward pass.

        Args:
            outputs: from which parameters are found that take no part.
        """
        self.expecting, self.marked_unused = True, False
        self.next, self.reduced, self.ready, self.order = 0, 0, set(), []
        self.left = dict(self.triggers)
        for bucket in self.buckets:
            bucket.reset()
        if self.searches:
            with record_function("torch.distributed.ddp.reducer::search_unused_parameters"):
                self._search(outputs)

    def _search(self, outputs: list[Tensor]) -> None:
        nodes = [each.grad_fn for each in outputs if each.grad_fn is not None]
        seen = set(nodes)
        while nodes:
            for node, _ in nodes.pop().next_functions:
                if node is not None and node not in seen:
                    seen.add(node)
                    nodes.append(node)
        self.unused = [i for i, node in enumerate(self.accumulators) if node not in seen]
        if not self.unused and outputs:
            _tell_nothing_unused(get_rank())

    # ---- during backward

    def _arrive(self, index: int) -> None:
        """Counts a parameter whose gradient is complete, and starts the buckets that are full."""
        if (self.searches or self.counts) and self.parameters[index].grad is not None:
            self.used[index] = 1
        self.moments.setdefault("backward_compute_time_start", time_ns())
        if self.counts:
            self.triggers[index] = self.triggers.get(index, 0) + 1
            return
        if not self.expecting:
            return
        self.order.append(index)
        if not self.marked_unused:
            self.marked_unused = True
            for each in self.unused:
                self._mark(each)
        if self.static:
            if self.left.get(index, 0) <= 0:
                self._fail(GRAPH_CHANGED)
            self.left[index] -= 1
            if self.left[index]:
                return
        if self.will_rebuild:
            self.arrived.append(index)
        self._mark(index)

    def _mark(self, index: int) -> None:
        """Takes a gradient as complete, and starts the buckets that are full."""
        if index in self.ready:
            self._fail(marked_twice(index, self.names[index] if get_debug_level() else None))
        self.ready.add(index)
        self.must_finish = True
        self._copy_in(index)
        bucket = self.places[index][0]
        bucket.missing -= 1
        while self.next < len(self.buckets) and self.buckets[self.next].missing == 0:
            self.reduced += self._start(self.next)
            self.next += 1
            if self.next == len(self.buckets):
                self.moments["backward_compute_time_end"] = time_ns()
                if self.searches:
                    self._start_used()
                queue_callback(self._finish)

    def _divisor(self) -> int:
        if self.factor is None:
            self.factor = self.group.size()
            if self.join_work is not None and not self.join_work[1]:
                self.join_work[0].wait()
                self.factor = int(self.join_work[0].result()[0].item())
        return self.factor

    def _copy_in(self, index: int) -> None:
        parameter, (bucket, view) = self.parameters[index], self.places[index]
        grad, divisor = parameter.grad, self._divisor()
        divides = self.hook is None and self.builtin is None
        if bucket.is_sparse:
            self._take_sparse(bucket, grad, divisor if divides else 1)
            return
        with minitorch.no_grad():
            if grad is None:
                view.zero_()
                return
            if grad.is_sparse:
                raise NotImplementedError("Cannot access storage of SparseTensorImpl")
            if _shares_memory(grad, view):
                if divides:
                    view.div_(divisor)
                return
            if not divides:
                view.copy_(grad)
            elif grad.dtype in (minitorch.float32, minitorch.float64):
                share = view._array.dtype.type(1 / divisor)
                namespace(view._array).multiply(grad._array, share, out=view._array)
            else:  # with few bits the share has more of them
                view.copy_(grad.detach().mul(1 / divisor))
            if self.as_view:
                parameter.grad = view

    def _take_sparse(self, bucket: Bucket, grad: Any, divisor: int) -> None:
        """Takes a sparse gradient for the bucket itself. RuntimeError if it is none."""
        if grad is None:
            self._fail("Expected sparse gradient to be defined.")
        if not grad.is_sparse:
            self._fail("Expected variable to have sparse gradient.")
        bucket.tensor = grad
        if divisor != 1:
            with minitorch.no_grad():
                grad.div_(divisor)

    def _start(self, index: int) -> bool:
        """Starts to average a bucket; whether it did."""
        self.moments.setdefault("backward_comm_time_start", time_ns())
        bucket = self.buckets[index]
        if self.skip_unused and all(each in self.unused for each in bucket.numbers):
            return False
        shown = GradBucket(bucket, index, index == len(self.buckets) - 1, bucket.tensor)
        bucket.work = self.run_hook(shown)
        return True

    def run_hook(self, bucket: GradBucket) -> Any:
        """Starts what averages a bucket: a Work, or the future of a hook."""
        if self.builtin is not None:
            return self.builtin(self.group, bucket)
        if self.hook is None:
            return self.group.operations.allreduce([bucket.buffer()])
        state, hook = self.hook
        future = hook(state, bucket)
        if not hasattr(future, "then"):
            raise RuntimeError(
                "Please register a DDP communication hook that returns a torch.futures.Future: "
                f"got {type(future).__name__}"
            )
        return future

    def zero_buckets(self) -> list[GradBucket]:
        """The buckets with zeros in the place of gradients."""
        last = len(self.buckets) - 1
        return [GradBucket(each, i, i == last, each.zeros()) for i, each in enumerate(self.buckets)]

    def used_map(self) -> Tensor:
        """The parameters that this rank used, as a tensor on their device: 1 for each, else 0."""
        return minitorch.tensor(self.used, device=self.parameters[0].device)

    def _start_used(self) -> None:
        """Starts to add up which parameters were used on any rank."""
        self.used_everywhere = self.used_map()
        self.used_work = self.group.operations.allreduce([self.used_everywhere])

    def delayed(self) -> None:
        """Averages all gradients of the first iteration of a static graph, after backward."""
        self.moments["backward_compute_time_end"] = time_ns()
        self._start_used()
        self.unused = [i for i in range(len(self.parameters)) if i not in self.triggers]
        for i in range(len(self.parameters)):
            self.must_finish = True
            self._copy_in(i)
        for i in range(len(self.buckets)):
            self._start(i)
        self._finish()

    def _finish(self) -> None:
        """Waits for all buckets, and hands the averages to the gradients."""
        self.expecting = self.must_finish = False
        counting = self.counts
        for bucket in self.buckets:
            if bucket.work is None:
                continue
            if self.hook is None and self.builtin is None:
                bucket.work.wait()
                result = bucket.tensor
            else:
                result = bucket.work.wait()
            self.factor = None
            with minitorch.no_grad():
                self._hand_out(bucket, result)
        for future in self.futures:
            future.wait()
        self.futures = []
        self.backwards += 1
        self.moments["backward_comm_time_end"] = time_ns()
        if (self.searches or counting) and not self.used_known:
            self.used_work.wait()
        if self.searches:
            used = tuple(self.used_everywhere.cpu()._array > 0)
            self.seen.add(used)
            self.used[:] = 0
            self.used_known = False

    def _unused_everywhere(self, index: int) -> bool:
        if not (self.static or self.find_unused) or self.used[index]:
            return False
        if not self.used_known:
            self.used_work.wait()
            self.used[:] = self.used_everywhere.cpu()._array
            self.used_known = True
        return not self.used[index]

    def _hand_out(self, bucket: Bucket, result: Tensor) -> None:
        if bucket.is_sparse:  # the gradient itself was sent
            if result is not bucket.tensor:
                bucket.tensor.copy_(result)
            return
        views = bucket.views if result is bucket.tensor else bucket.views_of(result)
        for i, own, view in zip(bucket.numbers, bucket.views, views):
            parameter = self.parameters[i]
            if self._unused_everywhere(i):
                continue
            grad = parameter.grad
            if self.as_view:
                if view is not own and not _shares_memory(view, own):
                    own.copy_(view)
                if grad is None:
                    parameter.grad = own
                elif not _shares_memory(grad, own):
                    raise RuntimeError(MISPLACED)
                continue
            if grad is None:
                parameter.grad = view.clone().to(parameter.dtype)
                continue
            array = grad._array
            writeable = getattr(array.flags, "writeable", True)  # CuPy's arrays always are
            if writeable and 0 not in array.strides and view.dtype == grad.dtype:
                array[...] = view._array
            else:  # a gradient that was expanded has no memory of its own
                parameter.grad = view.clone().to(parameter.dtype)

    def _get_local_used_map(self) -> Any:
        """The number of ranks that used each parameter last: torch's private name."""
        return self.used_everywhere

    def _ddp_graph_static(self) -> bool:
        """Whether all iterations used the same parameters until now: torch's private name."""
        return len(self.seen) <= 1

    # ---- settings

    def _check_no_hook(self) -> None:
        if self.hook is not None or self.builtin is not None:
            raise RuntimeError(
                "register_comm_hook or register_builtin_comm_hook can only be called once."
            )

    def set_hook(self, state: Any, hook: Any) -> None:
        """Has a hook average the buckets. RuntimeError if there is one already."""
        self._check_no_hook()
        self.hook = (state, hook)

    def set_builtin(self, hook: Any) -> None:
        """Has a function of group and bucket average the buckets. RuntimeError if there is one."""
        self._check_no_hook()
        self.builtin = hook

    def set_static(self) -> None:
        """Takes the graph of the first iteration for that of all. RuntimeError after it."""
        if self.iterations:
            self._fail(
                "set_static_graph() should be called before training loop starts and after "
                "DistributedDataParallel is constructed."
            )
        self.static = True
