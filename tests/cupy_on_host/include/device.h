// CUDA C++ for g++: one block at a time, its threads as fibers where they meet (emu_barrier).
#pragma once
#include <cmath>
#include <cstdint>
#include <cstddef>
#include <cstring>
#include <cassert>
#include <cstdlib>
#include <utility>
#include <type_traits>
#include <limits>
#define EMU 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __noinline__
#define __restrict__
#define __launch_bounds__(...)
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define CUDART_INF HUGE_VAL
struct emu_dim3 {
    unsigned x, y, z;
};
typedef emu_dim3 dim3;
typedef emu_dim3 uint3;
extern "C" {
extern emu_dim3 threadIdx, blockIdx, blockDim, gridDim;
extern char* emu_dynamic;
void emu_sync_block();
void emu_sync_warp();
void* emu_slot(int lane);  // 16 bytes of the current thread's warp per lane
unsigned emu_lane();
}
static const int warpSize = 32;
inline void __syncthreads() { emu_sync_block(); }
inline void __syncwarp(unsigned long long = 0) { emu_sync_warp(); }
inline void __threadfence() {}
inline void __threadfence_block() {}
template <class T>
T emu_exchange(T v, unsigned from, bool valid) {
    static_assert(sizeof(T) <= 16, "");
    memcpy(emu_slot(emu_lane()), &v, sizeof(T));
    emu_sync_warp();
    T r = v;
    if (valid) memcpy(&r, emu_slot(from), sizeof(T));
    emu_sync_warp();
    return r;
}
template <class T>
T __shfl_sync(unsigned long long, T v, int src, int w = 32) {
    unsigned l = emu_lane();
    return emu_exchange(v, (l & ~(w - 1)) + (src & (w - 1)), true);
}
template <class T>
T __shfl_up_sync(unsigned long long, T v, unsigned d, int w = 32) {
    unsigned l = emu_lane();
    return emu_exchange(v, l - d, (l & (w - 1)) >= d);
}
template <class T>
T __shfl_down_sync(unsigned long long, T v, unsigned d, int w = 32) {
    unsigned l = emu_lane();
    return emu_exchange(v, l + d, (l & (w - 1)) + d < (unsigned)w);
}
template <class T>
T __shfl_xor_sync(unsigned long long, T v, int m, int w = 32) {
    unsigned l = emu_lane();
    return emu_exchange(v, l ^ m, true);
}
inline unsigned __ballot_sync(unsigned long long, int p) {
    int v = p != 0;
    memcpy(emu_slot(emu_lane()), &v, 4);
    emu_sync_warp();
    unsigned r = 0;
    for (int i = 0; i < 32; i++) {
        int b;
        memcpy(&b, emu_slot(i), 4);
        r |= (unsigned)(b == 1) << i;
    }
    emu_sync_warp();
    return r;
}
inline int __any_sync(unsigned long long m, int p) { return __ballot_sync(m, p) != 0; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
template <class T, class S>
T emu_bits(S s) {
    static_assert(sizeof(T) == sizeof(S), "");
    T t;
    memcpy(&t, &s, sizeof t);
    return t;
}
inline int __float_as_int(float x) { return emu_bits<int>(x); }
inline float __int_as_float(int x) { return emu_bits<float>(x); }
inline unsigned __float_as_uint(float x) { return emu_bits<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return emu_bits<float>(x); }
inline long long __double_as_longlong(double x) { return emu_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return emu_bits<double>(x); }
inline int __double2hiint(double x) { return (int)(emu_bits<unsigned long long>(x) >> 32); }
inline int __double2loint(double x) { return (int)emu_bits<unsigned long long>(x); }
inline double __hiloint2double(int hi, int lo) {
    return emu_bits<double>(((unsigned long long)(unsigned)hi << 32) | (unsigned)lo);
}
template <class T>
T __ldg(const T* p) {
    return *p;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a * b) >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline void __sincosf(float x, float* s, float* c) {
    *s = sinf(x);
    *c = cosf(x);
}
inline void sincospi(double x, double* s, double* c) {
    *s = sin(x * M_PI);
    *c = cos(x * M_PI);
}
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __fdividef(float a, float b) { return a / b; }
// atomics: one thread runs at a time
#define EMU_ATOMIC(name, expr)                \
    template <class T>                        \
    T name(T* p, std::type_identity_t<T> v) { \
        T old = *p;                           \
        *p = expr;                            \
        return old;                           \
    }
namespace std {
template <class T>
struct emu_id {
    typedef T type;
};
template <class T>
using type_identity_t = typename emu_id<T>::type;
}  // namespace std
inline int atomicAdd(int* p, int v) {
    int o = *p;
    *p = (int)((unsigned)o + (unsigned)v);
    return o;
}
inline unsigned atomicAdd(unsigned* p, unsigned v) {
    unsigned o = *p;
    *p = o + v;
    return o;
}
inline unsigned long long atomicAdd(unsigned long long* p, unsigned long long v) {
    auto o = *p;
    *p = o + v;
    return o;
}
inline unsigned long atomicAdd(unsigned long* p, unsigned long v) {
    auto o = *p;
    *p = o + v;
    return o;
}
inline int atomicSub(int* p, int v) {
    int o = *p;
    *p = (int)((unsigned)o - (unsigned)v);
    return o;
}
inline unsigned atomicSub(unsigned* p, unsigned v) {
    unsigned o = *p;
    *p = o - v;
    return o;
}
inline float atomicAdd(float* p, float v) {
    float o = *p;
    *p = o + v;
    return o;
}
inline double atomicAdd(double* p, double v) {
    double o = *p;
    *p = o + v;
    return o;
}
#define EMU_ATOMICS(T)                   \
    inline T atomicCAS(T* p, T c, T v) { \
        T o = *p;                        \
        if (o == c) *p = v;              \
        return o;                        \
    }                                    \
    inline T atomicExch(T* p, T v) {     \
        T o = *p;                        \
        *p = v;                          \
        return o;                        \
    }                                    \
    inline T atomicAnd(T* p, T v) {      \
        T o = *p;                        \
        *p = o & v;                      \
        return o;                        \
    }                                    \
    inline T atomicOr(T* p, T v) {       \
        T o = *p;                        \
        *p = o | v;                      \
        return o;                        \
    }                                    \
    inline T atomicXor(T* p, T v) {      \
        T o = *p;                        \
        *p = o ^ v;                      \
        return o;                        \
    }                                    \
    inline T atomicMax(T* p, T v) {      \
        T o = *p;                        \
        *p = o > v ? o : v;              \
        return o;                        \
    }                                    \
    inline T atomicMin(T* p, T v) {      \
        T o = *p;                        \
        *p = o < v ? o : v;              \
        return o;                        \
    }
EMU_ATOMICS(int)
EMU_ATOMICS(unsigned) EMU_ATOMICS(unsigned long long) EMU_ATOMICS(long long)
    // mathematics: C++'s overloads by bare name, as CUDA has them
    using std::abs;
using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atan2;
using std::atanh;
using std::cbrt;
using std::ceil;
using std::copysign;
using std::cos;
using std::cosh;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::fabs;
using std::fdim;
using std::floor;
using std::fma;
using std::fmax;
using std::fmin;
using std::fmod;
using std::frexp;
using std::hypot;
using std::ilogb;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::ldexp;
using std::lgamma;
using std::llrint;
using std::llround;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::logb;
using std::modf;
using std::nearbyint;
using std::nextafter;
using std::pow;
using std::remainder;
using std::rint;
using std::round;
using std::signbit;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;
using std::tgamma;
using std::trunc;
inline float rsqrt(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rcbrt(double x) { return 1.0 / std::cbrt(x); }
inline double exp10(double x) { return std::pow(10.0, x); }
inline float exp10f(float x) { return std::pow(10.0f, x); }
inline double sinpi(double x) { return std::sin(x * M_PI); }
inline double cospi(double x) { return std::cos(x * M_PI); }
inline float sinpif(float x) { return (float)sinpi(x); }
inline float cospif(float x) { return (float)cospi(x); }
double emu_erfinv(double);
extern "C" double emu_erfinv_c(double);
inline double erfinv(double x) { return emu_erfinv_c(x); }
inline float erfinv(float x) { return (float)emu_erfinv_c(x); }
inline float erfinvf(float x) { return (float)emu_erfinv_c(x); }
inline double erfcinv(double x) { return emu_erfinv_c(1.0 - x); }
inline float erfcinv(float x) { return (float)erfcinv((double)x); }
inline double normcdf(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }
inline float normcdf(float x) { return (float)normcdf((double)x); }
inline double normcdfinv(double x) { return -M_SQRT2 * erfcinv(2 * x); }
inline float normcdfinv(float x) { return (float)normcdfinv((double)x); }
inline double erfcx(double x) { return std::exp(x * x) * std::erfc(x); }
inline float erfcxf(float x) { return (float)(std::exp((double)x * x) * std::erfc((double)x)); }
inline float erfcx(float x) { return (float)erfcx((double)x); }
extern "C" {
double j0(double);
double j1(double);
double y0(double);
double y1(double);
double yn(int, double);
double jn(int, double);
}
extern "C" {
double emu_i0(double);
double emu_i1(double);
}
inline double cyl_bessel_i0(double x) { return emu_i0(x); }
inline double cyl_bessel_i1(double x) { return emu_i1(x); }
inline float cyl_bessel_i0(float x) { return (float)emu_i0(x); }
inline float cyl_bessel_i1(float x) { return (float)emu_i1(x); }
inline float cyl_bessel_i0f(float x) { return (float)emu_i0(x); }
inline float cyl_bessel_i1f(float x) { return (float)emu_i1(x); }
inline float normcdfinvf(float x) { return (float)normcdfinv((double)x); }
inline float normcdff(float x) { return (float)normcdf((double)x); }
inline float erfcinvf(float x) { return (float)erfcinv((double)x); }
#define EMU_MINMAX(T)                                \
    inline T min(T a, T b) { return a < b ? a : b; } \
    inline T max(T a, T b) { return a > b ? a : b; }
EMU_MINMAX(int)
EMU_MINMAX(unsigned) EMU_MINMAX(long) EMU_MINMAX(unsigned long) EMU_MINMAX(long long)
    EMU_MINMAX(unsigned long long) inline float min(float a, float b) {
    return std::fmin(a, b);
}
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }
#define EMU_MIXED(A, B, C)                             \
    inline C min(A a, B b) { return min((C)a, (C)b); } \
    inline C max(A a, B b) { return max((C)a, (C)b); } \
    inline C min(B a, A b) { return min((C)a, (C)b); } \
    inline C max(B a, A b) { return max((C)a, (C)b); }
EMU_MIXED(int, unsigned, unsigned)
EMU_MIXED(float, double, double) EMU_MIXED(int, long, long) EMU_MIXED(int, long long, long long)
    EMU_MIXED(long, long long, long long) EMU_MIXED(int, unsigned long, unsigned long)
        EMU_MIXED(long, unsigned long, unsigned long)
            EMU_MIXED(int, unsigned long long, unsigned long long)
                EMU_MIXED(long long, unsigned long long,
                          unsigned long long) inline float fmaxf_(float a, float b) {
    return std::fmax(a, b);
}
// float16 as CUDA's header offers it
struct __half_raw {
    unsigned short x;
};
inline unsigned short emu_f2h(float f) {
    _Float16 h = (_Float16)f;
    return emu_bits<unsigned short>(h);
}
inline float emu_h2f(unsigned short u) { return (float)emu_bits<_Float16>(u); }
struct __half {
    unsigned short data_;
    __half() {}
    __half(float v) : data_(emu_f2h(v)) {}
    explicit __half(const __half_raw& v) : data_(v.x) {}
    explicit __half(bool v) : data_(emu_f2h(v)) {}
    explicit __half(double v) {
        _Float16 h = (_Float16)v;
        data_ = emu_bits<unsigned short>(h);
    }
    explicit __half(int v) : data_(emu_f2h((float)v)) {}
    explicit __half(unsigned v) : data_(emu_f2h((float)v)) {}
    explicit __half(long long v) : data_(emu_f2h((float)v)) {}
    explicit __half(unsigned long long v) : data_(emu_f2h((float)v)) {}
    operator float() const { return emu_h2f(data_); }
    operator __half_raw() const {
        __half_raw r = {data_};
        return r;
    }
};
typedef __half half;
inline unsigned short __half_as_ushort(half h) { return h.data_; }
inline half __ushort_as_half(unsigned short u) {
    half h;
    h.data_ = u;
    return h;
}
inline half __float2half(float f) { return half(f); }
inline float __half2float(half h) { return (float)h; }
inline unsigned short emu_f2b(float f) {
    unsigned u = emu_bits<unsigned>(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;  // CUDA's NaN
    u += 0x7fff + ((u >> 16) & 1);
    return (unsigned short)(u >> 16);
}
struct __nv_bfloat16 {
    unsigned short data_;
    __nv_bfloat16() {}
    __nv_bfloat16(float v) : data_(emu_f2b(v)) {}
    operator float() const { return emu_bits<float>((unsigned)data_ << 16); }
};
inline bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a == (float)b; }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) { return b.data_; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) {
    __nv_bfloat16 b;
    b.data_ = u;
    return b;
}
inline bool __hisnan(__nv_bfloat16 b) { return std::isnan((float)b); }
inline int __hisinf(__nv_bfloat16 b) { return std::isinf((float)b); }
#define __CUDACC_VER_MAJOR__ 13
// calling a kernel by a list of pointers to its arguments
template <class... A, size_t... I>
void emu_call(void (*f)(A...), void** a, std::index_sequence<I...>) {
    f(*(std::remove_reference_t<A>*)a[I]...);
}
template <class... A>
void emu_call(void (*f)(A...), void** a) {
    emu_call(f, a, std::index_sequence_for<A...>{});
}
