"""The adapter of real torch, loaded once a program has imported it."""

from __future__ import annotations

import contextlib
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from minitorch.study.libraries.library import Library, Listener, watched_apply
from minitorch.study.libraries.swapping import Step, Swap, undo
from minitorch.study.libraries.transforms import Transform, swaps

# Calls that return a tensor and are no operators.
_QUIET = frozenset(
    (
        *("requires_grad_", "retain_grad", "register_hook", "register_post_accumulate_grad_hook"),
        *("as_subclass", "__reduce_ex__", "__setstate__", "share_memory_"),
        *("_set_grad_enabled", "_record_function_enter_new", "_record_function_exit"),
        *("__get__", "__set__", "__delete__", "is_floating_point", "size", "stride", "dim"),
        *("__len__", "__format__", "__repr__", "__hash__", "__bool__", "__int__", "__index__"),
        *("get_default_dtype", "set_printoptions", "__dir__", "__contains__", "manual_seed"),
    )
)
_GETTERS = ("T", "mT", "H", "mH", "real", "imag", "data")
_META = "meta"


class Torch(Library):
    """Real torch, as the tools see it."""

    name = "torch"

    def __init__(self) -> None:
        self.module = torch = sys.modules["torch"]
        self.Tensor, self.Parameter = torch.Tensor, torch.nn.Parameter
        self._key: object = object()  # of a node's number in its metadata: one a recording
        self._handles: list[Any] = []
        self._listener: Callable[[], Listener | None] = lambda: None

    @property
    def version_text(self) -> str:
        return f"torch {self.module.__version__.partition('+')[0]}"

    # ---- tensors

    def is_transformed(self, tensor: Any) -> bool:
        return bool(self.module._C._functorch.is_functorch_wrapped_tensor(tensor))

    def array(self, tensor: Any) -> Any:
        torch = self.module
        with self.quiet(), self._without_modes():
            x = self._values_of(tensor.detach())
            if x.device.type == _META:
                return None
            if x.is_quantized:
                x = x.dequantize()
            if x.dtype == torch.bfloat16:
                x = x.float()
            elif x.dtype == torch.complex32:
                x = x.to(torch.complex64)
            return x.resolve_conj().resolve_neg().cpu().numpy()

    def _values_of(self, tensor: Any) -> Any:
        """The tensor itself, or the numbers that a sparse one keeps."""
        torch = self.module
        if tensor.layout is torch.strided:
            return tensor
        if tensor.layout is torch.sparse_coo:
            return tensor._values()
        return tensor.to_dense() if tensor.is_mkldnn else tensor.values()

    def _without_modes(self) -> AbstractContextManager[Any]:
        if not self.module._C._len_torch_dispatch_stack():
            return contextlib.nullcontext()
        return self.module.utils._python_dispatch._disable_current_modes()

    def storage_owner(self, tensor: Any) -> Any:
        return self._values_of(tensor).untyped_storage()

    def storage_bytes(self, tensor: Any) -> int:
        return int(self.storage_owner(tensor).nbytes())

    def version(self, tensor: Any) -> int:
        return 0 if tensor.is_inference() else tensor._version

    def device(self, tensor: Any) -> str | None:
        return None if tensor.device.type == "cpu" else str(tensor.device)

    def quiet(self) -> AbstractContextManager[Any]:
        return self.module._C.DisableTorchFunction()

    # ---- nodes

    def number_of(self, node: Any) -> int | None:
        return node.metadata.get(self._key)

    def number(self, node: Any, number: int) -> None:
        """Hooks the node. What the hook holds must not hold the node: it would never die."""
        if self._key in node.metadata:
            return
        node.metadata[self._key] = number
        listener = self._listener
        if not hasattr(node, "variable"):

            def ran(into: Any, out_of: Any) -> None:
                to = listener()
                if to is not None:
                    to.run_node(number, into, out_of)

            self._handles.append(node.register_hook(ran))
            return
        leaf = weakref.ref(node.variable)

        def receives(grads: Any) -> None:
            to = listener()
            if to is not None and grads[0] is not None:
                to.receive(number, grads[0])

        def received(into: Any, out_of: Any) -> None:
            to, variable = listener(), leaf()
            if to is not None and variable is not None:
                to.accumulate(number, variable)

        self._handles.append(node.register_prehook(receives))
        self._handles.append(node.register_hook(received))

    # ---- watching

    def attach(self, listener: Callable[[], Listener | None]) -> Callable[[], None]:
        torch = self.module
        self._key, self._listener = object(), listener
        handles = self._handles = []
        mode = _mode(torch, listener)
        steps: list[Step] = [
            watched_apply(torch.autograd.Function, listener),
            Swap(torch.autograd, "_engine_run_backward", self._engine(mode, listener)),
            Swap(threading.Thread, "run", _thread_run(mode, listener)),
            *swaps(_transforms(torch), listener),
        ]
        mode.__enter__()

        def detach() -> None:
            for each in handles:
                each.remove()
            handles.clear()
            _leave(torch, mode)
            undo(steps)
            self._listener = lambda: None

        return detach

    def _engine(self, mode: Any, listener: Callable[[], Listener | None]) -> Any:
        """A wrapper of the function that backward() and autograd.grad() call."""
        torch = self.module
        original = torch.autograd._engine_run_backward

        def run(outputs: Any, *args: Any, **kwargs: Any) -> Any:
            to = listener()
            if to is None or torch._C._are_functorch_transforms_active():
                return original(outputs, *args, **kwargs)
            with self.quiet():
                nodes = [self._root_of(each) for each in outputs]
            name = "backward" if kwargs.get("accumulate_grad") else "grad"
            keep, create = (*args[1:3], False, False)[:2]
            to.begin_backward(name, nodes, bool(keep), bool(create))
            try:
                with _active(torch, mode):
                    results = original(outputs, *args, **kwargs)
            except BaseException:
                to.end_backward()
                raise
            to.end_backward(results if name == "grad" else ())
            return results

        return run

    def _root_of(self, output: Any) -> Any:
        """The node at which a backward of `output` starts."""
        if not self.is_tensor(output):
            return output.node
        if output.grad_fn is None and output.requires_grad:
            return self.module.autograd.graph.get_gradient_edge(output).node
        return output.grad_fn


