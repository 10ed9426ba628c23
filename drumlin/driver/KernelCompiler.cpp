#include "drumlin/driver/KernelCompiler.h"

#include "drumlin/codegen/cpu/EntryEmitter.h"
#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"
#include "drumlin/driver/CompileBudget.h"
#include "drumlin/driver/KernelCache.h"
#include "drumlin/ir/plan/CodeEffort.h"
#include "drumlin/ir/plan/KernelKey.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/SystemLimits.h"
#include "drumlin/support/Threads.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

namespace drumlin {

// Hashes everything that the code generator reads: the kernel's operations and schedule, its
// function's name, and the target. The version of the code generator isn't hashed here; the cache
// adds it to the key.
static std::string cacheKey(plan::KernelOp kernel, const CpuTarget &target) {
  Hasher hasher;
  hasher.addField(plan::kernelKey(kernel));
  hasher.addField(kernel.getKey());
  hasher.addField(target.name);
  hasher.addField(target.featureString());
  hasher.addField(target.tunedFor);
  return hasher.str();
}

// Returns a kernel as the content of a cache entry: five numbers, then the symbolic sizes and the
// routines' names, one per line, then the object code.
static std::string pack(const CompiledKernel &kernel) {
  const codegen::KernelProperties &properties = kernel.properties;
  std::string lines;
  for (const SizeExpression &size :
       {properties.tiles.expression(), properties.scratchBytes, properties.partialBytes}) {
    lines += size.str() + "\n";
  }
  for (const std::string &name : kernel.routines) {
    lines += name + "\n";
  }
  int64_t numbers[] = {properties.tiles.nominal, properties.tilesTogether, properties.hasFinish,
                       properties.steps, static_cast<int64_t>(lines.size())};
  return std::string(reinterpret_cast<const char *>(numbers), sizeof(numbers)) + lines +
         kernel.object;
}

static bool unpack(const std::string &packed, CompiledKernel &kernel) {
  int64_t numbers[5];
  if (packed.size() < sizeof(numbers)) {
    return false;
  }
  std::memcpy(numbers, packed.data(), sizeof(numbers));
  llvm::StringRef rest = llvm::StringRef(packed).drop_front(sizeof(numbers));
  llvm::StringRef lines = rest.take_front(static_cast<size_t>(numbers[4]));
  auto next = [&]() -> std::string {
    auto [line, others] = lines.split('\n');
    lines = others;
    return line.str();
  };
  SizeExpression tiles;
  for (SizeExpression *size :
       {&tiles, &kernel.properties.scratchBytes, &kernel.properties.partialBytes}) {
    std::optional<SizeExpression> read = SizeExpression::parse(next());
    if (!read) {
      return false;
    }
    *size = std::move(*read);
  }
  kernel.properties.tiles = Size(numbers[0], tiles);
  kernel.properties.tilesTogether = numbers[1];
  kernel.properties.hasFinish = numbers[2] != 0;
  kernel.properties.steps = numbers[3];
  while (!lines.empty()) {
    kernel.routines.push_back(next());
  }
  kernel.object = rest.drop_front(static_cast<size_t>(numbers[4])).str();
  return true;
}

// Makes a file name from a kernel's name, which comes from the program and may contain any path.
// Unsafe characters are replaced. A hash of the original name keeps the file names distinct.
static std::string fileName(const std::string &name) {
  constexpr size_t longest = 100;
  std::string safe;
  for (char c : name.substr(0, longest)) {
    safe += llvm::isAlnum(c) || c == '_' || c == '-' ? c : '_';
  }
  return safe == name ? safe : safe + "-" + contentHash(name);
}

static std::vector<std::string> routinesOf(const llvm::Module &module, const CpuTarget &target) {
  std::vector<std::string> names;
  for (const llvm::Function &function : module) {
    if (function.isDeclaration() && embeddedRoutines().find(function.getName(), target)) {
      names.push_back(function.getName().str());
    }
  }
  return names;
}

static codegen::Effort effortOf(plan::CodeEffort effort) {
  switch (effort) {
  case plan::CodeEffort::Full:
    return codegen::Effort::Full;
  case plan::CodeEffort::Lean:
    return codegen::Effort::Lean;
  case plan::CodeEffort::Quick:
    return codegen::Effort::Quick;
  }
  llvm_unreachable("every effort is listed");
}

static Result<CompiledKernel> compileOne(plan::KernelOp kernel, const CpuTarget &target,
                                         const CompileOptions &options, const KernelCache &cache,
                                         codegen::ObjectEmitter &emitter) {
  auto begin = std::chrono::steady_clock::now();
  CompiledKernel compiled;
  compiled.name = kernel.getSymName();
  std::string key = cache.isUsed() ? cacheKey(kernel, target) : "";
  if (std::optional<std::string> found = cache.lookup(key); found && unpack(*found, compiled)) {
    compiled.fromCache = true;
    return compiled;
  }
  llvm::LLVMContext context;
  llvm::Module module(compiled.name, context);
  std::string function = codegen::kernelFunctionName(kernel);
  Result<codegen::KernelProperties> properties =
      codegen::emitKernel(kernel, function, module, target, embeddedRoutines());
  if (!properties) {
    return properties.error();
  }
  compiled.properties = *properties;
  compiled.routines = routinesOf(module, target);
  if (!options.dumpLlvm.empty()) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    std::string path = options.dumpLlvm + "/" + fileName(compiled.name) + ".ll";
    if (Status status = writeFile(path, text); !status) {
      return status.error();
    }
  }
  Result<llvm::SmallVector<char, 0>> object =
      emitter.emit(module, effortOf(plan::codeEffort(kernel)));
  if (!object) {
    return object.error();
  }
  compiled.object.assign(object->begin(), object->end());
  std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  compiled.milliseconds = taken.count();
  cache.store(key, pack(compiled));
  return compiled;
}

