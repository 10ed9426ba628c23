#include "drumlin/listing/program/AttributeText.h"

#include "drumlin/ir/stablehlo/ConstantPrinting.h"
#include "drumlin/ir/stablehlo/HeldElements.h"
#include "drumlin/listing/ElementSummary.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

using namespace mlir;

namespace drumlin::listing {

static std::string printed(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream);
  return text;
}

static std::string integerText(const llvm::APInt &value, Type type) {
  if (value.getBitWidth() == 1) {
    return value.isZero() ? "false" : "true";
  }
  llvm::SmallString<24> text;
  value.toString(text, 10, !type.isUnsignedInteger());
  return std::string(text);
}

// Returns the text of a number with at most six significant digits, for lists of elements.
static std::string floatText(llvm::APFloat value) {
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return numberText(value.convertToDouble());
}

// Returns the fewest digits that identify the number in its type, so that functions with this
// constant are recognized.
static std::string exactText(llvm::APFloat value) {
  if (!value.isFinite()) {
    return floatText(value);
  }
  bool losesInfo = false;
  bool isDouble = &value.getSemantics() == &llvm::APFloat::IEEEdouble();
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  double number = value.convertToDouble();
  std::array<char, 32> text;
  auto end = isDouble ? std::to_chars(text.begin(), text.end(), number)
                      : std::to_chars(text.begin(), text.end(), static_cast<float>(number));
  return {text.begin(), end.ptr};
}

static bool isNan(float value) { return std::isnan(value); }
static bool isNan(const llvm::APFloat &value) { return value.isNaN(); }
static bool isNan(const llvm::APInt & /*value*/) { return false; }

// Returns the positions of the smallest and the largest element, or only the position of a NaN if
// there is one. `isLess` compares elements.
template <typename Values, typename Less>
static llvm::SmallVector<size_t> extremesOf(const Values &values, Less isLess) {
  auto least = values.begin(), greatest = values.begin();
  for (auto at = values.begin(); at != values.end(); ++at) {
    if (isNan(*at)) {
      return {static_cast<size_t>(at - values.begin())};
    }
    least = isLess(*at, *least) ? at : least;
    greatest = isLess(*greatest, *at) ? at : greatest;
  }
  return {static_cast<size_t>(least - values.begin()),
          static_cast<size_t>(greatest - values.begin())};
}

static llvm::SmallVector<size_t> extremesOf(DenseElementsAttr elements) {
  Type type = elements.getElementType();
  // A fast path for f32, the type of most weights, since APFloat is slow.
  if (auto values = elements.tryGetValues<float>(); succeeded(values)) {
    return extremesOf(*values, std::less<>());
  }
  if (isa<FloatType>(type)) {
    return extremesOf(elements.getValues<llvm::APFloat>(),
                      [](const llvm::APFloat &a, const llvm::APFloat &b) { return a < b; });
  }
  if (type.isIntOrIndex()) {
    return extremesOf(elements.getValues<llvm::APInt>(),
                      [&](const llvm::APInt &a, const llvm::APInt &b) {
                        return type.isUnsignedInteger() ? a.ult(b) : a.slt(b);
                      });
  }
  return {0}; // for types that aren't summarized as numbers
}

