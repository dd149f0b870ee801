"""Names that torch's modules have by importing them, and helpers without a place in the manual.

Packages take them from where torch has them: `torch.nn.functional._pair`, `torch.math`,
`torch.optim.optimizer._use_grad_for_differentiable`. An entry of the table is a module with its
names, each with the place that has it: `name=module.attribute`, or one word for a module of that
name. They are looked up when they are first asked for. The table beside this file,
imported_names.txt, has what `python -m conformance.oracle.imported_names` finds in all modules;
in it, `name:value` is a constant.
"""

from __future__ import annotations

import re
import sys
from ast import literal_eval
from contextlib import suppress
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from minitorch._public.origins import is_own, rename, rename_all
from minitorch._public.outlines import find as find_outlined
from minitorch._public.outlines import outline
from minitorch.core.public_pickles import STANDS
from minitorch.core.tables import table

_OVERRIDES = (
    "handle_torch_function=torch.overrides.handle_torch_function "
    "has_torch_function=torch.overrides.has_torch_function "
    "has_torch_function_unary=torch.overrides.has_torch_function_unary "
    "has_torch_function_variadic=torch.overrides.has_torch_function_variadic"
)
_WAITING = (
    "ExceptionWrapper=torch._utils.ExceptionWrapper HAS_NUMPY=torch.utils.data._utils.HAS_NUMPY "
    "IS_WINDOWS=torch.utils.data._utils.IS_WINDOWS "
    "MP_STATUS_CHECK_INTERVAL=torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL"
)
_TABLE = {
    "torch": (
        "builtins ctypes functools glob importlib inspect math os platform sys textwrap threading "
        "warnings"
    ),
    "torch.autograd": (
        f"torch warnings {_OVERRIDES} is_tensor_like=torch.overrides.is_tensor_like "
        "is_multithreading_enabled=torch.autograd.helpers.is_multithreading_enabled "
        "is_view_replay_enabled=torch.autograd.helpers.is_view_replay_enabled "
        "_tensor_or_tensors_to_tuple=torch.autograd.helpers._tensor_or_tensors_to_tuple"
    ),
    "torch.nn.functional": (
        f"dataclasses importlib math np=numpy torch warnings {_OVERRIDES} "
        "Tensor=torch.Tensor grad=torch.nn.grad _VF=torch._VF _Reduction=torch.nn._reduction "
        "_add_docstr=torch._C._add_docstr _jit_unused=torch._jit_internal.unused "
        "_overload=torch._jit_internal._overload "
        "boolean_dispatch=torch._jit_internal.boolean_dispatch "
        "_single=torch.nn.modules.utils._single _pair=torch.nn.modules.utils._pair "
        "_triple=torch.nn.modules.utils._triple "
        "_list_with_default=torch.nn.modules.utils._list_with_default "
        "_sym_int=torch.sym_int "
        "_max_pool1d=torch.nn.functional.max_pool1d _max_pool2d=torch.nn.functional.max_pool2d "
        "_max_pool3d=torch.nn.functional.max_pool3d "
        "_adaptive_max_pool1d=torch.nn.functional.adaptive_max_pool1d "
        "_adaptive_max_pool2d=torch.nn.functional.adaptive_max_pool2d "
        "_adaptive_max_pool3d=torch.nn.functional.adaptive_max_pool3d "
        "_fractional_max_pool2d=torch.nn.functional.fractional_max_pool2d "
        "_fractional_max_pool3d=torch.nn.functional.fractional_max_pool3d "
        "_check_key_padding_mask=torch.nn._functional.helpers._check_key_padding_mask "
        "_get_softmax_dim=torch.nn._functional.helpers._get_softmax_dim "
        "_in_projection=torch.nn._functional.helpers._in_projection "
        "_in_projection_packed=torch.nn._functional.attention._in_projection_packed "
        "_is_integer=torch.nn._functional.helpers._is_integer "
        "_no_grad_embedding_renorm_=torch.nn._functional.helpers._no_grad_embedding_renorm_ "
        "_verify_batch_size=torch.nn._functional.normalization._check_more_than_one "
        "_verify_spatial_size=torch.nn._functional.helpers._verify_spatial_size"
    ),
    "torch.nn.init": (
        "math torch warnings Tensor=torch.Tensor "
        "_no_grad_fill_=torch.nn.init.constant_ "
        "_no_grad_normal_=torch.nn.init.normal_ "
        "_no_grad_trunc_normal_=torch.nn.init.trunc_normal_ "
        "_no_grad_uniform_=torch.nn.init.uniform_ "
        "_no_grad_zero_=torch.nn.init.zeros_"
    ),
    "torch.nn.modules.module": (
        "functools inspect itertools torch warnings weakref "
        "namedtuple=collections.namedtuple RemovableHandle=torch.utils.hooks.RemovableHandle "
        "Tensor=torch.Tensor Parameter=torch.nn.parameter.Parameter device=torch.device "
        "dtype=torch.dtype is_traceable_wrapper_subclass"
        "=torch.utils._python_dispatch.is_traceable_wrapper_subclass "
        "_forward_unimplemented=torch.nn.modules.calling._forward_unimplemented"
    ),
    "torch.optim.optimizer": (
        "functools torch warnings defaultdict=collections.defaultdict "
        "deepcopy=copy.deepcopy chain=itertools.chain Hashable=collections.abc.Hashable "
        "TypeAlias=typing.TypeAlias hooks=torch.utils.hooks "
        + " ".join(
            f"{name}=torch.optim.helpers.{name}"
            for name in (
                *("Args", "DeviceDict", "DeviceDtypeDict", "GlobalOptimizerPostHook"),
                *("GlobalOptimizerPreHook", "Indices", "Kwargs", "ParamsT", "R", "StateDict", "T"),
                *("TensorListList", "_capturable_doc", "_default_to_fused_or_foreach"),
                *("_device_dtype_check_for_fused", "_differentiable_doc"),
                *("_disable_dynamo_if_unsupported", "_foreach_doc", "_foreach_supported_types"),
                *("_fused_doc", "_get_capturable_supported_devices", "_get_scalar_dtype"),
                *("_get_value", "_maximize_doc", "_params_doc", "_stack_if_compiling"),
                *("_to_scalar", "_use_grad_for_differentiable", "_view_as_real"),
            )
        )
        + " _RequiredParameter=torch.optim.optimizer._Required "
        "_global_optimizer_pre_hooks=torch.optim.optimizer._before_all "
        "_global_optimizer_post_hooks=torch.optim.optimizer._after_all"
    ),
    "torch.optim.lr_scheduler": (
        "math types warnings Counter=collections.Counter "
        "Optimizer=torch.optim.optimizer.Optimizer Tensor=torch.Tensor "
        "bisect_right=bisect.bisect_right inf=math.inf partial=functools.partial ref=weakref.ref "
        "wraps=functools.wraps "
        "EPOCH_DEPRECATION_WARNING=torch.optim.lr_scheduler.base.EPOCH_IS_DEPRECATED "
        "_to_scalar=torch.optim.helpers._to_scalar "
        "_enable_get_lr_call=torch.optim.helpers._enable_get_lr_call "
        "_initial_mode=torch.optim.helpers._initial_mode "
        "_param_groups_val_list=torch.optim.lr_scheduler.base.values "
        "_update_param_group_val=torch.optim.lr_scheduler.base.put "
        "_warn_get_lr_called_within_step=torch.optim.helpers._warn_get_lr_called_within_step"
    ),
    "torch._utils": (
        "copyreg functools importlib logging math os pickle re sys torch traceback warnings "
        "ModuleType=types.ModuleType Generic=typing.Generic ParamSpec=typing.ParamSpec "
        "TypedDict=typing.TypedDict cast=typing.cast defaultdict=collections.defaultdict "
        "Callable=collections.abc.Callable Any=typing.Any "
        + " ".join(
            f"{name}=torch._public.utils_rebuilding.{name}"
            for name in (
                *("IMPORT_MAPPING", "NAME_MAPPING", "_get_async_or_non_blocking"),
                *("_get_obj_state", "_get_restore_location", "_rebuild_device_tensor_from_numpy"),
                *("_rebuild_device_tensor_from_cpu_tensor", "_rebuild_meta_tensor_no_storage"),
                *("_rebuild_nested_tensor", "_rebuild_parameter", "_rebuild_parameter_with_state"),
                *("_rebuild_qtensor", "_rebuild_sparse_tensor", "_rebuild_tensor"),
                *("_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_wrapper_subclass"),
                *("_rebuild_xla_tensor", "_restore_device_fake_mode", "_set_obj_state"),
                *("_sparse_tensors_to_validate", "_to", "_type"),
                *("_validate_loaded_sparse_tensors", "get_tensor_metadata", "set_tensor_metadata"),
            )
        )
    ),
    "torch.utils._foreach_utils": (
        "torch Tensor=torch.Tensor TypeAlias=typing.TypeAlias no_grad=torch.no_grad "
        "TensorListList=torch.optim.helpers.TensorListList Indices=torch.optim.helpers.Indices"
    ),
    "torch.utils.data._utils.collate": "collections contextlib np=numpy re torch",
    "torch.utils.data._utils.fetch": "NoReturn=typing.NoReturn",
    "torch.utils.data._utils.pin_memory": f"collections copy queue torch {_WAITING}",
    "torch.utils.data._utils.signal_handling": (
        "signal threading IS_WINDOWS=torch.utils.data._utils.IS_WINDOWS"
    ),
    "torch.utils.data._utils.worker": f"os queue random torch {_WAITING}",
    "torch.utils.data.dataloader": (
        "contextlib functools itertools logging multiprocessing=torch.multiprocessing os queue "
        "threading torch warnings weakref python_multiprocessing=multiprocessing "
        "dist=torch.distributed _utils=torch.utils.data._utils "
        "ExceptionWrapper=torch._utils.ExceptionWrapper "
        "Dataset=torch.utils.data.dataset.Dataset "
        "IterDataPipe=torch.utils.data.IterDataPipe MapDataPipe=torch.utils.data.MapDataPipe "
        "_get_distributed_settings=torch.utils.data.loading._get_distributed_settings"
    ),
}


