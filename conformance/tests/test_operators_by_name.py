"""torch.ops of the library against torch's: every library, name, overload, schema and tag."""

import json
import subprocess
import sys

NAMES = """
import json, torch

names = sorted({schema.name for schema in torch._C._jit_get_all_schemas()})
pairs = [(library, name) for library, _, name in (each.partition("::") for each in names)]
packets = [(*pair, getattr(getattr(torch.ops, pair[0]), pair[1], None)) for pair in pairs]
print(json.dumps([each[:2] for each in packets if hasattr(each[2], "overloads")]))
"""
OVERLOADS = """
import importlib, json, sys

ops = importlib.import_module(sys.argv[1]).ops
for library, name in json.load(sys.stdin):
    packet = getattr(getattr(ops, library), name)
    for overload in packet.overloads():
        operator = getattr(packet, overload)
        print(operator.name(), operator._schema, sorted(tag.name for tag in operator.tags))
"""


def _printed(program, *arguments, text=""):
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def test_all_operators_have_the_overloads_schemas_and_tags_that_torch_has():
    names = _printed(NAMES)
    assert len(json.loads(names)) > 2000
    torch, minitorch = (_printed(OVERLOADS, each, text=names) for each in ("torch", "minitorch"))
    assert minitorch.splitlines() == torch.splitlines()
