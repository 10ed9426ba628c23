#include "drumlin/driver/PlanDiff.h"

#include "drumlin/ir/costs/CostText.h"
#include "drumlin/support/json/JsonStream.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

namespace drumlin {

// An operation of the program: a text with its name and source, and its index among the operations
// with the same text.
using OperationKey = std::pair<std::string, int>;

// Maps a plan's kernels to their operations, and each operation to the kernels that compute it.
class KernelIndex {
public:
  explicit KernelIndex(const PlanLock &lock) : lock(lock), keys(lock.kernels.size()) {
    // An operation that several kernels contain is rematerialized. It has the same key in all of
    // these kernels.
    for (size_t i = 0; i < lock.kernels.size(); ++i) {
      std::map<std::string, int> seen;
      for (const std::string &operation : lock.kernels[i].operations) {
        OperationKey key = {operation, seen[operation]++};
        keys[i].push_back(key);
        kernelsOf[key].insert(i);
      }
    }
  }

  const std::vector<OperationKey> &operations(size_t kernel) const { return keys[kernel]; }
  const std::set<size_t> &kernels(const OperationKey &key) const {
    static const std::set<size_t> none;
    auto found = kernelsOf.find(key);
    return found == kernelsOf.end() ? none : found->second;
  }
  const LockedKernel &kernel(size_t i) const { return lock.kernels[i]; }
  size_t size() const { return keys.size(); }

private:
  const PlanLock &lock;
  std::vector<std::vector<OperationKey>> keys;
  std::map<OperationKey, std::set<size_t>> kernelsOf;
};

// Returns a kernel's name: its kind, and its hero (a dot, convolution, sort, scatter or top_k), or
// else its last operation.
static std::string nameOf(const LockedKernel &kernel) {
  for (const char *hero : {"dot_general", "convolution", "sort", "scatter", "top_k"}) {
    for (const std::string &operation : kernel.operations) {
      if (llvm::StringRef(operation).split(' ').first.ends_with(hero)) {
        return kernel.kind + " of " + operation;
      }
    }
  }
  return kernel.kind + (kernel.operations.empty() ? "" : " of " + kernel.operations.back());
}

// Two kernels are compared only if they share an operation that at most this many kernels contain.
// Operations of functions that are called often are in more kernels; they count only for kernels
// that also share a rarer operation. Counting all operations would take quadratic time.
static constexpr size_t maxCandidates = 64;

// Returns, for each kernel, the number of these keys that the kernel contains.
static std::map<size_t, size_t> countKernels(const std::set<OperationKey> &keys,
                                             const KernelIndex &index) {
  std::map<size_t, size_t> counts;
  for (const OperationKey &key : keys) {
    if (const std::set<size_t> &kernels = index.kernels(key); kernels.size() <= maxCandidates) {
      for (size_t kernel : kernels) {
        ++counts[kernel];
      }
    }
  }
  bool areAllCommon = counts.empty();
  for (const OperationKey &key : keys) {
    const std::set<size_t> &kernels = index.kernels(key);
    if (kernels.size() <= maxCandidates) {
      continue;
    }
    if (areAllCommon) {
      for (size_t kernel :
           llvm::make_range(kernels.begin(), std::next(kernels.begin(), maxCandidates))) {
        ++counts[kernel];
      }
      continue;
    }
    for (auto &[kernel, count] : counts) {
      count += kernels.contains(kernel) ? 1 : 0;
    }
  }
  return counts;
}

// Returns kernels of `to` that together compute all operations that one kernel of `from` shares
// with `to`. Kernels are chosen greedily: the next kernel is the one with the most operations that
// aren't computed yet.
static std::vector<size_t> cover(const KernelIndex &from, size_t kernel, const KernelIndex &to) {
  std::set<OperationKey> open;
  for (const OperationKey &key : from.operations(kernel)) {
    if (!to.kernels(key).empty()) {
      open.insert(key);
    }
  }
  std::vector<size_t> chosen;
  while (!open.empty()) {
    std::map<size_t, size_t> counts = countKernels(open, to);
    auto best = counts.begin();
    for (auto each = counts.begin(); each != counts.end(); ++each) {
      best = each->second > best->second ? each : best;
    }
    for (auto key = open.begin(); key != open.end();) {
      key = to.kernels(*key).contains(best->first) ? open.erase(key) : std::next(key);
    }
    chosen.push_back(best->first);
  }
  return chosen;
}

static void compareFusions(const KernelIndex &from, const KernelIndex &to, bool isLost,
                           std::vector<PlanDifference> &differences) {
  for (size_t i = 0; i < from.size(); ++i) {
    std::vector<size_t> parts = cover(from, i, to);
    if (parts.size() < 2) {
      continue;
    }
    std::vector<std::string> names;
    for (size_t part : parts) {
      names.push_back(nameOf(to.kernel(part)));
    }
    std::string name = nameOf(from.kernel(i));
    PlanValue one = std::vector<std::string>{name}, several = std::move(names);
    differences.push_back({isLost ? "fusion lost" : "fusion won", name, "kernels",
                           isLost ? one : several, isLost ? several : one, isLost});
  }
}

// Reports kernels that share no operation with the other plan.
static void compareKernels(const KernelIndex &from, const KernelIndex &to, bool isGone,
                           std::vector<PlanDifference> &differences) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (from.kernel(i).kind != "copy" && cover(from, i, to).empty()) {
      std::string name = nameOf(from.kernel(i));
      PlanValue one = std::vector<std::string>{name}, none = std::vector<std::string>();
      differences.push_back({isGone ? "kernel gone" : "kernel new", name, "kernels",
                             isGone ? one : none, isGone ? none : one, false});
    }
  }
}

