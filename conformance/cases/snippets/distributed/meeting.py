"""What the scripts of this folder share: how ranks meet, and what they print."""

import atexit
import datetime
import hashlib
import os
import re
import warnings

import numpy
import torch
import torch.distributed as dist

warnings.simplefilter("ignore")
# Where in its source gloo found an error, and when.
PLACES = re.compile(r"\[rank\d\]:\[F[^\]]*\] |\[enforce fail at [^\]]*\] ")
RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


@atexit.register
def part():
    """Ends the threads of gloo before C++ does, which would abort the process."""
    if dist.is_initialized():
        dist.destroy_process_group()


def meet(seconds=60):
    """Makes the group of all ranks."""
    dist.init_process_group(
        "gloo",
        init_method=f"file://{os.environ['MEETING']}",
        rank=RANK,
        world_size=SIZE,
        timeout=datetime.timedelta(seconds=seconds),
    )


def numbers(count, dtype, seed):
    """Numbers of this rank."""
    draw = numpy.random.default_rng(1000 * seed + RANK + count)
    wide = draw.standard_normal(count) * 10.0 ** draw.integers(-2, 3, count)
    real = torch.from_numpy(wide.astype(numpy.float32))
    if dtype.is_complex:
        return torch.complex(real, real.flip(0)).to(dtype)
    if dtype.is_floating_point:
        return real.to(dtype)
    return torch.from_numpy(draw.integers(0, 5, count)).to(dtype)


def digest(tensors):
    """A digest of the bits of tensors; of bools what they say, as True may be any byte."""
    total = hashlib.sha256()
    for each in tensors:
        each = each.detach().contiguous()
        if each.dtype == torch.bool:
            total.update(str(each.tolist()).encode())
        else:
            each = torch.view_as_real(each) if each.is_complex() else each
            total.update(each.reshape(-1).view(torch.uint8).numpy().tobytes())
    return total.hexdigest()[:16]


def show(label, function):
    """Prints what a function returns, or what it raises."""
    try:
        result = function()
    except Exception as error:
        text = PLACES.sub("", str(error)).strip()
        result = f"{type(error).__name__}: {text}"
    print(label, result)
