"""Layers and torch.nn.init as torch.fx sees them."""

import pytest

import minitorch as torch
from minitorch import fx, nn
from minitorch.fx.proxy import TraceError


class Through(fx.Tracer):
    def is_leaf_module(self, m, module_qualified_name):
        return False


@pytest.mark.parametrize(
    "layer", [nn.ConvTranspose1d(2, 3, 2), nn.MultiheadAttention(4, 2)], ids=lambda m: type(m)
)
def test_a_traced_size_or_mask_is_no_condition(layer):
    with pytest.raises(TraceError, match="cannot be used as inputs to control flow"):
        Through().trace(layer)


def test_init_functions_show_their_arguments_by_name():
    code = fx.symbolic_trace(lambda x: nn.init.constant_(nn.init.ones_(x), 3)).code
    assert "fill_ = x.fill_(1.0)" in code
    assert "torch.nn.init.constant_(tensor = fill_, val = 3)" in code
    with pytest.raises(TypeError, match=r"constant_\(\) missing 1 required positional argument"):
        fx.symbolic_trace(lambda x: nn.init.constant_(x))


def test_init_functions_ask_subclasses():
    class Seen(torch.Tensor):
        names: list = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.names.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs)

    nn.init.constant_(torch.ones(2).as_subclass(Seen), 3)
    assert Seen.names[0] == "constant_"


def test_fractional_max_pool3d_gives_positions_in_a_graph():
    pool = nn.functional.fractional_max_pool3d
    traced = fx.symbolic_trace(
        lambda x, y: pool(x, 2, output_ratio=0.5, return_indices=True, _random_samples=y)
    )
    largest, places = traced(torch.ones(1, 1, 4, 4, 4), torch.ones(1, 1, 3))
    assert largest.shape == places.shape == (1, 1, 2, 2, 2)


def test_lazy_layers_name_the_function_that_met_them():
    with pytest.raises(ValueError, match="in <built-in method conv1d of type object at"):
        torch.conv1d(torch.ones(1, 2, 3), nn.LazyConv1d(2, 2).weight)
    with pytest.raises(ValueError, match="in <built-in function linear>"):
        nn.functional.linear(torch.ones(1, 2), nn.LazyLinear(2).weight)


def test_multi_head_attention_forward_is_traced_with_options_in_torchs_order():
    def program(x, w, b):
        given = x, x, x, 2, 1, w, b, None, None, False, 0.0, w, b
        return torch.nn.functional.multi_head_attention_forward(*given, is_causal=True)

    (node,) = [each for each in torch.fx.symbolic_trace(program).graph.nodes if each.kwargs]
    names = [*node.kwargs]
    assert names[:5] == [
        "training",
        "key_padding_mask",
        "need_weights",
        "attn_mask",
        "is_causal",
    ]
    assert node.kwargs["is_causal"] is True
    assert names[-1] == "average_attn_weights"