_ENTRY = re.compile(r"(\w+)(?:=|(?=:))?(.*)")


@cache
def _imported() -> dict[str, str]:
    """The entries of imported_names.txt by module."""
    text = table("_public/imported_names.txt")
    return dict([line.split(": ", 1) for line in text.splitlines()])


@cache
def _places(module: str) -> dict[str, str]:
    """The places of the names that a module has, by name."""
    listed = f"{_imported().get(module, '')} {_TABLE.get(module, '')}"
    entries = [_ENTRY.fullmatch(entry) for entry in listed.split()]
    return {found[1]: found[2] or found[1] for found in entries if found is not None}


def find(module: str, name: str) -> Any:
    """The object under a name of `module`, from the table or from the module's outline.

    AttributeError for other names.
    """
    place = _places(module).get(name)
    if place is None:
        if not _is_outlined(module, name):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        return find_outlined(module, name)
    if place.startswith(":"):
        return literal_eval(place[1:])
    if place == "torch" or place.startswith("torch."):
        place = f"mini{place}"
    try:
        return import_module(place)
    except ModuleNotFoundError:
        home, _, attribute = place.rpartition(".")
        return getattr(import_module(home), attribute)


def _is_outlined(module: str, name: str) -> bool:
    known = outline(module)
    return known is not None and name in known.lines


