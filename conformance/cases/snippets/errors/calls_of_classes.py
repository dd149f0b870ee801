# torch.nn.Module: classes that are called without arguments, and with an unknown one
import torch.nn.utils.prune


def told(name, call):
    try:
        call()
    except Exception as error:
        print(name, type(error).__name__, error)


OLD = ("Container", "NLLLoss2d")  # which warn at each call
PACKAGES = {
    "torch.nn": nn,
    "torch.optim": torch.optim,
    "torch.optim.lr_scheduler": torch.optim.lr_scheduler,
    "torch.nn.utils.prune": torch.nn.utils.prune,
}
for place, package in PACKAGES.items():
    for name in sorted(dir(package)):
        cls = getattr(package, name)
        own = isinstance(cls, type) and cls.__module__.startswith(place)
        if own and not name.startswith("_") and name not in OLD:
            told(name, lambda: cls())
            told(name, lambda: cls(nothing=1))
del PACKAGES, package, cls


# torch.nn.Module.forward: modules that are called without inputs, and with too many
def told(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)


MADE = [
    *(cls(2, 2, 1) for cls in (nn.Conv1d, nn.Conv2d, nn.Conv3d)),
    *(cls(2, 2, 1) for cls in (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)),
    *(cls(2, 1) for cls in (nn.LazyConv1d, nn.LazyConvTranspose2d)),
    *(cls(1) for cls in (nn.BatchNorm1d, nn.InstanceNorm2d, nn.LayerNorm, nn.RMSNorm)),
    *(cls(1) for cls in (nn.ReflectionPad1d, nn.ReplicationPad2d, nn.CircularPad1d, nn.ZeroPad2d)),
    *(cls(1) for cls in (nn.Softmax, nn.LogSoftmax, nn.Softmin, nn.Dropout2d, nn.MaxPool1d)),
    *(cls(2, 2) for cls in (nn.Linear, nn.Embedding, nn.EmbeddingBag, nn.RNN, nn.LSTM, nn.GRU)),
    *(cls(2, 2) for cls in (nn.RNNCell, nn.LSTMCell, nn.GRUCell, nn.GroupNorm)),
    *(cls(2, 2) for cls in (nn.FractionalMaxPool2d, nn.MaxUnpool2d, nn.AvgPool3d)),
    *(cls() for cls in (nn.ReLU, nn.GELU, nn.PReLU, nn.Flatten, nn.Identity, nn.MSELoss)),
    *(cls() for cls in (nn.CrossEntropyLoss, nn.NLLLoss, nn.CTCLoss, nn.CosineEmbeddingLoss)),
    *(
        nn.MultiheadAttention(2, 1),
        nn.TransformerEncoderLayer(2, 1),
        nn.TransformerDecoderLayer(2, 1),
    ),
    *(nn.Sequential(nn.ReLU()), nn.ModuleList(), nn.ModuleDict(), nn.Bilinear(1, 1, 1)),
]
for module in MADE:
    told(lambda: module())
    told(lambda: module(*range(12)))
    told(lambda: module(nothing=1))
row = nn.Sequential(nn.ReLU(), nn.Tanh())
told(lambda: row.__setitem__())
told(lambda: row.__delitem__())
told(lambda: nn.ModuleList().append())
told(lambda: nn.ModuleList().insert(0))
told(lambda: nn.ModuleDict().update())
