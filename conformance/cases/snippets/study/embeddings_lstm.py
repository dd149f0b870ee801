import torch
from torch import nn

torch.manual_seed(7)
embed, lstm, read = nn.Embedding(10, 4), nn.LSTM(4, 5, batch_first=True), nn.Linear(5, 10)
tokens = torch.randint(0, 10, (2, 6))
optimizer = torch.optim.AdamW([*embed.parameters(), *lstm.parameters(), *read.parameters()])
for _ in range(2):
    optimizer.zero_grad()
    out, (h, c) = lstm(embed(tokens))
    loss = nn.functional.cross_entropy(read(out).reshape(-1, 10), tokens.reshape(-1))
    loss.backward()
    optimizer.step()
