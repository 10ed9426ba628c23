// Simplifies element types, constants and attributes.
#include "drumlin/driver/reduce/ArgumentNumbers.h"
#include "drumlin/driver/reduce/DimensionClasses.h"
#include "drumlin/driver/reduce/Edits.h"
#include "drumlin/driver/reduce/ProgramReductions.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace drumlin::reduce {

//===-- element types -------------------------------------------------------------------------===//

// Returns f32 for floating-point types and i32 for integer types; null for types that are already
// simple or have no such counterpart.
static Type simpler(Type element) {
  MLIRContext *context = element.getContext();
  if (isa<FloatType>(element)) {
    return element.isF32() ? Type() : Type(Float32Type::get(context));
  }
  auto integer = dyn_cast<IntegerType>(element);
  bool isSimple = !integer || integer.getWidth() == 1 || integer.isSignlessInteger(32);
  return isSimple ? Type() : Type(IntegerType::get(context, 32));
}

static ElementsAttr converted(ElementsAttr value, Type to) {
  if (auto floats = dyn_cast<DenseFPElementsAttr>(value)) {
    return floats.mapValues(to, [&](const APFloat &number) {
      APFloat rounded = number;
      bool losesInfo;
      rounded.convert(cast<FloatType>(to).getFloatSemantics(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
      return rounded.bitcastToAPInt();
    });
  }
  auto integers = dyn_cast<DenseIntElementsAttr>(value);
  if (!integers) {
    return {};
  }
  bool isUnsigned = value.getElementType().isUnsignedInteger();
  unsigned bits = to.getIntOrFloatBitWidth();
  return integers.mapValues(to, [&](const APInt &number) {
    return isUnsigned ? number.zextOrTrunc(bits) : number.sextOrTrunc(bits);
  });
}

// Replaces every element type of the list by its simpler type, in the whole program.
static bool changeTypes(ModuleOp module, ArrayRef<Type> from) {
  bool isPossible = true;
  auto change = [&](Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (tensor && llvm::is_contained(from, tensor.getElementType())) {
      value.setType(tensor.clone(simpler(tensor.getElementType())));
    }
  };
  module->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), change);
    for (Region &region : op->getRegions()) {
      llvm::for_each(region.getArguments(), change);
    }
    auto constant = dyn_cast<stablehlo::ConstantOp>(op);
    if (constant && llvm::is_contained(from, constant.getValue().getElementType())) {
      ElementsAttr value =
          converted(constant.getValue(), simpler(constant.getValue().getElementType()));
      isPossible &= value != ElementsAttr();
      constant.setValueAttr(value ? value : constant.getValue());
    }
  });
  module->walk([](func::FuncOp function) { updateType(function); });
  return isPossible;
}

static SmallVector<Type> exoticTypes(ModuleOp module) {
  llvm::SetVector<Type> types;
  auto add = [&](Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    if (simpler(element)) {
      types.insert(element);
    }
  };
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions()) {
      llvm::for_each(region.getArguments(), add);
    }
  });
  return types.takeVector();
}

void simplifyTypes(Search &search) {
  SmallVector<Type> types = exoticTypes(search.best());
  if (types.size() > 1) {
    search.attempt("simplifying types",
                   [&](ModuleOp module) { return changeTypes(module, types); });
  }
  for (Type type : types) {
    search.attempt("simplifying types", [&](ModuleOp module) { return changeTypes(module, type); });
  }
}

//===-- constants -----------------------------------------------------------------------------===//

namespace {
enum class SimplerConstant { Zeros, Ones, FirstElement };
} // namespace

static void simplifyConstant(stablehlo::ConstantOp constant, SimplerConstant held) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (held == SimplerConstant::FirstElement) {
    if (elements && !elements.isSplat() && elements.getNumElements() > 0) {
      constant.setValueAttr(
          DenseElementsAttr::get(elements.getType(), *elements.value_begin<Attribute>()));
    }
    return;
  }
  OpBuilder builder(constant);
  if (Value other = makeConstant(builder, constant.getType(), held == SimplerConstant::Ones)) {
    constant->replaceAllUsesWith(other.getDefiningOp());
    constant->erase();
  }
}

void simplifyConstants(Search &search) {
  for (SimplerConstant held :
       {SimplerConstant::Zeros, SimplerConstant::Ones, SimplerConstant::FirstElement}) {
    auto tryChunk = [&](size_t begin, size_t end) {
      return search.attempt("simplifying constants", [&](ModuleOp module) {
        auto constants = operationsOf<stablehlo::ConstantOp>(module);
        for (stablehlo::ConstantOp constant : ArrayRef(constants).slice(begin, end - begin)) {
          simplifyConstant(constant, held);
        }
        return true;
      });
    };
    auto count = [&] { return operationsOf<stablehlo::ConstantOp>(search.best()).size(); };
    if (!tryChunk(0, count())) {
      forEachChunk(search, count, tryChunk);
    }
  }
}

//===-- attributes ----------------------------------------------------------------------------===//

