// Converts HLO instructions to operations. HLO values may be nested tuples; each value is
// represented as the list of its leaves, so that tuples need no operations.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/import/hlo/ElidedFill.h"
#include "drumlin/support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace drumlin::hlo {

struct OpcodeRule;

// The arrays and tokens of a value, in order.
using Leaves = llvm::SmallVector<mlir::Value, 1>;

// The shared state of converting a module's computations to functions and regions.
class Conversion {
public:
  // `text`: the module's text. Diagnostics and locations give lines and columns in it.
  Conversion(const Module &module, std::string_view text, llvm::StringRef fileName,
             mlir::ModuleOp target, const ElidedFill &fill);

  // Returns the function of a computation; the first call declares it without a body.
  mlir::func::FuncOp functionOf(const Computation &computation);
  // Emits the bodies of all declared functions, including functions that are declared in the
  // process.
  void writeBodies();

  // Reports an error. Only the first one is kept.
  void fail(DiagnosticCode code, std::string message, const Instruction &instruction,
            std::string remedy = {});
  bool failed() const { return error.has_value(); }
  const std::optional<Diagnostic> &firstError() const { return error; }

  // Returns an instruction's location, with its name and the `op_name` of its metadata, which
  // requirements can refer to.
  mlir::Location locationOf(const Instruction &instruction) const;

  // Counts a converted instruction. Returns false if the count exceeds its limit. The limit is
  // needed since computations may be copied many times.
  bool spendOne();

  // Chooses the values of a constant whose elements the text elides. Records the location of the
  // first such constant, unless the user stated the values.
  void fillElided(Tensor &tensor, const Instruction &constant);
  const std::string &firstElided() const { return elidedPlace; }

  mlir::MLIRContext *context() const { return mlirContext; }
  const Module &module;

private:
  mlir::Location placeOf(size_t offset) const;
  std::string placeText(const Instruction &instruction) const;

  std::string_view text;
  llvm::StringRef fileName;
  std::vector<size_t> lineStarts;
  mlir::MLIRContext *mlirContext;
  mlir::SymbolTable symbols;
  std::optional<Diagnostic> error;
  llvm::DenseMap<const Computation *, mlir::func::FuncOp> functions;
  std::deque<const Computation *> withoutBody;
  size_t budget;
  const ElidedFill &fill;
  std::string elidedPlace;
};

// Returns the types of a shape's leaves, in order. Reports shapes that have no type.
llvm::SmallVector<mlir::Type> leafTypes(const Shape &shape, Conversion &conversion,
                                        const Instruction &instruction);
size_t leafCount(const Shape &shape);
// Returns the types of the leaves of a computation's parameters, ordered by parameter number.
llvm::SmallVector<mlir::Type> parameterTypes(const Computation &computation,
                                             Conversion &conversion);

// Converts a computation into a block. Each function in OpcodeTable.def converts one instruction
// with the public members: the function reads the operands and attributes and ends with finish() or
// fail(). After an error, the public members return null values and empty lists, which create() and
// finish() accept.
class Emitter {
public:
  // `callsBecomeCalls`: whether fusions and calls become function calls. If not, as in regions that
  // compute scalars, they are inlined.
  Emitter(Conversion &conversion, mlir::OpBuilder &builder, bool callsBecomeCalls, unsigned depth)
      : conversion(conversion), builder(builder), callsBecomeCalls(callsBecomeCalls), depth(depth) {
  }

  // Emits a computation and returns its root's leaves. `arguments`: the leaves of all parameters,
  // ordered by number.
  Leaves emitComputation(const Computation &computation, mlir::ValueRange arguments);

  //===-- the instruction ---------------------------------------------------------------------===//

  const Instruction &instruction() const { return *current; }
  void fillElided(Tensor &tensor) { conversion.fillElided(tensor, *current); }
  mlir::Location loc() const { return location; }
  mlir::MLIRContext *context() const { return conversion.context(); }
  mlir::OpBuilder &ops() { return builder; }
  bool failed() const { return conversion.failed(); }
  void fail(DiagnosticCode code, std::string message, std::string remedy = {});

  //===-- operands ----------------------------------------------------------------------------===//

  size_t operandCount() const { return current->operands.size(); }
  // Returns an operand's leaves. Reports missing operands.
  llvm::ArrayRef<mlir::Value> operand(size_t number);
  // Returns an operand that must be an array. Reports any other operand.
  mlir::TypedValue<mlir::RankedTensorType> array(size_t number);
  // Returns the leaves of the operands in [begin, end).
  Leaves leaves(size_t begin, size_t end);
  Leaves allLeaves() { return leaves(0, operandCount()); }

  //===-- attributes --------------------------------------------------------------------------===//

