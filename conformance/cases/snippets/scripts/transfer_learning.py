"""A pretrained body is frozen, its head exchanged; then all of it is tuned with two rates."""

import copy
import time

import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def data(classes, n=96):
    centers = torch.randn(classes, 10) * 2
    labels = torch.randint(classes, (n,))
    return TensorDataset(centers[labels] + torch.randn(n, 10), labels)


def train_model(model, loaders, criterion, optimizer, scheduler, num_epochs):
    since = time.time()
    best, best_acc = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            model.train(phase == "train")
            running_loss, running_corrects = 0.0, 0
            for inputs, labels in loaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_corrects += torch.sum(preds == labels.data)
            if phase == "train":
                scheduler.step()
            size = len(loaders[phase].dataset)
            acc = running_corrects.double() / size
            print(f"{epoch} {phase} Loss: {running_loss / size:.4f} Acc: {acc:.4f}")
            if phase == "val" and acc > best_acc:
                best_acc, best = acc, copy.deepcopy(model.state_dict())
    assert time.time() > since
    model.load_state_dict(best)
    return model


def loaders(classes):
    train, val = torch.utils.data.random_split(data(classes), [64, 32])
    return {"train": DataLoader(train, 16, shuffle=True), "val": DataLoader(val, 16)}


body = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 24), nn.ReLU())
model = nn.Sequential()
model.add_module("body", body)
model.add_module("fc", nn.Linear(24, 5))
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)
train_model(model, loaders(5), nn.CrossEntropyLoss(), optimizer, scheduler, 2)
for param in model.body.parameters():
    param.requires_grad = False
before = copy.deepcopy(model.body.state_dict())
model.fc = nn.Linear(model.fc.in_features, 2)
optimizer = optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
scheduler = lr_scheduler.ExponentialLR(optimizer, 0.9)
train_model(model, (last := loaders(2)), nn.CrossEntropyLoss(), optimizer, scheduler, 2)
print(all(torch.equal(before[k], v) for k, v in model.body.state_dict().items()))
for name, param in model.named_parameters():
    print(name, param.requires_grad, param.grad is None or bool(param.grad.abs().sum() > 0))
model.requires_grad_(True)
groups = [{"params": model.body.parameters(), "lr": 1e-3}, {"params": model.fc.parameters()}]
optimizer = optim.AdamW(groups, lr=1e-2)
scheduler = lr_scheduler.OneCycleLR(optimizer, [1e-3, 1e-2], total_steps=2)
train_model(model, last, nn.CrossEntropyLoss(), optimizer, scheduler, 1)
print([group["lr"] for group in optimizer.param_groups])
