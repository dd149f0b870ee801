"""torch.utils.checkpoint: gradients of a function whose intermediate results are not kept.

What nodes would save inside a checkpoint is replaced by holders (saved-tensor hooks). When the
first of them is asked for in a backward, the function runs again, and what that saves fills the
holders, the n-th the n-th; it stops as soon as the last is filled. The reentrant way is a Function
instead, whose backward runs the function again and a backward inside.
"""

from __future__ import annotations

import contextlib
import warnings
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import minitorch
from minitorch._ops import OpOverload, OpOverloadPacket
from minitorch.amp import autocast_mode, state
from minitorch.autograd.function import Function
from minitorch.autograd.graph import saved_tensors_hooks
from minitorch.autograd.variable import Variable
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.modes import GradMode, recording
from minitorch.core.graph import saved_hooks
from minitorch.core.graph.backward import backward
from minitorch.core.graph.current_backward import task_id
from minitorch.core.graph.node import check_attached, next_order, save_input, seen_value
from minitorch.random import fork_rng, get_rng_state, set_rng_state
from minitorch.utils._pytree import tree_leaves
from minitorch.utils.checkpoint_selection import Keeping, Taking
from minitorch.utils.checkpoint_types import (
    SAC_IGNORED_OPS,
    CheckpointError,
    CheckpointPolicy,
    SelectiveCheckpointContext,
)

__all__ = [
    "SAC_IGNORED_OPS",
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "DefaultDeviceType",
    "GraphExecGroup",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]

_WITHOUT_REENTRANT = (
    "the use_reentrant parameter should be passed explicitly. {when} use_reentrant=False is "
    "recommended, but if you need to preserve the current default behavior, you can pass "
    "use_reentrant=True. Refer to docs for more details on the differences between the two "
    "variants."
)
_SUPPRESSED = (
    "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception "
    "raised during the checkpointed forward. This is not supported because checkpoint cannot "
    "return a value for a failed forward."
)
_TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint\N{NON-BREAKING HYPHEN}debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""


# ---- settings

_settings: dict[str, Any] = {"debug": None, "early_stop": None}


@contextlib.contextmanager
def _setting(name: str, value: Any) -> Iterator[None]:
    before = _settings[name]
    _settings[name] = value
    try:
        yield
    finally:
        _settings[name] = before


def set_checkpoint_debug_enabled(enabled: bool | None) -> Any:
    """Inside, checkpoints keep logs for their errors, or do not, whatever their `debug` says."""
    return _setting("debug", enabled)


def set_checkpoint_early_stop(enable: bool) -> Any:
    """Inside, checkpoints stop recomputing early, or do not, whatever their `early_stop` says."""
    return _setting("early_stop", enable)


# ---- devices and their random states


