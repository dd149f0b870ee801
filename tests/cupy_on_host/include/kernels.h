#pragma once
#include "device.h"
#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#include <cupy/atomics.cuh>
#include <cupy/math_constants.h>
#include <cupy/float16.cuh>
#include <cupy/bfloat16.cuh>
