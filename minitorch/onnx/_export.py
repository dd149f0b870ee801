"""torch.onnx.export: a module as a model of ONNX, over the package `onnx`.

A mode lists the operators below autograd that the module runs, and each is written as ONNX's. So
the model holds for inputs of these shapes and for the path that this call took: what asks for more,
such as dynamic dimensions, is refused. Two runs on inputs that differ a little show what Python
reads of them by other ways than operators; that of integers is not seen, and stays what it was.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy

from minitorch._C._onnx import OperatorExportTypes, TrainingMode
from minitorch._public import outlines
from minitorch.autograd.grad_mode import no_grad
from minitorch.core.tensor.tensor import Tensor
from minitorch.onnx._graph import Graph, element_type
from minitorch.onnx._operators import translator_of
from minitorch.onnx._program import ONNXProgram
from minitorch.onnx._recording import UNSEEN, Call, Recorder
from minitorch.onnx._translators import Unsupported
from minitorch.onnx.utils import _symbolic_functions, select_model_mode_for_export
from minitorch.random import get_rng_state
from minitorch.utils._pytree import tree_leaves, tree_map
from minitorch.version import __version__

# The version of ONNX's operators that is written; others are converted by the package.
OPSET = 20

EXPORTING = False  # export() sets it, is_in_onnx_export() reads it


def export(
    model: Any,
    args: tuple[Any, ...] = (),
    f: str | os.PathLike[str] | None = None,
    *,
    kwargs: dict[str, Any] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    external_data: bool = True,
    dynamic_shapes: dict[str, Any] | tuple[Any, ...] | list[Any] | None = None,
    custom_translation_table: dict[Callable[..., Any], Callable[..., Any]] | None = None,
    report: bool = False,
    optimize: bool = True,
    verify: bool = False,
    profile: bool = False,
    dump_exported_program: bool = False,
    artifacts_dir: str | os.PathLike[str] = ".",
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: Mapping[str, Any] | None = None,
    training: TrainingMode = TrainingMode.EVAL,
    operator_export_type: OperatorExportTypes = OperatorExportTypes.ONNX,
    do_constant_folding: bool = True,
    custom_opsets: Mapping[str, int] | None = None,
    export_modules_as_functions: bool | Collection[type] = False,
    autograd_inlining: bool = True,
) -> ONNXProgram | None:
    """A module as a model of ONNX, for inputs of the shapes given.

    Args:
        model: the module
        args: its inputs, a tuple of tensors and other arguments, or the only tensor
        f: the file to be written, if any
        kwargs: its inputs by name
        verbose: whether the model is printed
        input_names, output_names: names of the tensors that go in and come out
        opset_version: the version of ONNX's operators, 20 if None
        dynamo: False for torch's older form, which wants a file, returns None, and has the module
            train or evaluate as `training` says
        verify: whether ONNX's reference computes the result too, and it must be the module's
        keep_initializers_as_inputs: whether parameters are listed among the inputs
        external_data, optimize, do_constant_folding, autograd_inlining, artifacts_dir: nothing:
            the model is one file, as it was written

    Returns: the model, or None in the older form.

    Raises: NotImplementedError for operators that have no counterpart here, by name, and for
        arguments that ask for what is missing; ModuleNotFoundError without the package `onnx`
        (OnnxExporterError in the older form).

    As torch.onnx.export.
    """
    _refuse_missing(
        dynamic_shapes=dynamic_shapes,
        dynamic_axes=dynamic_axes,
        custom_translation_table=custom_translation_table,
        report=report,
        profile=profile,
        dump_exported_program=dump_exported_program,
        export_params=not export_params,
        custom_opsets=custom_opsets,
        export_modules_as_functions=export_modules_as_functions,
        operator_export_type=operator_export_type is not OperatorExportTypes.ONNX,
    )
    _want_package(dynamo)
    if not hasattr(model, "forward"):
        raise NotImplementedError(
            f"torch.onnx.export: minitorch exports modules, not a {type(model).__name__}"
        )
    if not dynamo and f is None:
        raise ValueError("Export destination must be specified for torchscript-onnx export.")
    inputs = args if isinstance(args, tuple) else (args,)
    mode = nullcontext() if dynamo else select_model_mode_for_export(model, training)
    with mode:
        given, results, calls = _run(model, inputs, kwargs or {})
    names = [
        *(input_names or ()),
        *_names_of(model, inputs, kwargs or {})[len(input_names or ()) :],
    ]
    parameters = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    writer = _Writer(parameters, dict(zip(names, given, strict=False)))
    for call in calls:
        writer.write(call)
    made = writer.model(results, output_names or (), keep_initializers_as_inputs)
    program = ONNXProgram(_in_version(made, opset_version))
    if verbose:
        from onnx import printer  # start-up: only exports need it

        print(printer.to_text(program.model_proto))
    if verify:
        program._verify(inputs, kwargs or {}, results)
    if f is not None:
        program.save(f)
    return program if dynamo else None


def _refuse_missing(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value:
            raise NotImplementedError(
                "torch.onnx.export: minitorch writes models for fixed shapes, with its own "
                f"operators and parameters, and cannot follow {name}"
            )


def _want_package(dynamo: bool) -> None:
    """Raises torch's kind of error where the package is not installed."""
    try:
        import onnx  # noqa: F401 - start-up: only exports need it
    except ImportError:
        if dynamo:
            raise
        error = outlines.find("torch.onnx", "OnnxExporterError")
        raise error("Module onnx is not installed!") from None


class _Run(NamedTuple):
    """A call of a module: the tensors that went in, those that came out, and its operators."""

    given: list[Any]
    results: list[Any]
    calls: list[Call]


