"""A small U-Net that finds discs in noise: skips, transposed convolutions, a Dice loss, metrics."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(5)


class DoubleConv(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.double_conv = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
            nn.GroupNorm(2, outputs),
            nn.ReLU(inplace=True),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.double_conv(x)


class Up(nn.Module):
    def __init__(self, inputs: int, outputs: int, bilinear: bool) -> None:
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.conv = DoubleConv(inputs + outputs, outputs)
        else:
            self.up = nn.ConvTranspose2d(inputs, outputs, 2, stride=2)
            self.conv = DoubleConv(2 * outputs, outputs)

    def forward(self, x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
        x1 = self.up(x1)
        down, right = x2.size(2) - x1.size(2), x2.size(3) - x1.size(3)
        x1 = F.pad(x1, [right // 2, right - right // 2, down // 2, down - down // 2])
        return self.conv(torch.cat([x2, x1], dim=1))


class UNet(nn.Module):
    def __init__(self, bilinear: bool) -> None:
        super().__init__()
        self.inc = DoubleConv(1, 4)
        self.down1 = nn.Sequential(nn.MaxPool2d(2), DoubleConv(4, 8))
        self.down2 = nn.Sequential(nn.MaxPool2d(2), DoubleConv(8, 8))
        self.up1 = Up(8, 8, bilinear)
        self.up2 = Up(8, 4, bilinear)
        self.outc = nn.Conv2d(4, 1, 1)
        self.apply(self.start)

    @staticmethod
    def start(module: nn.Module) -> None:
        if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        return self.outc(self.up2(self.up1(x3, x2), x1))


def discs(count: int, size: int = 14) -> tuple[torch.Tensor, torch.Tensor]:
    rows, columns = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    centre = torch.randint(3, size - 3, (count, 2, 1, 1))
    radius = torch.randint(2, 5, (count, 1, 1))
    masks = (rows - centre[:, 0]) ** 2 + (columns - centre[:, 1]) ** 2 <= radius**2
    return (masks + 0.4 * torch.randn(count, size, size)).unsqueeze(1), masks.float().unsqueeze(1)


def dice_loss(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    p = torch.sigmoid(logits).flatten(1)
    masks = masks.flatten(1)
    both = (p * masks).sum(-1)
    return 1 - ((2 * both + 1) / (p.sum(-1) + masks.sum(-1) + 1)).mean()


@torch.inference_mode()
def evaluate(net: nn.Module, loader: DataLoader) -> tuple[float, float]:
    net.eval()
    overlap = union = right = total = 0
    for images, masks in loader:
        found = net(images).sigmoid() > 0.5
        overlap += torch.logical_and(found, masks.bool()).sum().item()
        union += torch.logical_or(found, masks.bool()).sum().item()
        right += found.eq(masks.bool()).sum().item()
        total += masks.numel()
    net.train()
    return overlap / union, right / total


train, valid = random_split(
    TensorDataset(*discs(40)), [32, 8], generator=torch.Generator().manual_seed(0)
)
for bilinear in (False, True):
    net = UNet(bilinear)
    print(sum(p.numel() for p in net.parameters()), net.up1)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=2e-3, weight_decay=1e-8, momentum=0.5)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, "max", patience=0)
    criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))
    for epoch in range(4):
        total = 0.0
        for images, masks in DataLoader(train, batch_size=8, shuffle=True, drop_last=True):
            images = images.to(memory_format=torch.channels_last)
            logits = net(images)
            loss = criterion(logits, masks) + dice_loss(logits, masks)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
        iou, accuracy = evaluate(net, DataLoader(valid, batch_size=3))
        scheduler.step(iou)
        rate = optimizer.param_groups[0]["lr"]
        print(
            f"epoch {epoch}: loss {total / 4:.3f}, IoU {iou:.3f}, right {accuracy:.3f}, lr {rate:g}"
        )
