# a linear layer
thing = nn.Linear(3, 2)

# a network
thing = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Dropout(0.2), nn.Linear(3, 1))

# a network while evaluating
thing = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.MaxPool2d(2)).eval()

# an embedding
thing = nn.Embedding(3, 2, padding_idx=1)

# lists and dictionaries of modules
thing = nn.ModuleDict({"a": nn.ModuleList([nn.Linear(1, 1), nn.Tanh()])})

# a loss
thing = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))

# a layer that is frozen
thing = nn.Linear(2, 2).requires_grad_(False)

# a layer of double precision
thing = nn.LayerNorm(3).double()

# an LSTM with projections
thing = nn.LSTM(2, 3, num_layers=2, proj_size=1)

# a GRU in both directions
thing = nn.GRU(2, 3, bidirectional=True, batch_first=True)

# a recurrent cell
thing = nn.RNNCell(2, 3, nonlinearity="relu")

# a packed sequence
thing = nn.utils.rnn.pack_sequence([torch.ones(2, 3), torch.zeros(1, 3)])
