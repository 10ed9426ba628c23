#include "drumlin/ir/sizes/InstantiateSizes.h"

#include "drumlin/target/Lanes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace drumlin {

static std::optional<SmallVector<int64_t>> valuesOf(sizes::SizesAttr sizes,
                                                    const SizeExpression::Values &values) {
  SmallVector<int64_t> made;
  for (const SizeExpression &size : sizes.getSizes()) {
    std::optional<int64_t> value = size.evaluate(values);
    if (!value) {
      return std::nullopt;
    }
    made.push_back(*value);
  }
  return made;
}

namespace {
enum class Symbols { Keep, Drop };
} // namespace

static bool setAttributes(Operation *op, const SizeExpression::Values &values, Symbols symbols) {
  auto sized = op->getAttrOfType<DictionaryAttr>(sizedAttributes);
  for (NamedAttribute each : sized ? sized.getValue() : ArrayRef<NamedAttribute>()) {
    auto sizes = dyn_cast<sizes::SizesAttr>(each.getValue());
    auto made = sizes ? valuesOf(sizes, values) : std::nullopt;
    if (!made) {
      return false;
    }
    // Padding is a two-dimensional tensor of sizes. Only its elements change, not its shape.
    auto table = op->getAttrOfType<DenseIntElementsAttr>(each.getName());
    op->setAttr(each.getName(),
                table
                    ? Attribute(DenseIntElementsAttr::get(cast<ShapedType>(table.getType()), *made))
                    : DenseI64ArrayAttr::get(op->getContext(), *made));
  }
  if (symbols == Symbols::Drop) {
    op->removeAttr(sizedAttributes);
  }
  return true;
}

