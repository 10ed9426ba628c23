#include "drumlin/ir/plan/HostCalls.h"

#include "drumlin/ir/plan/HostCallOp.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Processes.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/InfeedOp.h"
#include "drumlin/ir/stablehlo/OutfeedOp.h"
#include "drumlin/ir/stablehlo/RecvOp.h"
#include "drumlin/ir/stablehlo/SendOp.h"
#include "drumlin/support/Exchange.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

// Returns the layout as a dimension order; StableHLO lists dimensions from fastest to slowest.
static DimensionOrder orderOf(DenseIntElementsAttr layout) {
  DimensionOrder order;
  for (const APInt &dimension : layout.getValues<APInt>()) {
    order.insert(order.begin(), dimension.getSExtValue());
  }
  return order;
}

static SmallVector<DimensionOrder> ordersOf(std::optional<ArrayAttr> layouts) {
  SmallVector<DimensionOrder> orders;
  if (layouts) {
    llvm::transform(layouts->getAsRange<DenseIntElementsAttr>(), std::back_inserter(orders),
                    [](DenseIntElementsAttr layout) { return orderOf(layout); });
  }
  return orders;
}

static plan::HostInterface interfaceOf(stablehlo::CustomCallApiVersion version) {
  using Version = stablehlo::CustomCallApiVersion;
  switch (version) {
  case Version::API_VERSION_UNSPECIFIED:
  case Version::API_VERSION_ORIGINAL:
    return plan::HostInterface::original;
  case Version::API_VERSION_STATUS_RETURNING:
    return plan::HostInterface::status_returning;
  case Version::API_VERSION_STATUS_RETURNING_UNIFIED:
    return plan::HostInterface::status_returning_unified;
  case Version::API_VERSION_TYPED_FFI:
    return plan::HostInterface::typed_ffi;
  }
  llvm_unreachable("an enumerator");
}

// The configuration of calls by the typed convention in XLA's older dialect `mhlo`. Such calls have
// no API version, so this attribute identifies them.
static constexpr StringLiteral oldConfig = "mhlo.backend_config";

static Attribute configOf(stablehlo::CustomCallOp call) {
  Attribute old = call->getAttr(oldConfig);
  return old ? old : call.getBackendConfigAttr();
}

static constexpr StringLiteral shapeOperands = "indices_of_shape_operands";

SmallVector<unsigned> shapeOperandsOf(stablehlo::CustomCallOp call) {
  auto indices = call->getAttrOfType<DenseIntElementsAttr>(shapeOperands);
  SmallVector<unsigned> made;
  if (!indices || indices.getNumElements() != static_cast<int64_t>(call.getNumResults())) {
    return {};
  }
  for (const APInt &index : indices.getValues<APInt>()) {
    std::optional<int64_t> number = index.trySExtValue();
    bool isOperand = number && *number >= 0 && *number < call.getNumOperands() &&
                     !llvm::is_contained(made, static_cast<unsigned>(*number));
    auto result = isOperand ? dyn_cast<RankedTensorType>(call.getResult(made.size()).getType())
                            : RankedTensorType();
    auto sizes =
        result
            ? dyn_cast<RankedTensorType>(call.getOperand(static_cast<unsigned>(*number)).getType())
            : RankedTensorType();
    if (!sizes || !sizes.getElementType().isIntOrIndex() || sizes.getRank() != 1 ||
        sizes.getDimSize(0) != result.getRank()) {
      return {};
    }
    made.push_back(static_cast<unsigned>(*number));
  }
  return made;
}

// Returns the number that an operand has after the operands in `dropped` are removed.
static int64_t numberWithout(ArrayRef<unsigned> dropped, int64_t number) {
  return number - llvm::count_if(dropped, [&](unsigned each) { return each < number; });
}

template <typename Range> static auto without(ArrayRef<unsigned> dropped, const Range &range) {
  SmallVector<std::decay_t<decltype(*range.begin())>> left;
  for (auto [i, each] : llvm::enumerate(range)) {
    if (!llvm::is_contained(dropped, i)) {
      left.push_back(each);
    }
  }
  return left;
}

