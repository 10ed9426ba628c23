#include "drumlin/target/LibraryTable.h"

#include <algorithm>
#include <array>

namespace drumlin {

using namespace gpus;

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
// Sets of types, with the names that the rows below use.
namespace sets {
static bool All(ElementType) { return true; }
static bool Narrow(ElementType type) { return isNarrow(type); }
static bool F32(ElementType type) { return type == ElementType::F32; }
static bool F64(ElementType type) { return type == ElementType::F64; }
} // namespace sets

static constexpr unsigned bitOf(ScaleMode mode) { return 1u << static_cast<unsigned>(mode); }

// Sets of scale modes, with the names that the tables use.
static constexpr unsigned Unscaled = 0;
static constexpr unsigned Tensor = bitOf(ScaleMode::Scalar);
static constexpr unsigned Plain = Tensor | bitOf(ScaleMode::OuterVector);
static constexpr unsigned BlocksOf32 = bitOf(ScaleMode::Mx);
static constexpr unsigned Any =
    Plain | bitOf(ScaleMode::Row128) | bitOf(ScaleMode::Square128) | BlocksOf32;
static constexpr unsigned Fp4 = bitOf(ScaleMode::Nvfp4);

// The type names that the tables use. NoBias: the row allows no bias.
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
  if (aux == product.d && !isNarrow(product.d)) { // a narrow aux also has a scale
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