static std::string denseText(DenseElementsAttr elements) {
  Type type = elements.getElementType();
  ElementSummary summary;
  auto addAll = [&](auto values, auto textOf) {
    auto count = static_cast<size_t>(elements.getNumElements());
    size_t shown = std::min<size_t>(count, ElementSummary::maxShown);
    for (size_t i = 0; i < shown; ++i) {
      summary.add(textOf(values[i]));
    }
    if (shown < count) {
      for (size_t i : extremesOf(elements)) {
        summary.add(textOf(values[i]));
      }
      summary.addBetween(static_cast<int64_t>(count) - summary.count());
    }
  };
  auto splatOr = [&](auto value, auto textOf) {
    using Number = decltype(value);
    if (elements.isSplat()) {
      if constexpr (std::is_same_v<Number, llvm::APFloat>) {
        return exactText(elements.getSplatValue<Number>());
      } else {
        return textOf(elements.getSplatValue<Number>());
      }
    }
    addAll(elements.getValues<Number>(), textOf);
    return summary.text();
  };
  if (isa<FloatType>(type)) {
    return splatOr(llvm::APFloat(0.0), floatText);
  }
  if (type.isIntOrIndex()) {
    return splatOr(llvm::APInt(1, 0),
                   [&](const llvm::APInt &value) { return integerText(value, type); });
  }
  if (auto complex = dyn_cast<ComplexType>(type);
      complex && isa<FloatType>(complex.getElementType())) {
    return splatOr(std::complex<llvm::APFloat>(llvm::APFloat(0.0), llvm::APFloat(0.0)),
                   [](const std::complex<llvm::APFloat> &value) {
                     return "(" + floatText(value.real()) + ", " + floatText(value.imag()) + ")";
                   });
  }
  return std::to_string(elements.getNumElements()) + " elements";
}

// Returns the same as extremesOf for f32 elements, but faster, since programs may have many
// weights. Computes the extremes per lane, then finds their positions.
static llvm::SmallVector<size_t> extremesOfSingles(const Tensor &elements) {
  constexpr size_t lanes = 16, block = 1024;
  auto count = static_cast<size_t>(elements.elements());
  float values[block], low[lanes], high[lanes];
  auto load = [&](size_t at) {
    size_t loaded = std::min(block, count - at);
    std::memcpy(values, elements.data() + at * sizeof(float), loaded * sizeof(float));
    std::fill(values + loaded, values + block, values[0]); // repeated elements change no extreme
    return loaded;
  };
  load(0);
  std::fill(low, low + lanes, values[0]);
  std::fill(high, high + lanes, values[0]);
  for (size_t at = 0; at < count; at += block) {
    load(at);
    unsigned nans[lanes] = {};
    for (size_t i = 0; i < block; i += lanes) {
      for (size_t lane = 0; lane < lanes; ++lane) {
        float value = values[i + lane];
        low[lane] = value < low[lane] ? value : low[lane];
        high[lane] = high[lane] < value ? value : high[lane];
        nans[lane] |= value != value;
      }
    }
    if (llvm::any_of(nans, [](unsigned nan) { return nan != 0; })) {
      return {at + static_cast<size_t>(std::find_if(values, values + block,
                                                    [](float value) { return isNan(value); }) -
                                       values)};
    }
  }
  float least = *std::min_element(low, low + lanes),
        greatest = *std::max_element(high, high + lanes);
  auto placeOf = [&](float wanted) {
    for (size_t at = 0; at < count; at += block) {
      size_t loaded = load(at);
      if (const float *found = std::find(values, values + loaded, wanted);
          found != values + loaded) {
        return at + static_cast<size_t>(found - values);
      }
    }
    return size_t(0);
  };
  return {placeOf(least), placeOf(greatest)};
}

