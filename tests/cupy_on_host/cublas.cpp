// The products of cuBLAS that CuPy calls, as plain loops over memory of the host.
#include <complex>
#include <cstring>
#include <cstdio>
#include <cstdint>
typedef int St;
typedef void* H;
template <class T>
T bits(unsigned u) {
    T t;
    memcpy(&t, &u, sizeof t);
    return t;
}
struct h16 {
    uint16_t u;
    operator float() const {
        _Float16 h;
        memcpy(&h, &u, 2);
        return (float)h;
    }
    h16(float f) {
        _Float16 h = (_Float16)f;
        memcpy(&u, &h, 2);
    }
    h16() {}
};
struct b16 {
    uint16_t u;
    operator float() const {
        unsigned x = (unsigned)u << 16;
        return bits<float>(x);
    }
    b16(float f) {
        unsigned x;
        memcpy(&x, &f, 4);
        if ((x & 0x7fffffff) > 0x7f800000)
            u = 0x7fff;
        else {
            x += 0x7fff + ((x >> 16) & 1);
            u = x >> 16;
        }
    }
    b16() {}
};
template <class T>
T cj(T x) {
    return x;
}
template <class T>
std::complex<T> cj(std::complex<T> x) {
    return std::conj(x);
}
template <class A, class C, class S>
void gemm(int ta, int tb, int m, int n, int k, S alpha, const A* a, long lda, const A* b, long ldb,
          S beta, C* c, long ldc) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            S s = S(0);
            for (int l = 0; l < k; l++) {
                S x = ta == 0 ? S(a[i + l * lda]) : S(a[l + i * lda]);
                if (ta == 2) x = cj(x);
                S y = tb == 0 ? S(b[l + j * ldb]) : S(b[j + l * ldb]);
                if (tb == 2) y = cj(y);
                s += x * y;
            }
            C* p = c + i + j * ldc;
            *p = beta == S(0) ? C(alpha * s) : C(alpha * s + beta * S(*p));
        }
}
typedef std::complex<float> c64;
typedef std::complex<double> c128;
extern "C" {
enum { R32 = 0, R64 = 1, R16 = 2, C32 = 4, C64 = 5, RB16 = 14 };
static int one(int ta, int tb, int m, int n, int k, const void* al, const void* a, int at, long lda,
               const void* b, int bt, long ldb, const void* be, void* c, int ct, long ldc,
               int ctype) {
    if (at != bt) return 15;
    double ald, bed;
    if (at == R64) {
        gemm<double, double, double>(ta, tb, m, n, k, *(double*)al, (double*)a, lda, (double*)b,
                                     ldb, *(double*)be, (double*)c, ldc);
        return 0;
    }
    if (at == C32) {
        gemm<c64, c64, c64>(ta, tb, m, n, k, *(c64*)al, (c64*)a, lda, (c64*)b, ldb, *(c64*)be,
                            (c64*)c, ldc);
        return 0;
    }
    if (at == C64) {
        gemm<c128, c128, c128>(ta, tb, m, n, k, *(c128*)al, (c128*)a, lda, (c128*)b, ldb,
                               *(c128*)be, (c128*)c, ldc);
        return 0;
    }
    float fa, fb;
    if (ctype == 64 || ctype == 65) {
        h16 x, y;
        memcpy(&x, al, 2);
        memcpy(&y, be, 2);
        fa = x;
        fb = y;
    } else {
        fa = *(float*)al;
        fb = *(float*)be;
    }
    if (at == R32 && ct == R32)
        gemm<float, float, float>(ta, tb, m, n, k, fa, (float*)a, lda, (float*)b, ldb, fb,
                                  (float*)c, ldc);
    else if (at == R16 && ct == R16)
        gemm<h16, h16, float>(ta, tb, m, n, k, fa, (h16*)a, lda, (h16*)b, ldb, fb, (h16*)c, ldc);
    else if (at == R16 && ct == R32)
        gemm<h16, float, float>(ta, tb, m, n, k, fa, (h16*)a, lda, (h16*)b, ldb, fb, (float*)c,
                                ldc);
    else if (at == RB16 && ct == RB16)
        gemm<b16, b16, float>(ta, tb, m, n, k, fa, (b16*)a, lda, (b16*)b, ldb, fb, (b16*)c, ldc);
    else if (at == RB16 && ct == R32)
        gemm<b16, float, float>(ta, tb, m, n, k, fa, (b16*)a, lda, (b16*)b, ldb, fb, (float*)c,
                                ldc);
    else {
        fprintf(stderr, "emulator: gemm of types %d %d -> %d\n", at, bt, ct);
        return 15;
    }
    return 0;
}
St cublasCreate_v2(H* h) {
    *h = (H)0x1234;
    return 0;
}
St cublasDestroy_v2(H) { return 0; }
St cublasGetVersion_v2(H, int* v) {
    *v = 130000;
    return 0;
}
St cublasSetStream_v2(H, void*) { return 0; }
St cublasGetStream_v2(H, void** s) {
    *s = 0;
    return 0;
}
St cublasSetMathMode(H, int) { return 0; }
St cublasGetMathMode(H, int* m) {
    *m = 0;
    return 0;
}
St cublasSetPointerMode_v2(H, int) { return 0; }
St cublasGetPointerMode_v2(H, int* m) {
    *m = 0;
    return 0;
}
St cublasSetWorkspace_v2(H, void*, size_t) { return 0; }
St cublasGemmEx(H, int ta, int tb, int m, int n, int k, const void* al, const void* a, int at,
                int lda, const void* b, int bt, int ldb, const void* be, void* c, int ct, int ldc,
                int comp, int) {
    return one(ta, tb, m, n, k, al, a, at, lda, b, bt, ldb, be, c, ct, ldc, comp);
}
St cublasSgemmEx(H, int ta, int tb, int m, int n, int k, const float* al, const void* a, int at,
                 int lda, const void* b, int bt, int ldb, const float* be, void* c, int ct,
                 int ldc) {
    return one(ta, tb, m, n, k, al, a, at, lda, b, bt, ldb, be, c, ct, ldc, 68);
}
#define G(N, T, CODE)                                                                              \
    St cublas##N##gemm_v2(H, int ta, int tb, int m, int n, int k, const T* al, const T* a,         \
                          int lda, const T* b, int ldb, const T* be, T* c, int ldc) {              \
        gemm<T, T, T>(ta, tb, m, n, k, *al, a, lda, b, ldb, *be, c, ldc);                          \
        return 0;                                                                                  \
    }                                                                                              \
    St cublas##N##gemmBatched(H, int ta, int tb, int m, int n, int k, const T* al,                 \
                              const T* const* a, int lda, const T* const* b, int ldb, const T* be, \
                              T* const* c, int ldc, int count) {                                   \
        for (int i = 0; i < count; i++)                                                            \
            gemm<T, T, T>(ta, tb, m, n, k, *al, a[i], lda, b[i], ldb, *be, c[i], ldc);             \
        return 0;                                                                                  \
    }
G(S, float, R32) G(D, double, R64) G(C, c64, C32) G(Z, c128, C64) static long size_of(int t) {
    return t == R32 ? 4 : t == R64 || t == C32 ? 8 : t == C64 ? 16 : 2;
}
St cublasGemmStridedBatchedEx(H, int ta, int tb, int m, int n, int k, const void* al, const void* a,
                              int at, int lda, long long sa, const void* b, int bt, int ldb,
                              long long sb, const void* be, void* c, int ct, int ldc, long long sc,
                              int count, int comp, int) {
    for (int i = 0; i < count; i++) {
        int r = one(ta, tb, m, n, k, al, (char*)a + i * sa * size_of(at), at, lda,
                    (char*)b + i * sb * size_of(bt), bt, ldb, be, (char*)c + i * sc * size_of(ct),
                    ct, ldc, comp);
        if (r) return r;
    }
    return 0;
}
}