namespace {
// Makes a context thread-safe while several threads emit kernels, since emission creates attributes
// and affine expressions in the context. At other times, the context isn't thread-safe.
class SharedContext {
public:
  explicit SharedContext(mlir::MLIRContext *context)
      : context(context), before(context->isMultithreadingEnabled()) {
    context->enableMultithreading();
  }
  ~SharedContext() { context->enableMultithreading(before); }
  SharedContext(const SharedContext &) = delete;
  SharedContext &operator=(const SharedContext &) = delete;

private:
  mlir::MLIRContext *context;
  bool before;
};
} // namespace

// Returns the order in which threads take kernels: large kernels first, so that no large kernel
// starts late.
static std::vector<size_t> largestFirst(llvm::ArrayRef<plan::KernelOp> kernels) {
  llvm::SmallVector<size_t> sizes(llvm::map_range(kernels, plan::codeSize));
  std::vector<size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return sizes[a] == sizes[b] ? a < b : sizes[a] > sizes[b];
  });
  return order;
}

Result<std::vector<CompiledKernel>> compileKernels(mlir::ModuleOp module, const CpuTarget &target,
                                                   const CompileOptions &options,
                                                   codegen::ObjectEmitter &emitter) {
  KernelCache cache(options);
  llvm::SmallVector<plan::KernelOp> kernels(module.getOps<plan::KernelOp>());
  std::vector<std::optional<Result<CompiledKernel>>> results(kernels.size());
  if (!options.dumpLlvm.empty()) {
    if (std::error_code error = llvm::sys::fs::create_directories(options.dumpLlvm)) {
      return diagnose(errors::FileNotWritable, "can't make the folder: " + error.message(),
                      options.dumpLlvm);
    }
  }
  std::atomic<size_t> next = 0;
  size_t done = 0;
  std::mutex reporting;
  std::vector<size_t> order = largestFirst(kernels);
  Status stopped = Done();
  const auto caller = std::this_thread::get_id();
  auto work = [&](codegen::ObjectEmitter &ofThread) {
    for (size_t at = next++; at < kernels.size(); at = next++) {
      if (std::this_thread::get_id() == caller) {
        stopped = options.budget ? options.budget->check("kernels") : Done();
        if (!stopped) {
          next = kernels.size();
          return;
        }
      }
      size_t i = order[at];
      results[i].emplace(compileOne(kernels[i], target, options, cache, ofThread));
      if (options.progress) {
        std::lock_guard<std::mutex> hold(reporting);
        options.progress("kernels", ++done, kernels.size());
      }
    }
  };
  static const size_t processors = usableProcessors();
  size_t wanted = options.threads ? options.threads : processors;
  size_t used = std::min(wanted, kernels.size());
  SharedContext shared(module.getContext());
  HelperThreads helpers;
  helpers.start(used > 1 ? used - 1 : 0, [&] {
    codegen::ObjectEmitter own(target);
    work(own);
  });
  work(emitter);
  helpers.join();
  if (!stopped) {
    return stopped.error();
  }
  std::vector<CompiledKernel> compiled;
  for (std::optional<Result<CompiledKernel>> &result : results) {
    if (!*result) {
      return result->error();
    }
    compiled.push_back(std::move(**result));
  }
  return compiled;
}

std::vector<std::string> routineObjects(const std::vector<CompiledKernel> &kernels,
                                        const CpuTarget &target) {
  std::set<std::string_view> names;
  for (const CompiledKernel &kernel : kernels) {
    names.insert(kernel.routines.begin(), kernel.routines.end());
  }
  std::vector<std::string> objects;
  for (std::string_view name : names) {
    std::span<const uint8_t> object = embeddedRoutines().find(name, target)->object;
    objects.emplace_back(object.begin(), object.end());
  }
  return objects;
}

} // namespace drumlin