// Returns the words of `from` that aren't in `in`, sorted.
static std::vector<std::string> missing(const std::vector<std::string> &from,
                                        const std::vector<std::string> &in) {
  std::multiset<std::string> words(from.begin(), from.end());
  for (const std::string &word : in) {
    auto found = words.find(word);
    if (found != words.end()) {
      words.erase(found);
    }
  }
  return {words.begin(), words.end()};
}

static void compareKernel(const LockedKernel &before, const LockedKernel &after,
                          std::vector<PlanDifference> &differences) {
  std::string name = nameOf(after);
  const std::vector<std::string> none;
  if (auto lost = missing(before.parts, after.parts); !lost.empty()) {
    differences.push_back({"part lost", name, "parts", lost, none, true});
  }
  if (auto won = missing(after.parts, before.parts); !won.empty()) {
    differences.push_back({"part won", name, "parts", none, won, false});
  }
  auto compareTypes = [&](const char *field, const std::vector<std::string> &old,
                          const std::vector<std::string> &now) {
    auto gone = missing(old, now), come = missing(now, old);
    if (!gone.empty() || !come.empty()) {
      differences.push_back({"types", name, field, gone, come, false});
    }
  };
  compareTypes("inputs", before.inputs, after.inputs);
  compareTypes("outputs", before.outputs, after.outputs);
}

static void compareLayouts(const PlanLock &before, const PlanLock &after,
                           std::vector<PlanDifference> &differences) {
  auto gone = missing(before.layouts, after.layouts), come = missing(after.layouts, before.layouts);
  if (!gone.empty() || !come.empty()) {
    differences.push_back({"layouts", "", "layouts", gone, come, false});
  }
}

static void compareCount(const char *what, int64_t before, int64_t after, double tolerance,
                         std::vector<PlanDifference> &differences) {
  double allowed = tolerance * static_cast<double>(before);
  double change = static_cast<double>(after) - static_cast<double>(before);
  if (std::abs(change) > allowed) {
    differences.push_back({what, "", what, before, after, change > 0});
  }
}

static int64_t countOf(const PlanLock &lock, bool copies) {
  return llvm::count_if(
      lock.kernels, [&](const LockedKernel &kernel) { return (kernel.kind == "copy") == copies; });
}

