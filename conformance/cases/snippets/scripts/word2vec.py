"""Skip-gram with negative sampling: vectors of words, and which are near each other."""

from collections import Counter

import torch
import torch.nn as nn
import torch.nn.functional as F

CORPUS = """
the king rules the land and the queen rules the land the man works in the field and the woman works
in the field the king and the queen eat bread the man and the woman eat bread a dog runs in the
field a cat sleeps in the house the dog eats meat the cat eats fish
""".split()
vocab = [w for w, _ in Counter(CORPUS).most_common()]
word_to_ix = {w: i for i, w in enumerate(vocab)}
freq = torch.tensor([Counter(CORPUS)[w] for w in vocab], dtype=torch.float)
noise_dist = freq.pow(0.75) / freq.pow(0.75).sum()
pairs = [
    (word_to_ix[CORPUS[i]], word_to_ix[CORPUS[j]])
    for i in range(len(CORPUS))
    for j in range(max(0, i - 2), min(len(CORPUS), i + 3))
    if i != j
]


class SkipGram(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.center, self.context = nn.Embedding(n, d), nn.Embedding(n, d)
        nn.init.uniform_(self.center.weight, -0.5 / d, 0.5 / d)
        nn.init.zeros_(self.context.weight)

    def forward(self, center, context, negatives):
        v = self.center(center)
        positive = F.logsigmoid((v * self.context(context)).sum(1))
        scores = torch.bmm(self.context(negatives), v.unsqueeze(2)).squeeze(2)
        return -(positive + F.logsigmoid(-scores).sum(1)).mean()


torch.manual_seed(1)
print(len(vocab), len(pairs), vocab[:5], noise_dist[:3])
model = SkipGram(len(vocab), 12)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.3)
data = torch.tensor(pairs)
for epoch in range(20):
    order = torch.randperm(len(data))
    total = 0.0
    for batch in data[order].split(64):
        negatives = torch.multinomial(noise_dist, len(batch) * 4, replacement=True).view(-1, 4)
        optimizer.zero_grad()
        loss = model(batch[:, 0], batch[:, 1], negatives)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(batch)
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1}: {total / len(data):.4f}")
vectors = F.normalize(model.center.weight.detach(), dim=1)
for word in ("king", "dog"):
    similarity = vectors @ vectors[word_to_ix[word]]
    values, indices = similarity.topk(4)
    print(word, [(vocab[i], f"{v:.2f}") for v, i in zip(values.tolist(), indices.tolist())][1:])
print(F.cosine_similarity(vectors[:3], vectors[3:6]))
