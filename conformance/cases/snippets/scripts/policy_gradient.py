"""REINFORCE with a baseline balances a pole; torch.distributions is not needed."""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


class CartPole:
    """The pole on a cart of Barto, Sutton and Anderson (1983)."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def reset(self):
        self.state = self.random.uniform(-0.05, 0.05, size=4)
        return self.state.astype(np.float32)

    def step(self, action):
        x, v, theta, w = self.state
        force = 10.0 if action == 1 else -10.0
        cos, sin = math.cos(theta), math.sin(theta)
        temp = (force + 0.05 * w**2 * sin) / 1.1
        acc = (9.8 * sin - cos * temp) / (0.5 * (4.0 / 3.0 - 0.1 * cos**2 / 1.1))
        push = temp - 0.05 * acc * cos / 1.1
        self.state = np.array([x + 0.02 * v, v + 0.02 * push, theta + 0.02 * w, w + 0.02 * acc])
        done = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 12 * 2 * math.pi / 360
        return self.state.astype(np.float32), 1.0, done


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 32)
        self.action_head = nn.Linear(32, 2)
        self.value_head = nn.Linear(32, 1)

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


torch.manual_seed(543)
env, model = CartPole(543), Policy()
optimizer = optim.Adam(model.parameters(), lr=3e-2)
eps = np.finfo(np.float32).eps.item()
running = 10
for episode in range(12):
    state, log_probs, values, rewards = env.reset(), [], [], []
    for t in range(200):
        probs, value = model(torch.from_numpy(state).float())
        action = torch.multinomial(probs, 1)
        log_probs.append(torch.log(probs[action]))
        values.append(value)
        state, reward, done = env.step(action.item())
        rewards.append(reward)
        if done:
            break
    R, returns = 0, []
    for r in rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    policy_losses, value_losses = [], []
    for log_prob, value, R in zip(log_probs, values, returns):
        advantage = R - value.item()
        policy_losses.append(-log_prob * advantage)
        value_losses.append(F.smooth_l1_loss(value, torch.tensor([R])))
    optimizer.zero_grad()
    loss = torch.cat(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    optimizer.step()
    running = 0.05 * len(rewards) + 0.95 * running
    print(f"Episode {episode}\tlength: {len(rewards):3d}\taverage: {running:.2f}\t{loss:.3f}")