std::vector<PlanDifference> comparePlans(const PlanLock &before, const PlanLock &after,
                                         double tolerance) {
  std::vector<PlanDifference> differences;
  if (before.target != after.target) {
    differences.push_back({"target", "", "target", before.target, after.target, false});
  }
  KernelIndex old(before), now(after);
  compareFusions(old, now, /*isLost=*/true, differences);
  compareFusions(now, old, /*isLost=*/false, differences);
  compareKernels(old, now, /*isGone=*/true, differences);
  compareKernels(now, old, /*isGone=*/false, differences);
  for (size_t i = 0; i < old.size(); ++i) {
    // Only kernels that compute the same operations in both plans are compared.
    std::vector<size_t> there = cover(old, i, now);
    if (there.size() == 1 && cover(now, there.front(), old) == std::vector<size_t>{i}) {
      compareKernel(old.kernel(i), now.kernel(there.front()), differences);
    }
  }
  compareLayouts(before, after, differences);
  compareCount("kernels", countOf(before, false), countOf(after, false), 0, differences);
  compareCount("copies", countOf(before, true), countOf(after, true), 0, differences);
  compareCount("flops", before.flops(), after.flops(), tolerance, differences);
  compareCount("bytes", before.bytes(), after.bytes(), tolerance, differences);
  compareCount("arena", before.arenaBytes, after.arenaBytes, tolerance, differences);
  return differences;
}

//===-- as text and as JSON -------------------------------------------------------------------===//

// Joins words, repeated words with their counts: `bias ×2, scale`. Returns `none` if there are no
// words.
static std::string withCount(const PlanValue &value, llvm::StringRef none) {
  const auto &words = std::get<std::vector<std::string>>(value);
  std::string text;
  for (size_t i = 0; i < words.size();) {
    size_t count = llvm::count(words, words[i]);
    text += (i == 0 ? "" : ", ") + words[i] + (count > 1 ? " ×" + std::to_string(count) : "");
    i += count;
  }
  return text.empty() ? none.str() : text;
}

static std::string sideText(const PlanValue &value) {
  const auto *count = std::get_if<int64_t>(&value);
  return count ? countText(*count) : std::get<std::string>(value);
}

std::string PlanDifference::text() const {
  if (kind == "fusion lost" || kind == "fusion won") {
    const auto &names = std::get<std::vector<std::string>>(isWorse ? after : before);
    return kernel + (isWorse ? " is now " : " was ") + std::to_string(names.size()) +
           " kernels: " + llvm::join(names, "; ");
  }
  if (field == "kernels" && !kernel.empty()) {
    return kernel;
  }
  if (field == "parts") {
    return isWorse ? kernel + " no longer has " + withCount(before, "")
                   : kernel + " has " + withCount(after, "");
  }
  if (kind == "types") {
    return kernel + (field == "inputs" ? " reads " : " writes ") + withCount(after, "nothing") +
           " instead of " + withCount(before, "nothing");
  }
  if (kind == "layouts") {
    return withCount(after, "row-major") + " instead of " + withCount(before, "row-major");
  }
  return sideText(before) + " → " + sideText(after);
}

static void writeValue(JsonStream &json, const PlanValue &value) {
  if (const auto *words = std::get_if<std::vector<std::string>>(&value)) {
    json.array([&] {
      for (const std::string &word : *words) {
        json.value(word);
      }
    });
  } else if (const auto *count = std::get_if<int64_t>(&value)) {
    json.value(*count);
  } else {
    json.value(std::get<std::string>(value));
  }
}

std::string planDiffJson(const std::vector<PlanDifference> &differences) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonStream json(stream, 1);
  json.array([&] {
    for (const PlanDifference &difference : differences) {
      json.object([&] {
        json.attribute("kind", difference.kind);
        json.attribute("kernel", difference.kernel);
        json.attribute("field", difference.field);
        json.attributeBegin("before");
        writeValue(json, difference.before);
        json.attributeEnd();
        json.attributeBegin("after");
        writeValue(json, difference.after);
        json.attributeEnd();
        json.attribute("worse", difference.isWorse);
      });
    }
  });
  return text;
}

} // namespace drumlin
