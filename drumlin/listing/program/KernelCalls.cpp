#include "drumlin/listing/program/KernelCalls.h"

#include "drumlin/ir/costs/CostText.h"
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/HostCallOp.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/CreateTokenOp.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/listing/fold/Expression.h"
#include "drumlin/listing/program/AttributeText.h"
#include "drumlin/listing/program/ProgramListing.h"
#include "drumlin/support/json/JsonStream.h"

#include <algorithm>
#include <map>

namespace drumlin::listing {

using namespace mlir;

static constexpr int64_t mostShownElements = 64;

namespace {
class Shower {
public:
  Shower(ModuleOp plan, const PlanCost &costs) : plan(plan), builder(plan.getContext()) {
    for (const LaunchCost &launch : costs.launches) {
      costOf[launch.op] = &launch;
    }
    Module listed = listProgram(plan, "");
    for (const std::unique_ptr<Computation> &computation : listed.computations) {
      std::vector<std::string> names;
      for (const std::unique_ptr<Instruction> &instruction : computation->instructions) {
        if (instruction->opcode == "parameter") {
          names.push_back(argumentName(instruction->name));
        }
      }
      expressions[computation->name] = expressionOf(*computation, names).text;
    }
  }

  void show(const EntryTokens &tokens);

private:
  void replace(Operation *op, StringRef target, const std::string &config);
  std::string describe(plan::LaunchOp launch);
  void showEntryTypes(func::FuncOp main, const EntryTokens &tokens);
  Value viaCall(Value from, Type to, StringRef target);

  ModuleOp plan;
  OpBuilder builder;
  llvm::DenseMap<Operation *, const LaunchCost *> costOf;
  std::map<std::string, std::string> expressions;
};
} // namespace

static stablehlo::CustomCallOp makeCall(OpBuilder &builder, Location location, TypeRange results,
                                        ValueRange operands, StringRef target,
                                        const std::string &config) {
  OperationState state(location, stablehlo::CustomCallOp::getOperationName());
  state.addOperands(operands);
  state.addTypes(results);
  state.addAttribute("call_target_name", builder.getStringAttr(target));
  state.addAttribute("backend_config", builder.getStringAttr(config));
  return cast<stablehlo::CustomCallOp>(builder.create(state));
}

void Shower::replace(Operation *op, StringRef target, const std::string &config) {
  builder.setInsertionPoint(op);
  auto call =
      makeCall(builder, op->getLoc(), op->getResultTypes(), op->getOperands(), target, config);
  op->replaceAllUsesWith(call);
  op->erase();
}

std::string Shower::describe(plan::LaunchOp launch) {
  auto kernel = plan.lookupSymbol<plan::KernelOp>(launch.getKernel());
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonStream json(stream);
  json.object([&] {
    json.attribute("computes", expressions[kernel.getSymName().str()]);
    json.attribute("kind", plan::stringifyKernelKind(kernel.getKind()));
    if (mlir::Attribute schedule = kernel->getAttr("plan.schedule")) {
      json.attribute("schedule", attributeText(schedule));
    }
    if (auto found = costOf.find(launch); found != costOf.end()) {
      const LaunchCost &cost = *found->second;
      json.attribute("calls", cost.calls);
      json.attribute("flops", cost.cost.hardwareFlops());
      json.attribute("bytes", cost.cost.bytes());
    }
  });
  return text;
}

// Converts a value to another type by a custom call, unless it already has the type. The type that
// callers see differs from the plan's type for complex values, whose real and imaginary parts are
// interleaved in memory, and for values whose dimensions have another order in memory.
Value Shower::viaCall(Value from, Type to, StringRef target) {
  return from.getType() == to ? from
                              : makeCall(builder, from.getLoc(), to, from, target, "").getResult(0);
}

// Returns an entry layout in jaxlib's form, the fastest dimension first.
static mlir::Attribute layoutAttribute(OpBuilder &builder, const CallersValue &value) {
  size_t rank = static_cast<size_t>(value.type.getRank());
  DimensionOrder order = value.layout && !value.layout->isBlocked() && !value.layout->order.empty()
                             ? value.layout->order
                             : rowMajorOrder(rank);
  std::ranges::reverse(order);
  return builder.getIndexTensorAttr(order);
}

void Shower::showEntryTypes(func::FuncOp main, const EntryTokens &tokens) {
  SmallVector<CallersValue> arguments, results;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    arguments.push_back(callersArgument(main, i));
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    results.push_back(callersResult(main, i));
  }
  builder.setInsertionPointToStart(&main.front());
  for (BlockArgument argument : main.getArguments()) {
    Type inside = argument.getType();
    argument.setType(arguments[argument.getArgNumber()].type);
    if (argument.getType() != inside) {
      auto call = makeCall(builder, main.getLoc(), inside, argument, "as_in_memory", "");
      argument.replaceAllUsesExcept(call.getResult(0), call);
    }
  }
  Operation *end = main.front().getTerminator();
  builder.setInsertionPoint(end);
  SmallVector<Value> returned;
  for (auto [value, result] : llvm::zip(end->getOperands(), results)) {
    returned.push_back(viaCall(value, result.type, "as_callers_see"));
  }
  // Sets no empty list, since jaxlib 0.6 reads the first layout without a check.
  auto setLayouts = [&](StringRef name, ArrayRef<CallersValue> values) {
    if (!values.empty()) {
      plan->setAttr(
          name, builder.getArrayAttr(llvm::map_to_vector(values, [&](const CallersValue &value) {
            return layoutAttribute(builder, value);
          })));
    }
  };
  // Layouts can't be set if there are tokens, which have none.
  if (tokens.arguments.empty() && tokens.results.empty()) {
    setLayouts("mhlo.xla_entry_computation_parameter_layouts", arguments);
    setLayouts("mhlo.xla_entry_computation_result_layout", results);
  }
  auto token = stablehlo::TokenType::get(builder.getContext());
  for (auto [i, isToken] : llvm::enumerate(tokens.arguments)) {
    if (isToken) {
      main.front().insertArgument(static_cast<unsigned>(i), token, main.getLoc());
    }
  }
  for (auto [i, isToken] : llvm::enumerate(tokens.results)) {
    if (isToken) {
      returned.insert(returned.begin() + static_cast<ptrdiff_t>(i),
                      stablehlo::CreateTokenOp::create(builder, main.getLoc(), token));
    }
  }
  end->setOperands(returned);
  main.setFunctionType(
      builder.getFunctionType(main.front().getArgumentTypes(), ValueRange(returned).getTypes()));
  DictionaryAttr none = builder.getDictionaryAttr({});
  main.setAllArgAttrs(SmallVector<DictionaryAttr>(main.getNumArguments(), none));
  main.setAllResultAttrs(SmallVector<DictionaryAttr>(main.getNumResults(), none));
}

