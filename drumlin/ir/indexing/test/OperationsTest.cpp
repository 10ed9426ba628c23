// Compares each operation's map with the interpreter: if an operand element changes, only result
// elements that the map computes from this element may change.
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace mlir;

namespace drumlin {

namespace {
class OperationsTest : public testing::Test {
protected:
  OperationsTest() {
    context.loadDialect<func::FuncDialect, stablehlo::StablehloDialect, chlo::ChloDialect>();
    module = parseSourceFile<ModuleOp>(OPERATIONS_FILE, &context);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

// A function with one operation whose operands are the function's arguments, and values for these
// arguments.
struct Instance {
  func::FuncOp function;
  Operation *op;
  std::vector<Tensor> arguments;

  static bool isExact(Attribute exact, unsigned operand) {
    if (auto operands = dyn_cast_or_null<DenseI64ArrayAttr>(exact)) {
      return llvm::is_contained(operands.asArrayRef(), static_cast<int64_t>(operand));
    }
    return bool(exact);
  }
};
} // namespace

static int64_t integerAt(const Tensor &tensor, int64_t position) {
  switch (tensor.type()) {
  case ElementType::SI32:
    return tensor.as<int32_t>()[position];
  default:
    ADD_FAILURE() << "an index of type " << name(tensor.type());
    return 0;
  }
}

// Changes an element so much that the difference cannot be mistaken for a rounding difference.
static void change(Tensor &tensor, int64_t position) {
  switch (tensor.type()) {
  case ElementType::F32:
    tensor.as<float>()[position] += 1.5F;
    break;
  case ElementType::SI32:
    tensor.as<int32_t>()[position] += 1;
    break;
  case ElementType::SI16:
    tensor.as<int16_t>()[position] = static_cast<int16_t>(tensor.as<int16_t>()[position] + 1);
    break;
  case ElementType::I1:
    tensor.as<uint8_t>()[position] ^= 1;
    break;
  default:
    ADD_FAILURE() << "no change of " << name(tensor.type());
  }
}

static Instance makeInstance(func::FuncOp function) {
  Instance made{function, &function.front().front(), {}};
  std::mt19937_64 random{function.getName().size()};
  for (Type type : function.getArgumentTypes()) {
    auto tensorType = cast<RankedTensorType>(type);
    Tensor tensor(elementTypeOf(tensorType.getElementType()), Shape(tensorType.getShape()));
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      if (tensor.type() == ElementType::F32) {
        tensor.as<float>()[i] = std::uniform_real_distribution<float>(0.5F, 2.5F)(random);
      } else if (tensor.type() == ElementType::SI32) {
        tensor.as<int32_t>()[i] = std::uniform_int_distribution<int32_t>(-1, 4)(random);
      } else {
        tensor.data()[i] = static_cast<std::byte>(random() & 1);
      }
    }
    made.arguments.push_back(std::move(tensor));
  }
  if (auto fixed = function->getAttrOfType<DenseI64ArrayAttr>("fixed")) {
    for (auto [i, value] : llvm::enumerate(fixed.asArrayRef())) {
      made.arguments.back().as<int32_t>()[i] = static_cast<int32_t>(value);
    }
  }
  return made;
}

static Shape indexAt(const Shape &shape, int64_t position) {
  Shape index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = position % shape[d];
    position /= shape[d];
  }
  return index;
}

static int64_t positionOf(const Shape &shape, ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [size, each] : llvm::zip_equal(shape, index)) {
    EXPECT_TRUE(each >= 0 && each < size);
    position = position * size + each;
  }
  return position;
}

// Pairs of a result element and an operand element.
using Pairs = std::set<std::pair<int64_t, int64_t>>;

static Pairs said(const Instance &instance, const IndexingMap &map, const Tensor &result,
                  const Tensor &operand) {
  auto load = [&](const IndexingMap::Symbol &symbol, ArrayRef<int64_t> index) {
    const Tensor &source = instance.arguments[cast<BlockArgument>(symbol.source).getArgNumber()];
    return integerAt(source, positionOf(source.shape(), index));
  };
  Pairs pairs;
  for (int64_t i = 0; i < result.elements(); ++i) {
    map.forEachRead(indexAt(result.shape(), i), load, [&](ArrayRef<int64_t> index) {
      pairs.insert({i, positionOf(operand.shape(), index)});
    });
  }
  return pairs;
}

static bool differs(const Tensor &a, const Tensor &b, int64_t position) {
  size_t bytes = storageBytes(a.type());
  size_t at = static_cast<size_t>(position) * bytes;
  return std::memcmp(a.data() + at, b.data() + at, bytes) != 0;
}