def _transforms(torch: Any) -> list[Transform]:
    """The functions that compute transforms."""
    func = torch.func
    apis = import_module("torch._functorch.apis")
    eager = import_module("torch._functorch.eager_transforms")
    makers = ("jacrev", "jacfwd", "hessian", "functionalize")
    return [
        Transform(apis, "vmap_impl", "vmap"),
        Transform(eager, "grad_impl", "grad"),
        Transform(eager, "grad_and_value_impl", "grad_and_value"),
        Transform(eager, "_vjp_with_argnums", "vjp"),
        Transform(eager, "_jvp_with_argnums", "jvp"),
        *[Transform(owner, "linearize", "linearize") for owner in (func, eager)],
        *[Transform(owner, name, name, True) for owner in (func, eager) for name in makers],
        # autograd.grad(..., is_grads_batched=True), and jacobian(..., vectorize=True)
        Transform(torch._vmap_internals, "_vmap", "grad", True),
        Transform(torch.autograd.functional, "_vmap", "vmap", True),
    ]


def _mode(torch: Any, listener: Callable[[], Listener | None]) -> Any:
    """A TorchFunctionMode that hands the calls of operators to a listener."""
    Tensor = torch.Tensor
    getters: dict[Any, str] = {getattr(Tensor, name).__get__: name for name in _GETTERS}
    set_grad = Tensor.grad.__set__
    passing = {Tensor.backward, torch.autograd.grad, torch.autograd.backward}

    class StudyMode(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        """Sees the calls of operators."""

        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            kwargs = kwargs or {}
            to = listener()
            if to is None or to.is_busy() or func in passing:
                return func(*args, **kwargs)
            name = getters.get(func, "") or str(getattr(func, "__name__", ""))
            if func == set_grad:
                assigned = args[1] if len(args) > 1 else None
                return to.assign_grad(args[0], assigned, lambda: func(*args, **kwargs))
            if name in _QUIET:
                return func(*args, **kwargs)
            return to.call(name, func, args, kwargs)

    return StudyMode()


def _position(torch: Any, mode: Any) -> int | None:
    """The position of a mode among the active ones of this thread."""
    get = torch._C._get_function_stack_at
    for i in range(torch._C._len_torch_function_stack()):
        if get(i) is mode:
            return i
    return None


def _leave(torch: Any, mode: Any) -> None:
    """Takes a mode out of the active ones, wherever it is among them."""
    if _position(torch, mode) is None:
        return
    above = []
    while True:
        top = torch._C._pop_torch_function_stack()
        if top is mode:
            break
        above.append(top)
    for each in reversed(above):
        torch._C._push_on_torch_function_stack(each)


@contextlib.contextmanager
def _active(torch: Any, mode: Any) -> Iterator[None]:
    """A block in which a mode is active, which is not while its handler runs."""
    if _position(torch, mode) is not None:
        yield
        return
    torch._C._push_on_torch_function_stack(mode)
    try:
        yield
    finally:
        _leave(torch, mode)


def _thread_run(mode: Any, listener: Callable[[], Listener | None]) -> Any:
    """A wrapper of Thread.run: a mode is active only on the thread that enters it."""
    original = threading.Thread.run

    def run(self: Any) -> None:
        if listener() is None:
            original(self)
            return
        with _active(sys.modules["torch"], mode):
            original(self)

    return run
