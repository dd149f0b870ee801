"""A recurrent encoder and decoder with attention learns to turn sequences round."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

SOS, EOS, LETTERS, LENGTH = 0, 1, 8, 5


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.1):
        super().__init__()
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input):
        return self.gru(self.dropout(self.embedding(input)))


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys))).squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights, keys), weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, dropout_p=0.1):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, encoder_outputs, encoder_hidden, target=None):
        batch = encoder_outputs.size(0)
        decoder_input = torch.empty(batch, 1, dtype=torch.long).fill_(SOS)
        hidden, outputs, attentions = encoder_hidden, [], []
        for i in range(LENGTH + 1):
            embedded = self.dropout(self.embedding(decoder_input))
            context, weights = self.attention(hidden.permute(1, 0, 2), encoder_outputs)
            output, hidden = self.gru(torch.cat((embedded, context), dim=2), hidden)
            outputs.append(self.out(output))
            attentions.append(weights)
            if target is not None and random.random() < 0.8:
                decoder_input = target[:, i].unsqueeze(1)
            else:
                decoder_input = outputs[-1].topk(1)[1].squeeze(-1).detach()
        outputs = F.log_softmax(torch.cat(outputs, dim=1), dim=-1)
        return outputs, hidden, torch.cat(attentions, dim=1)


def pairs(count):
    x = torch.randint(2, 2 + LETTERS, (count, LENGTH))
    end = torch.full((count, 1), EOS)
    return torch.cat([x, end], 1), torch.cat([x.flip(1), end], 1)


random.seed(0)
torch.manual_seed(0)
encoder, decoder = EncoderRNN(10, 32), AttnDecoderRNN(32, 10)
both = [torch.optim.Adam(m.parameters(), lr=0.01) for m in (encoder, decoder)]
criterion = nn.NLLLoss()
for step in range(61):
    x, y = pairs(32)
    for optimizer in both:
        optimizer.zero_grad()
    outputs, _, _ = decoder(*encoder(x), y)
    loss = criterion(outputs.view(-1, outputs.size(-1)), y.view(-1))
    loss.backward()
    for optimizer in both:
        optimizer.step()
    if step % 20 == 0:
        print(step, f"{loss.item():.4f}")
encoder.eval(), decoder.eval()
with torch.no_grad():
    x, y = pairs(3)
    outputs, hidden, attentions = decoder(*encoder(x))
    print(x, y, outputs.argmax(-1), sep="\n")
    print(hidden.shape, attentions.shape, attentions[0].sum(-1))