static void holdToTheInterpreter(const Instance &instance) {
  Operation *op = instance.op;
  Result<std::vector<Tensor>> base = interpret(instance.function, instance.arguments);
  ASSERT_TRUE(base) << base.error().str();
  bool isLastFixed = instance.function->hasAttr("fixed");
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    ASSERT_EQ(cast<BlockArgument>(operand.get()).getArgNumber(), number);
    if (isLastFixed && number + 1 == op->getNumOperands()) {
      continue;
    }
    std::vector<Pairs> seen(base->size());
    for (int64_t position = 0; position < instance.arguments[number].elements(); ++position) {
      std::vector<Tensor> changed = instance.arguments;
      changed[number] = changed[number].clone();
      change(changed[number], position);
      Result<std::vector<Tensor>> results = interpret(instance.function, changed);
      ASSERT_TRUE(results) << results.error().str();
      for (size_t r = 0; r < seen.size(); ++r) {
        for (int64_t i = 0; i < (*results)[r].elements(); ++i) {
          if (differs((*base)[r], (*results)[r], i)) {
            seen[r].insert({i, position});
          }
        }
      }
    }
    for (unsigned r = 0; r < seen.size(); ++r) {
      SCOPED_TRACE("operand " + std::to_string(number) + ", result " + std::to_string(r));
      std::optional<IndexingMap> map = indexing(operand, r);
      ASSERT_TRUE(map);
      Pairs pairs = said(instance, *map, (*base)[r], instance.arguments[number]);
      EXPECT_TRUE(std::ranges::includes(pairs, seen[r])) << map->str();
      if (Instance::isExact(instance.function->getAttr("exact"), number)) {
        EXPECT_EQ(pairs, seen[r]) << map->str();
      }
    }
  }
}

TEST_F(OperationsTest, MapsSayWhatResultsAreComputedFrom) {
  ASSERT_TRUE(module);
  for (auto function : module->getOps<func::FuncOp>()) {
    SCOPED_TRACE(function.getName().str());
    holdToTheInterpreter(makeInstance(function));
  }
}

// Operations whose map is not compared with the interpreter, each with the reason. If the reason is
// `all elements`, the map leads to all elements of every operand, so there is nothing to compare.
static const std::pair<const char *, const char *> exempt[] = {
    {"stablehlo.constant", "no operands"},
    {"stablehlo.iota", "no operands"},
    {"chlo.constant", "no operands"},
    {"stablehlo.create_token", "no operands"},
    {"stablehlo.partition_id", "no operands"},
    {"stablehlo.replica_id", "no operands"},
    {"stablehlo.return", "no results"},
    {"stablehlo.outfeed", "no tensors"},
    {"stablehlo.infeed", "no tensors"},
    {"stablehlo.after_all", "no tensors"},
    {"stablehlo.tuple", "tuples have no map"},
    {"stablehlo.get_tuple_element", "tuples have no map"},
    {"stablehlo.send", "all elements"},
    {"stablehlo.recv", "all elements"},
    {"stablehlo.async_start", "all elements"},
    {"stablehlo.async_done", "all elements"},
    {"stablehlo.case", "all elements of the selecting operand"},
    {"stablehlo.if", "all elements of the selecting operand"},
    {"stablehlo.while", "all elements"},
    {"stablehlo.composite", "all elements"},
    {"stablehlo.custom_call", "all elements"},
    {"stablehlo.all_gather", "all elements of this device's operand"},
    {"stablehlo.all_reduce", "all elements of this device's operand"},
    {"stablehlo.all_to_all", "all elements of this device's operand"},
    {"stablehlo.collective_broadcast", "all elements of this device's operand"},
    {"stablehlo.collective_permute", "all elements of this device's operand"},
    {"stablehlo.collective_reduce", "all elements of this device's operand"},
    {"stablehlo.cross-replica-sum", "all elements of this device's operand"},
    {"stablehlo.reduce_scatter", "all elements of this device's operand"},
    {"stablehlo.dynamic_conv", "all elements"},
    {"stablehlo.dynamic_gather", "all elements"},
    {"stablehlo.dynamic_iota", "all elements of a shape"},
    {"stablehlo.dynamic_pad", "all elements"},
    {"stablehlo.real_dynamic_slice", "all elements"},
    {"stablehlo.get_dimension_size", "all elements"},
    {"stablehlo.rng", "all elements of scalars"},
    {"stablehlo.rng_bit_generator", "all elements of the state"},
    {"chlo.constant_like", "all elements"},
    {"chlo.ragged_dot", "all elements"},
    {"chlo.scan", "all elements"},
};

// Every operation of StableHLO and CHLO is in operations.mlir, is elementwise, is a
// `chlo.broadcast_…` operation, or is exempt with a reason.
TEST_F(OperationsTest, EveryOperationHasAMap) {
  ASSERT_TRUE(module);
  llvm::StringSet<> held, excused;
  for (auto function : module->getOps<func::FuncOp>()) {
    held.insert(function.front().front().getName().getStringRef());
  }
  for (auto [name, reason] : exempt) {
    EXPECT_FALSE(held.contains(name)) << name << " needs no exemption";
    excused.insert(name);
  }
  size_t operations = 0;
  for (RegisteredOperationName each : context.getRegisteredOperations()) {
    StringRef name = each.getStringRef();
    if (!name.starts_with("stablehlo.") && !name.starts_with("chlo.")) {
      continue;
    }
    ++operations;
    EXPECT_TRUE(each.hasInterface<IndexingInterface>()) << name.str();
    bool broadcasts = name.starts_with("chlo.broadcast_");
    EXPECT_TRUE(held.contains(name) || excused.contains(name) || broadcasts ||
                each.hasTrait<OpTrait::Elementwise>())
        << name.str();
  }
  EXPECT_GT(operations, 100u);
}

} // namespace drumlin
