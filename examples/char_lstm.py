"""An LSTM learns to say a nursery rhyme, one letter after the other."""

import torch
import torch.nn.functional as F
from torch import nn

TEXT = """twinkle twinkle little star
how i wonder what you are
up above the world so high
like a diamond in the sky
"""
LENGTH = 32

letters = sorted(set(TEXT))
index = {letter: i for i, letter in enumerate(letters)}
data = torch.tensor([index[letter] for letter in TEXT * 2])


class CharLSTM(nn.Module):
    def __init__(self, vocabulary, embedding=16, hidden=64):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.lstm = nn.LSTM(embedding, hidden, batch_first=True)
        self.head = nn.Linear(hidden, vocabulary)

    def forward(self, letters, state=None):
        out, state = self.lstm(self.embed(letters), state)
        return self.head(out), state


def batch(size=16):
    """Pieces of the rhyme, and the same one letter later."""
    starts = torch.randint(0, len(TEXT), (size,)).tolist()
    inputs = torch.stack([data[i : i + LENGTH] for i in starts])
    targets = torch.stack([data[i + 1 : i + LENGTH + 1] for i in starts])
    return inputs, targets


@torch.no_grad()
def recite(model, start, count):
    """Goes on after `start`, always with the likeliest letter; the state remembers the rest."""
    text, state = start, None
    letter = torch.tensor([[index[each] for each in start]])
    for _ in range(count):
        logits, state = model(letter, state)
        letter = logits[:, -1:].argmax(2)
        text += letters[letter.item()]
    return text


torch.manual_seed(0)
model = CharLSTM(len(letters))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

print(model)
for step in range(1, 151):
    inputs, targets = batch()
    logits, _ = model(inputs)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step:3d}   loss {loss.item():.3f}")

print(recite(model, "twinkle", len(TEXT) - len("twinkle")))
