// drumlin doctor: reports facts of this machine and this build, and problems with them.
#include "commands/Commands.h"

#include "commands/CommandLine.h"
#include "commands/CommandOptions.h"
#include "commands/PrintedColours.h"
#include "commands/Printing.h"

#include "drumlin/driver/KernelCache.h"
#include "drumlin/driver/Linker.h"
#include "drumlin/ir/costs/CostText.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "drumlin/target/MachineFacts.h"
#include "drumlin/target/TargetNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <filesystem>
#include <sys/stat.h>

namespace drumlin::cli {

// Facts about the kernel cache's folder, found without writing to it.
struct CacheFacts {
  std::string named; // the folder that the options name; empty: none
  std::string path;  // the kernels' folder: `named`, or a folder in it
  bool isWritable = false;
  int64_t entries = 0, bytes = 0;
  int64_t staleBytes = 0; // bytes of entries that were last used before this build
  std::vector<Finding> findings;
};

static CacheFacts cacheFacts(const CompileOptions &options) {
  CacheFacts facts;
  facts.named = options.cacheBytes == 0 ? "" : cacheDirectory(options);
  if (facts.named.empty()) {
    return facts;
  }
  CacheFolder folder(facts.named, CacheFolder::Access::Inspect);
  facts.path = folder.path();
  facts.isWritable = folder.mayWrite();
  if (std::optional<Diagnostic> refusal = cacheRefusal(folder)) {
    facts.findings.push_back({"cache-unusable", *refusal});
  } else if (!facts.isWritable) {
    facts.findings.push_back(
        {"cache-not-written",
         diagnose(errors::FileNotWritable, "the cache can't store kernels", facts.path,
                  "name a folder of your own with `DRUMLIN_CACHE`, or pass `--no-cache`")});
  }
  struct stat own;
  time_t built = stat("/proc/self/exe", &own) == 0 ? own.st_mtime : 0;
  folder.visit([&](const CacheFile &file) {
    ++facts.entries;
    facts.bytes += file.status.st_size;
    facts.staleBytes += file.status.st_mtime < built ? file.status.st_size : 0;
  });
  if (static_cast<uint64_t>(facts.staleBytes) > options.cacheBytes / 2) {
    facts.findings.push_back(
        {"stale-cache",
         diagnose(errors::RequirementUnmet,
                  bytesText(facts.staleBytes) + " of the " + bytesText(facts.bytes) +
                      " in the cache were last used before this program was built",
                  facts.path, "remove the folder: kernels are compiled again when needed")});
  }
  return facts;
}

struct DoctorCommand {
  bool json = false;
  CompileOptions options;

  Status run() {
    target = nativeTarget();
    cpu = llvm::cast<CpuTarget>(target.get());
    facts = machineFacts();
    measured = measureLimits(1);
    cache = cacheFacts(options);
    std::vector<Finding> findings = findingsOf(facts, measured, *cpu);
    // If the cache can't be used, the findings about it come first, since users can fix this. If
    // the cache only has stale entries, the findings come last, since stale entries only take up
    // space.
    bool isStale = !cache.findings.empty() && cache.findings.front().name == "stale-cache";
    findings.insert(isStale ? findings.end() : findings.begin(), cache.findings.begin(),
                    cache.findings.end());
    json ? printJson(findings) : print(findings);
    if (findings.empty()) {
      return Done{};
    }
    return findings.front().diagnostic;
  }

private:
  TargetPtr target;
  const CpuTarget *cpu = nullptr;
  MachineFacts facts;
  MachineLimits measured;
  CacheFacts cache;

  // Returns the shared libraries in the program's folder or in the folder `lib` beside that folder.
  static std::vector<std::string> libraries() {
    namespace fs = std::filesystem;
    std::error_code ignored;
    fs::path own = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    std::vector<std::string> found;
    for (const char *name : {"libdrumlin.so", "libdrumlin_runtime.so"}) {
      for (const fs::path &folder : {own, own.parent_path() / "lib"}) {
        if (fs::exists(folder / name, ignored)) {
          found.push_back((folder / name).string());
          break;
        }
      }
    }
    return found;
  }

  void print(const std::vector<Finding> &findings) const {
    std::FILE *out = printed();
    printBuild(out);
    printProcessor(out);
    printShares(out);
    for (const Finding &finding : findings) {
      std::string text = textFor(out, finding.diagnostic, finding.name);
      std::fputs(text.c_str(), out);
    }
    if (findings.empty()) {
      std::fprintf(out, "nothing is wrong\n");
    }
  }

  static void printBuild(std::FILE *out) {
    std::fprintf(out, "build: %s, build ID %s, LLVM %s, linker %s\n", programVersion,
                 buildId().empty() ? "none" : buildId().c_str(), LLVM_VERSION_STRING,
                 linkerVersion().c_str());
    for (const std::string &library : libraries()) {
      std::fprintf(out, "  library %s\n", library.c_str());
    }
  }

