# nn.LSTM: an LSTM in autocast, which torch refuses where oneDNN does not compute the dtype
with torch.autocast("cpu", dtype=torch.bfloat16), torch.no_grad():
    y, (h, c) = nn.LSTM(2, 3)(torch.randn(2, 1, 2))
kinds = [y.dtype, h.dtype, c.dtype]
