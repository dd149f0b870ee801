"""Classes that programs derive from leave the names free that torch's leave free."""

import json
import subprocess
import sys

NAMES = """
import inspect, importlib, json, warnings

warnings.simplefilter("ignore")
MODULES = '''
torch.nn torch.nn.utils.parametrize torch.nn.utils.prune torch.optim torch.optim.lr_scheduler
torch.optim.swa_utils torch.utils.data torch.distributions torch.distributions.transforms
torch.overrides torch.utils._python_dispatch
'''.split()
found = {}
for path in MODULES:
    module = importlib.import_module(path)
    for name, each in vars(module).items():
        if inspect.isclass(each) and each.__module__.startswith("torch."):
            found[f"{path}.{name}"] = [x for x in dir(each) if not x.startswith("_")]
print(json.dumps(found))
"""


def names_of(library: str) -> dict[str, list[str]]:
    """The public names of each class that torch has in a module, by the path of the class."""
    source = (
        NAMES if library == "torch" else "from minitorch import drop_in\ndrop_in.install()" + NAMES
    )
    line = [sys.executable, "-W", "ignore", "-c", source]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_no_class_to_derive_from_has_a_public_name_that_torchs_lacks():
    """A derived class that uses such a name would replace what its base class needs."""
    theirs, ours = names_of("torch"), names_of("minitorch")
    assert len(ours) > 250
    more = {path: {*names} - {*theirs[path]} for path, names in ours.items() if path in theirs}
    assert {path: names for path, names in more.items() if names} == {}