void dropShapeOperands(stablehlo::CustomCallOp call) {
  SmallVector<unsigned> dropped = shapeOperandsOf(call);
  Builder builder(call.getContext());
  if (std::optional<ArrayAttr> layouts = call.getOperandLayouts()) {
    call.setOperandLayoutsAttr(builder.getArrayAttr(without(dropped, layouts->getValue())));
  }
  SmallVector<Attribute> aliases;
  for (auto alias :
       call.getOutputOperandAliases().getAsRange<stablehlo::OutputOperandAliasAttr>()) {
    aliases.push_back(stablehlo::OutputOperandAliasAttr::get(
        call.getContext(), alias.getOutputTupleIndices(),
        numberWithout(dropped, alias.getOperandIndex()), alias.getOperandTupleIndices()));
  }
  call.setOutputOperandAliasesAttr(builder.getArrayAttr(aliases));
  call->removeAttr(shapeOperands);
  llvm::BitVector bits(call.getNumOperands());
  for (unsigned index : dropped) {
    bits.set(index);
  }
  call->eraseOperands(bits);
}

bool isDeviceMark(stablehlo::CustomCallOp call) {
  static constexpr StringLiteral marks[] = {"Sharding", "SPMDFullToShardShape",
                                            "SPMDShardToFullShape", "annotate_device_placement",
                                            "LayoutConstraint"};
  return llvm::is_contained(marks, call.getCallTargetName()) &&
         llvm::equal(call.getOperandTypes(), call.getResultTypes());
}

bool isOrderMark(stablehlo::CustomCallOp call) {
  return call.getCallTargetName() == "control_dep" && call.getNumResults() == 0;
}

std::optional<FirstElements> firstElementsOf(stablehlo::CustomCallOp call) {
  auto config = dyn_cast_or_null<DictionaryAttr>(configOf(call));
  auto along = config ? config.getAs<IntegerAttr>("reduction_dim") : IntegerAttr();
  ArrayAttr called = call.getCalledComputations();
  size_t count = call.getNumResults();
  if (call.getCallTargetName() != "ApproxTopK" || !along || called.size() != 1 || count == 0 ||
      call.getInputs().size() != 2 * count) {
    return std::nullopt;
  }
  return FirstElements{along.getInt(), cast<FlatSymbolRefAttr>(called[0])};
}

static plan::HostInterface interfaceOf(stablehlo::CustomCallOp call) {
  return isa_and_nonnull<DictionaryAttr>(call->getAttr(oldConfig))
             ? plan::HostInterface::typed_ffi
             : interfaceOf(call.getApiVersion());
}

static HostCallParts partsOf(stablehlo::CustomCallOp call) {
  HostCallParts parts;
  parts.interface = interfaceOf(call);
  parts.target = call.getCallTargetName().str();
  parts.config = configOf(call);
  SmallVector<unsigned> dropped = shapeOperandsOf(call);
  parts.operandOrders = without(dropped, ordersOf(call.getOperandLayouts()));
  parts.resultOrders = ordersOf(call.getResultLayouts());
  parts.hasSideEffect = call.getHasSideEffect();
  for (auto alias :
       call.getOutputOperandAliases().getAsRange<stablehlo::OutputOperandAliasAttr>()) {
    ArrayRef<int64_t> path = alias.getOutputTupleIndices();
    parts.aliases.append(
        {path.empty() ? 0 : path.front(), numberWithout(dropped, alias.getOperandIndex())});
  }
  return parts;
}

static HostCallParts partsOf(plan::HostCallOp call) {
  HostCallParts parts;
  parts.interface = call.getInterface();
  parts.target = call.getTarget().str();
  parts.config = call.getConfigAttr();
  auto orders = [](std::optional<ArrayAttr> layouts) {
    SmallVector<DimensionOrder> made;
    if (layouts) {
      llvm::transform(layouts->getAsRange<plan::LayoutAttr>(), std::back_inserter(made),
                      [](plan::LayoutAttr layout) { return orderOf(layout); });
    }
    return made;
  };
  parts.operandOrders = orders(call.getOperandLayouts());
  parts.resultOrders = orders(call.getResultLayouts());
  llvm::append_range(parts.aliases, call.getAliases().value_or(ArrayRef<int64_t>()));
  parts.hasSideEffect = call.getHasSideEffect();
  return parts;
}

