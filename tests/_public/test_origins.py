"""Functions and classes go by torch's names where minitorch stands for torch."""

import subprocess
import sys


def printed(code: str) -> list[str]:
    """The output of a program that runs with minitorch as torch."""
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


def test_plain_pickles_of_tensors_are_those_of_torch():
    lines = printed(
        "import torch, pickle, pickletools\n"
        "x = torch.arange(6.0).reshape(2, 3).t()\n"
        "p = torch.nn.Parameter(torch.ones(1))\n"
        "text = pickle.dumps([x, p, torch.int8, torch.device('cpu'), x.shape, torch.strided])\n"
        "words = [word for _, word, _ in pickletools.genops(text) if isinstance(word, str)]\n"
        "print(*[x for x in words if 'rebuild' in x or 'load' in x], 'minitorch' in str(words))\n"
        "y, q, *rest = pickle.loads(text)\n"
        "print(torch.equal(x, y), y.stride(), type(q).__name__, rest)\n"
    )
    assert lines == [
        "_rebuild_tensor_v2 _load_from_bytes _rebuild_parameter False",
        "True (1, 3) Parameter [torch.int8, device(type='cpu'), torch.Size([3, 2]), torch.strided]",
    ]


def test_a_storage_that_plain_pickles_hold_is_loaded_with_its_dtype():
    lines = printed(
        "import torch, io\n"
        "file = io.BytesIO()\n"
        "torch.save([torch.ones(2).storage(), torch.ones(1)], file)\n"
        "file.seek(0)\n"
        "storage, x = torch.load(file, weights_only=False)\n"
        "print(type(storage), storage.dtype, len(storage), x)\n"
    )
    assert lines == ["<class 'torch.storage.TypedStorage'> torch.float32 2 tensor([1.])"]


def test_plain_pickles_of_rare_dtypes_and_of_sparse_tensors_are_those_of_torch():
    lines = printed(
        "import torch, pickle, pickletools\n"
        "things = [torch.ones(2, dtype=torch.uint16), torch.eye(2).to_sparse()]\n"
        "things.append(torch.eye(2).to_sparse_csr())\n"
        "text = pickle.dumps(things)\n"
        "words = [word for _, word, _ in pickletools.genops(text) if isinstance(word, str)]\n"
        "print(*dict.fromkeys(x for x in words if 'rebuild' in x), 'minitorch' in str(words))\n"
        "for x in pickle.loads(text):\n"
        "    print(x.dtype, x.layout)\n"
    )
    assert lines == [
        "_rebuild_tensor_v3 _rebuild_sparse_tensor _rebuild_tensor_v2 False",
        "torch.uint16 torch.strided",
        "torch.float32 torch.sparse_coo",
        "torch.float32 torch.sparse_csr",
    ]
