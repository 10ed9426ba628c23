#include "drumlin/target/LibraryTable.h"

#include <algorithm>
#include <array>

namespace drumlin {

enum TargetSet : unsigned {
  Sm89 = 1,
  Sm90 = 2,
  Sm100 = 4,
  Sm = 7,
  Gfx942 = 8,
  Gfx950 = 16,
  Gfx = 24,
};

// Workspaces: cuBLAS documentation, cublasSetWorkspace(), "Recommended workspace size"; for
// hipBLASLt, whose default is none, as much.
std::span<const GpuTarget> gpuTargets() {
  static const std::array<GpuTarget, 5> targets = {{
      {"sm_89", GpuLibrary::CublasLt, Sm89, int64_t(4) << 20},
      {"sm_90", GpuLibrary::CublasLt, Sm90, int64_t(32) << 20},
      {"sm_100", GpuLibrary::CublasLt, Sm100, int64_t(32) << 20},
      {"gfx942", GpuLibrary::HipblasLt, Gfx942, int64_t(32) << 20},
      {"gfx950", GpuLibrary::HipblasLt, Gfx950, int64_t(32) << 20},
  }};
  return targets;
}

static const GpuRates &ratesOf(std::string_view target) {
  static constexpr double tera = 1e12;
  static constexpr GpuRates rows[] = {
#define GPU_RATES(target, card, fp4, fp8, half, tf32, f32, f64, int8, memory, launch, source)      \
  {target,       card,         (fp4) * tera,  (fp8) * tera,    (half) * tera,   (tf32) * tera,     \
   (f32) * tera, (f64) * tera, (int8) * tera, (memory) * tera, (launch) * 1e-6, source},
#include "drumlin/target/GpuRates.def"
  };
  return *std::find_if(std::begin(rows), std::end(rows),
                       [&](const GpuRates &row) { return row.target == target; });
}

GpuTarget::GpuTarget(std::string name, GpuLibrary library, unsigned set, int64_t workspaceBytes)
    : Target(Kind::Gpu, std::move(name)), library(library), set(set),
      workspaceBytes(workspaceBytes), rates(ratesOf(this->name)) {
  bytesPerSecond = rates.memory;
}

double GpuTarget::operationsPerSecond(ElementType type, bool roundsToTf32) const {
  unsigned bits = info(type).bits;
  if (!isFloat(type)) {
    return bits <= 8 ? rates.int8 : rates.f32;
  }
  if (bits <= 4 && rates.fp4 > 0) {
    return rates.fp4;
  }
  if (bits <= 8) {
    return rates.fp8;
  }
  if (bits == 32) {
    return roundsToTf32 && rates.tf32 > 0 ? rates.tf32 : rates.f32;
  }
  return bits == 16 ? rates.half : rates.f64;
}

const GpuTarget *findGpuTarget(std::string_view name) {
  std::span<const GpuTarget> targets = gpuTargets();
  auto found = std::find_if(targets.begin(), targets.end(),
                            [&](const GpuTarget &target) { return target.name == name; });
  return found == targets.end() ? nullptr : &*found;
}

std::string_view libraryName(GpuLibrary library) {
  return library == GpuLibrary::CublasLt ? "cublasLt" : "hipblasLt";
}

struct TypeRow {
  GpuLibrary library;
  unsigned targets;
  ElementType type;
  std::string_view name, source;
};
struct EpilogueRow {
  GpuLibrary library;
  unsigned targets;
  LibraryEpilogue epilogue;
  std::string_view name, source;
};

struct WithoutEpilogueRow {
  unsigned targets;
  bool (*operands)(ElementType), (*result)(ElementType);
  LibraryEpilogue epilogue;
  std::string_view source;
};
// Sets of types by the names that those rows give them.
namespace sets {
static bool All(ElementType) { return true; }
static bool Narrow(ElementType type) { return isNarrow(type); }
static bool F32(ElementType type) { return type == ElementType::F32; }
static bool F64(ElementType type) { return type == ElementType::F64; }
} // namespace sets

static constexpr unsigned bitOf(ScaleMode mode) { return 1u << static_cast<unsigned>(mode); }

// Sets of scale modes, by the names that the tables give them.
static constexpr unsigned Unscaled = 0;
static constexpr unsigned Tensor = bitOf(ScaleMode::Scalar);
static constexpr unsigned Plain = Tensor | bitOf(ScaleMode::OuterVector);
static constexpr unsigned BlocksOf32 = bitOf(ScaleMode::Mx);
static constexpr unsigned Any =
    Plain | bitOf(ScaleMode::Row128) | bitOf(ScaleMode::Square128) | BlocksOf32;
static constexpr unsigned Fp4 = bitOf(ScaleMode::Nvfp4);

// Names of types in the tables; a bias may be none.
namespace types {
using enum ElementType;
static constexpr std::optional<ElementType> NoBias = std::nullopt;
} // namespace types

#define LIBRARY_IGNORE(...)

static constexpr TypeRow typeRows[] = {
#define LIBRARY_TYPE(library, targets, type, name, source)                                         \
  {GpuLibrary::library, targets, ElementType::type, name, source},
#define LIBRARY_PRODUCT LIBRARY_IGNORE
#define LIBRARY_SCALE_MODE LIBRARY_IGNORE
#define LIBRARY_EPILOGUE LIBRARY_IGNORE
#define LIBRARY_WITHOUT_EPILOGUE LIBRARY_IGNORE
#define LIBRARY_AUX LIBRARY_IGNORE
#define LIBRARY_RULE LIBRARY_IGNORE
#define LIBRARY_ENUMERATOR LIBRARY_IGNORE
#include "drumlin/target/CublasLt.def"
#include "drumlin/target/HipblasLt.def"
#undef LIBRARY_TYPE
#define LIBRARY_TYPE LIBRARY_IGNORE
};

#undef LIBRARY_PRODUCT
static constexpr LibraryProduct productRows[] = {
#define LIBRARY_PRODUCT(targets, compute, scale, A, B, C, D, Bias, modes, source)                  \
  {targets, compute, scale, types::A, types::B, types::C, types::D, types::Bias, modes, source},
#include "drumlin/target/CublasLt.def"
#include "drumlin/target/HipblasLt.def"
#undef LIBRARY_PRODUCT
#define LIBRARY_PRODUCT LIBRARY_IGNORE
};

#undef LIBRARY_SCALE_MODE
static constexpr LibraryScaleRow scaleRows[] = {
#define LIBRARY_SCALE_MODE(library, targets, mode, name, type, source)                             \
  {GpuLibrary::library, targets, ScaleMode::mode, name, ElementType::type, source},
#include "drumlin/target/CublasLt.def"
#include "drumlin/target/HipblasLt.def"
#undef LIBRARY_SCALE_MODE
#define LIBRARY_SCALE_MODE LIBRARY_IGNORE
};

#undef LIBRARY_EPILOGUE
static constexpr EpilogueRow epilogueRows[] = {
#define LIBRARY_EPILOGUE(library, targets, epilogue, name, source)                                 \
  {GpuLibrary::library, targets, LibraryEpilogue::epilogue, name, source},
#include "drumlin/target/CublasLt.def"
#include "drumlin/target/HipblasLt.def"
#undef LIBRARY_EPILOGUE
#define LIBRARY_EPILOGUE LIBRARY_IGNORE
};

#undef LIBRARY_WITHOUT_EPILOGUE
static constexpr WithoutEpilogueRow withoutEpilogueRows[] = {
#define LIBRARY_WITHOUT_EPILOGUE(library, targets, operands, D, epilogue, source)                  \
  {targets, sets::operands, sets::D, LibraryEpilogue::epilogue, source},
#include "drumlin/target/CublasLt.def"
#include "drumlin/target/HipblasLt.def"
#undef LIBRARY_WITHOUT_EPILOGUE
#define LIBRARY_WITHOUT_EPILOGUE LIBRARY_IGNORE
};

#undef LIBRARY_AUX
static constexpr LibraryAux auxRows[] = {
#define LIBRARY_AUX(targets, AB, C, D, Bias, Aux, epilogue, source)                                \
  {targets, types::AB, types::C, types::D, types::Bias, types::Aux, LibraryEpilogue::epilogue,     \
   source},
#include "drumlin/target/CublasLt.def"
#include "drumlin/target/HipblasLt.def"
#undef LIBRARY_AUX
#define LIBRARY_AUX LIBRARY_IGNORE
};

#undef LIBRARY_RULE
static constexpr LibraryRuleRow ruleRows[] = {
#define LIBRARY_RULE(library, targets, rule, value, source)                                        \
  {GpuLibrary::library, targets, LibraryRule::rule, value, source},
#include "drumlin/target/CublasLt.def"
#include "drumlin/target/HipblasLt.def"
#undef LIBRARY_RULE
};

static constexpr LibraryLimitInfo limitRows[] = {
#define LIBRARY_LIMIT(Name, name, text, remedy) {LibraryLimit::Name, name, text, remedy},
#include "drumlin/target/LibraryLimits.def"
};

static constexpr EpilogueParts epilogueParts[] = {
#define LIBRARY_EPILOGUE_KIND(Name, activation, hasBias, hasAux, biasGradient)                     \
  {EpilogueParts::activation, hasBias, hasAux, BiasGradient::biasGradient},
#include "drumlin/target/LibraryEpilogues.def"
};

std::span<const LibraryProduct> libraryProducts() { return productRows; }
std::span<const LibraryAux> libraryAuxTypes() { return auxRows; }
std::span<const LibraryLimitInfo> libraryLimits() { return limitRows; }
const LibraryLimitInfo &info(LibraryLimit limit) { return limitRows[static_cast<size_t>(limit)]; }

const LibraryRuleRow *ruleOf(const GpuTarget &target, LibraryRule rule) {
  for (const LibraryRuleRow &row : ruleRows) {
    if ((row.targets & target.set) != 0 && row.rule == rule) {
      return &row;
    }
  }
  return nullptr;
}

const LibraryScaleRow &scaleRowOf(GpuLibrary library, ScaleMode mode) {
  const auto *found =
      std::find_if(std::begin(scaleRows), std::end(scaleRows), [&](const LibraryScaleRow &row) {
        return row.library == library && row.mode == mode;
      });
  return *found;
}

std::optional<std::string_view> libraryTypeName(const GpuTarget &target, ElementType type) {
  for (const TypeRow &row : typeRows) {
    if ((row.targets & target.set) != 0 && row.type == type) {
      return row.name;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> epilogueName(const GpuTarget &target, LibraryEpilogue epilogue) {
  for (const EpilogueRow &row : epilogueRows) {
    if ((row.targets & target.set) != 0 && row.epilogue == epilogue) {
      return row.name;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> whyWithoutEpilogue(const GpuTarget &target, ElementType operands,
                                                   ElementType result, LibraryEpilogue epilogue) {
  for (const WithoutEpilogueRow &row : withoutEpilogueRows) {
    if ((row.targets & target.set) != 0 && row.epilogue == epilogue && row.operands(operands) &&
        row.result(result)) {
      return row.source;
    }
  }
  return std::nullopt;
}

bool takesAux(const GpuTarget &target, const LibraryProduct &product, LibraryEpilogue epilogue,
              ElementType aux, std::optional<ElementType> bias) {
  if (aux == product.d && !isNarrow(product.d)) { // a narrow one has a scale as well
    return true;
  }
  for (const LibraryAux &row : auxRows) {
    if ((row.targets & target.set) != 0 && row.ab == product.a && row.ab == product.b &&
        row.c == product.c && row.d == product.d && row.aux == aux && row.epilogue == epilogue &&
        (!bias || bias == row.bias)) {
      return true;
    }
  }
  return ruleOf(target, LibraryRule::NarrowGeluAux) && isNarrow(product.d) && aux == product.c &&
         !isNarrow(product.c) && partsOf(epilogue).activation == EpilogueParts::Gelu;
}

EpilogueParts partsOf(LibraryEpilogue epilogue) {
  return epilogueParts[static_cast<size_t>(epilogue)];
}

std::optional<LibraryEpilogue> epilogueOf(const EpilogueParts &parts) {
  const auto *found = std::find(std::begin(epilogueParts), std::end(epilogueParts), parts);
  if (found == std::end(epilogueParts)) {
    return std::nullopt;
  }
  return static_cast<LibraryEpilogue>(found - std::begin(epilogueParts));
}

bool isNarrow(ElementType type) { return isFloat(type) && info(type).bits <= 8; }

const LibraryRuleRow *depthInRowRule(const GpuTarget &target, ElementType type, bool hasMxScales) {
  const LibraryRuleRow *rule = hasMxScales ? ruleOf(target, LibraryRule::MxDepthInRow) : nullptr;
  if (rule) {
    return rule;
  }
  if (isInteger(type)) {
    return ruleOf(target, LibraryRule::IntegerDepthInRow);
  }
  if (!isNarrow(type)) {
    return nullptr;
  }
  return ruleOf(target,
                info(type).bits == 4 ? LibraryRule::Fp4DepthInRow : LibraryRule::Fp8DepthInRow);
}

} // namespace drumlin
