// The functions of the CUDA runtime that CuPy's runtime module calls, on memory of the host.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>
#include <cstdlib>
#include <cstring>
#include <cstdio>
#include <ctime>
#include <unordered_map>
#include <mutex>
#include <string>
static std::mutex lock_;
extern "C" {
long emu_h2d = 0, emu_d2h = 0, emu_d2d = 0, emu_mallocs = 0, emu_syncs = 0, emu_memsets = 0;
}
static void count(cudaMemcpyKind k) {
    if (k == cudaMemcpyHostToDevice)
        emu_h2d++;
    else if (k == cudaMemcpyDeviceToHost)
        emu_d2h++;
    else
        emu_d2d++;
    if (getenv("EMU_TRACE"))
        fprintf(stderr, "%s\n",
                k == cudaMemcpyHostToDevice   ? "H2D"
                : k == cudaMemcpyDeviceToHost ? "D2H"
                                              : "D2D");
}
static std::unordered_map<void*, size_t> sizes_;
static size_t used_ = 0;
static const size_t total_ = (size_t)16 << 30;
static void* take(size_t n) {
    void* p = nullptr;
    if (posix_memalign(&p, 512, n ? n : 512)) return nullptr;
    memset(p, 0xFD, n);  // as on a device: whatever stood there (as float32: -4.2e37)
    std::lock_guard<std::mutex> g(lock_);
    sizes_[p] = n;
    used_ += n;
    return p;
}
static void give(void* p) {
    if (!p) return;
    std::lock_guard<std::mutex> g(lock_);
    auto it = sizes_.find(p);
    if (it == sizes_.end()) {
        fprintf(stderr, "fakecudart: free of unknown %p\n", p);
        return;
    }
    used_ -= it->second;
    sizes_.erase(it);
    free(p);
}
extern "C" {
const char* cudaGetErrorName(cudaError_t e) {
    static thread_local char b[32];
    snprintf(b, 32, "cudaError%d", (int)e);
    return b;
}
const char* cudaGetErrorString(cudaError_t e) { return "emulated error"; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* v) {
    *v = 13020;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* v) {
    *v = 13020;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int* d) {
    *d = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* v, cudaDeviceAttr a, int d) {
    switch ((int)a) {
        case cudaDevAttrComputeCapabilityMajor:
            *v = 9;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *v = 0;
            break;
        case cudaDevAttrMultiProcessorCount:
            *v = 132;
            break;
        case cudaDevAttrMaxThreadsPerBlock:
            *v = 1024;
            break;
        case cudaDevAttrWarpSize:
            *v = 32;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *v = 49152;
            break;
        case cudaDevAttrMaxGridDimX:
            *v = 0x7fffffff;
            break;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            *v = 2048;
            break;
        default:
            *v = 1;
    }
    return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* d, const char*) {
    *d = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* s, int n, int) {
    snprintf(s, n, "0000:00:00.0");
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
    memset(p, 0, sizeof *p);
    strcpy(p->name, "Emulated H200");
    p->totalGlobalMem = total_;
    p->sharedMemPerBlock = 49152;
    p->regsPerBlock = 65536;
    p->warpSize = 32;
    p->maxThreadsPerBlock = 1024;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 0x7fffffff;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->major = 9;
    p->minor = 0;
    p->multiProcessorCount = 132;
    p->maxThreadsPerMultiProcessor = 2048;
    p->sharedMemPerBlockOptin = 232448;
    p->l2CacheSize = 60 << 20;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* n) {
    *n = 1;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int d) { return d == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
cudaError_t cudaDeviceSynchronize() {
    emu_syncs++;
    return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* c, int, int) {
    *c = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceDisablePeerAccess(int) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(size_t* v, cudaLimit) {
    *v = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaIpcCloseMemHandle(void*) { return cudaErrorNotSupported; }
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
    return cudaErrorNotSupported;
}
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) { return cudaErrorNotSupported; }
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
    return cudaErrorNotSupported;
}
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) {
    return cudaErrorNotSupported;
}
cudaError_t cudaMalloc(void** p, size_t n) {
    emu_mallocs++;
    *p = take(n);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaMallocManaged(void** p, size_t n, unsigned) { return cudaMalloc(p, n); }
cudaError_t cudaMalloc3DArray(cudaArray_t*, const cudaChannelFormatDesc*, cudaExtent, unsigned) {
    return cudaErrorNotSupported;
}
cudaError_t cudaMallocArray(cudaArray_t*, const cudaChannelFormatDesc*, size_t, size_t, unsigned) {
    return cudaErrorNotSupported;
}
cudaError_t cudaMallocAsync(void** p, size_t n, cudaStream_t) { return cudaMalloc(p, n); }
cudaError_t cudaMallocFromPoolAsync(void** p, size_t n, cudaMemPool_t, cudaStream_t) {
    return cudaMalloc(p, n);
}
cudaError_t cudaHostAlloc(void** p, size_t n, unsigned) { return cudaMalloc(p, n); }
cudaError_t cudaHostRegister(void*, size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
cudaError_t cudaFree(void* p) {
    give(p);
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* p) {
    give(p);
    return cudaSuccess;
}
cudaError_t cudaFreeArray(cudaArray_t) { return cudaErrorNotSupported; }
cudaError_t cudaFreeAsync(void* p, cudaStream_t) {
    give(p);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* f, size_t* t) {
    *t = total_;
    *f = total_ - used_;
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void* d, const void* s, size_t n, cudaMemcpyKind k) {
    count(k);
    memmove(d, s, n);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* d, const void* s, size_t n, cudaMemcpyKind k, cudaStream_t) {
    count(k);
    memmove(d, s, n);
    return cudaSuccess;
}
cudaError_t cudaMemcpyPeer(void* d, int, const void* s, int, size_t n) {
    memmove(d, s, n);
    return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void* d, int, const void* s, int, size_t n, cudaStream_t) {
    memmove(d, s, n);
    return cudaSuccess;
}
cudaError_t cudaMemcpy2DFromArray(void*, size_t, cudaArray_const_t, size_t, size_t, size_t, size_t,
                                  cudaMemcpyKind) {
    return cudaErrorNotSupported;
}
cudaError_t cudaMemcpy2DFromArrayAsync(void*, size_t, cudaArray_const_t, size_t, size_t, size_t,
                                       size_t, cudaMemcpyKind, cudaStream_t) {
    return cudaErrorNotSupported;
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void*, size_t, size_t, size_t,
                                cudaMemcpyKind) {
    return cudaErrorNotSupported;
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t, size_t, size_t, const void*, size_t, size_t,
                                     size_t, cudaMemcpyKind, cudaStream_t) {
    return cudaErrorNotSupported;
}
cudaError_t cudaMemcpy2D(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h,
                         cudaMemcpyKind) {
    for (size_t i = 0; i < h; i++) memmove((char*)d + i * dp, (const char*)s + i * sp, w);
    return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h,
                              cudaMemcpyKind k, cudaStream_t) {
    return cudaMemcpy2D(d, dp, s, sp, w, h, k);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms*) { return cudaErrorNotSupported; }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms*, cudaStream_t) {
    return cudaErrorNotSupported;
}
cudaError_t cudaMemset(void* d, int v, size_t n) {
    memset(d, v, n);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* d, int v, size_t n, cudaStream_t) {
    emu_memsets++;
    memset(d, v, n);
    return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) {
    return cudaSuccess;
}
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) {
    return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int) { return cudaErrorNotSupported; }
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t*, int) { return cudaErrorNotSupported; }
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaErrorNotSupported; }
cudaError_t cudaMemPoolCreate(cudaMemPool_t*, const cudaMemPoolProps*) {
    return cudaErrorNotSupported;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaErrorNotSupported; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaErrorNotSupported; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
    return cudaErrorNotSupported;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
    return cudaErrorNotSupported;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, const void* p) {
    memset(a, 0, sizeof *a);
    a->type = cudaMemoryTypeDevice;
    a->device = 0;
    a->devicePointer = (void*)p;
    a->hostPointer = 0;
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* s) {
    *s = (cudaStream_t)malloc(16);
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) { return cudaStreamCreate(s); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned, int) {
    return cudaStreamCreate(s);
}
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned* f) {
    *f = 0;
    return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t, int* p) {
    *p = 0;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t s) {
    free(s);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
    emu_syncs++;
    if (getenv("EMU_TRACE")) fprintf(stderr, "SYNC\n");
    return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void* d, unsigned) {
    f(s, cudaSuccess, d);
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t f, void* d) {
    f(d);
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
    return cudaErrorNotSupported;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) { return cudaErrorNotSupported; }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* s) {
    *s = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* e) {
    *e = (cudaEvent_t)calloc(1, sizeof(timespec));
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) { return cudaEventCreate(e); }
cudaError_t cudaEventDestroy(cudaEvent_t e) {
    free(e);
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b) {
    timespec* s = (timespec*)a;
    timespec* t = (timespec*)b;
    *ms = (float)((t->tv_sec - s->tv_sec) * 1e3 + (t->tv_nsec - s->tv_nsec) * 1e-6);
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t) {
    clock_gettime(CLOCK_MONOTONIC, (timespec*)e);
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaCreateTextureObject(cudaTextureObject_t*, const cudaResourceDesc*,
                                    const cudaTextureDesc*, const cudaResourceViewDesc*) {
    return cudaErrorNotSupported;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t) { return cudaErrorNotSupported; }
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc*, cudaArray_const_t) {
    return cudaErrorNotSupported;
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc*, cudaTextureObject_t) {
    return cudaErrorNotSupported;
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc*, cudaTextureObject_t) {
    return cudaErrorNotSupported;
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t*, const cudaResourceDesc*) {
    return cudaErrorNotSupported;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
    return cudaErrorNotSupported;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t, const char*, unsigned) {
    return cudaErrorNotSupported;
}
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
}