// Returns the dimension orders that an `infeed` specifies as layouts. Each layout is a list of
// dimensions, from the fastest to the slowest.
static SmallVector<DimensionOrder> infeedOrders(stablehlo::InfeedOp infeed) {
  SmallVector<DimensionOrder> orders;
  for (Attribute each :
       infeed.getLayoutAttr() ? infeed.getLayoutAttr().getValue() : ArrayRef<Attribute>()) {
    DimensionOrder order;
    auto list = dyn_cast<ArrayAttr>(each);
    for (Attribute dimension : list ? list.getValue() : ArrayRef<Attribute>()) {
      order.insert(order.begin(), cast<IntegerAttr>(dimension).getInt());
    }
    orders.push_back(std::move(order));
  }
  orders.resize(infeed.getNumResults());
  return orders;
}

// Returns all properties of the call except the signature.
static std::optional<HostCallParts> partsOf(Operation *op) {
  auto channel = [](auto transfer, plan::HostInterface interface) -> std::optional<HostCallParts> {
    int64_t number = transfer.getChannelHandle().getHandle();
    HostCallParts parts{.interface = interface, .target = std::to_string(number)};
    bool isHost = transfer.getIsHostTransfer() || !transfer.getSourceTargetPairs() ||
                  transfer.getSourceTargetPairs()->empty();
    GridShape grid = gridOf(transfer);
    if (isHost) {
      return parts;
    }
    if (!isCompiledGrid(grid) || grid.processes() == 1) {
      return std::nullopt;
    }
    Result<PairedProcesses> paired =
        pairedProcesses(*transfer.getSourceTargetPairs(), number, grid, "");
    if (!paired) {
      return std::nullopt;
    }
    Builder builder(transfer.getContext());
    const auto &peers = interface == plan::HostInterface::send ? paired->targets : paired->sources;
    parts.config = builder.getDictionaryAttr(
        builder.getNamedAttr(peersAttribute, builder.getDenseI64ArrayAttr(peers)));
    return parts;
  };
  return llvm::TypeSwitch<Operation *, std::optional<HostCallParts>>(op)
      .Case<plan::HostCallOp, stablehlo::CustomCallOp>([](auto call) { return partsOf(call); })
      .Case<stablehlo::InfeedOp>([](auto infeed) {
        return HostCallParts{.interface = plan::HostInterface::infeed,
                             .config = infeed.getInfeedConfigAttr(),
                             .resultOrders = infeedOrders(infeed)};
      })
      .Case<stablehlo::OutfeedOp>([](auto outfeed) {
        return HostCallParts{.interface = plan::HostInterface::outfeed,
                             .config = outfeed.getOutfeedConfigAttr()};
      })
      .Case<stablehlo::SendOp>([&](auto send) { return channel(send, plan::HostInterface::send); })
      .Case<stablehlo::RecvOp>([&](auto recv) { return channel(recv, plan::HostInterface::recv); })
      .Default([](Operation *) { return std::nullopt; });
}

// Replaces tuple types by their element types, recursively.
static SmallVector<Type> partTypes(ArrayRef<Type> types) {
  SmallVector<Type> parts;
  for (Type type : types) {
    if (auto tuple = dyn_cast<TupleType>(type)) {
      llvm::append_range(parts, partTypes(tuple.getTypes()));
    } else {
      parts.push_back(type);
    }
  }
  return parts;
}

// Whether the layout lists each dimension of a result of type `type` exactly once.
static bool isLayoutOf(Attribute layout, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto list = dyn_cast<ArrayAttr>(layout);
  SmallVector<int64_t> order;
  for (Attribute dimension : list ? list.getValue() : ArrayRef<Attribute>()) {
    auto number = dyn_cast<IntegerAttr>(dimension);
    order.push_back(number ? number.getValue().trySExtValue().value_or(-1) : -1);
  }
  llvm::sort(order);
  return !tensor || (order.size() == static_cast<size_t>(tensor.getRank()) &&
                     llvm::equal(order, llvm::seq<int64_t>(tensor.getRank())));
}

