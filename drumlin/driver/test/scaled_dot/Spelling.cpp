#include "Spelling.h"

#include <algorithm>
#include <random>
#include <set>

namespace drumlin {

static constexpr std::array<const char *, factorCount> factorNames = {
#define DRUMLIN_FACTOR_NAME(Name, levels) #Name,
    DRUMLIN_SCALED_DOT_FACTORS(DRUMLIN_FACTOR_NAME)
#undef DRUMLIN_FACTOR_NAME
};
static constexpr std::array<uint8_t, factorCount> levelCounts = {
#define DRUMLIN_FACTOR_LEVELS(Name, levels) levels,
    DRUMLIN_SCALED_DOT_FACTORS(DRUMLIN_FACTOR_LEVELS)
#undef DRUMLIN_FACTOR_LEVELS
};

std::string Spelling::name() const {
  std::string text;
  for (size_t i = 0; i < factorCount; ++i) {
    text += (i ? " " : "") + std::string(factorNames[i]) + "=" + std::to_string(levels[i]);
  }
  return text;
}

Spelling settled(Spelling spelling) {
  auto set = [&](Factor factor, auto value) {
    spelling.levels[static_cast<size_t>(factor)] = static_cast<uint8_t>(value);
  };
  // Block formats are defined for specific element types: MX for all narrow types, and NVFP4 for
  // f4E2M1FN (level 7 of the type factors).
  if (spelling.as<ScaleKind>(Factor::LhsScale) == ScaleKind::Nvfp4) {
    set(Factor::LhsType, 7);
  }
  if (spelling.as<ScaleKind>(Factor::RhsScale) == ScaleKind::Nvfp4) {
    set(Factor::RhsType, 7);
  }
  // Without an output scale, the value before the scale is the output itself.
  if (spelling.as<OutputScale>(Factor::OutputScale) == OutputScale::None &&
      spelling.as<Largest>(Factor::Largest) == Largest::BeforeScale) {
    set(Factor::Largest, Largest::OfOutput);
  }
  // An operand can be broadcast along a batch dimension only if there is a batch dimension.
  if (spelling.as<Between>(Factor::Between) == Between::Broadcast &&
      spelling.level(Factor::Batch) == 0) {
    set(Factor::Batch, 1);
  }
  return spelling;
}

using Pair = std::array<uint8_t, 4>; // factor, level, factor, level

static std::vector<Pair> pairsOf(const Spelling &spelling) {
  std::vector<Pair> pairs;
  for (uint8_t i = 0; i < factorCount; ++i) {
    for (uint8_t j = i + 1; j < factorCount; ++j) {
      pairs.push_back({i, spelling.levels[i], j, spelling.levels[j]});
    }
  }
  return pairs;
}

static Spelling randomSpelling(std::mt19937_64 &random) {
  Spelling spelling;
  for (size_t i = 0; i < factorCount; ++i) {
    spelling.levels[i] = static_cast<uint8_t>(random() % levelCounts[i]);
  }
  return spelling;
}

std::vector<Spelling> coveringSpellings(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::set<Pair> missing;
  for (uint8_t i = 0; i < factorCount; ++i) {
    for (uint8_t j = i + 1; j < factorCount; ++j) {
      for (uint8_t a = 0; a < levelCounts[i]; ++a) {
        for (uint8_t b = 0; b < levelCounts[j]; ++b) {
          Spelling spelling;
          spelling.levels[i] = a;
          spelling.levels[j] = b;
          Spelling possible = settled(spelling);
          if (possible.levels[i] == a && possible.levels[j] == b) {
            missing.insert({i, a, j, b});
          }
        }
      }
    }
  }
  std::vector<Spelling> made;
  std::set<std::array<uint8_t, factorCount>> seen;
  auto take = [&](const Spelling &spelling) {
    if (!seen.insert(spelling.levels).second) {
      return;
    }
    for (const Pair &pair : pairsOf(spelling)) {
      missing.erase(pair);
    }
    made.push_back(spelling);
  };
  // Greedy choice: of several random spellings with a missing pair, takes the spelling with most
  // missing pairs.
  while (!missing.empty()) {
    auto chosen = missing.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(random() % missing.size()));
    Pair wanted = *chosen;
    Spelling best;
    size_t most = 0;
    for (int attempt = 0; attempt < 30; ++attempt) {
      Spelling spelling = randomSpelling(random);
      spelling.levels[wanted[0]] = wanted[1];
      spelling.levels[wanted[2]] = wanted[3];
      spelling = settled(spelling);
      size_t gain = 0;
      for (const Pair &pair : pairsOf(spelling)) {
        gain += missing.count(pair);
      }
      if (gain > most && spelling.levels[wanted[0]] == wanted[1] &&
          spelling.levels[wanted[2]] == wanted[3]) {
        most = gain;
        best = spelling;
      }
    }
    if (most != 0) {
      take(best);
    }
  }
  while (made.size() < count) {
    take(settled(randomSpelling(random)));
  }
  return made;
}

} // namespace drumlin
