#include "drumlin/import/Tuples.h"

#include "drumlin/ir/stablehlo/CompositeOp.h"
#include "drumlin/ir/stablehlo/GetTupleElementOp.h"
#include "drumlin/ir/stablehlo/TupleOp.h"
#include "drumlin/support/Cost.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace drumlin {

// Returns the number of values in a type. Computes it once for each distinct type, since a tuple
// may contain the same type many times.
static int64_t countValues(Type type, llvm::DenseMap<Type, int64_t> &known) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple) {
    return 1;
  }
  if (auto found = known.find(type); found != known.end()) {
    return found->second;
  }
  int64_t count = 0;
  for (Type each : tuple.getTypes()) {
    count = addSaturating(count, countValues(each, known));
  }
  known[type] = count;
  return count;
}

int64_t valueCountOf(Type type) {
  llvm::DenseMap<Type, int64_t> known;
  return countValues(type, known);
}

static bool hasTuple(TypeRange types) { return llvm::any_of(types, llvm::IsaPred<TupleType>); }

static SmallVector<Type> flattened(TypeRange types) {
  SmallVector<Type> made;
  for (Type type : types) {
    if (auto tuple = dyn_cast<TupleType>(type)) {
      tuple.getFlattenedTypes(made);
    } else {
      made.push_back(type);
    }
  }
  return made;
}

// Appends the values in a tuple, at any nesting, or the value itself.
static void takeApart(OpBuilder &builder, Value value, SmallVectorImpl<Value> &parts) {
  auto tuple = dyn_cast<TupleType>(value.getType());
  if (!tuple) {
    parts.push_back(value);
    return;
  }
  for (auto [i, type] : llvm::enumerate(tuple.getTypes())) {
    Value part = stablehlo::GetTupleElementOp::create(builder, value.getLoc(), type, value,
                                                      static_cast<uint32_t>(i));
    takeApart(builder, part, parts);
  }
}

static SmallVector<Value> takenApart(OpBuilder &builder, ValueRange values) {
  SmallVector<Value> parts;
  for (Value value : values) {
    takeApart(builder, value, parts);
  }
  return parts;
}

// Builds a value of the given type from the first values in `parts`, and removes these from
// `parts`.
static Value putTogether(OpBuilder &builder, Location loc, Type type, ValueRange &parts) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple) {
    Value first = parts.front();
    parts = parts.drop_front();
    return first;
  }
  SmallVector<Value> values;
  for (Type each : tuple.getTypes()) {
    values.push_back(putTogether(builder, loc, each, parts));
  }
  return stablehlo::TupleOp::create(builder, loc, type, values);
}

static void flattenCall(Operation *call) {
  OpBuilder builder(call);
  OperationState state(call->getLoc(), call->getName());
  state.addOperands(takenApart(builder, call->getOperands()));
  state.addTypes(flattened(call->getResultTypes()));
  state.addAttributes(call->getAttrs());
  Operation *made = builder.create(state);
  ValueRange parts = made->getResults();
  for (Value result : call->getResults()) {
    result.replaceAllUsesWith(putTogether(builder, call->getLoc(), result.getType(), parts));
  }
  call->erase();
}

static constexpr llvm::StringLiteral donation = "tf.aliasing_output";

// Returns the attributes of the flattened arguments. Attributes of tuples are dropped, except that
// each value of a donated tuple is donated.
static SmallVector<DictionaryAttr> argumentAttributes(func::FuncOp function) {
  Builder builder(function.getContext());
  SmallVector<unsigned> firstOfResult;
  unsigned next = 0;
  for (Type type : function.getResultTypes()) {
    firstOfResult.push_back(next);
    next += static_cast<unsigned>(valueCountOf(type));
  }
  SmallVector<DictionaryAttr> made;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Type type = function.getArgumentTypes()[i];
    NamedAttrList own(function.getArgAttrDict(i));
    auto donated = dyn_cast_or_null<IntegerAttr>(own.get(donation));
    bool isTuple = isa<TupleType>(type);
    for (int64_t part = 0; part < valueCountOf(type); ++part) {
      NamedAttrList attributes = isTuple ? NamedAttrList() : own;
      if (donated && donated.getValue().ult(firstOfResult.size())) {
        int64_t result = firstOfResult[donated.getValue().getZExtValue()] + part;
        attributes.set(donation, IntegerAttr::get(donated.getType(), result));
      }
      made.push_back(attributes.getDictionary(function.getContext()));
    }
  }
  return made;
}

static SmallVector<DictionaryAttr> resultAttributes(func::FuncOp function) {
  SmallVector<DictionaryAttr> made;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    Type type = function.getResultTypes()[i];
    NamedAttrList own(function.getResultAttrDict(i));
    made.append(
        static_cast<size_t>(valueCountOf(type)),
        (isa<TupleType>(type) ? NamedAttrList() : own).getDictionary(function.getContext()));
  }
  return made;
}

static void flattenFunction(func::FuncOp function) {
  SmallVector<DictionaryAttr> arguments = argumentAttributes(function),
                              results = resultAttributes(function);
  SmallVector<Type> argumentTypes(function.getArgumentTypes());
  FunctionType type = FunctionType::get(function.getContext(), flattened(argumentTypes),
                                        flattened(function.getResultTypes()));
  Block &entry = function.getBody().front();
  auto returned = cast<func::ReturnOp>(entry.getTerminator());
  OpBuilder atEnd(returned);
  returned->setOperands(takenApart(atEnd, returned.getOperands()));
  // The new arguments follow the old arguments, which are erased later.
  unsigned oldCount = entry.getNumArguments();
  for (BlockArgument argument : SmallVector<BlockArgument>(entry.getArguments())) {
    for (Type each : flattened(argument.getType())) {
      entry.addArgument(each, argument.getLoc());
    }
  }
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  ValueRange parts = entry.getArguments().drop_front(oldCount);
  for (unsigned i = 0; i < oldCount; ++i) {
    BlockArgument old = entry.getArgument(i);
    old.replaceAllUsesWith(putTogether(builder, old.getLoc(), argumentTypes[i], parts));
  }
  entry.eraseArguments(0, oldCount);
  function.setFunctionType(type);
  function.setAllArgAttrs(arguments);
  function.setAllResultAttrs(results);
}

void flattenTuples(ModuleOp module) {
  SmallVector<Operation *> calls;
  module.walk([&](Operation *op) {
    bool isCall = isa<func::CallOp, stablehlo::CompositeOp>(op);
    if (isCall && (hasTuple(op->getOperandTypes()) || hasTuple(op->getResultTypes()))) {
      calls.push_back(op);
    }
  });
  llvm::for_each(calls, flattenCall);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (hasTuple(function.getArgumentTypes()) || hasTuple(function.getResultTypes())) {
      flattenFunction(function);
    }
  }
}

} // namespace drumlin
