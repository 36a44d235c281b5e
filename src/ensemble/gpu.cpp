#include "ensemble/gpu.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>

namespace escapement::inline ensemble {

namespace {

namespace fs = std::filesystem;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// a library that may be there
class Library {
 public:
  explicit Library(std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (!handle_) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  explicit operator bool() const { return handle_ != nullptr; }
  template <class F>
  void find(const char* name, F& function) const {
    function = reinterpret_cast<F>(dlsym(handle_, name));
    if (!function) throw GpuError(fmt::format("the CUDA library has no function {}; take a newer driver, or --on lanes", name));
  }

 private:
  void* handle_ = nullptr;  // stays open: drivers do not like to be closed
};

// the part of the driver's interface that is used here, with its names
struct Driver {
  using Device = int;
  using Handle = void*;
  using Pointer = unsigned long long;
  int (*cuInit)(unsigned) = nullptr;
  int (*cuDeviceGet)(Device*, int) = nullptr;
  int (*cuDeviceGetName)(char*, int, Device) = nullptr;
  int (*cuDeviceGetAttribute)(int*, int, Device) = nullptr;
  int (*cuDevicePrimaryCtxRetain)(Handle*, Device) = nullptr;
  int (*cuDevicePrimaryCtxRelease)(Device) = nullptr;
  int (*cuCtxSetCurrent)(Handle) = nullptr;
  int (*cuModuleLoadData)(Handle*, const void*) = nullptr;
  int (*cuModuleGetFunction)(Handle*, Handle, const char*) = nullptr;
  int (*cuMemAlloc)(Pointer*, std::size_t) = nullptr;
  int (*cuMemFree)(Pointer) = nullptr;
  int (*cuMemcpyHtoD)(Pointer, const void*, std::size_t) = nullptr;
  int (*cuMemcpyDtoH)(void*, Pointer, std::size_t) = nullptr;
  int (*cuLaunchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**) = nullptr;
  int (*cuCtxSynchronize)() = nullptr;
  int (*cuGetErrorString)(int, const char**) = nullptr;

