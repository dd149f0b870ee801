"""A generative adversarial network learns a ring of points."""

import math

import torch
import torch.nn as nn

torch.manual_seed(42)
nz, batch_size, real_label, fake_label = 4, 32, 1.0, 0.0


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Linear") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.2)
        nn.init.constant_(m.bias.data, 0)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


netG = nn.Sequential(nn.Linear(nz, 32), nn.BatchNorm1d(32), nn.ReLU(True), nn.Linear(32, 2))
netD = nn.Sequential(
    nn.Linear(2, 32),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Dropout(0.1),
    nn.Linear(32, 1),
    nn.Sigmoid(),
)
netG.apply(weights_init)
netD.apply(weights_init)
print(netG, netD, sep="\n")
criterion = nn.BCELoss()
fixed_noise = torch.randn(4, nz)
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
for step in range(101):
    angle = 2 * math.pi * torch.rand(batch_size)
    real = torch.stack([angle.cos(), angle.sin()], dim=1)
    netD.zero_grad()
    label = torch.full((batch_size,), real_label, dtype=torch.float)
    errD_real = criterion(netD(real).view(-1), label)
    errD_real.backward()
    fake = netG(torch.randn(batch_size, nz))
    label.fill_(fake_label)
    output = netD(fake.detach()).view(-1)
    errD_fake = criterion(output, label)
    errD_fake.backward()
    D_G_z1 = output.mean().item()
    optimizerD.step()
    netG.zero_grad()
    label.fill_(real_label)
    output = netD(fake).view(-1)
    errG = criterion(output, label)
    errG.backward()
    optimizerG.step()
    if step % 25 == 0:
        print(
            "[%d] Loss_D: %.4f Loss_G: %.4f D(G(z)): %.4f / %.4f"
            % (step, (errD_real + errD_fake).item(), errG.item(), D_G_z1, output.mean().item())
        )
with torch.no_grad():
    print(netG.eval()(fixed_noise).norm(dim=1).tolist()[0] > 0)
