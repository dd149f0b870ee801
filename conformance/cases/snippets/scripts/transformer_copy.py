"""nn.Transformer learns to copy; masks, positional encoding, greedy decoding."""

import math

import torch
from torch import nn, Tensor
from torch.nn import Transformer

torch.manual_seed(0)
V, D, L = 11, 32, 6


class PositionalEncoding(nn.Module):
    def __init__(self, emb_size: int, dropout: float, maxlen: int = 50):
        super().__init__()
        den = torch.exp(-torch.arange(0, emb_size, 2) * math.log(10000) / emb_size)
        pos = torch.arange(0, maxlen).reshape(maxlen, 1)
        pos_embedding = torch.zeros((maxlen, emb_size))
        pos_embedding[:, 0::2] = torch.sin(pos * den)
        pos_embedding[:, 1::2] = torch.cos(pos * den)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pos_embedding", pos_embedding.unsqueeze(-2))

    def forward(self, token_embedding: Tensor):
        return self.dropout(token_embedding + self.pos_embedding[: token_embedding.size(0), :])


class Seq2SeqTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.transformer = Transformer(
            d_model=D, nhead=4, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=64
        )
        self.generator = nn.Linear(D, V)
        self.embedding = nn.Embedding(V, D)
        self.positional_encoding = PositionalEncoding(D, dropout=0.1)

    def embed(self, tokens):
        return self.positional_encoding(self.embedding(tokens.long()) * math.sqrt(D))

    def forward(self, src, trg, tgt_mask):
        return self.generator(
            self.transformer(self.embed(src), self.embed(trg), None, tgt_mask, None)
        )


def generate_square_subsequent_mask(sz):
    mask = (torch.triu(torch.ones((sz, sz))) == 1).transpose(0, 1)
    return mask.float().masked_fill(mask == 0, float("-inf")).masked_fill(mask == 1, float(0.0))


model = Seq2SeqTransformer()
for p in model.parameters():
    if p.dim() > 1:
        nn.init.xavier_uniform_(p)
loss_fn = nn.CrossEntropyLoss(ignore_index=0)
optimizer = torch.optim.Adam(model.parameters(), lr=0.003, betas=(0.9, 0.98), eps=1e-9)
mask = generate_square_subsequent_mask(L)
print(mask)
for step in range(41):
    src = torch.randint(2, V, (L, 16))
    tgt = torch.cat([torch.ones(1, 16, dtype=torch.long), src])
    logits = model(src, tgt[:-1], mask)
    optimizer.zero_grad()
    loss = loss_fn(logits.reshape(-1, logits.shape[-1]), tgt[1:].reshape(-1))
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"Step: {step}, Train loss: {loss:.3f}")
model.eval()
src = torch.randint(2, V, (L, 1))
memory = model.transformer.encoder(model.embed(src))
ys = torch.ones(1, 1).type_as(src)
for i in range(L):
    tgt_mask = generate_square_subsequent_mask(ys.size(0)).type(torch.bool)
    out = model.transformer.decoder(model.embed(ys), memory, tgt_mask)
    _, next_word = torch.max(model.generator(out.transpose(0, 1)[:, -1]), dim=1)
    ys = torch.cat([ys, torch.ones(1, 1).type_as(src.data).fill_(next_word.item())], dim=0)
print(src.flatten().tolist(), ys.flatten().tolist())