// Tries to change each attribute of each operation, one at a time. `change` returns false if there
// is nothing to change.
static void forEachAttribute(Search &search,
                             llvm::function_ref<bool(Operation *, NamedAttribute, unsigned)> change,
                             unsigned choices) {
  for (size_t i = operationsOf(search.best()).size(); i-- > 0 && !search.isOver();) {
    // An earlier try may have removed the attribute.
    for (size_t k = operationsOf(search.best())[i]->getAttrs().size(); k-- > 0;) {
      for (unsigned choice = 0; choice < choices; ++choice) {
        search.attempt("simplifying attributes", [&](ModuleOp module) {
          Operation *op = operationsOf(module)[i];
          if (k >= op->getAttrs().size() || isa<stablehlo::ConstantOp>(op)) {
            return false;
          }
          DimensionClasses dimensions(module);
          return change(op, op->getAttrs()[k], choice) &&
                 dimensions.apply(DimensionClasses::Lead::Attributes);
        });
      }
    }
    if (i > operationsOf(search.best()).size()) {
      i = operationsOf(search.best()).size();
    }
  }
}

// Removes attributes that don't affect the computation.
static bool dropDiscardable(Operation *op) {
  SmallVector<StringAttr> names;
  for (NamedAttribute named : op->getDiscardableAttrs()) {
    names.push_back(named.getName());
  }
  for (StringAttr name : names) {
    op->removeDiscardableAttr(name);
  }
  return !names.empty();
}

static bool dropArgumentAttributes(func::FuncOp function, unsigned i) {
  bool hasDropped = false;
  for (NamedAttribute named :
       SmallVector<NamedAttribute>(mlir::function_interface_impl::getArgAttrs(function, i))) {
    if (named.getName() != argumentNumber) {
      function.removeArgAttr(i, named.getName());
      hasDropped = true;
    }
  }
  return hasDropped;
}

static void dropFromSignature(Search &search) {
  bool isBare = search.attempt("dropping attributes", [](ModuleOp module) {
    bool hasDropped = dropDiscardable(module);
    hasDropped |= module->removeAttr(SymbolTable::getSymbolAttrName()) != Attribute();
    for (auto function : module.getOps<func::FuncOp>()) {
      hasDropped |= dropDiscardable(function);
      hasDropped |= function.getResAttrsAttr() != ArrayAttr();
      function.removeResAttrsAttr();
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        hasDropped |= dropArgumentAttributes(function, i);
      }
    }
    return hasDropped;
  });
  if (isBare) {
    return;
  }
  search.attempt("dropping attributes", [](ModuleOp module) { return dropDiscardable(module); });
  search.attempt("dropping attributes",
                 [](ModuleOp module) { return dropDiscardable(entryFunction(module)); });
  search.attempt("dropping attributes", [](ModuleOp module) {
    func::FuncOp entry = entryFunction(module);
    bool hasAny = entry.getResAttrsAttr() != ArrayAttr();
    entry.removeResAttrsAttr();
    return hasAny;
  });
  for (unsigned i = 0; i < search.entry().getNumArguments(); ++i) {
    search.attempt("dropping attributes", [&](ModuleOp module) {
      return dropArgumentAttributes(entryFunction(module), i);
    });
  }
}

// Returns whether an operation is valid without the attribute.
static bool hasDefault(StringRef name) {
  static constexpr StringLiteral names[] = {
      "window_strides", "base_dilations",  "window_dilations",   "padding",
      "lhs_dilation",   "rhs_dilation",    "window_reversal",    "precision_config",
      "algorithm",      "result_accuracy", "indices_are_sorted", "unique_indices",
      "compare_type",   "is_stable",       "operand_layouts",    "result_layouts"};
  return llvm::is_contained(names, name);
}

// Returns the list with `number` at index `place`; null if the list has no such index, or if
// nothing changes.
static Attribute withNumber(Attribute list, unsigned place, int64_t number) {
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(list)) {
    SmallVector<int64_t> changed(numbers.asArrayRef());
    if (place >= changed.size() || std::exchange(changed[place], number) == number) {
      return {};
    }
    return DenseI64ArrayAttr::get(list.getContext(), changed);
  }
  auto elements = dyn_cast<DenseIntElementsAttr>(list);
  if (!elements || !elements.getElementType().isInteger(64)) {
    return {};
  }
  SmallVector<int64_t> changed(elements.getValues<int64_t>());
  if (place >= changed.size() || std::exchange(changed[place], number) == number) {
    return {};
  }
  return DenseIntElementsAttr::get(elements.getType(), changed);
}

void simplifyAttributes(Search &search) {
  dropFromSignature(search);
  search.attempt("dropping attributes", [](ModuleOp module) {
    bool hasDropped = false;
    for (Operation *op : operationsOf(module)) {
      hasDropped |= dropDiscardable(op);
    }
    return hasDropped;
  });
  forEachAttribute(
      search,
      [](Operation *op, NamedAttribute named, unsigned) {
        bool has = hasDefault(named.getName());
        if (has) {
          op->removeAttr(named.getName());
        }
        return has;
      },
      1);
  constexpr unsigned maxNumbers = 8;
  forEachAttribute(
      search,
      [](Operation *op, NamedAttribute named, unsigned choice) {
        Attribute simple = withNumber(named.getValue(), choice / 2, choice % 2);
        if (!simple) {
          return false;
        }
        op->setAttr(named.getName(), simple);
        return true;
      },
      2 * maxNumbers);
}

} // namespace drumlin::reduce
