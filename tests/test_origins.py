"""Functions and classes go by torch's names where minitorch stands for torch."""

import subprocess
import sys


def printed(code: str) -> list[str]:
    """What a program prints that runs with minitorch as torch."""
    command = [sys.executable, "-m", "minitorch", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_classes_and_functions_name_the_module_that_torch_has_them_in():
    lines = printed(
        "import torch\n"
        "from torch.autograd.gradcheck import GradcheckError\n"
        "print(GradcheckError, torch.fx.CodeGen, torch.utils.data._DatasetKind, sep='\\n')\n"
        "for f in torch.add, torch.einsum, torch.save, torch.func.grad, torch.nn.functional.relu,"
        " torch.is_tensor, torch.optim.sgd.sgd, torch.nn.functional.gelu, torch.nn.init.zeros_:\n"
        "    print(f.__module__, f.__qualname__)"
    )
    assert lines == [
        "<class 'torch.autograd.gradcheck.GradcheckError'>",
        "<class 'torch.fx.graph.CodeGen'>",
        "<class 'torch.utils.data.dataloader._DatasetKind'>",
        "torch add",
        "torch.functional einsum",
        "torch.serialization save",
        "torch.func grad",
        "torch.nn.functional relu",
        "torch is_tensor",
        "torch.optim.sgd sgd",
        "torch._C._nn gelu",
        "torch.nn.init zeros_",
    ]


def test_pickled_modules_and_optimizers_name_the_classes_of_torch():
    lines = printed(
        "import torch, pickle, pickletools\n"
        "net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Dropout())\n"
        "things = [net, torch.optim.SGD(net.parameters()), torch.distributions.Normal(0.0, 1.0)]\n"
        "text = pickle.dumps(things)\n"
        "words = {word for _, word, _ in pickletools.genops(text) if isinstance(word, str)}\n"
        "print(*sorted(x for x in words if 'modules.' in x or '.optim' in x), sep='\\n')\n"
        "print('rebuild' in words, [type(x).__name__ for x in pickle.loads(text)])"
    )
    assert lines == [
        "torch.nn.modules.container",
        "torch.nn.modules.dropout",
        "torch.nn.modules.linear",
        "torch.optim.sgd",
        "False ['Sequential', 'SGD', 'Normal']",
    ]
