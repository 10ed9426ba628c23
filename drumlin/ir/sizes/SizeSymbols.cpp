#include "drumlin/ir/sizes/SizeSymbols.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace mlir;

namespace drumlin {

std::optional<SizeConstraint> SizeConstraint::parse(StringRef text) {
  bool isZero = text.consume_back(" == 0");
  if (!isZero && !text.consume_back(" >= 0")) {
    return std::nullopt;
  }
  std::optional<SizeExpression> size = SizeExpression::parse(text);
  return size ? std::optional(SizeConstraint{*size, isZero}) : std::nullopt;
}

std::vector<SizeSymbol> sizeSymbolsOf(func::FuncOp entry) {
  std::vector<SizeSymbol> symbols;
  auto list = entry->getAttrOfType<ArrayAttr>(sizeSymbolsAttribute);
  for (Attribute each : list ? list.getValue() : ArrayRef<Attribute>()) {
    if (auto symbol = dyn_cast<sizes::SymbolAttr>(each)) {
      symbols.push_back(
          {symbol.getName().str(), symbol.getNominal(), symbol.getMinimum(), symbol.getMaximum()});
    }
  }
  return symbols;
}

std::vector<SizeConstraint> sizeConstraintsOf(func::FuncOp entry) {
  std::vector<SizeConstraint> constraints;
  auto list = entry->getAttrOfType<ArrayAttr>(sizeConstraintsAttribute);
  for (Attribute each : list ? list.getValue() : ArrayRef<Attribute>()) {
    auto text = dyn_cast<StringAttr>(each);
    if (auto constraint = SizeConstraint::parse(text ? text.getValue() : "")) {
      constraints.push_back(*constraint);
    }
  }
  return constraints;
}

void setSizeSymbols(func::FuncOp entry, ArrayRef<SizeSymbol> symbols,
                    ArrayRef<SizeConstraint> constraints) {
  Builder builder(entry.getContext());
  SmallVector<Attribute> named, held;
  for (const SizeSymbol &symbol : symbols) {
    named.push_back(sizes::SymbolAttr::get(entry.getContext(), symbol.name, symbol.nominal,
                                           symbol.minimum, symbol.maximum));
  }
  for (const SizeConstraint &constraint : constraints) {
    held.push_back(builder.getStringAttr(constraint.str()));
  }
  entry->setAttr(sizeSymbolsAttribute, builder.getArrayAttr(named));
  if (!held.empty()) {
    entry->setAttr(sizeConstraintsAttribute, builder.getArrayAttr(held));
  }
}

SizeExpression::Values nominalValues(ArrayRef<SizeSymbol> symbols) {
  return [symbols = symbols.vec()](std::string_view name) -> std::optional<int64_t> {
    auto found = llvm::find_if(symbols, [&](const SizeSymbol &s) { return s.name == name; });
    return found == symbols.end() ? std::nullopt : std::optional(found->nominal);
  };
}

bool hasSymbolicSizes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<sizes::SizesAttr>(tensor.getEncoding());
}

bool hasUnknownSizes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

Operation *findUnknownSizes(Operation *root) {
  auto isUnknown = [](Type type) { return hasUnknownSizes(type); };
  Operation *found = nullptr;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool has = llvm::any_of(op->getResultTypes(), isUnknown) ||
               llvm::any_of(op->getRegions(), [&](Region &region) {
                 return llvm::any_of(region.getArgumentTypes(), isUnknown);
               });
    found = has ? op : nullptr;
    return has ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

std::vector<std::string> sizeSymbolsIn(Operation *root) {
  std::set<std::string> names;
  auto addAll = [&](const std::vector<SizeExpression> &sizes) {
    for (const SizeExpression &size : sizes) {
      std::vector<std::string> own = size.symbols();
      names.insert(own.begin(), own.end());
    }
  };
  auto add = [&](Type type) {
    if (hasSymbolicSizes(type)) {
      addAll(symbolicSizesOf(cast<RankedTensorType>(type)));
    }
  };
  root->walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), add);
    auto sized = op->getAttrOfType<DictionaryAttr>(sizedAttributes);
    for (NamedAttribute each : sized ? sized.getValue() : ArrayRef<NamedAttribute>()) {
      if (auto sizes = dyn_cast<sizes::SizesAttr>(each.getValue())) {
        addAll(sizes.getSizes());
      }
    }
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        llvm::for_each(block.getArgumentTypes(), add);
      }
    }
  });
  return {names.begin(), names.end()};
}

std::vector<SizeExpression> symbolicSizesOf(RankedTensorType type) {
  if (auto sizes = dyn_cast_or_null<sizes::SizesAttr>(type.getEncoding())) {
    return sizes.getSizes();
  }
  return {type.getShape().begin(), type.getShape().end()};
}

std::vector<Size> sizesOf(RankedTensorType type) {
  std::vector<Size> sizes(type.getShape().begin(), type.getShape().end());
  if (hasSymbolicSizes(type)) {
    for (auto [size, symbolic] : llvm::zip_equal(sizes, symbolicSizesOf(type))) {
      size = Size(size.nominal, symbolic);
    }
  }
  return sizes;
}

std::vector<SizeExpression> symbolicSizesOf(Value value) {
  return symbolicSizesOf(cast<RankedTensorType>(value.getType()));
}

std::vector<SizeExpression> symbolicSizesOf(Operation *op, StringRef attribute,
                                            ArrayRef<int64_t> nominal) {
  auto sized = op->getAttrOfType<DictionaryAttr>(sizedAttributes);
  auto sizes =
      sized ? dyn_cast_or_null<sizes::SizesAttr>(sized.get(attribute)) : sizes::SizesAttr();
  return sizes ? sizes.getSizes() : std::vector<SizeExpression>(nominal.begin(), nominal.end());
}

void setSymbolicSizes(Operation *op, StringRef attribute,
                      const std::vector<SizeExpression> &sizes) {
  if (llvm::all_of(sizes, [](const SizeExpression &size) { return size.constant().has_value(); })) {
    return;
  }
  NamedAttrList all(op->getAttrOfType<DictionaryAttr>(sizedAttributes));
  all.set(attribute, sizes::SizesAttr::get(op->getContext(), str(sizes)));
  op->setAttr(sizedAttributes, all.getDictionary(op->getContext()));
}

RankedTensorType typeOfSizes(Type element, ArrayRef<int64_t> shape,
                             const std::vector<SizeExpression> &sizes) {
  bool isStatic =
      llvm::all_of(sizes, [](const SizeExpression &size) { return size.constant().has_value(); });
  Attribute encoding =
      isStatic ? Attribute() : sizes::SizesAttr::get(element.getContext(), str(sizes));
  return RankedTensorType::get(shape, element, encoding);
}

std::optional<RankedTensorType> typeOfSizes(RankedTensorType like, ArrayRef<SizeExpression> sizes,
                                            const SizeExpression::Values &values) {
  SmallVector<int64_t> shape;
  for (const SizeExpression &size : sizes) {
    std::optional<int64_t> value = size.evaluate(values);
    if (!value || *value < 0) {
      return std::nullopt;
    }
    shape.push_back(*value);
  }
  return typeOfSizes(like.getElementType(), shape, sizes.vec());
}

} // namespace drumlin