  void printProcessor(std::FILE *out) const {
    std::fprintf(out, "processor: %s\n",
                 facts.processor.empty() ? "unknown" : facts.processor.c_str());
    std::fprintf(out, "  code is made for %s: %s\n", cpu->name.c_str(),
                 llvm::join(cpu->features, " ").c_str());
    for (const ComputeUnitInfo &unit : computeUnits()) {
      if (cpu->has(unit.unit)) {
        std::string rate = unit.hasTiles()
                               ? std::string("not measured")
                               : llvm::formatv("{0:F0} Gop/s", measured.of(unit.unit) / 1e9).str();
        std::fprintf(out, "  unit %s: %s a core, %.0f assumed\n", std::string(unit.name).c_str(),
                     rate.c_str(), cpu->operationsPerSecond(unit.unit) / 1e9);
      }
    }
    std::fprintf(out, "  memory read: %.1f GB/s a core, %.1f assumed\n", measured.read / 1e9,
                 cpu->bytesPerSecond / 1e9);
    const char *tiles = facts.givesTiles   ? "given by the system"
                        : facts.listsTiles ? "refused by the system"
                                           : "none";
    std::fprintf(out, "  tile registers: %s\n", tiles);
  }

  void printShares(std::FILE *out) const {
    std::string quota =
        facts.processorQuota > 0
            ? llvm::formatv("the time of {0:F1} processors", facts.processorQuota).str()
            : std::string("all of their time");
    std::fprintf(out, "threads: %u, %u processors, control groups allow %s\n", facts.threads,
                 facts.processors, quota.c_str());
    std::fprintf(out, "memory: %s, %s available, control groups allow %s\n",
                 bytesText(facts.memoryBytes).c_str(), bytesText(facts.availableBytes).c_str(),
                 facts.memoryQuota > 0 ? bytesText(facts.memoryQuota).c_str() : "all of it");
    std::fprintf(out, "  huge pages: %s\n",
                 facts.hugePages.empty() ? "unknown" : facts.hugePages.c_str());
    if (cache.path.empty()) {
      std::fprintf(out, "kernel cache: none\n");
    } else {
      std::fprintf(out, "kernel cache: %s, %s\n", cache.path.c_str(),
                   cache.isWritable ? "can be written" : "can't be written");
      if (cache.path != cache.named) {
        std::fprintf(out,
                     "  inside of %s, whose other files aren't this cache's and are left alone\n",
                     cache.named.c_str());
      }
      std::fprintf(out, "  %lld files, %s of %s, %s of them stale\n",
                   static_cast<long long>(cache.entries), bytesText(cache.bytes).c_str(),
                   bytesText(static_cast<int64_t>(options.cacheBytes)).c_str(),
                   bytesText(cache.staleBytes).c_str());
    }
  }

  llvm::json::Object buildJson() const {
    return llvm::json::Object{{"version", programVersion},
                              {"build_id", buildId()},
                              {"llvm", LLVM_VERSION_STRING},
                              {"linker", linkerVersion()},
                              {"libraries", llvm::json::Array(libraries())}};
  }

  llvm::json::Object processorJson() const {
    llvm::json::Array units;
    for (const ComputeUnitInfo &unit : computeUnits()) {
      if (cpu->has(unit.unit)) {
        llvm::json::Object each{
            {"name", std::string(unit.name)},
            {"assumed_operations_per_second", cpu->operationsPerSecond(unit.unit)}};
        if (!unit.hasTiles()) {
          each["operations_per_second"] = measured.of(unit.unit);
        }
        units.push_back(std::move(each));
      }
    }
    return llvm::json::Object{{"name", facts.processor},
                              {"target", cpu->name},
                              {"features", llvm::json::Array(cpu->features)},
                              {"units", std::move(units)},
                              {"bytes_per_second", measured.read},
                              {"assumed_bytes_per_second", cpu->bytesPerSecond},
                              {"gives_tiles", facts.givesTiles}};
  }

  llvm::json::Object memoryJson() const {
    return llvm::json::Object{{"bytes", facts.memoryBytes},
                              {"available_bytes", facts.availableBytes},
                              {"quota_bytes", facts.memoryQuota},
                              {"huge_pages", facts.hugePages}};
  }

  llvm::json::Object cacheJson() const {
    return llvm::json::Object{{"path", cache.path},
                              {"named", cache.named},
                              {"can_be_written", cache.isWritable},
                              {"files", cache.entries},
                              {"bytes", cache.bytes},
                              {"stale_bytes", cache.staleBytes},
                              {"limit_bytes", static_cast<int64_t>(options.cacheBytes)}};
  }

  static llvm::json::Array findingsJson(const std::vector<Finding> &findings) {
    llvm::json::Array listed;
    for (const Finding &finding : findings) {
      const DiagnosticInfo &code = info(finding.diagnostic.code);
      std::string remedy = finding.diagnostic.remedy;
      listed.push_back(llvm::json::Object{
          {"name", finding.name},
          {"code", std::string(code.id)},
          {"message", finding.diagnostic.message},
          {"remedy", remedy.empty() ? std::string(code.remedy) : std::move(remedy)}});
    }
    return listed;
  }

  void printJson(const std::vector<Finding> &findings) const {
    llvm::json::Object made{{"build", buildJson()},
                            {"processor", processorJson()},
                            {"threads", facts.threads},
                            {"processors", facts.processors},
                            {"processor_quota", facts.processorQuota},
                            {"memory", memoryJson()},
                            {"cache", cacheJson()},
                            {"findings", findingsJson(findings)}};
    std::string text;
    llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", llvm::json::Value(std::move(made)));
    std::fprintf(printed(), "%s\n", text.c_str());
  }
};

Command addDoctor(CLI::App &app) {
  CLI::App *sub =
      addSubcommand(app, "doctor", "report facts of this machine, and problems with it");
  auto command = std::make_shared<DoctorCommand>();
  addOption(*sub, "--cache-size", command->options.cacheBytes);
  addOption(*sub, "--json", command->json);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
