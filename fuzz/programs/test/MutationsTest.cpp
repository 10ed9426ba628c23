// Plants faults into the plans of random programs, one at a time. Counts the faults that the
// verifier or a contract finds without running the plan, and the faults that only a comparison of
// results finds.
#include "Checks.h"
#include "Generator.h"

#include "drumlin/driver/Phases.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/transforms/Contracts.h"
#include "mlir/IR/Verifier.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace mlir;
using namespace drumlin;
using fuzz::Subject;

namespace {
using Random = std::mt19937_64;
using Operations = std::vector<Operation *>;

template <typename Item> Item pick(const std::vector<Item> &items, Random &random) {
  return items[random() % items.size()];
}

Operations operationsThat(ModuleOp module, llvm::function_ref<bool(Operation *)> wanted) {
  Operations found;
  module.walk([&](Operation *op) {
    if (wanted(op)) {
      found.push_back(op);
    }
  });
  return found;
}

// Swaps two operands of one type.
bool swapOperands(ModuleOp module, Random &random) {
  Operations candidates = operationsThat(module, [](Operation *op) {
    return op->getNumOperands() > 1 && !op->hasTrait<OpTrait::IsTerminator>() &&
           op->getOperand(0) != op->getOperand(1) &&
           op->getOperand(0).getType() == op->getOperand(1).getType();
  });
  if (candidates.empty()) {
    return false;
  }
  Operation *op = pick(candidates, random);
  Value first = op->getOperand(0);
  op->setOperand(0, op->getOperand(1));
  op->setOperand(1, first);
  return true;
}

// Swaps the buffers of two results of equal size, which may belong to different operations.
bool swapBuffers(ModuleOp module, Random &random) {
  std::map<int64_t, std::vector<OpResult>> bySize;
  module.walk([&](Operation *op) {
    if (op->hasAttr(buffersAttribute) && !isa<stablehlo::ConstantOp>(op)) {
      for (OpResult result : op->getResults()) {
        plan::BufferAttr buffer = bufferOf(result);
        if (buffer.getSize() > 0) {
          bySize[buffer.getSize()].push_back(result);
        }
      }
    }
  });
  std::vector<std::pair<OpResult, OpResult>> pairs;
  for (auto &[size, results] : bySize) {
    for (size_t i = 1; i < results.size(); ++i) {
      if (bufferOf(results[i]) != bufferOf(results[i - 1])) {
        pairs.push_back({results[i - 1], results[i]});
      }
    }
  }
  if (pairs.empty()) {
    return false;
  }
  auto [a, b] = pick(pairs, random);
  auto put = [](OpResult result, Attribute buffer) {
    auto buffers = result.getOwner()->getAttrOfType<ArrayAttr>(buffersAttribute);
    SmallVector<Attribute> changed(buffers.begin(), buffers.end());
    changed[result.getResultNumber()] = buffer;
    result.getOwner()->setAttr(buffersAttribute, ArrayAttr::get(buffer.getContext(), changed));
  };
  Attribute first = bufferOf(a), second = bufferOf(b);
  put(a, second);
  put(b, first);
  return true;
}

// Swaps two dimensions of an attribute.
bool swapDimensions(ModuleOp module, Random &random) {
  std::vector<std::pair<Operation *, NamedAttribute>> candidates;
  module.walk([&](Operation *op) {
    for (NamedAttribute each : op->getAttrs()) {
      auto numbers = dyn_cast<DenseI64ArrayAttr>(each.getValue());
      if (numbers && numbers.size() > 1 && numbers[0] != numbers[1]) {
        candidates.push_back({op, each});
      }
    }
  });
  if (candidates.empty()) {
    return false;
  }
  auto [op, attribute] = pick(candidates, random);
  SmallVector<int64_t> numbers(cast<DenseI64ArrayAttr>(attribute.getValue()).asArrayRef());
  std::swap(numbers[0], numbers[1]);
  op->setAttr(attribute.getName(), DenseI64ArrayAttr::get(op->getContext(), numbers));
  return true;
}

// Drops an operation. The users of its result read its operand instead.
bool dropOperation(ModuleOp module, Random &random) {
  Operations candidates = operationsThat(module, [](Operation *op) {
    return op->getNumResults() == 1 && op->getNumRegions() == 0 && op->getNumOperands() > 0 &&
           !op->use_empty() && op->getOperand(0).getType() == op->getResult(0).getType();
  });
  if (candidates.empty()) {
    return false;
  }
  Operation *op = pick(candidates, random);
  op->replaceAllUsesWith(ValueRange(op->getOperand(0)));
  op->erase();
  return true;
}

// Makes a launch read another value of the same type.
bool readAnotherValue(ModuleOp module, Random &random) {
  std::vector<std::pair<OpOperand *, Value>> candidates;
  module.walk([&](plan::LaunchOp launch) {
    for (OpOperand &operand : launch->getOpOperands()) {
      for (Value other : launch->getOperands()) {
        if (other != operand.get() && other.getType() == operand.get().getType()) {
          candidates.push_back({&operand, other});
        }
      }
      for (Operation &before : *launch->getBlock()) {
        if (&before == launch) {
          break;
        }
        for (Value other : before.getResults()) {
          if (other != operand.get() && other.getType() == operand.get().getType()) {
            candidates.push_back({&operand, other});
          }
        }
      }
    }
  });
  if (candidates.empty()) {
    return false;
  }
  auto [operand, other] = pick(candidates, random);
  operand->set(other);
  return true;
}

// Replaces a kernel that moves the elements of its only input by a bitcast.
bool takeForBitcast(ModuleOp module, Random &random) {
  SymbolTable symbols(module);
  Operations candidates = operationsThat(module, [&](Operation *op) {
    auto launch = dyn_cast<plan::LaunchOp>(op);
    auto kernel = launch ? symbols.lookup<plan::KernelOp>(launch.getKernel()) : plan::KernelOp();
    return kernel && launch->getNumResults() == 1 && launch->getNumOperands() == 1 &&
           bytesOf(launch->getOperand(0)) == bytesOf(launch->getResult(0)) &&
           getElementTypeOrSelf(launch->getOperand(0)) ==
               getElementTypeOrSelf(launch->getResult(0));
  });
  if (candidates.empty()) {
    return false;
  }
  Operation *op = pick(candidates, random);
  OpBuilder builder(op);
  op->replaceAllUsesWith(plan::BitcastOp::create(builder, op->getLoc(), op->getResult(0).getType(),
                                                 op->getOperand(0), {}, {}, {}, {}));
  op->erase();
  return true;
}

// Makes a launch overwrite one of its operands although its kernel can't work in place.
bool writeOverAnOperand(ModuleOp module, Random &random) {
  std::vector<std::pair<plan::LaunchOp, Value>> candidates;
  SymbolTable symbols(module);
  module.walk([&](plan::LaunchOp launch) {
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    for (OpOperand &use : launch->getOpOperands()) {
      Value operand = use.get();
      if (mayComputeInPlace(kernel, use.getOperandNumber(), 0)) {
        continue;
      }
      Operation *defining = operand.getDefiningOp();
      if (!isa_and_nonnull<plan::LaunchOp>(defining)) {
        continue;
      }
      plan::BufferAttr read = bufferOf(operand), written = bufferOf(launch->getResult(0));
      if (read.getKind() == plan::BufferKind::arena &&
          written.getKind() == plan::BufferKind::arena && read != written &&
          written.getSize() > 0 && read.getSize() >= written.getSize()) {
        candidates.push_back({launch, operand});
      }
    }
  });
  if (candidates.empty()) {
    return false;
  }
  auto [launch, operand] = pick(candidates, random);
  auto buffers = launch->getAttrOfType<ArrayAttr>(buffersAttribute);
  SmallVector<Attribute> changed(buffers.begin(), buffers.end());
  plan::BufferAttr over = bufferOf(operand);
  changed[0] = plan::BufferAttr::get(launch.getContext(), over.getKind(), over.getIndex(),
                                     over.getOffset(), bufferOf(launch->getResult(0)).getSize());
  launch->setAttr(buffersAttribute, ArrayAttr::get(launch.getContext(), changed));
  return true;
}

struct Mutation {
  const char *name;
  bool (*apply)(ModuleOp, Random &);
  // Whether the mutation changes only memory, which the plan interpreter doesn't model. If no
  // contract finds the fault, the fault is harmless, or only a run on real memory would show it.
  bool isOfMemory;
};
constexpr Mutation mutations[] = {
    {"swap operands", swapOperands, false},
    {"swap buffers", swapBuffers, true},
    {"swap dimensions", swapDimensions, false},
    {"drop an operation", dropOperation, false},
    {"read another value", readAnotherValue, false},
    {"take a kernel for a bitcast", takeForBitcast, false},
    {"write over an operand", writeOverAnOperand, true},
};

enum Outcome { Verifier, Contracts, Comparison, Unnoticed };
using Table = std::map<std::string, std::array<int, 4>>;

bool breaksAContract(ModuleOp module) {
  return llvm::any_of(allContracts(),
                      [&](const Contract &contract) { return contract.check(module).has_value(); });
}

bool areSame(const std::vector<Tensor> &a, const std::vector<Tensor> &b) {
  return llvm::equal(a, b, [](const Tensor &x, const Tensor &y) {
    return x.bytes() == y.bytes() &&
           std::memcmp(x.data(), y.data(), static_cast<size_t>(x.bytes())) == 0;
  });
}

class Mutator {
public:
  Mutator() : context(programDialects(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    options.table = &planOperations();
    options.maxSteps = 200'000; // a fault may cause an endless loop
  }

  void mutate(uint64_t seed, int times, Table &table) {
    Result<Subject> subject = Subject::make(fuzz::generate(seed), context);
    ASSERT_TRUE(subject) << subject.error().str();
    OwningOpRef<ModuleOp> planned = subject->copy();
    PhaseResult phases;
    Status status = runPhases(*planned, CompileOptions(), phases);
    ASSERT_TRUE(status) << status.error().str();
    ASSERT_FALSE(breaksAContract(*planned)) << seed;
    Result<std::vector<Tensor>> expected = interpretPlan(*planned, *subject);
    ASSERT_TRUE(expected) << expected.error().str();
    ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return success(); });
    Random random(seed);
    for (const Mutation &mutation : mutations) {
      for (int i = 0; i < times; ++i) {
        OwningOpRef<ModuleOp> mutant(cast<ModuleOp>(planned.get()->clone()));
        if (mutation.apply(*mutant, random)) {
          ++table[mutation.name][outcomeOf(*mutant, mutation, *subject, *expected)];
        }
      }
    }
  }

private:
  Result<std::vector<Tensor>> interpretPlan(ModuleOp module, const Subject &subject) {
    return interpret(entryFunction(module), subject.arguments, options);
  }

