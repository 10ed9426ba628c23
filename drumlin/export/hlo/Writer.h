// Writes the instructions of a computation, one after the other. The functions in
// OperationTable.def write an operation each by what is public here.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace drumlin::hlo {

// `f32[4,3]{1,0}`; of several types a tuple. `layoutMode` is an argument's or a result's.
// Nothing for types that HLO doesn't have.
std::optional<std::string> shapeText(mlir::Type type, llvm::StringRef layoutMode = {});

// What the computations of a module share.
class Output {
public:
  explicit Output(mlir::ModuleOp module) : module(module) {}

  // A name that no instruction and no computation has yet: `add.3`.
  std::string freshName(llvm::StringRef stem);
  // Only the first error is kept.
  void fail(mlir::Operation *op, std::string message, std::string remedy = {});
  bool failed() const { return error.has_value(); }

  mlir::ModuleOp module;
  std::string computations;               // the text of those that are complete
  llvm::StringMap<std::string> functions; // the computations of functions, by their symbols
  std::optional<Diagnostic> error;

private:
  llvm::StringMap<unsigned> counts;
};

class Writer {
public:
  explicit Writer(Output &output) : output(output) {}

  //===-- values ------------------------------------------------------------------------------===//

  // `%add.3`
  std::string name(mlir::Value value) const { return names.lookup(value); }
  // `%add.3, %p.1`
  std::string list(mlir::ValueRange values) const;
  void define(mlir::Value value, std::string name) { names[value] = std::move(name); }

  //===-- instructions ------------------------------------------------------------------------===//

  // The instruction that gives the operation's results; of several, a tuple and its elements.
  // `attributes` begins with a comma, unless it is empty.
  void write(mlir::Operation *op, llvm::StringRef opcode, const std::string &operands,
             const std::string &attributes = {});
  // The same with operands in parts of other instructions' results: `shape` is what the instruction
  // gives, of which `elements` are the operation's results.
  void writeElements(mlir::Operation *op, llvm::StringRef opcode, const std::string &shape,
                     const std::string &operands, const std::string &attributes,
                     llvm::ArrayRef<size_t> elements);
  // One more instruction, for what HLO takes apart. Its name.
  std::string add(mlir::Operation *op, llvm::StringRef opcode, const std::string &shape,
                  const std::string &operands, const std::string &attributes = {});
  std::string shapeOf(mlir::Operation *op, mlir::Type type);
  // Of one type its shape, of several a tuple.
  std::string shapeOf(mlir::Operation *op, mlir::TypeRange types);
  // The tuple of values, and one element of a tuple, as instructions. Their names.
  std::string tuple(mlir::Operation *op, mlir::ValueRange values);
  std::string element(mlir::Operation *op, const std::string &of, mlir::Type type, size_t index);
  // A value of a scalar type in all elements of a shape; values of that shape stay.
  std::string broadcast(mlir::Operation *op, mlir::Value value, mlir::Type like);
  void fail(mlir::Operation *op, std::string message, std::string remedy = {}) {
    output.fail(op, std::move(message), std::move(remedy));
  }

  //===-- computations ------------------------------------------------------------------------===//

  // The computation of a region whose parameters are its arguments, without values from outside but
  // constants.
  std::string scalarComputation(mlir::Region &region, llvm::StringRef stem);
  // The computation of a region with one parameter, the tuple of its arguments and of `captured`.
  // It gives a tuple: what the region gives, with `captured` behind it where asked for.
  std::string tupleComputation(mlir::Region &region, mlir::ValueRange captured, bool givesCaptured,
                               llvm::StringRef stem);
  // A region that gives one array, with the same parameter as above.
  std::string conditionComputation(mlir::Region &region, mlir::ValueRange captured);
  std::string functionComputation(mlir::func::FuncOp function);
  // The computation of a function that the operation names, written where it wasn't yet.
  std::string computationOf(mlir::Operation *op, llvm::StringRef function);

private:
  struct Line {
    std::string name, text; // `%add.3` and what follows ` = `
  };

  void writeOperation(mlir::Operation *op);
  void writeBody(mlir::Block &block);
  std::string parameter(mlir::Operation *op, size_t number, const std::string &shape,
                        const std::string &attributes = {});
  void openTuple(mlir::Region &region, mlir::ValueRange captured);
  // Ends the text with this instruction as root, and adds it to the output. The computation's name.
  std::string finish(llvm::StringRef stem, const std::string &root, bool isEntry = false);

  Output &output;
  llvm::DenseMap<mlir::Value, std::string> names;
  std::vector<Line> lines;
};

// The values from outside that a region uses, each once.
llvm::SmallVector<mlir::Value> capturedBy(llvm::MutableArrayRef<mlir::Region> regions);

// `{1,2,3}`
std::string braces(llvm::ArrayRef<int64_t> numbers);
// `, name={1,2,3}`; empty for no numbers.
std::string numbers(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
// `, name=true`; empty for false.
std::string flag(llvm::StringRef name, bool value);
// What an attribute says in HLO's own words, `{0,1}` or `{replicated}`; empty for others and for
// null.
llvm::StringRef inBraces(mlir::StringAttr attribute);
// `, sharding={replicated}`; empty where the attribute says nothing that HLO's text has.
std::string shardingText(mlir::StringAttr attribute);
// A string with its quotes.
std::string inQuotes(llvm::StringRef text);
// `, metadata={op_name="…" source_file="…" source_line=3}`; empty where the location says nothing.
std::string metadata(mlir::Location location);

// A constant's elements as HLO writes them. Nothing for attributes that don't hold elements.
std::optional<std::string> literalText(mlir::ElementsAttr value);

} // namespace drumlin::hlo
