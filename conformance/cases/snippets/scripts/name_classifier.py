"""A recurrent network spells names letter by letter and says which language they are from."""

import random
import string
import unicodedata

import torch
from torch import nn

torch.manual_seed(1)
random.seed(1)

letters = string.ascii_letters + " .,;'-"
names = {
    "Czech": "Novák Svoboda Dvořák Černý Procházka Kučera Veselý Horák Němec Pokorný",
    "Italian": "Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco",
    "Japanese": "Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Kato",
    "Scottish": "Smith Brown Wilson Campbell Stewart Thomson Robertson Anderson MacDonald Scott",
}
categories = sorted(names)


def unicode_to_ascii(text: str) -> str:
    return "".join(
        c
        for c in unicodedata.normalize("NFD", text)
        if unicodedata.category(c) != "Mn" and c in letters
    )


def letter_to_tensor(letter: str) -> torch.Tensor:
    tensor = torch.zeros(1, len(letters))
    tensor[0][letters.find(letter)] = 1
    return tensor


def line_to_tensor(line: str) -> torch.Tensor:
    tensor = torch.zeros(len(line), 1, len(letters))
    for place, letter in enumerate(line):
        tensor[place][0][letters.find(letter)] = 1
    return tensor


class RNN(nn.Module):
    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.hidden_size = hidden
        self.i2h = nn.Linear(inputs, hidden)
        self.h2h = nn.Linear(hidden, hidden)
        self.h2o = nn.Linear(hidden, outputs)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, x: torch.Tensor, hidden: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = torch.tanh(self.i2h(x) + self.h2h(hidden))
        return self.softmax(self.h2o(hidden)), hidden

    def init_hidden(self) -> torch.Tensor:
        return torch.zeros(1, self.hidden_size)


lines = {each: [unicode_to_ascii(n) for n in names[each].split()] for each in categories}
print(lines["Czech"], letter_to_tensor("J").shape, line_to_tensor("Jones").size())
rnn = RNN(len(letters), 24, len(categories))
criterion = nn.NLLLoss()
print(rnn)


def category_from_output(output: torch.Tensor) -> tuple[str, int]:
    _, top = output.topk(1)
    place = top[0].item()
    return categories[place], place


def random_example() -> tuple[str, str, torch.Tensor, torch.Tensor]:
    category = random.choice(categories)
    line = random.choice(lines[category])
    wanted = torch.tensor([categories.index(category)], dtype=torch.long)
    return category, line, wanted, line_to_tensor(line)


def train(wanted: torch.Tensor, line: torch.Tensor, rate: float) -> tuple[torch.Tensor, float]:
    hidden = rnn.init_hidden()
    rnn.zero_grad()
    for place in range(line.size()[0]):
        output, hidden = rnn(line[place], hidden)
    loss = criterion(output, wanted)
    loss.backward()
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-rate)
    return output, loss.item()


running = 0.0
for step in range(1, 241):
    category, line, wanted, tensor = random_example()
    output, loss = train(wanted, tensor, 0.03)
    running += loss
    if step % 40 == 0:
        guess = category_from_output(output)[0]
        mark = "right" if guess == category else f"wrong ({category})"
        print(f"{step:3d} {running / 40:.4f} {line} / {guess} {mark}")
        running = 0.0

confusion = torch.zeros(len(categories), len(categories))
with torch.no_grad():
    for row, category in enumerate(categories):
        for name in lines[category]:
            hidden = rnn.init_hidden()
            for letter in line_to_tensor(name):
                output, hidden = rnn(letter, hidden)
            confusion[row][category_from_output(output)[1]] += 1
for row in range(len(categories)):
    confusion[row] = confusion[row] / confusion[row].sum()
print(confusion)
values, places = output.topk(3, 1, True)
for value, place in zip(values[0], places[0]):
    print(f"({value.item():.2f}) {categories[place]}")

lstm = nn.LSTM(len(letters), 16, batch_first=True, bidirectional=True)
every = [line_to_tensor(name).squeeze(1) for group in lines.values() for name in group]
packed = nn.utils.rnn.pack_sequence(every, enforce_sorted=False)
out, (h, c) = lstm(packed)
print(out.batch_sizes, h.shape, h.mean().item())
padded, lengths = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, padding_value=-1.0)
print(padded.shape, lengths[:6], padded.sum(-1)[0])