  Driver() {
    const Library library{"libcuda.so.1", "libcuda.so"};
    if (!library) throw GpuError("there is no driver of an NVIDIA GPU on this machine (libcuda.so.1); take --on lanes");
    library.find("cuInit", cuInit);
    library.find("cuDeviceGet", cuDeviceGet);
    library.find("cuDeviceGetName", cuDeviceGetName);
    library.find("cuDeviceGetAttribute", cuDeviceGetAttribute);
    library.find("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain);
    library.find("cuDevicePrimaryCtxRelease_v2", cuDevicePrimaryCtxRelease);
    library.find("cuCtxSetCurrent", cuCtxSetCurrent);
    library.find("cuModuleLoadData", cuModuleLoadData);
    library.find("cuModuleGetFunction", cuModuleGetFunction);
    library.find("cuMemAlloc_v2", cuMemAlloc);
    library.find("cuMemFree_v2", cuMemFree);
    library.find("cuMemcpyHtoD_v2", cuMemcpyHtoD);
    library.find("cuMemcpyDtoH_v2", cuMemcpyDtoH);
    library.find("cuLaunchKernel", cuLaunchKernel);
    library.find("cuCtxSynchronize", cuCtxSynchronize);
    library.find("cuGetErrorString", cuGetErrorString);
  }
  void check(int status, const char* what) const {
    if (status == 0) return;
    const char* text = nullptr;
    cuGetErrorString(status, &text);
    throw GpuError(fmt::format("the GPU could not {} ({}); take --on lanes", what, text ? text : "no reason given"));
  }
};

// the compiler of kernels
class Compiler {
 public:
  Compiler() : library_{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"} {}

  std::vector<char> compile(const std::string& source, int architecture) const {
    if (!library_) throw GpuError("the compiler of kernels is missing (libnvrtc of CUDA 11.2 or later); install CUDA's NVRTC, or take --on lanes");
    using Program = void*;
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*build)(Program, int, const char* const*) = nullptr;
    int (*log_size)(Program, std::size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;
    int (*size)(Program, std::size_t*) = nullptr;
    int (*code)(Program, char*) = nullptr;
    int (*destroy)(Program*) = nullptr;
    library_.find("nvrtcCreateProgram", create);
    library_.find("nvrtcCompileProgram", build);
    library_.find("nvrtcGetProgramLogSize", log_size);
    library_.find("nvrtcGetProgramLog", log);
    library_.find("nvrtcGetCUBINSize", size);
    library_.find("nvrtcGetCUBIN", code);
    library_.find("nvrtcDestroyProgram", destroy);
    Program program = nullptr;
    if (create(&program, source.c_str(), "members.cu", 0, nullptr, nullptr) != 0) throw GpuError("the compiler of kernels could not begin; take --on lanes");
    const std::string arch = fmt::format("--gpu-architecture=sm_{}", architecture);
    const char* options[] = {arch.c_str(), "--std=c++17"};
    const int status = build(program, 2, options);
    std::vector<char> result;
    std::size_t bytes = 0;
    if (status == 0 && size(program, &bytes) == 0) {
      result.resize(bytes);
      code(program, result.data());
    } else if (log_size(program, &bytes) == 0) {
      result.resize(bytes + 1);
      log(program, result.data());
    }
    destroy(&program);
    if (status != 0) {
      const std::string text(result.data());
      throw GpuError(fmt::format("the kernel could not be compiled: {}", text.substr(0, text.find('\n'))));
    }
    return result;
  }

 private:
  Library library_;
};

// two hashes of 64 bits, by Fowler, Noll and Vo
std::string content_name(const std::string& text) {
  std::uint64_t a = 0xcbf29ce484222325u, b = 0x84222325cbf29ce4u;
  for (const char c : text) {
    a = (a ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    b = (b ^ static_cast<unsigned char>(c) ^ (a >> 32)) * 0x100000001b3u;
  }
  return fmt::format("{:016x}{:016x}", a, b);
}

std::vector<char> read_whole(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// a kernel that cannot be kept is compiled again next time
void keep(const fs::path& path, const std::vector<char>& code) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  const fs::path draft = path.string() + fmt::format(".{}", getpid());
  std::ofstream(draft, std::ios::binary).write(code.data(), static_cast<std::streamsize>(code.size()));
  fs::rename(draft, path, failed);
  if (failed) fs::remove(draft, failed);
}

class Gpu {
 public:
  explicit Gpu(std::string& name) {
    d_.check(d_.cuInit(0), "start");
    if (d_.cuDeviceGet(&device_, 0) != 0) throw GpuError("there is no NVIDIA GPU on this machine; take --on lanes");
    char text[128] = "";
    d_.cuDeviceGetName(text, sizeof text, device_);
    name = text;
    int major = 0, minor = 0;
    d_.check(d_.cuDeviceGetAttribute(&major, 75, device_), "say what it is");
    d_.check(d_.cuDeviceGetAttribute(&minor, 76, device_), "say what it is");
    architecture_ = 10 * major + minor;
    d_.check(d_.cuDevicePrimaryCtxRetain(&context_, device_), "be opened");
    d_.check(d_.cuCtxSetCurrent(context_), "be opened");
  }
  ~Gpu() {
    for (const Driver::Pointer p : taken_) d_.cuMemFree(p);
    d_.cuDevicePrimaryCtxRelease(device_);
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // true: it was in the cache
  bool load(const std::string& source) {
    const fs::path kept = kernel_cache() / fmt::format("{}.cubin", content_name(fmt::format("sm_{}\n{}", architecture_, source)));
    std::vector<char> code = read_whole(kept);
    const bool known = !code.empty();
    if (!known) {
      code = Compiler().compile(source, architecture_);
      keep(kept, code);
    }
    Driver::Handle module = nullptr;
    d_.check(d_.cuModuleLoadData(&module, code.data()), "load the kernel");
    d_.check(d_.cuModuleGetFunction(&kernel_, module, "escapement_members"), "find the kernel");
    return known;
  }

  template <class T>
  Driver::Pointer put(const T* data, std::size_t count) {
    Driver::Pointer p = take(count * sizeof(T));
    if (count > 0) d_.check(d_.cuMemcpyHtoD(p, data, count * sizeof(T)), "take the members");
    return p;
  }
  Driver::Pointer take(std::size_t bytes) {
    Driver::Pointer p = 0;
    d_.check(d_.cuMemAlloc(&p, std::max<std::size_t>(bytes, 8)), "hold so many members");
    taken_.push_back(p);
    return p;
  }
  void get(Driver::Pointer from, double* to, std::size_t count) { d_.check(d_.cuMemcpyDtoH(to, from, count * sizeof(double)), "give the results back"); }
  void run(GpuArguments& arguments, int threads) {
    const auto block = static_cast<unsigned>(threads);
    void* list[] = {&arguments};
    d_.check(d_.cuLaunchKernel(kernel_, (static_cast<unsigned>(arguments.members) + block - 1) / block, 1, 1, block, 1, 1, 0, nullptr, list, nullptr), "run the kernel");
    d_.check(d_.cuCtxSynchronize(), "run the kernel");
  }

 private:
  Driver d_;
  Driver::Device device_ = 0;
  Driver::Handle context_ = nullptr, kernel_ = nullptr;
  int architecture_ = 0;
  std::vector<Driver::Pointer> taken_;
};

}  // namespace

fs::path kernel_cache() {
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  const fs::path folder = cache && *cache ? fs::path(cache) : home && *home ? fs::path(home) / ".cache" : fs::temp_directory_path();
  return folder / "escapement" / "kernels";
}

void run_gpu(const Ensemble& e, std::span<const double> parameters, const EnsembleHooks& hooks, EnsembleResult& result, GpuTimes* times, const GpuShape& shape) {
  GpuTimes here;
  GpuTimes& spent = times ? *times : here;
  const auto kinds = static_cast<std::size_t>(e.parameters), values = e.reductions.size();
  const std::size_t members = kinds > 0 ? parameters.size() / kinds : 0;
  result.resize(members, values);
  double begin = seconds();
  Gpu gpu(spent.device);
  spent.prepare = seconds() - begin;
  begin = seconds();
  spent.from_cache = gpu.load(gpu_source(e, shape));
  spent.kernel_code = seconds() - begin;
  begin = seconds();

  std::vector<double> side_by_side(parameters.size());
  for (std::size_t k = 0; k < members; ++k)
    for (std::size_t p = 0; p < kinds; ++p) side_by_side[p * members + k] = parameters[k * kinds + p];
  const EnsembleTimes& t = e.times;
  GpuArguments a{};
  const auto slots = static_cast<std::size_t>(gpu_slots(e));
  const Driver::Pointer state = gpu.take(slots * members * sizeof(double));
  a.parameters = reinterpret_cast<const double*>(gpu.put(side_by_side.data(), side_by_side.size()));
  a.state = reinterpret_cast<double*>(state);
  a.sample_step = reinterpret_cast<const int*>(gpu.put(t.sample_step.data(), t.sample_step.size()));
  a.sample_part = reinterpret_cast<const double*>(gpu.put(t.sample_part.data(), t.sample_part.size()));
  a.sample_time = reinterpret_cast<const double*>(gpu.put(t.sample_time.data(), t.sample_time.size()));
  a.begin = e.settings.start;
  a.step = e.settings.step;
  a.end = e.settings.end;
  a.steps = t.steps;
  a.samples = static_cast<int>(t.sample_step.size());
  a.members = static_cast<int>(members);

  // calls of a quarter of a second: screens stay alive, and who interrupts is heard
  constexpr double wanted = 0.25;
  int some = 16;
  for (a.from = 0; a.from < t.steps; a.from = a.to) {
    a.to = std::min(t.steps, a.from + some);
    const double before = seconds();
    gpu.run(a, shape.block);
    const double took = seconds() - before;
    some = static_cast<int>(std::clamp(static_cast<double>(some) * wanted / std::max(took, 1e-6), 16.0, std::min(8.0 * some, 1e8)));
    while (a.sample < a.samples && t.sample_step[static_cast<std::size_t>(a.sample)] < a.to) ++a.sample;
    if (hooks.on_members) hooks.on_members(members * static_cast<std::size_t>(a.to) / static_cast<std::size_t>(t.steps), members);
    if (hooks.interrupt && hooks.interrupt->load()) return;
  }

  std::vector<double> kept((2 * values + 4) * members);
  gpu.get(state, kept.data(), kept.size());
  const double span = t.sample_time.empty() ? 0 : t.sample_time.back() - e.settings.start;
  for (std::size_t k = 0; k < members; ++k) {
    for (std::size_t i = 0; i < values; ++i) {
      const double best = kept[i * members + k], last = kept[(values + i) * members + k];
      result.value[k * values + i] = e.reductions[i] != static_cast<int>(Reduction::mean) ? best : span > 0 ? best / span : last;
    }
    result.impacts[k] = kept[2 * values * members + k];
    result.failure[k] = kept[(2 * values + 1) * members + k];
    result.failed_at[k] = kept[(2 * values + 2) * members + k];
    result.work[k] = kept[(2 * values + 3) * members + k];
  }
  spent.run = seconds() - begin;
  result.complete = true;
}

}  // namespace escapement
