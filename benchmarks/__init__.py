"""Speed against real torch, as ratios within one run: `python -m benchmarks`.

Each figure is the time of minitorch divided by that of torch, both on one thread, their samples
taken in turn; hand-written NumPy stands beside them where that makes sense. `budgets.toml` holds
what each figure may be at most.
"""

import os

# Read when NumPy and torch load their BLAS, and by every process started from here.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
