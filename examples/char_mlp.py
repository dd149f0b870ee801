"""A character language model: three letters in, the next one out, trained on a few names."""

import torch
import torch.nn.functional as F
from torch import nn

NAMES = """
anna bella clara diana elena emilia emma eva flora greta hanna helena ida ines irina isabella
johanna julia karina katarina lara laura lea lena lina lisa livia luisa mara maria marina marta
melina mia mila mina mira monika nadia natalia nina nora olivia paula petra regina rita romina
rosa sabina sara selina silvia sofia stella susanna tamara tina valentina vera viola
""".split()
CONTEXT = 3

letters = "." + "".join(sorted(set("".join(NAMES))))  # "." stands before and after a name
index = {letter: i for i, letter in enumerate(letters)}


def examples():
    """Every letter with the three before it: contexts (n, 3) and targets (n,)."""
    contexts, targets = [], []
    for name in NAMES:
        padded = "." * CONTEXT + name + "."
        for i in range(len(name) + 1):
            contexts.append([index[letter] for letter in padded[i : i + CONTEXT]])
            targets.append(index[padded[i + CONTEXT]])
    return torch.tensor(contexts), torch.tensor(targets)


class CharMLP(nn.Module):
    def __init__(self, vocabulary, embedding=8, hidden=64):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.hidden = nn.Linear(CONTEXT * embedding, hidden)
        self.output = nn.Linear(hidden, vocabulary)

    def forward(self, contexts):
        x = self.embed(contexts).flatten(1)
        return self.output(torch.tanh(self.hidden(x)))


def invent(model):
    """Draws a name, letter by letter."""
    name = ""
    while len(name) < 12:
        context = ("." * CONTEXT + name)[-CONTEXT:]
        logits = model(torch.tensor([[index[letter] for letter in context]]))
        letter = letters[torch.multinomial(F.softmax(logits, dim=1), 1).item()]
        if letter == ".":
            break
        name += letter
    return name


torch.manual_seed(0)
contexts, targets = examples()
model = CharMLP(len(letters))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)

print(f"{len(NAMES)} names, {len(targets)} examples, {len(letters)} letters")
for step in range(1, 501):
    picked = torch.randint(0, len(targets), (64,))
    loss = F.cross_entropy(model(contexts[picked]), targets[picked])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step:3d}   loss {loss.item():.3f}")

with torch.no_grad():
    print("invented:", ", ".join(invent(model) for _ in range(8)))
