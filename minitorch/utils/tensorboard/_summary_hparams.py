"""The summaries of an experiment's hyper-parameters, for TensorBoard's plugin hparams."""

from __future__ import annotations

import logging
from typing import Any

from google.protobuf import struct_pb2
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata

from minitorch.core.tensor.tensor import Tensor
from minitorch.utils.tensorboard._convert_np import make_np

logger = logging.getLogger("torch.utils.tensorboard.summary")

# For each type the field that holds such a value, and what the plugin calls it. A bool is an int,
# and is written as a number, as torch does.
_KINDS = (
    ((int, float), "number_value", "DATA_TYPE_FLOAT64"),
    (str, "string_value", "DATA_TYPE_STRING"),
)


def hparams(
    hparam_dict: Any = None, metric_dict: Any = None, hparam_domain_discrete: Any = None
) -> tuple[Summary, Summary, Summary]:
    """Three summaries: the experiment, the start of a session with its values, and its end.

    Args:
        hparam_dict: the value of each hyper-parameter: a number, a str, a tensor of one element;
            those that are None are left out
        metric_dict: names of results; their values are written as scalars
        hparam_domain_discrete: all values that a hyper-parameter can have, in a list

    Raises: TypeError for what is no dict, and for a domain of other values; ValueError for values
        of another type.

    Source: torch.utils.tensorboard.summary.hparams.
    """
    from tensorboard.plugins.hparams import api_pb2 as api  # start-up: 30 ms
    from tensorboard.plugins.hparams import metadata as names
    from tensorboard.plugins.hparams import plugin_data_pb2 as data

    for name, given in (("hparam_dict", hparam_dict), ("metric_dict", metric_dict)):
        if not isinstance(given, dict):
            message = f"parameter: {name} should be a dictionary, nothing logged."
            logger.warning(message)
            raise TypeError(message)
    domains = hparam_domain_discrete or {}
    _check_domains(domains, hparam_dict)

    start = data.SessionStartInfo()
    infos = []
    for name, value in hparam_dict.items():
        if value is not None:
            kind = _set_value(start.hparams[name], value, name, domains)
            infos.append(api.HParamInfo(name=name, **kind))

    def summary(tag: str, **content: Any) -> Summary:
        held = data.HParamsPluginData(version=names.PLUGIN_DATA_VERSION, **content)
        plugin_data = SummaryMetadata.PluginData(
            plugin_name=names.PLUGIN_NAME, content=held.SerializeToString()
        )
        metadata = SummaryMetadata(plugin_data=plugin_data)
        return Summary(value=[Summary.Value(tag=tag, metadata=metadata)])

    metrics = [api.MetricInfo(name=api.MetricName(tag=name)) for name in metric_dict]
    experiment = api.Experiment(hparam_infos=infos, metric_infos=metrics)
    end = data.SessionEndInfo(status=api.Status.Value("STATUS_SUCCESS"))
    return (
        summary(names.EXPERIMENT_TAG, experiment=experiment),
        summary(names.SESSION_START_INFO_TAG, session_start_info=start),
        summary(names.SESSION_END_INFO_TAG, session_end_info=end),
    )


def _check_domains(domains: Any, hparam_dict: dict[str, Any]) -> None:
    """Refuses domains of parameters that are not there, and those of values of other types."""
    if not isinstance(domains, dict):
        raise TypeError("parameter: hparam_domain_discrete should be a dictionary, nothing logged.")
    for name, values in domains.items():
        if (
            name not in hparam_dict
            or not isinstance(values, list)
            or not all(isinstance(each, type(hparam_dict[name])) for each in values)
        ):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as "
                f"hparam_dict[{name}]."
            )


def _set_value(held: Any, value: Any, name: str, domains: dict[str, Any]) -> dict[str, Any]:
    """Sets the message of a parameter to its value; returns its type and its domain."""
    from tensorboard.plugins.hparams.api_pb2 import DataType  # start-up: 30 ms

    if isinstance(value, Tensor):
        held.number_value = make_np(value)[0]
        return {"type": DataType.Value("DATA_TYPE_FLOAT64")}
    for types, field, kind in _KINDS:
        if isinstance(value, types):
            setattr(held, field, value)
            listed = None
            if name in domains:
                values = [struct_pb2.Value(**{field: each}) for each in domains[name]]
                listed = struct_pb2.ListValue(values=values)
            return {"type": DataType.Value(kind), "domain_discrete": listed}
    raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