  Outcome outcomeOf(ModuleOp mutant, const Mutation &mutation, const Subject &subject,
                    const std::vector<Tensor> &expected) {
    if (failed(verify(mutant))) {
      return Verifier;
    }
    if (breaksAContract(mutant)) {
      return Contracts;
    }
    if (mutation.isOfMemory) {
      return Unnoticed;
    }
    Result<std::vector<Tensor>> got = interpretPlan(mutant, subject);
    return got && areSame(*got, expected) ? Unnoticed : Comparison;
  }

  MLIRContext context;
  InterpreterOptions options;
};
} // namespace

static void run(uint64_t programs, int times) {
  Table table;
  Mutator mutator;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(mutator.mutate(seed, times, table));
  }
  std::string text;
  for (const Mutation &mutation : mutations) {
    auto [verifier, contracts, comparison, unnoticed] = table[mutation.name];
    text += std::string("\n") + mutation.name + ": verifier " + std::to_string(verifier) +
            ", contracts " + std::to_string(contracts) + ", comparison " +
            std::to_string(comparison) + ", unnoticed " + std::to_string(unnoticed);
    EXPECT_GT(verifier + contracts + comparison + unnoticed, 10) << mutation.name;
  }
  testing::Test::RecordProperty("mutations", text);
  SCOPED_TRACE(text);
  // Contracts find every wrong data movement and every overwritten operand without running the
  // plan.
  EXPECT_EQ(table["take a kernel for a bitcast"][Comparison], 0);
  EXPECT_EQ(table["take a kernel for a bitcast"][Unnoticed], 0);
  EXPECT_EQ(table["write over an operand"][Unnoticed], 0);
  if (std::getenv("DRUMLIN_PRINT_MUTATIONS")) {
    std::puts(text.c_str());
  }
}

TEST(Mutations, OfFewPrograms) { run(90, 2); }
TEST(SlowMutations, OfManyPrograms) { run(500, 4); }