class DefaultDeviceType:
    """The type of device whose random state is kept where no argument is on a device."""

    _default_device_type: str | None = None

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Sets it."""
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type() -> str:
        """The device type that was set; else that of the accelerator; else 'cpu'."""
        if not DefaultDeviceType._default_device_type:
            found = minitorch.accelerator.current_accelerator(True)
            DefaultDeviceType._default_device_type = found.type if found else "cpu"
        return DefaultDeviceType._default_device_type


def _tensors(value: Any) -> list[Any]:
    """The tensors in nested containers."""
    return [each for each in tree_leaves(value) if isinstance(each, TensorBase)]


def _infer_device_type(*args: Any) -> str:
    types = [each.device.type for each in _tensors(args) if each.device.type != "cpu"]
    if len(set(types)) > 1:
        warnings.warn(
            "Tensor arguments, excluding CPU tensors, are detected on at least two types of "
            "devices. Device state will only be saved for devices of a single device type, and the "
            "remaining devices will be ignored. Consequently, if any checkpointed functions "
            "involve randomness, this may result in incorrect gradients. (Note that if CUDA "
            "devices are among the devices detected, it will be prioritized; otherwise, the first "
            f"device encountered will be selected.)\nDevice types: {sorted(set(types))} first "
            f"device type: {types[0]}",
            stacklevel=2,
        )
    if not types:
        return DefaultDeviceType.get_device_type()
    return "cuda" if "cuda" in types else types[0]


def _module_of(device_type: str) -> Any:
    return minitorch.cuda if device_type == "cuda" else minitorch.cpu


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """The devices of the tensors among the arguments, and the states of their generators."""
    ids = [t.get_device() for t in _tensors(args) if t.device.type not in ("cpu", "meta")]
    module = _module_of(_infer_device_type(*args))
    return ids, [module.get_rng_state(each) for each in ids]


def set_device_states(devices: Any, states: Any, *, device_type: str | None = None) -> None:
    """Lets the generators of devices go on from states."""
    device_type = DefaultDeviceType.get_device_type() if device_type is None else device_type
    if device_type != "meta":
        for device, each in zip(devices, states, strict=False):
            _module_of(device_type).set_rng_state(each, device)


class _Circumstances:
    """The conditions that a forward ran under besides grad mode: random states and autocast."""

    def __init__(self, args: tuple[Any, ...], preserve_rng_state: bool) -> None:
        self.preserved = preserve_rng_state
        self.device_type = _infer_device_type(*args)
        self.precisions = [
            {
                "device_type": each,
                "enabled": state.is_autocast_enabled(each),
                "dtype": state.get_autocast_dtype(each),
                "cache_enabled": state.is_autocast_cache_enabled(),
            }
            for each in dict.fromkeys((self.device_type, "cpu"))
            if autocast_mode.is_autocast_available(each)
        ]
        self.devices: list[int] = []
        self.states: list[Any] = []
        if preserve_rng_state:
            self.cpu_state = get_rng_state()
            self.with_device = self.device_type == "cuda" and _module_of("cuda").is_initialized()
            if self.with_device:
                self.devices, self.states = get_device_states(*args)

    @contextlib.contextmanager
    def again(self) -> Iterator[None]:
        """Restores these circumstances for a block, in which the forward runs again."""
        with fork_rng(self.devices, self.preserved, device_type=self.device_type):
            if self.preserved:
                set_rng_state(self.cpu_state)
                set_device_states(self.devices, self.states, device_type=self.device_type)
            with contextlib.ExitStack() as stack:
                for each in self.precisions:
                    stack.enter_context(autocast_mode.autocast(**each))
                yield


# ---- reentrant


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments, tensors as leaves of their own."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            "Only tuple of tensors is supported. Got Unsupported input type: "
            f"{type(inputs).__name__}"
        )
    return tuple(
        [
            each.detach().requires_grad_(each.requires_grad)
            if isinstance(each, TensorBase)
            else each
            for each in inputs
        ]
    )


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns where no input requires a gradient."""
    if not any(each.requires_grad for each in inputs if isinstance(each, TensorBase)):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2
        )