// Returns the same as denseText for held elements, which are always real numbers and never splats.
static std::string heldText(const Tensor &elements, Type type) {
  size_t size = storageBytes(elements.type());
  auto bits = [&](size_t i) {
    llvm::APInt value(static_cast<unsigned>(8 * size), 0);
    llvm::LoadIntFromMemory(value, elements.as<uint8_t>() + i * size, static_cast<unsigned>(size));
    return value;
  };
  auto count = static_cast<size_t>(elements.elements());
  ElementSummary summary;
  auto addAll = [&](auto textOf, auto extremes) {
    size_t shown = std::min<size_t>(count, ElementSummary::maxShown);
    for (size_t i = 0; i < shown; ++i) {
      summary.add(textOf(i));
    }
    if (shown < count) {
      for (size_t i : extremes()) {
        summary.add(textOf(i));
      }
      summary.addBetween(static_cast<int64_t>(count) - summary.count());
    }
  };
  auto all = [&](auto valueAt) { return llvm::map_range(llvm::seq<size_t>(0, count), valueAt); };
  if (auto real = dyn_cast<FloatType>(type)) {
    auto valueAt = [&](size_t i) { return llvm::APFloat(real.getFloatSemantics(), bits(i)); };
    addAll([&](size_t i) { return floatText(valueAt(i)); },
           [&] {
             return real.isF32()
                        ? extremesOfSingles(elements)
                        : extremesOf(all(valueAt), [](const llvm::APFloat &a,
                                                      const llvm::APFloat &b) { return a < b; });
           });
  } else {
    addAll([&](size_t i) { return integerText(bits(i), type); },
           [&] {
             return extremesOf(all(bits), [&](const llvm::APInt &a, const llvm::APInt &b) {
               return type.isUnsignedInteger() ? a.ult(b) : a.slt(b);
             });
           });
  }
  return summary.text();
}

std::string elementsText(ElementsAttr elements) {
  if (const HeldConstant *held = heldConstant(elements)) {
    return heldText(held->elements, elements.getElementType());
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    return denseText(dense);
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  if (resource && resource.getRawHandle().getKey() != stablehlo::elidedKey) {
    return "resource " + resource.getRawHandle().getKey().str() + ", " +
           std::to_string(elements.getNumElements()) + " elements";
  }
  return std::to_string(elements.getNumElements()) + " elements";
}

// Returns a short text for a dialect's attribute: `DEFAULT` for `#stablehlo<precision DEFAULT>`,
// `gemm` for `#plan.kind<gemm>`, `<lhs_contracting…>` for `#stablehlo.dot<…>`.
static std::string dialectText(Attribute attribute) {
  std::string text = printed(attribute);
  llvm::StringRef rest = text;
  size_t open = rest.find('<');
  if (!rest.starts_with("#") || open == rest.npos || !rest.ends_with(">")) {
    return text;
  }
  llvm::StringRef inside = rest.drop_front(open + 1).drop_back();
  if (!inside.empty() && inside.find_first_of(" <,=[") == inside.npos) {
    return inside.str();
  }
  bool isEnumerator = !rest.take_front(open).contains('.') && inside.count(' ') == 1;
  return (isEnumerator ? inside.split(' ').second : rest.drop_front(open)).str();
}

// The importer limits the nesting of attributes, and so the recursion's depth.
std::string attributeText(Attribute attribute) {
  auto joined = [](auto values, auto textOf) {
    std::string text = "[";
    for (const auto &[i, value] : llvm::enumerate(values)) {
      text += (i == 0 ? "" : ", ") + textOf(value);
    }
    return text + "]";
  };
  if (isa<UnitAttr>(attribute)) {
    return {};
  }
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    return integerText(integer.getValue(), integer.getType());
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    return floatText(number.getValue());
  }
  if (auto elements = dyn_cast<ElementsAttr>(attribute);
      elements && !isa<DenseArrayAttr>(attribute)) {
    return "[" + elementsText(elements) + "]";
  }
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    return joined(integers.asArrayRef(), [](int64_t value) { return std::to_string(value); });
  }
  if (auto flags = dyn_cast<DenseBoolArrayAttr>(attribute)) {
    return joined(flags.asArrayRef(),
                  [](bool value) { return std::string(value ? "true" : "false"); });
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    return joined(array.getValue(), attributeText);
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    std::string text;
    for (NamedAttribute entry : dictionary) {
      std::string value = attributeText(entry.getValue());
      text += (text.empty() ? "" : ", ") + entry.getName().str();
      text += (value.empty() ? "" : " = ") + value;
    }
    return "{" + text + "}";
  }
  return dialectText(attribute);
}

} // namespace drumlin::listing
