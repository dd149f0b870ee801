# torch.meshgrid(torch.ones(2, 2), torch.ones(2), indexing="ij")
torch.meshgrid(torch.ones(2, 2), torch.ones(2), indexing="ij")