class CheckpointFunction(Function):
    """The reentrant checkpoint: its backward runs the function again, and a backward of that."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.circumstances = _Circumstances(args, preserve_rng_state)
        ctx.inputs = [None if isinstance(each, TensorBase) else each for each in args]
        ctx.tensor_indices = [i for i, each in enumerate(args) if isinstance(each, TensorBase)]
        ctx.save_for_backward(*[args[i] for i in ctx.tensor_indices])
        with GradMode(False):
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        if not Variable._execution_engine.is_checkpoint_valid():
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                "passing an `inputs` parameter to .backward(). To resolve this error, you can "
                "either set use_reentrant=False, or call .backward() without passing the `inputs` "
                "argument."
            )
        inputs = list(ctx.inputs)
        for i, each in zip(ctx.tensor_indices, ctx.saved_tensors, strict=True):
            inputs[i] = each
        detached = detach_variable(tuple(inputs))
        with ctx.circumstances.again(), GradMode(True):
            outputs = ctx.run_function(*detached)
        outputs = (outputs,) if isinstance(outputs, TensorBase) else outputs
        wanted = [
            (output, grad)
            for output, grad in zip(outputs, args, strict=False)
            if isinstance(output, TensorBase) and output.requires_grad
        ]
        if not wanted:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        backward(*map(list, zip(*wanted, strict=True)))
        grads = [each.grad if isinstance(each, TensorBase) else None for each in detached]
        return None, None, *grads


# ---- without reentrance


class GraphExecGroup:
    """Backwards inside one block share what a checkpoint recomputes, each tensor used once."""

    _current: GraphExecGroup | None = None

    def __enter__(self) -> GraphExecGroup:
        if GraphExecGroup._current is not None:
            raise RuntimeError(
                "GraphExecGroup contexts cannot be nested. Already inside group "
                f"{GraphExecGroup._current}"
            )
        GraphExecGroup._current = self
        return self

    def __exit__(self, *args: object) -> None:
        GraphExecGroup._current = None

    @classmethod
    def _get_current_group(cls) -> GraphExecGroup | None:
        return GraphExecGroup._current


class _Holder:
    """Stands in a node for a saved tensor; recomputed: backward -> the tensor, until it is used."""

    def __init__(self) -> None:
        self.recomputed: dict[Any, Any] = {}


class _StopRecomputationError(Exception):
    """Ends a recomputation that has recomputed all there is to recompute."""


class _Frame:
    """One call of a function in a checkpoint.

    holders: of the tensors that its forward saved, in order; None once no node holds them.
    metadata: of the same tensors, what has to be the same again.
    counts: backward -> how many tensors its recomputation has saved.
    """

    def __init__(
        self,
        recompute: Callable[..., None],
        early_stop: bool,
        metadata_of: Callable[[Any], Any],
        args: tuple[Any, ...],
    ) -> None:
        self.recompute = recompute
        self.early_stop = early_stop
        self.metadata_of = metadata_of
        hooks = saved_hooks.HOOKS.get()
        self.order = next_order()
        self.args = [
            saved_hooks.pack_input(save_input(each), hooks[-1])
            if hooks and isinstance(each, TensorBase)
            else save_input(each)
            for each in args
        ]
        self.saved = [isinstance(each, TensorBase) for each in args]
        self.holders: list[Callable[[], _Holder | None]] = []
        self.metadata: list[Any] = []
        self.counts: dict[Any, int] = defaultdict(int)
        self.recomputed: set[Any] = set()
        self.complete = False  # whether the forward has ended
        self.grew = False  # whether a recomputation saved more while the forward still ran

    def pack(self, x: Any) -> _Holder:
        """The holder that a node keeps in place of a tensor."""
        holder = _Holder()
        self.holders.append(weakref.ref(holder))
        with GradMode(False):
            self.metadata.append(self.metadata_of(x))
        return holder

    def unpack(self, holder: _Holder) -> Any:
        """The tensor that a holder stands for. CheckpointError if it was used before."""
        group = GraphExecGroup._get_current_group()
        task: Any = task_id() if group is None else group
        if task is None:
            task = object()
        if task not in self.recomputed:
            for each in self.args:
                original = each[0] if type(each) is tuple else each
                if isinstance(original, TensorBase):
                    check_attached(original, self)
            args = [
                seen_value(each, None) if saved else each
                for each, saved in zip(self.args, self.saved, strict=True)
            ]
            hooks = saved_tensors_hooks(lambda x: self.fill(task, x), lambda x: x)
            with contextlib.suppress(_StopRecomputationError), hooks, GradMode(True):
                self.recompute(*args)
            self.recomputed.add(task)
            self.compare(task)
        found = holder.recomputed[task]
        if found is None:
            overlapping = (
                ""
                if group is None
                else "Performing two backward calls that overlap (i.e. require the same saved "
                "activation in order to compute gradients) is not allowed while under the "
                "torch.utils.checkpoint.GraphExecGroup context. "
            )
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                f"unpacked once. {overlapping}If you are calling ctx.saved_tensors in backward, "
                "make sure to do so only once. Otherwise please open an issue with details on your "
                "use case."
            )
        holder.recomputed[task] = None
        return found

    def fill(self, task: Any, x: Any) -> Any:
        """Takes a tensor that a recomputation saves for the holder that waits for it."""
        x = x.detach() if x.requires_grad or x._detached is not None else x
        number = self.counts[task]
        self.counts[task] += 1
        if number >= len(self.holders):
            if not self.complete:
                self.grew = True
                return x
            raise CheckpointError(
                "torch.utils.checkpoint: trying to save more tensors during recomputation than "
                f"during the original forward pass.\n{_TIP}"
            )
        holder = self.holders[number]()
        if holder is not None:
            holder.recomputed[task] = x
        if self.early_stop and number + 1 == len(self.holders):
            raise _StopRecomputationError
        return x

    def compare(self, task: Any) -> None:
        """CheckpointError unless the recomputation saved what the forward saved."""
        if self.grew:
            return
        if len(self.holders) != self.counts[task]:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.holders)}\nNumber of tensors saved during recomputation: "
                f"{self.counts[task]}.\n{_TIP}"
            )
        different = ""
        for i, reference in enumerate(self.holders):
            holder = reference()
            if holder is not None:
                again = self.metadata_of(holder.recomputed[task])
                if again != self.metadata[i]:
                    different += (
                        f"tensor at position {i}:\nsaved metadata: {self.metadata[i]}\n"
                        f"recomputed metadata: {again}\n"
                    )
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                f"different metadata than during the forward pass.\n{different}.\n{_TIP}"
            )


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "default": lambda x: {"shape": x.shape, "dtype": x.dtype, "device": x.device},
    "none": lambda x: None,
}


def noop_context_fn() -> tuple[Any, Any]:
    """The contexts of a forward and its recomputation, if nothing else is asked for: none."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """function(*args, **kwargs); backward recomputes its saved tensors instead of keeping them.

    Args:
        use_reentrant: whether as a Function with a backward inside its backward.
        context_fn: gives a context for the forward and one for the recomputation.
        determinism_check: 'default' compares shapes, dtypes and devices; 'none' nothing.
        debug: whether an error shows the operators of both.
        early_stop: whether a recomputation ends with the last tensor that is needed.
        preserve_rng_state: whether random numbers are the same again (default True).

    As https://docs.pytorch.org/docs/stable/checkpoint.html.
    """
    if use_reentrant is None:
        when = (
            "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an "
            "exception."
        )
        text = _WITHOUT_REENTRANT.format(when=when)
        warnings.warn(f"torch.utils.checkpoint: {text}", stacklevel=1)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs and use_reentrant:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if use_reentrant:
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError(
                "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
            )
        return CheckpointFunction.apply(function, preserve, *args)
    log = None
    if debug if _settings["debug"] is None else _settings["debug"]:
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        from minitorch.utils.checkpoint_log import Log  # start-up: 4 ms

        log = Log()
        context_fn = log.contexts
    if determinism_check not in _CHECKS:
        raise ValueError(
            f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}"
        )
    forward_context, recompute_context = context_fn()
    circumstances = _Circumstances(args, preserve)

    def recompute(*args: Any) -> None:
        with circumstances.again(), recompute_context:
            function(*args, **kwargs)

    if not recording():
        return function(*args, **kwargs)
    stops = early_stop if _settings["early_stop"] is None else _settings["early_stop"]
    frame = _Frame(recompute, stops, _CHECKS[determinism_check], args)
    unpack = frame.unpack if log is None else log.explaining(frame.unpack)
    failed = True
    with saved_tensors_hooks(frame.pack, unpack), forward_context:
        result = function(*args, **kwargs)
        failed = False
    if failed:
        raise RuntimeError(_SUPPRESSED)
    frame.complete = True
    return result


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """The functions, or the modules of a Sequential, one after the other, in checkpointed segments;
    the last segment is not."""
    if use_reentrant is None:
        when = "In version 2.9 we will raise an exception if use_reentrant is not passed."
        text = _WITHOUT_REENTRANT.format(when=when)
        warnings.warn(f"torch.utils.checkpoint.checkpoint_sequential: {text}", stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    functions = list(functions.children() if hasattr(functions, "children") else functions)

    def segment(start: int, end: int) -> Callable[[Any], Any]:
        def forward(input: Any) -> Any:
            for each in functions[start:end]:
                input = each(input)
            return input

        return forward

    size = len(functions) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        input = checkpoint(
            segment(start, start + size),
            input,
            use_reentrant=use_reentrant,
            preserve_rng_state=preserve,
        )
    return segment(last, len(functions))(input)


# ---- selective


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> Any:
    """Contexts for a forward and its recomputation that keep the results of some operators.

    Args:
        policy_fn_or_list: policy(context, operator, *args, **kwargs) says what is done with a
            result; or a list of the operators, such as torch.ops.aten.mm.default, to keep those of.
        allow_cache_entry_mutation: whether results that are kept may be written.
    """
    policy = policy_fn_or_list
    if isinstance(policy, list):
        for op in policy:
            if not isinstance(op, OpOverload):
                more = (
                    "Please update the OpOverloadPacket to a specific OpOverload.For example, if "
                    "you have `torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                )
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type "
                    f"{type(op)}. {more if isinstance(op, OpOverloadPacket) else ''}"
                )
        chosen = {True: CheckpointPolicy.MUST_SAVE, False: CheckpointPolicy.PREFER_RECOMPUTE}
        policy = lambda context, op, *args, **kwargs: chosen[op in policy_fn_or_list]
    elif not callable(policy):
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: dict[Any, dict[int, Any]] = defaultdict(dict)
    return Keeping(policy, storage), Taking(storage, allow_cache_entry_mutation)