Status checkHostOperation(Operation *op) {
  auto refuse = [&](DiagnosticCode code, const Twine &what, const char *remedy) {
    return diagnose(code, what.str(), plan::sourceOf(op->getLoc()), remedy);
  };
  if (auto infeed = dyn_cast<stablehlo::InfeedOp>(op)) {
    ArrayRef<Attribute> layouts =
        infeed.getLayoutAttr() ? infeed.getLayoutAttr().getValue() : ArrayRef<Attribute>();
    for (auto [layout, type] : llvm::zip(layouts, infeed.getResultTypes())) {
      if (!isLayoutOf(layout, type)) {
        return refuse(errors::ProgramInvalid,
                      "`stablehlo.infeed` has a layout that doesn't order the dimensions of its "
                      "result",
                      "list each dimension of each result once, the fastest first");
      }
    }
  }
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  Attribute config = call ? configOf(call) : Attribute();
  if (config && !isa<StringAttr, DictionaryAttr>(config)) {
    return refuse(errors::ProgramInvalid,
                  "the configuration of a call of `@" + (call ? call.getCallTargetName() : "") +
                      "` is neither a string nor a dictionary",
                  "write the configuration as a string or a dictionary");
  }
  bool hasTuple = call && llvm::any_of(call.getOperandTypes(), llvm::IsaPred<TupleType>);
  bool hasPlaces =
      hasTuple && (call.getOperandLayouts() || !call.getOutputOperandAliases().empty());
  if (hasTuple && (hasPlaces || interfaceOf(call) != plan::HostInterface::typed_ffi)) {
    return refuse(errors::UnsupportedType,
                  "a call of `@" + call.getCallTargetName() +
                      "` that takes a tuple isn't supported",
                  "pass the tuple's elements as operands, or call by the foreign function "
                  "interface (`api_version = 4`) without layouts and aliases");
  }
  return Done{};
}

std::optional<HostCallParts> hostCallPartsOf(Operation *op) {
  std::optional<HostCallParts> parts = partsOf(op);
  if (auto call = dyn_cast<plan::HostCallOp>(op)) {
    parts->signature = cast<FunctionType>(call.getSignature());
  } else if (parts) {
    SmallVector<Type> operands(op->getOperandTypes());
    if (auto call = dyn_cast<stablehlo::CustomCallOp>(op)) {
      operands = partTypes(without(shapeOperandsOf(call), operands));
    }
    TypeRange results = op->getResultTypes();
    auto tuple = results.size() == 1 ? dyn_cast<TupleType>(results.front()) : TupleType();
    parts->signature = FunctionType::get(op->getContext(), operands,
                                         tuple ? TypeRange(tuple.getTypes()) : results);
  }
  return parts;
}

namespace plan {

bool isTargetOfRuntime(StringRef target) {
  if (target.consume_front("lapack_")) {
    StringRef letter = target.take_front(), routine = target.drop_front(letter.size());
    if (!routine.consume_back("_ffi") || !StringRef("sdcz").contains(letter)) {
      return false;
    }
    bool isReal = letter == "s" || letter == "d";
    auto isOneOf = [&](ArrayRef<StringRef> routines) { return is_contained(routines, routine); };
    return isOneOf({"potrf", "getrf", "geqrf", "geqp3", "trsm", "gtsv", "geev", "gees", "gesdd",
                    "gesvd", "gehrd"}) ||
           (isReal ? isOneOf({"orgqr", "ormqr", "syevd", "sytrd"})
                   : isOneOf({"ungqr", "unmqr", "heevd", "hetrd"}));
  }
  return is_contained({"TopK", "Qr", "ProductOfElementaryHouseholderReflectors",
                       "tridiagonal_solve_perturbed_ffi", "cpu_csr_sparse_dense_ffi"},
                      target);
}

SmallVector<std::pair<unsigned, unsigned>> sharedMemory(HostCallOp call) {
  auto signature = cast<FunctionType>(call.getSignature());
  // Tokens have no memory, so they are not counted.
  auto placeOf = [](TypeRange types, int64_t i) {
    return static_cast<unsigned>(
        llvm::count_if(types.take_front(static_cast<size_t>(i)),
                       [](Type type) { return !isa<stablehlo::TokenType>(type); }));
  };
  SmallVector<std::pair<unsigned, unsigned>> shared;
  ArrayRef<int64_t> aliases = call.getAliases().value_or(ArrayRef<int64_t>());
  for (size_t i = 0; i + 1 < aliases.size(); i += 2) {
    shared.emplace_back(placeOf(signature.getInputs(), aliases[i + 1]),
                        placeOf(signature.getResults(), aliases[i]));
  }
  return shared;
}

SmallVector<HostCallOp> hostCallsOf(func::FuncOp entry) {
  SmallVector<HostCallOp> calls;
  entry.walk<WalkOrder::PreOrder>([&](HostCallOp call) { calls.push_back(call); });
  return calls;
}

} // namespace plan

} // namespace drumlin