def _run(model: Any, args: Any, kwargs: Any) -> _Run:
    """Runs a module twice, first on slightly other inputs, to find computations that go unseen."""
    args, kwargs = _distinct((args, kwargs))
    given = _tensors((args, kwargs))
    owned = [*model.parameters(), *model.buffers()]
    state = get_rng_state()
    args_before, kwargs_before = tree_map(_moved, (args, kwargs))
    moved = _tensors((args_before, kwargs_before))
    first, results = _recorded(model, args_before, kwargs_before, [*moved, *owned])
    before = {id(each): each for each in [*given, *owned, *results]} | first.seen()
    second, results = _recorded(model, args, kwargs, [*given, *owned])
    if not numpy.array_equal(state.numpy(), get_rng_state().numpy()):
        raise NotImplementedError(
            "torch.onnx.export: the module draws random numbers (does it train?), and the model "
            "would keep those of this time"
        )
    if not second.has_constants_of(first):
        raise NotImplementedError(UNSEEN)
    return _Run(given, results, second.leading_to(results, before))


def _distinct(inputs: Any) -> Any:
    """The inputs, where a tensor that is there twice is two: the model takes one for each."""
    seen: set[int] = set()

    def once(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        if id(value) in seen:
            return value.detach().clone()
        seen.add(id(value))
        return value

    return tree_map(once, inputs)


def _moved(value: Any) -> Any:
    """Numbers with a point become a little smaller: what depends on them must not be constant."""
    if isinstance(value, Tensor) and value.is_floating_point():
        return value.detach() * 0.999
    return value


def _recorded(model: Any, args: Any, kwargs: Any, sources: list[Any]) -> tuple[Recorder, list[Any]]:
    """The operators of one run, and the tensors that come out."""
    global EXPORTING
    recorder = Recorder(sources)
    before, EXPORTING = EXPORTING, True
    try:
        with no_grad(), recorder:
            results = tree_leaves(model(*args, **kwargs))
    finally:
        EXPORTING = before
    if not all(isinstance(each, Tensor) for each in results):
        raise NotImplementedError(
            "torch.onnx.export: minitorch exports modules that return tensors, or containers of "
            "them"
        )
    return recorder, results


def _tensors(tree: Any) -> list[Any]:
    return [each for each in tree_leaves(tree) if isinstance(each, Tensor)]


def _names_of(model: Any, args: Any, kwargs: Any) -> list[str]:
    """A name for each tensor that goes in: of the parameter of forward that takes it."""
    names = []
    for name, value in inspect.signature(model.forward).bind(*args, **kwargs).arguments.items():
        inside = _tensors(value)
        names += [f"{name}_{place}" if len(inside) > 1 else name for place in range(len(inside))]
    return names


def _in_version(model: Any, version: int | None) -> Any:
    """The model with operators of another version; ONNX's package converts it."""
    from onnx import checker, version_converter  # start-up: only exports need it

    if version is not None and version != OPSET:
        model = version_converter.convert_version(model, version)
    checker.check_model(model)
    return model


class _Writer:
    """Writes calls into a graph.

    Args:
        parameters: the tensors of the module by name
        inputs: the tensors that go in, by name
    """

    def __init__(self, parameters: dict[str, Any], inputs: dict[str, Any]) -> None:
        self.graph = Graph(parameters)
        self.inputs = inputs
        for name, tensor in inputs.items():
            self.graph.names[id(tensor)] = self.graph.free(name)

    def write(self, call: Call) -> None:
        """Adds the nodes of one call. NotImplementedError for an operator without counterpart."""
        if call.constants is not None:
            for tensor, array in zip(call.results, call.constants, strict=True):
                self.graph.names[id(tensor)] = self.graph.constant(array, array.dtype)
            return
        custom = _symbolic_functions.get(call.op.partition(".")[0])
        if custom:
            raise NotImplementedError(
                f"torch.onnx.export: minitorch does not call what was registered for {call.op}"
            )
        translate = translator_of(call.op)
        if translate is None:
            raise NotImplementedError(
                f"torch.onnx.export: minitorch has no counterpart in ONNX for {call.op}"
            )
        try:
            names = translate(self.graph, SimpleNamespace(**call.arguments), call.results)
        except Unsupported as reason:
            raise NotImplementedError(
                f"torch.onnx.export: {call.op} cannot be written in ONNX: {reason}"
            ) from None
        for name, tensor in zip(
            [names] if isinstance(names, str) else names, call.results, strict=False
        ):
            self.graph.names[id(tensor)] = name

    def model(self, results: list[Any], names: Sequence[str], listed: bool) -> Any:
        """The model, whose outputs are these tensors."""
        from onnx import helper  # start-up: only exports need it

        graph = self.graph
        outputs = []
        for place, tensor in enumerate(results):
            default = "output" if len(results) == 1 else f"output_{place}"
            name = graph.free(names[place] if place < len(names) else default)
            graph.nodes.append(helper.make_node("Identity", [graph.name(tensor)], [name]))
            outputs.append(_described(name, tensor))
        inputs = [_described(name, tensor) for name, tensor in self.inputs.items()]
        constants = list(graph.initializers.values())
        if listed:
            inputs += [
                helper.make_tensor_value_info(each.name, each.data_type, each.dims)
                for each in constants
            ]
        made = helper.make_graph(graph.nodes, "main_graph", inputs, outputs, constants)
        return helper.make_model(
            made,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=10,
            producer_name="pytorch",
            producer_version=__version__,
        )


def _described(name: str, tensor: Any) -> Any:
    from onnx import helper  # start-up: only exports need it

    return helper.make_tensor_value_info(name, element_type(tensor.dtype), list(tensor.shape))