def complete(module: ModuleType) -> None:
    """Lets a module of minitorch find the names of the table that it lacks.

    Where minitorch stands for torch for good, the module and what it defines take torch's names.
    """
    name = module.__name__.removeprefix("mini")
    if STANDS:
        module.__name__ = name  # programs ask torch for it
        if not is_own(name):
            sys.modules.setdefault(name, module)
        rename_all(module)
    if name in LISTED:
        module.__class__ = Listed
    own = _own_names(module).get("__getattr__")
    if getattr(own, "completed", False):
        return

    def __getattr__(attribute: str) -> Any:
        if attribute in _places(name):
            found = _own_names(module).setdefault(attribute, find(name, attribute))
            return rename(found) if STANDS else found
        if own is not None:
            try:
                return rename(own(attribute)) if STANDS else own(attribute)
            except AttributeError:
                if not _is_outlined(name, attribute):
                    raise
        return find(name, attribute)  # not kept: the module does not change

    __getattr__.completed = True  # type: ignore[attr-defined]
    __getattr__.own = own  # type: ignore[attr-defined]
    module.__getattr__ = __getattr__  # type: ignore[method-assign]


class Listed(ModuleType):
    """A module whose `__dict__` has all of its names, also those that are made when asked for.

    Programs look through it: `[each for each in torch.optim.__dict__ if each[0].isupper()]`.
    """

    __module__ = "builtins"  # printed as the class of all modules, and so in errors

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        own: dict[str, Any] = _own_names(self)
        listed: list[str] = own["__dir__"]() if "__dir__" in own else []
        for name in listed:
            if name not in own and not name.startswith("__"):
                with suppress(Exception):  # a name alone
                    own.setdefault(name, getattr(self, name))
        return own


Listed.__name__ = Listed.__qualname__ = ModuleType.__name__
_own_names = vars(ModuleType)["__dict__"].__get__

# Packages whose names programs list. Other modules stay as they are: their names are found faster.
LISTED = frozenset(
    "torch.distributions torch.nn torch.nn.modules torch.optim torch.optim.lr_scheduler".split()
)


def names(module: str) -> list[str]:
    """The names of the table that belong to a module."""
    return list(_places(module))
