"""torch.ao.nn.quantizable.modules: layers whose inner operators observers can see."""

from minitorch.ao.nn.quantizable.modules.activation import MultiheadAttention
from minitorch.ao.nn.quantizable.modules.rnn import LSTM, LSTMCell

__all__ = ["LSTM", "LSTMCell", "MultiheadAttention"]