static bool setSizes(Operation *root, const SizeExpression::Values &values, Symbols symbols) {
  bool isWell = true;
  auto typeAt = [&](RankedTensorType type) {
    auto made = typeOfSizes(type, symbolicSizesOf(type), values);
    isWell &= made.has_value();
    Attribute encoding = symbols == Symbols::Keep ? type.getEncoding() : Attribute();
    return RankedTensorType::get(made.value_or(type).getShape(), type.getElementType(), encoding);
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
    return hasSymbolicSizes(type) ? std::optional<Type>(typeAt(type)) : std::nullopt;
  });
  replacer.addReplacement([&](DenseElementsAttr elements) -> std::optional<Attribute> {
    if (!hasSymbolicSizes(elements.getType())) {
      return std::nullopt;
    }
    isWell &= elements.isSplat();
    return elements.isSplat()
               ? elements.resizeSplat(typeAt(cast<RankedTensorType>(elements.getType())))
               : elements;
  });
  root->walk([&](Operation *op) {
    isWell &= setAttributes(op, values, symbols);
    if (symbols == Symbols::Drop) {
      op->removeAttr(sizeSymbolsAttribute);
      op->removeAttr(sizeConstraintsAttribute);
    }
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return isWell;
}

bool instantiateSizes(Operation *root, const SizeExpression::Values &values) {
  return setSizes(root, values, Symbols::Drop);
}

bool changeNominalSizes(Operation *root, const SizeExpression::Values &values) {
  return setSizes(root, values, Symbols::Keep);
}

bool isAllowed(ArrayRef<SizeSymbol> symbols, ArrayRef<SizeConstraint> constraints,
               const SizeExpression::Values &values) {
  for (const SizeSymbol &symbol : symbols) {
    std::optional<int64_t> value = values(symbol.name);
    if (!value || *value < symbol.minimum || *value > symbol.maximum) {
      return false;
    }
  }
  return llvm::all_of(constraints, [&](const SizeConstraint &each) {
    std::optional<int64_t> value = each.size.evaluate(values);
    return value && (each.isZero ? *value == 0 : *value >= 0);
  });
}

bool isMoreElsewhere(const SizeExpression &size, ArrayRef<SizeSymbol> symbols,
                     ArrayRef<SizeConstraint> constraints) {
  int64_t nominal = size.evaluate(nominalValues(symbols)).value_or(0);
  if (nominal > 1 || size.constant()) {
    return false;
  }
  static constexpr int64_t tried[] = {0, 1, 2, 5, 16, 97, 128, 1000, 4096, 100'000, 1 << 24};
  SmallVector<SizeSymbol> at(symbols);
  auto isLarger = [&] {
    SizeExpression::Values values = nominalValues(at);
    return isAllowed(at, constraints, values) && size.evaluate(values).value_or(0) > nominal;
  };
  // Tries each combination of a value for one symbol and a value for all other symbols, so that the
  // quotient of any two symbols becomes both small and large.
  for (size_t one = 0; one < at.size(); ++one) {
    for (int64_t of : tried) {
      for (int64_t others : tried) {
        for (auto [i, symbol] : llvm::enumerate(at)) {
          int64_t more = i == one ? of : others;
          symbol.nominal =
              more > symbol.maximum - symbol.minimum ? symbol.maximum : symbol.minimum + more;
        }
        if (isLarger()) {
          return true;
        }
      }
    }
  }
  return false;
}

namespace {
// One strategy of the search for values that differ from the nominal ones.
struct Search {
  bool areStepsEqual; // all symbols take the same step, so that equal symbols stay equal
  bool takesZero;     // allows zeros, which satisfy all constraints on products
  bool staysAtBounds; // a symbol at its bound keeps its value; if false, it steps the other way
};
} // namespace

// The strategies in the order in which they are tried. The last ones are for symbols to which
// constraints allow few values: the nominal value, and 0 or 1. Code may be specialized for 0 or 1.
static constexpr Search searches[] = {{false, false, false},
                                      {true, false, false},
                                      {false, false, true},
                                      {true, false, true},
                                      {false, true, false}};

SizeExpression::Values otherValues(ArrayRef<SizeSymbol> symbols,
                                   ArrayRef<SizeConstraint> constraints, OtherSizes wanted,
                                   ArrayRef<SizeExpression> sizes) {
  // Each symbol takes a different step, so that two sizes that are equal both before and after the
  // steps almost always have equal expressions. Equal steps are tried for constraints that allow
  // nothing else, for example if operands are broadcast to a common shape.
  SmallVector<SizeSymbol> made(symbols), best;
  size_t fewest = sizes.size() + 1;
  SizeExpression::Values nominal = nominalValues(symbols);
  int64_t direction = wanted == OtherSizes::Larger ? 1 : -1;
  auto tryScale = [&](int64_t scale, const Search &search) {
    for (auto [i, symbol] : llvm::enumerate(made)) {
      int64_t nominal = symbols[i].nominal;
      int64_t number = search.areStepsEqual ? 0 : static_cast<int64_t>(i);
      int64_t step = direction * scale * (6 + 6 * number);
      bool avoidsOne = wanted == OtherSizes::Larger && nominal > 1 && !search.takesZero;
      int64_t least = std::max<int64_t>(symbol.minimum, avoidsOne ? 2 : 0);
      auto moved = [&](int64_t by) { return std::clamp(nominal + by, least, symbol.maximum); };
      bool turnsBack = moved(step) == nominal && !search.staysAtBounds;
      symbol.nominal = moved(turnsBack ? -step : step);
      if (symbol.nominal == 0 && nominal != 0 && !search.takesZero) {
        return;
      }
    }
    SizeExpression::Values values = nominalValues(made);
    // For all sizes up to `lanes`, the number of blocks of `lanes` elements is the same, so these
    // sizes don't count as different.
    auto isSame = [&](const SizeExpression &size) {
      std::optional<int64_t> here = size.evaluate(values), there = size.evaluate(nominal);
      return here == there || (here && there && std::max(*here, *there) <= int64_t{lanes});
    };
    auto same = static_cast<size_t>(llvm::count_if(sizes, isSame));
    if (same < fewest && isAllowed(symbols, constraints, values)) {
      best = made;
      fewest = same;
    }
  };
  for (const Search &search : searches) {
    for (int64_t scale : {1, 2, 3, -1, -3, 9, 27, 243, 2187}) {
      if (fewest != 0) {
        tryScale(scale, search);
      }
    }
    if (!best.empty()) {
      break;
    }
  }
  return nominalValues(best.empty() ? made : best);
}

} // namespace drumlin
