"""A large classifier teaches a small one: hard labels, soft targets, and a layer to imitate."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(11)


class Deep(nn.Module):
    def __init__(self, classes: int = 4) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1, bias=False),
            nn.BatchNorm2d(12),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(12, 8, 3, padding=1),
            nn.ReLU(),
        )
        self.classifier = nn.Sequential(
            nn.Linear(8 * 16, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, classes)
        )

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = torch.flatten(self.features(x), 1)
        return self.classifier(hidden), F.avg_pool1d(hidden[:, None], 4).squeeze(1)


class Light(nn.Module):
    def __init__(self, classes: int = 4) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.classifier = nn.Linear(2 * 16, classes)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = torch.flatten(self.features(x), 1)
        return self.classifier(hidden), hidden


def stripes(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    labels = torch.randint(4, (count,))
    rows, columns = torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="ij")
    waves = torch.stack([rows, columns, rows + columns, rows - columns])
    images = torch.sin(waves[labels] * 1.6 + torch.rand(count, 1, 1) * 3)
    return (images + 0.8 * torch.randn(count, 8, 8)).unsqueeze(1), labels


def accuracy(model: nn.Module, images: torch.Tensor, labels: torch.Tensor) -> float:
    model.eval()
    with torch.inference_mode():
        hits = (model(images)[0].argmax(1) == labels).sum().item()
    model.train()
    return 100 * hits / len(labels)


def train(model: nn.Module, images: torch.Tensor, labels: torch.Tensor, epochs: int) -> None:
    criterion, optimizer = nn.CrossEntropyLoss(), torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        running = 0.0
        for batch in torch.randperm(len(labels)).split(32):
            optimizer.zero_grad()
            loss = criterion(model(images[batch])[0], labels[batch])
            loss.backward()
            optimizer.step()
            running += loss.item()
        print(f"  epoch {epoch + 1}: loss {running / 4:.3f}")


def distil(
    teacher: nn.Module, student: nn.Module, images: torch.Tensor, labels: torch.Tensor, how: str
) -> None:
    temperature, share = 2.0, 0.25
    optimizer = torch.optim.Adam(student.parameters(), lr=0.01)
    teacher.eval()
    for epoch in range(3):
        for batch in torch.randperm(len(labels)).split(32):
            optimizer.zero_grad()
            with torch.no_grad():
                target_logits, target_hidden = teacher(images[batch])
            logits, hidden = student(images[batch])
            if how == "soft targets":
                soft = F.softmax(target_logits / temperature, dim=-1)
                log_own = F.log_softmax(logits / temperature, dim=-1)
                extra = torch.sum(soft * (soft.log() - log_own)) / log_own.size(0) * temperature**2
            elif how == "kl_div":
                extra = F.kl_div(
                    F.log_softmax(logits / temperature, -1),
                    F.log_softmax(target_logits / temperature, -1),
                    reduction="batchmean",
                    log_target=True,
                )
            elif how == "cosine":
                extra = nn.CosineEmbeddingLoss()(hidden, target_hidden, torch.ones(len(batch)))
            else:
                extra = F.mse_loss(hidden, target_hidden)
            loss = share * extra + (1 - share) * F.cross_entropy(logits, labels[batch])
            loss.backward()
            optimizer.step()
        print(f"  {how} {epoch + 1}: {extra.item():.3f} of {loss.item():.3f}")


images, labels = stripes(128)
test_images, test_labels = stripes(96)
teacher = Deep()
print(teacher)
print("parameters:", sum(p.numel() for p in teacher.parameters()))
train(teacher, images, labels, 6)
print(f"teacher {accuracy(teacher, test_images, test_labels):.2f}%")

alone = Light()
start = {name: value.clone() for name, value in alone.state_dict().items()}
print("parameters:", sum(p.numel() for p in alone.parameters()))
train(alone, images, labels, 3)
print(f"student alone {accuracy(alone, test_images, test_labels):.2f}%")

for how in ("soft targets", "kl_div", "cosine", "hidden"):
    student = Light()
    print(student.load_state_dict(start))
    assert torch.equal(student.features[0].weight, start["features.0.weight"])
    distil(teacher, student, images, labels, how)
    norm = torch.norm(student.features[0].weight).item()
    print(f"{how}: {accuracy(student, test_images, test_labels):.2f}%, first layer {norm:.4f}")
