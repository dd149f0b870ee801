"""Deep Q-learning of a balancing pole, its dynamics in a few lines, with a replay memory."""

import math
import random
from collections import deque, namedtuple
from itertools import count

import torch
import torch.nn.functional as F
from torch import nn, optim

torch.manual_seed(42)
random.seed(42)

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class Pole:
    """A cart with a pole on it, pushed to the left or to the right."""

    def reset(self) -> list[float]:
        self.state = [random.uniform(-0.05, 0.05) for _ in range(4)]
        return self.state

    def step(self, action: int) -> tuple[list[float], float, bool]:
        x, v, angle, spin = self.state
        force = 10.0 if action else -10.0
        pushed = (force + 0.05 * spin**2 * math.sin(angle)) / 1.1
        turn = (9.8 * math.sin(angle) - math.cos(angle) * pushed) / (
            0.5 * (4 / 3 - 0.1 * math.cos(angle) ** 2 / 1.1)
        )
        push = pushed - 0.05 * turn * math.cos(angle) / 1.1
        self.state = [x + 0.02 * v, v + 0.02 * push, angle + 0.02 * spin, spin + 0.02 * turn]
        return self.state, 1.0, abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.2095


class ReplayMemory:
    def __init__(self, capacity: int) -> None:
        self.memory: deque = deque([], maxlen=capacity)

    def push(self, *arguments: object) -> None:
        self.memory.append(Transition(*arguments))

    def sample(self, size: int) -> list[Transition]:
        return random.sample(self.memory, size)

    def __len__(self) -> int:
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, observations: int, actions: int) -> None:
        super().__init__()
        self.layer1 = nn.Linear(observations, 32)
        self.layer2 = nn.Linear(32, 32)
        self.layer3 = nn.Linear(32, actions)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer3(F.relu(self.layer2(F.relu(self.layer1(x)))))


BATCH_SIZE, GAMMA, TAU, LR = 32, 0.99, 0.05, 3e-3
env = Pole()
policy_net, target_net = DQN(4, 2), DQN(4, 2)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=LR, amsgrad=True)
memory = ReplayMemory(1000)
steps_done = 0


def select_action(state: torch.Tensor) -> torch.Tensor:
    global steps_done
    threshold = 0.05 + 0.85 * math.exp(-steps_done / 100)
    steps_done += 1
    if random.random() > threshold:
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(2)]], dtype=torch.long)


def optimize_model() -> float:
    if len(memory) < BATCH_SIZE:
        return 0.0
    batch = Transition(*zip(*memory.sample(BATCH_SIZE)))
    mask = torch.tensor([s is not None for s in batch.next_state])
    non_final = torch.cat([s for s in batch.next_state if s is not None])
    values = policy_net(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
    next_values = torch.zeros(BATCH_SIZE)
    with torch.no_grad():
        next_values[mask] = target_net(non_final).max(1).values
    expected = next_values * GAMMA + torch.cat(batch.reward)
    loss = nn.SmoothL1Loss()(values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    return loss.item()


for episode in range(14):
    state = torch.tensor(env.reset(), dtype=torch.float32).unsqueeze(0)
    for t in count():
        action = select_action(state)
        observation, reward, terminated = env.step(action.item())
        found = None if terminated else torch.tensor(observation, dtype=torch.float32).unsqueeze(0)
        memory.push(state, action, found, torch.tensor([reward]))
        state = found
        loss = optimize_model()
        target, policy = target_net.state_dict(), policy_net.state_dict()
        for key in policy:
            target[key] = policy[key] * TAU + target[key] * (1 - TAU)
        target_net.load_state_dict(target)
        if terminated or t == 60:
            break
    print(f"episode {episode:2d}: {t + 1:3d} steps, loss {loss:.4f}, memory {len(memory)}")
with torch.no_grad():
    print(policy_net(torch.tensor([[0.0, 0.0, 0.1, 0.0], [0.0, 0.0, -0.1, 0.0]])))
