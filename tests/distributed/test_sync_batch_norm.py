"""SyncBatchNorm over several ranks, with the stand-ins for CuPy and NCCL."""

import pytest

import minitorch as torch
import minitorch.distributed as dist
from minitorch.nn.parallel import DistributedDataParallel
from tests.distributed.nccl_ranks import nccl_there, ranks

SHAPES = {"pairs": (7, 3), "images": (7, 3, 2, 4), "volumes": (5, 3, 2, 1, 2)}


def batch(shape, dtype):
    numbers = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
    return ((numbers * 0.37).sin() * 3 + 1).to(dtype)


def trained(module, x, *, weights, steps=2, begin=0, end=None):
    """Outputs and gradients of some rows of a batch, after steps on them."""
    x, weights = x[begin:end].detach().requires_grad_(), weights[begin:end]
    for _ in range(steps):
        module.zero_grad()
        x.grad = None
        y = module(x)
        (y * weights).sum().backward()
    return y.detach().cpu(), torch.zeros(0) if x.grad is None else x.grad.cpu()


@pytest.mark.parametrize("momentum", [0.1, None])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("cuts", [(0, 2, 7), (0, 3, 3, 7)], ids=["two ranks", "an empty batch"])
def test_a_SyncBatchNorm_equals_a_BatchNorm_of_the_whole_batch(shape, cuts, momentum):
    def train(rank):
        torch.set_default_dtype(torch.float64)
        module = torch.nn.SyncBatchNorm(3, momentum=momentum).cuda()
        y, grad = trained(
            module, x.cuda(), weights=weights.cuda(), begin=cuts[rank], end=cuts[rank + 1]
        )
        parameters = [
            torch.zeros(3) if p.grad is None else p.grad.cpu() for p in module.parameters()
        ]
        return y, grad, parameters, [each.cpu() for each in module.buffers()]

    x, weights = batch(shape, torch.float64), batch(shape, torch.float64).cos()
    cuts = tuple(min(each, shape[0]) for each in cuts)
    with nccl_there(), ranks() as run:
        seen = run(train, len(cuts) - 1)
    errors = [each for each in seen if isinstance(each, BaseException)]
    assert not errors, errors
    torch.set_default_dtype(torch.float64)
    kind = {2: torch.nn.BatchNorm1d, 4: torch.nn.BatchNorm2d, 5: torch.nn.BatchNorm3d}[len(shape)]
    module = kind(3, momentum=momentum)
    y, grad = trained(module, x, weights=weights)
    torch.set_default_dtype(torch.float32)
    torch.testing.assert_close(torch.cat([each[0] for each in seen]), y)
    torch.testing.assert_close(torch.cat([each[1] for each in seen if each[1].numel()]), grad)
    for i, each in enumerate(module.parameters()):
        torch.testing.assert_close(sum(rank[2][i] for rank in seen), each.grad)
    for rank in seen:
        torch.testing.assert_close(rank[3], list(module.buffers()))


def test_a_SyncBatchNorm_of_half_precision_computes_in_single():
    def train(rank):
        module = torch.nn.SyncBatchNorm(3, affine=False, track_running_stats=False).cuda()
        return module(x[2 * rank : 2 * rank + 2].cuda()).cpu()

    x = batch((4, 3, 2), torch.float16)
    with nccl_there(), ranks() as run:
        seen = run(train)
    assert seen[0].dtype == torch.float16
    expected = torch.nn.BatchNorm1d(3, affine=False)(x.float()).half()
    torch.testing.assert_close(torch.cat(seen), expected)


def test_a_SyncBatchNorm_counts_the_ranks_of_its_group_alone():
    def train(rank):
        pairs = [dist.new_group([0, 1]), dist.new_group([2])]
        module = torch.nn.SyncBatchNorm(3, process_group=pairs[rank // 2]).cuda()
        module(x[2 * rank : 2 * rank + 2].cuda())
        return module.running_mean.tolist()

    x = batch((6, 3), torch.float32)
    with nccl_there(), ranks() as run:
        seen = run(train, 3)
    assert seen[0] == seen[1] == pytest.approx((x[:4].mean(0) / 10).tolist())
    assert seen[2] == pytest.approx((x[4:].mean(0) / 10).tolist())


def test_a_SyncBatchNorm_trains_within_DistributedDataParallel():
    def train(rank):
        torch.manual_seed(0)
        layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
        model = DistributedDataParallel(
            torch.nn.SyncBatchNorm.convert_sync_batchnorm(layers).cuda()
        )
        loss = model(x[3 * rank : 3 * rank + 3].cuda()).pow(3).sum()
        loss.backward()
        return [each.grad.cpu() for each in layers.parameters()]

    x = batch((6, 3), torch.float32)
    with nccl_there(), ranks() as run:
        seen = run(train)
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    (model(x).pow(3).sum() / 2).backward()
    for i, each in enumerate(model.parameters()):
        torch.testing.assert_close(seen[0][i], each.grad, atol=1e-5, rtol=1e-5)
        assert torch.equal(seen[0][i], seen[1][i])
