// libcuda.so.1 and libnvrtc.so.13 for kernels compiled with g++ and run on the host.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <string>
#include <vector>
#include <map>
#include <regex>
#include <fstream>
#include <sstream>
#include <dlfcn.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <mutex>
struct emu_dim3 {
    unsigned x, y, z;
};
extern "C" {
__attribute__((visibility("default"))) emu_dim3 threadIdx, blockIdx, blockDim, gridDim;
__attribute__((visibility("default"))) char* emu_dynamic;
}
static std::mutex run_;
extern "C" {
__attribute__((visibility("default"))) long emu_launches = 0;
__attribute__((visibility("default"))) long emu_compiles = 0;
}
struct Named {
    std::string name;
    long n;
};
static std::map<std::string, long> by_name;
static std::string dir() {
    const char* d = getenv("EMU_DIR");
    return d ? d : "EMU_FOLDER";
}
// ---- fibers
enum State { RUN, BLOCK, WARP, DONE };
struct Fiber {
    ucontext_t c;
    State s;
    emu_dim3 id;
    unsigned n;
};
static std::vector<Fiber> fibers;
static std::vector<char*> stacks;
static ucontext_t main_;
static int cur = -1;
static char slots[64][32][16];
static const size_t STACK = 128 << 10;
struct Kernel {
    void (*launch)(void**);
    bool meets;
    bool grid;
    std::string name;
};
static Kernel* kern;
static void** kargs;
static void body() {
    kern->launch(kargs);
    fibers[cur].s = DONE;
    swapcontext(&fibers[cur].c, &main_);
}
static void wait(State s) {
    if (cur < 0) return;
    int me = cur;
    fibers[me].s = s;
    swapcontext(&fibers[me].c, &main_);
}
extern "C" {
__attribute__((visibility("default"))) void emu_sync_block() { wait(BLOCK); }
__attribute__((visibility("default"))) void emu_sync_warp() { wait(WARP); }
__attribute__((visibility("default"))) void* emu_slot(int lane) {
    return slots[fibers[cur].n / 32][lane & 31];
}
__attribute__((visibility("default"))) unsigned emu_lane() { return fibers[cur].n & 31; }
__attribute__((visibility("default"))) double emu_erfinv_c(double y) {
    if (y <= -1 || y >= 1) return y == 1 ? HUGE_VAL : y == -1 ? -HUGE_VAL : NAN;
    double w = -log((1 - y) * (1 + y)), x;
    double a = 0.147, l = log(1 - y * y), t = 2 / (M_PI * a) + l / 2;
    x = copysign(sqrt(sqrt(t * t - l / a) - t), y);
    for (int i = 0; i < 4; i++) {
        double e = (y > 0 ? -(erfc(x) - (1 - y)) : (erfc(-x) - (1 + y)));
        double d = M_2_SQRTPI * exp(-x * x);
        if (d == 0) break;
        x -= e / (d - 0 * x);
    }
    (void)w;
    return x;
}
__attribute__((visibility("default"))) double emu_i0(double x) {
    double s = 1, t = 1, q = x * x / 4;
    for (int k = 1; k < 500; k++) {
        t *= q / ((double)k * k);
        s += t;
        if (t < s * 1e-17) break;
    }
    return s;
}
__attribute__((visibility("default"))) double emu_i1(double x) {
    double t = x / 2, s = t, q = x * x / 4;
    for (int k = 1; k < 500; k++) {
        t *= q / ((double)k * (k + 1));
        s += t;
        if (fabs(t) < fabs(s) * 1e-17) break;
    }
    return s;
}
}
static void run_block(unsigned n) {
    if (fibers.size() < n) fibers.resize(n);
    while (stacks.size() < n) stacks.push_back((char*)malloc(STACK));
    for (unsigned i = 0; i < n; i++) {
        Fiber& f = fibers[i];
        getcontext(&f.c);
        f.c.uc_stack.ss_sp = stacks[i];
        f.c.uc_stack.ss_size = STACK;
        f.c.uc_link = 0;
        makecontext(&f.c, body, 0);
        f.s = RUN;
        f.n = i;
        f.id = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
    }
    for (;;) {
        bool ran = false;
        for (unsigned i = 0; i < n; i++)
            if (fibers[i].s == RUN) {
                ran = true;
                cur = i;
                threadIdx = fibers[i].id;
                swapcontext(&main_, &fibers[i].c);
            }
        cur = -1;
        bool freed = false;
        for (unsigned w = 0; w < n; w += 32) {
            unsigned e = w + 32 < n ? w + 32 : n;
            bool all = true, any = false;
            for (unsigned i = w; i < e; i++) {
                if (fibers[i].s == WARP)
                    any = true;
                else if (fibers[i].s != DONE)
                    all = false;
            }
            if (all && any) {
                freed = true;
                for (unsigned i = w; i < e; i++)
                    if (fibers[i].s == WARP) fibers[i].s = RUN;
            }
        }
        if (freed) continue;
        bool all = true, any = false;
        for (unsigned i = 0; i < n; i++) {
            if (fibers[i].s == BLOCK)
                any = true;
            else if (fibers[i].s != DONE)
                all = false;
        }
        if (any && all) {
            for (unsigned i = 0; i < n; i++)
                if (fibers[i].s == BLOCK) fibers[i].s = RUN;
            continue;
        }
        if (!any && all) return;
        if (!ran) {
            fprintf(stderr, "emulator: barrier that not all threads reach\n");
            abort();
        }
    }
}
static void run(Kernel* k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                unsigned bz, unsigned smem, void** args) {
    std::lock_guard<std::mutex> g(run_);
    std::vector<char> dynamic(smem + 64);
    emu_dynamic = (char*)(((size_t)dynamic.data() + 63) & ~(size_t)63);
    kern = k;
    kargs = args;
    if (!k->grid) {
        gx = gy = gz = 1;
        bx = by = bz = 1;
    }  // nothing but a loop of grid stride
    gridDim = {gx, gy, gz};
    blockDim = {bx, by, bz};
    for (unsigned z = 0; z < gz; z++)
        for (unsigned y = 0; y < gy; y++)
            for (unsigned x = 0; x < gx; x++) {
                blockIdx = {x, y, z};
                if (k->meets)
                    run_block(bx * by * bz);
                else
                    for (unsigned c = 0; c < bz; c++)
                        for (unsigned b = 0; b < by; b++)
                            for (unsigned a = 0; a < bx; a++) {
                                threadIdx = {a, b, c};
                                k->launch(args);
                            }
            }
}
// ---- driver
#define API extern "C" __attribute__((visibility("default"))) int
struct Module {
    void* so;
    std::map<std::string, Kernel*> kernels;
};
API cuGetErrorName(int e, const char** s) {
    static thread_local char b[32];
    snprintf(b, 32, "CUDA_ERROR_%d", e);
    *s = b;
    return 0;
}
API cuGetErrorString(int e, const char** s) {
    *s = "emulated driver error";
    return 0;
}
API cuDevicePrimaryCtxRelease_v2(int) { return 0; }
static int ctx_;
API cuCtxGetCurrent(void** c) {
    *c = &ctx_;
    return 0;
}
API cuCtxSetCurrent(void*) { return 0; }
API cuCtxCreate_v2(void** c, unsigned, int) {
    *c = &ctx_;
    return 0;
}
API cuCtxDestroy_v2(void*) { return 0; }
API cuCtxGetDevice(int* d) {
    *d = 0;
    return 0;
}
API cuLinkCreate_v2(...) { return 801; }
API cuLinkAddData_v2(...) { return 801; }
API cuLinkAddFile_v2(...) { return 801; }
API cuLinkComplete(...) { return 801; }
API cuLinkDestroy(...) { return 801; }
API cuModuleLoad(void** m, const char* f) { return 801; }
API cuModuleLoadData(void** m, const void* image) {
    const char* s = (const char*)image;
    if (strncmp(s, "EMU:", 4)) {
        fprintf(stderr, "emulator: a module that is not mine\n");
        return 200;
    }
    void* so = dlopen(s + 4, RTLD_NOW | RTLD_LOCAL);
    if (!so) {
        fprintf(stderr, "emulator: %s\n", dlerror());
        return 200;
    }
    *m = new Module{so, {}};
    return 0;
}
API cuModuleUnload(void* m) { return 0; }
API cuModuleGetFunction(void** f, void* m, const char* name) {
    Module* mod = (Module*)m;
    auto launch = (void (*)(void**))dlsym(mod->so, (std::string("emu_launch_") + name).c_str());
    if (!launch) {
        fprintf(stderr, "emulator: no kernel %s\n", name);
        return 500;
    }
    auto flag = [&](const char* n) {
        int* p = (int*)dlsym(mod->so, n);
        return p && *p;
    };
    Kernel*& k = mod->kernels[name];
    if (!k) k = new Kernel{launch, flag("emu_meets"), flag("emu_grid"), name};
    *f = k;
    return 0;
}
API cuModuleGetGlobal_v2(void** p, size_t* n, void* m, const char* name) {
    *p = dlsym(((Module*)m)->so, name);
    if (n) *n = 0;
    return *p ? 0 : 500;
}
API cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned sm, void* st, void** a, void** e) {
    if (bx * by * bz > 1024 || !gx || !bx) return 1;
    emu_launches++;
    if (getenv("EMU_TRACE")) fprintf(stderr, "launch %s\n", ((Kernel*)f)->name.c_str());
    run((Kernel*)f, gx, gy, gz, bx, by, bz, sm, a);
    return 0;
}
API cuLaunchCooperativeKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned sm, void* st, void** a) {
    return 801;
}
API cuFuncGetAttribute(int* v, int a, void*) {
    *v = a == 0 ? 1024 : 0;
    return 0;
}
API cuFuncSetAttribute(void*, int, int) { return 0; }
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int* n, void*, int, size_t) {
    *n = 4;
    return 0;
}
API cuOccupancyMaxPotentialBlockSize(int* g, int* b, void*, void*, size_t, int) {
    *g = 132;
    *b = 128;
    return 0;
}
API cuStreamGetCtx(void*, void** c) {
    *c = &ctx_;
    return 0;
}
// ---- run-time compiler
struct Program {
    std::string src, log, out;
    std::vector<std::string> names, lowered;
};
extern "C" __attribute__((visibility("default"))) const char* nvrtcGetErrorString(int e) {
    return "emulated nvrtc error";
}
API nvrtcVersion(int* a, int* b) {
    *a = 13;
    *b = 0;
    return 0;
}
API nvrtcCreateProgram(Program** p, const char* src, const char* name, int, const char**,
                       const char**) {
    *p = new Program{src};
    return 0;
}
API nvrtcDestroyProgram(Program** p) {
    delete *p;
    return 0;
}
static unsigned long long hash(const std::string& s) {
    unsigned long long h = 1469598103934665603ull;
    for (unsigned char c : s) {
        h ^= c;
        h *= 1099511628211ull;
    }
    return h;
}
API nvrtcCompileProgram(Program* p, int n, const char** opts) {
    std::string src = p->src, flags;
    for (int i = 0; i < n; i++) {
        std::string o = opts[i];
        if (o.compare(0, 2, "-I") == 0 || o.compare(0, 2, "-D") == 0) flags += " '" + o + "'";
    }
    // includes of the toolkit itself would need nvcc: those of this directory stand in front of
    // them
    std::ostringstream out;
    static const std::regex dyn(R"(extern\s+__shared__\s+([\w:<> ,]+?)\s+(\w+)\s*\[\s*\]\s*;)");
    src = std::regex_replace(src, dyn, "$1* $2 = ($1*)emu_dynamic;");
    bool meets = src.find("__sync") != std::string::npos ||
                 src.find("__shfl") != std::string::npos || src.find("_sync(") != std::string::npos;
    std::string plain = src;
    bool grid = meets || plain.find("threadIdx") != std::string::npos ||
                plain.find("blockIdx") != std::string::npos ||
                plain.find("return;") != std::string::npos;
    std::vector<std::string> kernels;
    static const std::regex name(
        R"(__global__\s+(?:void\s+)?(?:__launch_bounds__\s*\([^)]*\)\s*)?(?:void\s+)?(\w+)\s*\()");
    for (std::sregex_iterator i(src.begin(), src.end(), name), e; i != e; ++i) {
        std::string before = src.substr(0, i->position());
        size_t t = before.find_last_not_of(" \n\t\r");
        if (t != std::string::npos && before[t] == '>' &&
            before.rfind("template") != std::string::npos &&
            before.find('{', before.rfind("template")) == std::string::npos)
            continue;
        kernels.push_back((*i)[1]);
    }
    static const std::regex ext(R"(extern\s+"C"\s+__global__)");
    src = std::regex_replace(src, ext, "__global__");
    out << "#include \"kernels.h\"\n"
        << src << "\nextern \"C\" { int emu_meets = " << meets << ", emu_grid = " << grid
        << "; }\n";
    for (auto& k : kernels)
        out << "extern \"C\" void emu_launch_" << k << "(void** a) { emu_call(&" << k
            << ", a); }\n";
    p->lowered.clear();
    for (auto& e : p->names) {
        std::string id;
        for (char c : e) id += isalnum((unsigned char)c) ? c : '_';
        p->lowered.push_back(id);
        out << "extern \"C\" void emu_launch_" << id << "(void** a) { emu_call(&" << e
            << ", a); }\n";
    }
    char key[32];
    snprintf(key, 32, "%016llx", hash(out.str() + flags));
    std::string base = dir() + "/cache/" + key, so = base + ".so";
    p->out = "EMU:" + so;
    p->log = "";
    if (access(so.c_str(), R_OK) == 0) return 0;
    {
        std::ofstream f(base + ".cpp");
        f << out.str();
    }
    std::string tmp = base + "." + std::to_string(getpid()) + ".so";
    std::string cmd = "g++ -std=c++17 -O1 -w -fpermissive -fPIC -shared -ffp-contract=off -I" +
                      dir() + "/include" + flags + " " + base + ".cpp -o " + tmp + " -L" + dir() +
                      "/lib -l:libcuda.so.1 -Wl,-rpath," + dir() + "/lib" + " 2>" + base + ".log";
    int rc = system(cmd.c_str());
    if (rc) {
        std::ifstream f(base + ".log");
        std::ostringstream s;
        s << f.rdbuf();
        p->log = "[emulator] " + base + ".cpp\n" + s.str().substr(0, 4000);
        return 6;
    }
    rename(tmp.c_str(), so.c_str());
    unlink((base + ".log").c_str());
    return 0;
}
API nvrtcGetPTXSize(Program* p, size_t* n) {
    *n = p->out.size() + 1;
    return 0;
}
API nvrtcGetPTX(Program* p, char* c) {
    strcpy(c, p->out.c_str());
    return 0;
}
API nvrtcGetCUBINSize(Program* p, size_t* n) {
    *n = p->out.size() + 1;
    return 0;
}
API nvrtcGetCUBIN(Program* p, char* c) {
    strcpy(c, p->out.c_str());
    return 0;
}
API nvrtcGetProgramLogSize(Program* p, size_t* n) {
    *n = p->log.size() + 1;
    return 0;
}
API nvrtcGetProgramLog(Program* p, char* c) {
    strcpy(c, p->log.c_str());
    return 0;
}
API nvrtcAddNameExpression(Program* p, const char* s) {
    p->names.push_back(s);
    return 0;
}
API nvrtcGetLoweredName(Program* p, const char* s, const char** r) {
    for (size_t i = 0; i < p->names.size(); i++)
        if (p->names[i] == s && i < p->lowered.size()) {
            *r = p->lowered[i].c_str();
            return 0;
        }
    *r = s;
    return 0;
}
API nvrtcGetNumSupportedArchs(int* n) {
    *n = 1;
    return 0;
}
API nvrtcGetSupportedArchs(int* a) {
    *a = 90;
    return 0;
}
API nvrtcGetLTOIRSize(Program*, size_t* n) {
    *n = 0;
    return 0;
}
API nvrtcGetLTOIR(Program*, char*) { return 0; }
