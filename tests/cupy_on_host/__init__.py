"""Real CuPy on memory of the host: for checking minitorch on CUDA where there is no GPU.

CuPy is what its wheel has: Python, Cython, and the kernels that it writes. Below it stand

- `runtime.cpp`: the CUDA runtime, memory by malloc and copies by memmove;
- `driver.cpp`: libcuda and NVRTC; kernels are compiled by g++ over `include/device.h` and run one
  thread after another, as fibers where a kernel has barriers;
- `cublas.cpp`: products as plain loops; `thrust.py`: sorts by NumPy.

It shows every exception, dtype, shape, stride and value as CuPy computes it. It does not show
speed, the order of atomics, the last bits of CUDA's mathematics, streams, or memory that runs out.
"""
