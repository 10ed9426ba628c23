// Writes the operations of HLO's instructions. A value of HLO may be a tuple, of tuples; here each
// is the list of its leaves, and tuples take no operations.
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

// The arrays and tokens of a value, from the first to the last.
using Leaves = llvm::SmallVector<mlir::Value, 1>;

// What the computations of a module share while they become functions and regions.
class Conversion {
public:
  // `text` is what the module was read from: diagnostics and locations name places in it.
  Conversion(const Module &module, std::string_view text, llvm::StringRef fileName,
             mlir::ModuleOp target, const ElidedFill &fill);

  // The function of a computation, and whether it was declared by this call, without a body.
  mlir::func::FuncOp functionOf(const Computation &computation);
  // Writes the bodies of the functions that were declared, and of those that they call.
  void writeBodies();

  // Only the first error is kept.
  void fail(DiagnosticCode code, std::string message, const Instruction &instruction,
            std::string remedy = {});
  bool failed() const { return error.has_value(); }
  const std::optional<Diagnostic> &firstError() const { return error; }

  // Where an instruction stands, with the names that requirements look for: its own and the
  // `op_name` of its metadata.
  mlir::Location locationOf(const Instruction &instruction) const;

  // Counts an instruction that becomes operations: computations that are used often are copied.
  bool spendOne();

  // Gives a constant whose values the text leaves out others; notes the first one's place.
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

// The types of a shape's leaves, from the first to the last. Reports shapes that no type stands
// for.
llvm::SmallVector<mlir::Type> leafTypes(const Shape &shape, Conversion &conversion,
                                        const Instruction &instruction);
size_t leafCount(const Shape &shape);
// The same of a computation's parameters, by their numbers.
llvm::SmallVector<mlir::Type> parameterTypes(const Computation &computation,
                                             Conversion &conversion);

// Converts one computation at a time into a block. The functions in OpcodeTable.def convert an
// instruction each by what is public here: they read its operands and attributes and end with
// finish(), or with fail(). What they get after an error are null values and empty lists, which
// create() and finish() let pass.
class Emitter {
public:
  // `callsBecomeCalls`: a fusion or a call becomes a call of a function. Regions that compute
  // scalars have no calls.
  Emitter(Conversion &conversion, mlir::OpBuilder &builder, bool callsBecomeCalls, unsigned depth)
      : conversion(conversion), builder(builder), callsBecomeCalls(callsBecomeCalls), depth(depth) {
  }

  // The root's leaves. `arguments` are those of all parameters, by their numbers.
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
  // Reports operands that aren't there.
  llvm::ArrayRef<mlir::Value> operand(size_t number);
  // An operand that is one array. Reports others.
  mlir::TypedValue<mlir::RankedTensorType> array(size_t number);
  // The leaves of operands from one number to before another.
  Leaves leaves(size_t begin, size_t end);
  Leaves allLeaves() { return leaves(0, operandCount()); }

  //===-- attributes --------------------------------------------------------------------------===//

  // Of the module's header.
  int64_t headerInteger(llvm::StringRef name, int64_t otherwise) const;
  bool hasHeader(llvm::StringRef name) const {
    return findAttribute(conversion.module.attributes, name) != nullptr;
  }
  // Null where there is none. An attribute that is never asked for is reported, unless it says
  // nothing about what is computed.
  const Value *attribute(llvm::StringRef name);
  // Empty where there is none.
  llvm::SmallVector<int64_t> integers(llvm::StringRef name);
  int64_t integer(llvm::StringRef name, int64_t otherwise);
  // Reports an attribute that isn't there.
  int64_t integer(llvm::StringRef name);
  bool boolean(llvm::StringRef name, bool otherwise = false);
  // The one number of `dimensions={1}`. Reports other lists.
  int64_t oneDimension();
  // A word or a string; empty where there is none.
  std::string word(llvm::StringRef name);
  // The computations of `{%a, %b}` or `%a`. Reports an attribute that isn't there.
  llvm::SmallVector<const Computation *> computations(llvm::StringRef name);
  const Computation *computation(llvm::StringRef name);
  void failAttribute(llvm::StringRef name, const std::string &expected);

  //===-- results -----------------------------------------------------------------------------===//

  llvm::SmallVector<mlir::Type> resultTypes();
  // Null after an error.
  mlir::Operation *create(llvm::StringRef operation, mlir::ValueRange operands,
                          mlir::TypeRange results,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                          unsigned regions = 0);
  // The one operation that computes the instruction's leaves.
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
  // The instruction's own attribute of this name, false where there is none.
  mlir::NamedAttribute flag(llvm::StringRef name) {
    return named(name, builder.getBoolAttr(boolean(name)));
  }
  // The leaves of what another instruction computes of this one's operands.
  Leaves emitAs(const Instruction &other);
  // The value with other elements; itself where it has these.
  mlir::Value converted(mlir::Value value, mlir::Type element);
  // Zeros of any type, for the parts of a result that say nothing, such as contexts.
  mlir::Value zero(mlir::Type type);

  //===-- computations ------------------------------------------------------------------------===//

  // A computation as a call or, in regions of scalars, as a copy of its instructions.
  Leaves call(const Computation &computation, mlir::ValueRange arguments);
  mlir::func::FuncOp functionOf(const Computation &computation) {
    return conversion.functionOf(computation);
  }
  // Fills a region of a reduction, a sort or the like, which has the computation's parameters.
  void fillScalarRegion(mlir::Region &region, const Computation &computation) {
    fillRegion(region, computation, /*callsBecomeCalls=*/false);
  }
  // Fills a region of a loop.
  void fillProgramRegion(mlir::Region &region, const Computation &computation) {
    fillRegion(region, computation, callsBecomeCalls);
  }
  // Fills a branch, which has no parameters: it takes values from outside.
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
  llvm::SmallVector<llvm::StringRef> asked; // the attributes of the instruction
  std::optional<Leaves> result;
  // Of an instruction whose floats have several types: the one that it is computed in, and its
  // operands in that one.
  mlir::Type mixedElement;
  std::vector<Leaves> mixedOperands;
  llvm::DenseMap<const Instruction *, Leaves> values;
};

} // namespace drumlin::hlo
