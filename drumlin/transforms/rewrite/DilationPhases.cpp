#include "drumlin/transforms/rewrite/DilationPhases.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <optional>
#include <tuple>

using namespace llvm;

namespace drumlin {

namespace {
// The taps of one phase: the first tap, the index of the input element that it meets, the distance
// between consecutive taps, and the distance between the elements that consecutive taps meet.
struct PhaseTaps {
  int64_t phase;
  int64_t start, tapStep, count;
  int64_t index, indexStep;

  int64_t lastIndex() const { return index + (count - 1) * indexStep; }
  bool hasWindowOf(const PhaseTaps &other) const {
    return index == other.index && count == other.count &&
           (count == 1 || indexStep == other.indexStep);
  }
};
} // namespace

static int64_t positiveRemainder(int64_t a, int64_t b) { return ((a % b) + b) % b; }

static std::optional<PhaseTaps> tapsOf(const DilatedDimension &d, int64_t shift, int64_t phase) {
  int64_t common = std::gcd(d.kernelDilation, d.dilation);
  int64_t tapStep = d.dilation / common;
  int64_t position = (phase - shift) * d.stride - d.low;
  for (int64_t tap = 0; tap < std::min(d.kernel, tapStep); ++tap) {
    int64_t read = position + tap * d.kernelDilation;
    if (positiveRemainder(read, d.dilation) == 0) {
      return PhaseTaps{phase,
                       tap,
                       tapStep,
                       (d.kernel - 1 - tap) / tapStep + 1,
                       read / d.dilation,
                       d.kernelDilation / common};
    }
  }
  return std::nullopt;
}

static PhaseGroup groupOf(ArrayRef<PhaseTaps> phases) {
  PhaseGroup group;
  int64_t last = group.first = phases.front().index;
  for (const PhaseTaps &taps : phases) {
    group.first = std::min(group.first, taps.index);
    last = std::max(last, taps.lastIndex());
  }
  int64_t apart = 0;
  for (const PhaseTaps &taps : phases) {
    apart = std::gcd(apart, taps.index - group.first);
    apart = taps.count > 1 ? std::gcd(apart, taps.indexStep) : apart;
  }
  group.dilation = std::max<int64_t>(apart, 1);
  group.size = (last - group.first) / group.dilation + 1;
  for (const PhaseTaps &taps : phases) {
    group.phases.push_back(taps.phase);
    int64_t positions = taps.count > 1 ? taps.indexStep / group.dilation : 1;
    group.taps.push_back({taps.start, taps.tapStep, taps.count,
                          (taps.index - group.first) / group.dilation, positions});
  }
  return group;
}

static PhaseSplit splitOf(const DilatedDimension &d, int64_t shift, bool isTogether) {
  PhaseSplit split;
  int64_t common = std::gcd(d.stride, d.dilation);
  split.period = d.dilation / common;
  split.step = d.stride / common;
  split.shift = shift;
  split.blocks = static_cast<int64_t>(
      divideCeil(static_cast<uint64_t>(d.output + shift), static_cast<uint64_t>(split.period)));
  SmallVector<SmallVector<PhaseTaps>> groups;
  for (int64_t phase = 0; phase < split.period; ++phase) {
    std::optional<PhaseTaps> taps = tapsOf(d, shift, phase);
    if (!taps) {
      continue;
    }
    auto *found = find_if(groups, [&](ArrayRef<PhaseTaps> group) {
      return isTogether || group.front().hasWindowOf(*taps);
    });
    (found == groups.end() ? groups.emplace_back() : *found).push_back(*taps);
  }
  for (ArrayRef<PhaseTaps> group : groups) {
    split.groups.push_back(groupOf(group));
  }
  return split;
}

// Returns the number of multiply-accumulates per feature along the dimension.
static int64_t productsOf(const PhaseSplit &split) {
  int64_t products = 0;
  for (const PhaseGroup &group : split.groups) {
    products += static_cast<int64_t>(group.phases.size()) * group.size;
  }
  return products * split.blocks;
}

// Returns the first positions to try for a block of phases. If there are few positions, returns all
// of them. Otherwise returns the positions at which the first or the last tap of the first window
// meets an element.
static SmallVector<int64_t> shiftsOf(const DilatedDimension &d) {
  constexpr int64_t maxTried = 32;
  int64_t period = d.dilation / std::gcd(d.stride, d.dilation);
  if (period <= maxTried) {
    return to_vector(seq<int64_t>(0, period));
  }
  int64_t extent = (d.kernel - 1) * d.kernelDilation;
  return {0, positiveRemainder(-d.low, period), positiveRemainder(extent - d.low, period)};
}

SmallVector<PhaseSplit, 2> phaseSplits(const DilatedDimension &dimension) {
  SmallVector<PhaseSplit, 2> best;
  for (bool isTogether : {true, false}) {
    std::optional<PhaseSplit> chosen;
    auto priceOf = [&](const PhaseSplit &split) {
      return std::tuple(productsOf(split), split.groups.size(), !split.isWhole(dimension),
                        split.blocks);
    };
    for (int64_t shift : shiftsOf(dimension)) {
      PhaseSplit next = splitOf(dimension, shift, isTogether);
      if (!chosen || priceOf(next) < priceOf(*chosen)) {
        chosen = std::move(next);
      }
    }
    // If all phases have the same window, the splits of both kinds are equal: lists one.
    if (isTogether || chosen->groups.size() > 1) {
      best.push_back(std::move(*chosen));
    }
  }
  return best;
}

} // namespace drumlin
