"""A graph convolutional network on a karate-like graph of two clubs, from few labels."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(out_features))
        else:
            self.register_parameter("bias", None)
        nn.init.xavier_uniform_(self.weight)
        if bias:
            nn.init.zeros_(self.bias)

    def forward(self, x, edge_index, norm):
        support = x @ self.weight
        source, target = edge_index
        out = torch.zeros_like(support).index_add(0, target, support[source] * norm.unsqueeze(1))
        return out if self.bias is None else out + self.bias

    def extra_repr(self):
        return f"{self.weight.shape[0]}, {self.weight.shape[1]}"


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass):
        super().__init__()
        self.gc1, self.gc2 = GCNLayer(nfeat, nhid), GCNLayer(nhid, nclass)

    def forward(self, x, edge_index, norm):
        x = F.relu(self.gc1(x, edge_index, norm))
        x = F.dropout(x, 0.3, training=self.training)
        return F.log_softmax(self.gc2(x, edge_index, norm), dim=1)


torch.manual_seed(7)
n = 30
club = torch.arange(n) % 2
same = club.unsqueeze(0) == club.unsqueeze(1)
adjacency = torch.bernoulli(torch.where(same, 0.35, 0.04)).triu(1)
adjacency = adjacency + adjacency.T + torch.eye(n)
edge_index = adjacency.nonzero().t().contiguous()
degree = torch.zeros(n).scatter_add_(0, edge_index[1], torch.ones(edge_index.size(1)))
norm = degree.pow(-0.5)[edge_index[0]] * degree.pow(-0.5)[edge_index[1]]
features = torch.randn(n, 6)
known = torch.tensor([0, 1, 2, 3])
model = GCN(6, 16, 2)
print(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.02, weight_decay=5e-3, amsgrad=True)
for epoch in range(60):
    model.train()
    optimizer.zero_grad()
    out = model(features, edge_index, norm)
    loss = F.nll_loss(out[known], club[known])
    loss.backward()
    optimizer.step()
    if epoch % 15 == 14:
        model.eval()
        with torch.no_grad():
            right = model(features, edge_index, norm).argmax(1).eq(club).sum().item()
        print(f"{epoch + 1} loss {loss.item():.4f} right {right}/{n}")
print(edge_index.shape, torch.unique(degree.long(), return_counts=True))
