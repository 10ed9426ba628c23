#include "drumlin/ir/sizes/InstantiateSizes.h"

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
    // Padding is a table, which keeps its shape.
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

SizeExpression::Values otherValues(ArrayRef<SizeSymbol> symbols,
                                   ArrayRef<SizeConstraint> constraints, OtherSizes wanted) {
  // Different steps, so that what is equal at both is equal by its expression, or nearly always.
  SmallVector<SizeSymbol> made(symbols);
  int64_t direction = wanted == OtherSizes::Larger ? 1 : -1;
  for (int64_t scale : {1, 2, 3, -1}) {
    for (auto [i, symbol] : llvm::enumerate(made)) {
      int64_t step = direction * scale * (6 + 6 * static_cast<int64_t>(i));
      auto moved = [&](int64_t by) {
        return std::clamp(symbols[i].nominal + by, symbol.minimum, symbol.maximum);
      };
      symbol.nominal = moved(step) == symbols[i].nominal ? moved(-step) : moved(step);
    }
    if (isAllowed(symbols, constraints, nominalValues(made))) {
      break;
    }
  }
  return nominalValues(made);
}

} // namespace drumlin
