"""An LSTM learns to write a sentence, letter by letter; packed sequences of names."""

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(0)
text = "the quick brown fox jumps over the lazy dog. "
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text * 3])


class CharRNN(nn.Module):
    def __init__(self, n, hidden=48, layers=2):
        super().__init__()
        self.embedding = nn.Embedding(n, 16)
        self.lstm = nn.LSTM(16, hidden, layers, batch_first=True, dropout=0.1)
        self.fc = nn.Linear(hidden, n)

    def forward(self, x, state=None):
        out, state = self.lstm(self.embedding(x), state)
        return self.fc(out), state


model = CharRNN(len(chars))
print(model, sum(p.numel() for p in model.parameters()))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
criterion = nn.CrossEntropyLoss()
for step in range(31):
    starts = torch.randint(0, len(text), (8,)).tolist()
    x = torch.stack([ids[s : s + 20] for s in starts])
    y = torch.stack([ids[s + 1 : s + 21] for s in starts])
    logits, (h, c) = model(x)
    loss = criterion(logits.reshape(-1, len(chars)), y.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 10 == 0:
        print(step, f"{loss.item():.3f}", tuple(h.shape))
model.eval()
with torch.no_grad():
    x, state, written = ids[:1].view(1, 1), None, []
    for _ in range(30):
        logits, state = model(x, state)
        x = logits[:, -1].argmax(-1, keepdim=True)
        written.append(chars[x.item()])
print("".join(written))
names = [torch.randn(n, 4) for n in (5, 2, 3)]
padded = pad_sequence(names, batch_first=True)
lengths = torch.tensor([len(n) for n in names])
packed = pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)
rnn = nn.GRU(4, 3, bidirectional=True, batch_first=True)
out, h = rnn(packed)
unpacked, sizes = pad_packed_sequence(out, batch_first=True)
print(padded.shape, packed.batch_sizes, unpacked.shape, sizes, h.shape)
unpacked.sum().backward()
print(f"{rnn.weight_hh_l0_reverse.grad.norm():.4f}")
