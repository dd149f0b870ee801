"""The gradient rules of minitorch.study hold for real torch: its nodes, its saved values."""

import pytest
import torch

import minitorch
from minitorch.core.declare.registry import ROWS
from minitorch.study.rules.catalogue import RULES, rule_of
from minitorch.study.rules.language import Outline, kept_values
from tests.aten.samples import samples
from tests.aten.samples.calling import writes
from tests.aten.samples.registry import deep_map
from tests.study.rules.test_catalogue import EDGES, ROUNDED, WITHOUT_A_ROW

KEYS = {
    name: [key for key, row in ROWS.items() if row.node == name]
    for name in sorted(set(RULES) - WITHOUT_A_ROW)
}


def operator(row):
    """Torch's function for a row of minitorch."""
    name, _, overload = row.schema.text.partition("(")[0].partition(".")
    return getattr(getattr(torch.ops.aten, name), overload or "default")


def as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


class Call:
    """A row called with a sample in torch, and what torch's node keeps."""

    def __init__(self, key, sample):
        self.row, self.leaves = ROWS[key], {}
        names = [each.name for each in self.row.schema.arguments]
        given = dict(zip(names, sample.args, strict=False)) | sample.kwargs
        given = {name: self.tensors(name, value) for name, value in given.items()}
        torch.manual_seed(0)
        passed = dict(given)
        if writes(key):
            passed[names[0]] = given[names[0]].clone()
        outputs = operator(self.row)(**passed)
        outputs = [each for each in as_list(outputs) if each.requires_grad]
        self.node = outputs[0].grad_fn
        texts = RULES[self.row.node].formulas.values()
        self.outputs = outputs if any("grads" in each for each in texts) else outputs[:1]
        self.values = {n: deep_map(Outline, each, torch.Tensor) for n, each in given.items()}
        self.values["result"] = Outline(outputs[0])
        self.values |= kept_values(self.node)

    def tensors(self, name, value):
        """Torch's tensors for the arrays in an argument, leaves where gradients can flow."""
        flows = name in self.row.inputs and not hasattr(self.row.formulas.get(name), "refuses")

        def tensor(x):
            made = torch.tensor(x)
            if flows and made.is_floating_point():
                self.leaves.setdefault(name, []).append(made.requires_grad_())
            return made

        value = deep_map(lambda x: getattr(torch, x.name), value, minitorch.dtype)
        return deep_map(tensor, value)

    def check(self, rule):
        weights = [torch.randn_like(each) for each in self.outputs]
        values = self.values | {"grad": weights[0], "grads": weights}
        with torch.no_grad():
            found = rule.gradients(values, torch, self.leaves)
        results = [each for value in found.values() for each in as_list(value)]
        leaves = [each for several in self.leaves.values() for each in several]
        expected = torch.autograd.grad(self.outputs, leaves, weights, allow_unused=True)
        for got, grad in zip(results, expected, strict=True):
            grad = torch.zeros_like(got) if grad is None else grad.to_dense()
            relative = 1e-6 if rule.name in ROUNDED else 1e-9
            torch.testing.assert_close(got, grad, rtol=relative, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("name", KEYS)
def test_formulas_of_a_rule_give_the_gradients_of_torch(name):
    for key in KEYS[name]:
        for sample in (*samples(key), *EDGES.get(key, ())):
            made = Call(key, sample)
            assert made.node.name().rpartition("::")[2] == name
            assert rule_of(made.node) is RULES[name]
            made.check(RULES[name])


def test_the_rule_of_a_leaf_adds_up_gradients_in_torch():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    node = (x * 1).grad_fn.next_functions[0][0]
    for weight in (3.0, 5.0):
        grad = torch.full((2,), weight)
        expected = rule_of(node).gradients({"grad": grad, "variable": x}, torch)
        x.backward(grad)
        assert torch.equal(expected["variable.grad"], x.grad)