static void dropPlanAttributes(Operation *op) {
  for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs())) {
    if (attribute.getName() == "buffers" || attribute.getName().getValue().starts_with("plan.")) {
      op->removeDiscardableAttr(attribute.getName());
    }
  }
}

void Shower::show(const EntryTokens &tokens) {
  func::FuncOp main = entryFunction(plan);
  showEntryTypes(main, tokens);
  main.walk([&](Operation *op) {
    if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
      replace(op, launch.getKernel(), describe(launch));
    } else if (auto copy = dyn_cast<plan::CopyOp>(op)) {
      replace(op, "copy", copy.getReason().str());
    } else if (auto call = dyn_cast<plan::HostCallOp>(op)) {
      replace(op, call.getTarget(), "");
    } else if (isa<plan::BitcastOp>(op)) {
      builder.setInsertionPoint(op);
      Value reshaped = stablehlo::ReshapeOp::create(builder, op->getLoc(), op->getResultTypes()[0],
                                                    op->getOperand(0));
      op->getResult(0).replaceAllUsesWith(reshaped);
      op->erase();
    } else if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
      ElementsAttr elements = constant.getValue();
      if (!elements.isSplat() && elements.getNumElements() > mostShownElements) {
        replace(op, "constant", elementsText(elements));
      }
    }
  });
  for (plan::KernelOp kernel : llvm::make_early_inc_range(plan.getOps<plan::KernelOp>())) {
    kernel.erase();
  }
  plan.walk([](Operation *op) {
    dropPlanAttributes(op);
    op->setLoc(UnknownLoc::get(op->getContext()));
  });
}

void showKernelsAsCalls(ModuleOp plan, const PlanCost &costs, const EntryTokens &tokens) {
  Shower(plan, costs).show(tokens);
}

} // namespace drumlin::listing
