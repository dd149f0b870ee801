"""A small GPT learns to write the alphabet song: attention, weight tying, warm-up and sampling."""

import math

import torch
import torch.nn.functional as F
from torch import nn

TEXT = "abcdefg hijklmnop qrstuv wxyz now i know my abc next time wont you sing with me " * 4
CONTEXT = 24

letters = sorted(set(TEXT))
index = {letter: i for i, letter in enumerate(letters)}
data = torch.tensor([index[letter] for letter in TEXT])


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.attend = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.size()
        q, k, v = (
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in self.attend(x).split(width, dim=2)
        )
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        return self.project(y.transpose(1, 2).contiguous().view(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = CausalSelfAttention(width, heads, dropout)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width),
            nn.GELU(),
            nn.Linear(4 * width, width),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, vocabulary, width=32, heads=4, layers=2, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(CONTEXT, width)
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.ln = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.tokens.weight = self.head.weight
        self.apply(self.initialise)

    def initialise(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, tokens, targets=None):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.size(1)))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.ln(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def continue_(self, tokens, count, temperature=0.6):
        for _ in range(count):
            logits, _ = self(tokens[:, -CONTEXT:])
            chances = F.softmax(logits[:, -1] / temperature, dim=-1)
            tokens = torch.cat([tokens, torch.multinomial(chances, 1)], dim=1)
        return tokens


def warm_up_and_decay(step, warm_up=20, last=150):
    if step < warm_up:
        return (step + 1) / warm_up
    return 0.1 + 0.45 * (1 + math.cos(math.pi * (step - warm_up) / (last - warm_up)))


torch.manual_seed(1)
model = GPT(len(letters))
print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(letters)} letters")

optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, warm_up_and_decay)
for step in range(151):
    starts = torch.randint(len(data) - CONTEXT - 1, (8,))
    batch = torch.stack([data[i : i + CONTEXT + 1] for i in starts])
    _, loss = model(batch[:, :-1], batch[:, 1:])
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 25 == 0:
        rate = scheduler.get_last_lr()[0]
        print(f"step {step:3d}   loss {loss.item():.3f}   norm {norm:.2f}   rate {rate:.2e}")
    scheduler.step()

model.eval()
start = torch.tensor([[index["n"]]])
print("".join(letters[i] for i in model.continue_(start, 40)[0].tolist()))