  // Returns an integer attribute of the module's header, or `otherwise` if it is missing.
  int64_t headerInteger(llvm::StringRef name, int64_t otherwise) const;
  bool hasHeader(llvm::StringRef name) const {
    return findAttribute(conversion.module.attributes, name) != nullptr;
  }
  // Returns an attribute, or null. Attributes that are never requested are reported as unsupported,
  // unless they don't affect the computed values.
  const Value *attribute(llvm::StringRef name);
  // Returns a list of integers; empty if the attribute is missing.
  llvm::SmallVector<int64_t> integers(llvm::StringRef name);
  int64_t integer(llvm::StringRef name, int64_t otherwise);
  // Returns a required integer. Reports a missing attribute.
  int64_t integer(llvm::StringRef name);
  bool boolean(llvm::StringRef name, bool otherwise = false);
  // Returns the dimension that an attribute such as `dimensions={1}` names. Reports a list that
  // doesn't have exactly one number.
  int64_t oneDimension();
  // Returns a word or a string; empty if the attribute is missing.
  std::string word(llvm::StringRef name);
  // Returns the computations that an attribute names, as `{%a, %b}` or `%a`. Reports a missing
  // attribute.
  llvm::SmallVector<const Computation *> computations(llvm::StringRef name);
  const Computation *computation(llvm::StringRef name);
  void failAttribute(llvm::StringRef name, const std::string &expected);

  //===-- results -----------------------------------------------------------------------------===//

  llvm::SmallVector<mlir::Type> resultTypes();
  // Creates an operation; returns null after an error.
  mlir::Operation *create(llvm::StringRef operation, mlir::ValueRange operands,
                          mlir::TypeRange results,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                          unsigned regions = 0);
  // Finishes with a single operation whose results are the instruction's leaves.
  mlir::Operation *finish(llvm::StringRef operation, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                          unsigned regions = 0);
  void finish(mlir::ValueRange leaves);
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  mlir::NamedAttribute i64(llvm::StringRef name, int64_t value) {
    return named(name, builder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute i64Array(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    return named(name, builder.getDenseI64ArrayAttr(values));
  }
  // Returns the instruction's Boolean attribute of this name, false if it is missing.
  mlir::NamedAttribute flag(llvm::StringRef name) {
    return named(name, builder.getBoolAttr(boolean(name)));
  }
  // Emits another instruction in place of this one, and returns its leaves.
  Leaves emitAs(const Instruction &other);
  // Converts a value to another element type, unless it already has this type.
  mlir::Value converted(mlir::Value value, mlir::Type element);
  // Returns zeros of the given type, for elements of a result that nothing uses, such as contexts.
  mlir::Value zero(mlir::Type type);

  //===-- computations ------------------------------------------------------------------------===//

  // Emits a computation as a function call or, in regions that compute scalars, inlined.
  Leaves call(const Computation &computation, mlir::ValueRange arguments);
  mlir::func::FuncOp functionOf(const Computation &computation) {
    return conversion.functionOf(computation);
  }
  // Fills a region that computes scalars, as in reductions and sorts. Its arguments are the
  // computation's parameters.
  void fillScalarRegion(mlir::Region &region, const Computation &computation) {
    fillRegion(region, computation, /*callsBecomeCalls=*/false);
  }
  // Fills a region of a loop.
  void fillProgramRegion(mlir::Region &region, const Computation &computation) {
    fillRegion(region, computation, callsBecomeCalls);
  }
  // Fills a branch, which has no arguments and uses `values` from outside.
  void fillBranch(mlir::Region &region, const Computation &computation, mlir::ValueRange values);

private:
  void emitWithOperands(const Instruction &instruction);
  void emitInstruction();
  void keepFrontendAttributes(mlir::Operation *before);
  void checkAttributes();
  void checkResult();
  void emitRule(const OpcodeRule &rule);
  void beginMixed();
  void endMixed();
  void fillRegion(mlir::Region &region, const Computation &computation, bool callsBecomeCalls);
  Leaves copyOf(const Computation &computation, mlir::ValueRange arguments, bool callsBecomeCalls);

  Conversion &conversion;
  mlir::OpBuilder &builder;
  bool callsBecomeCalls;
  unsigned depth;
  const Instruction *current = nullptr;
  mlir::Location location = builder.getUnknownLoc();
  llvm::SmallVector<llvm::StringRef> asked; // attributes that were requested
  std::optional<Leaves> result;
  // For an instruction with mixed float types: the type in which it is computed, and its operands
  // converted to this type.
  mlir::Type mixedElement;
  std::vector<Leaves> mixedOperands;
  llvm::DenseMap<const Instruction *, Leaves> values;
};

} // namespace drumlin::hlo
