"""Programs see functions and classes under the same names, whichever library runs them."""

import json
import subprocess
import sys

NAMES = """
import importlib, json, sys, types, warnings

warnings.simplefilter("ignore")
MODULES = '''
torch torch.amp torch.autograd torch.autograd.forward_ad torch.autograd.function
torch.autograd.functional torch.autograd.grad_mode torch.autograd.gradcheck torch.autograd.graph
torch.autograd.profiler torch.cuda torch.cuda.random torch.distributions
torch.distributions.constraints torch.distributions.kl torch.distributions.transforms torch.fft
torch.func torch.fx torch.fx.graph torch.fx.node torch.fx.proxy torch.hub torch.jit torch.library
torch.linalg torch.masked torch.multiprocessing torch.nn torch.nn.functional torch.nn.init
torch.nn.modules.batchnorm torch.nn.modules.conv torch.nn.modules.module torch.nn.parameter
torch.nn.utils torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.prune
torch.nn.utils.rnn torch.optim torch.optim.lr_scheduler torch.optim.optimizer torch.optim.sgd
torch.optim.swa_utils torch.overrides torch.profiler torch.random torch.serialization
torch.signal.windows torch.sparse torch.special torch.storage torch.testing torch.utils.benchmark
torch.utils.checkpoint torch.utils.data torch.utils.data.dataloader torch.utils.dlpack
torch.utils.flop_counter torch.utils.hooks torch.utils.module_tracker torch.utils.weak
'''.split()
found = {}
for path in MODULES:
    module = importlib.import_module(path)
    for name in dir(module):
        thing = getattr(module, name, None)
        if name.startswith("_") or not isinstance(
            thing, (type, types.FunctionType, types.BuiltinFunctionType)
        ):
            continue
        home, own = getattr(thing, "__module__", None), thing.__qualname__
        if isinstance(home, str) and home.startswith(("torch", "minitorch")):
            # Functions in C++ are named after a class, local ones after what defines them.
            plain = "." not in own or (own[0].isupper() and not own.startswith("_V"))
            found[f"{path}.{name}"] = [home, own if plain else None]
print(json.dumps(found))
"""
# Two names of torch's for one function here, or for one class that has another name.
OTHERWISE = {
    "torch.CompilationUnit",
    "torch.ScriptFunction",
    "torch.StorageBase",
    "torch.cuda.seed_all",
    "torch.get_device_module",
    "torch.jit.CompilationUnit",
    "torch.jit.ScriptFunction",
    "torch.jit.fork",
    "torch.jit.wait",
    "torch.nn.attention.SDPBackend",
    "torch.nn.functional.ScalingType",
    "torch.nn.functional.SwizzleType",
    "torch.profiler.DeviceType",
    "torch.profiler.ProfilerActivity",
    "torch.autograd.profiler.DeviceType",
    "torch.AggregationType",
    "torch.fx.graph.map_arg",
    "torch.fx.proxy.map_arg",
    "torch.promote_types",
}


def _names(*command):
    ran = subprocess.run(
        [sys.executable, *command, "-c", NAMES], capture_output=True, text=True, check=True
    )
    return json.loads(ran.stdout.splitlines()[-1])


def test_functions_and_classes_name_the_modules_that_torch_has_them_in():
    theirs, ours = _names(), _names("-m", "minitorch")
    assert len(theirs) > 2000
    differing = {
        name: (place, ours[name])
        for name, place in theirs.items()
        if (name in ours and ours[name][0] != place[0])
        or (name in ours and place[1] is not None and ours[name][1] not in (None, place[1]))
    }
    assert {name: places for name, places in differing.items() if name not in OTHERWISE} == {}


def test_dir_of_torch_shows_no_name_that_torch_lacks():
    ours, torchs = (
        subprocess.run(
            [sys.executable, *command, "-c", "import torch; print(*dir(torch))"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for command in (["-m", "minitorch"], [])
    )
    # torch imports these two when they are first asked for.
    assert set(ours) - set(torchs) <= {"_dynamo", "onnx"}
    assert len(ours) > 1000
