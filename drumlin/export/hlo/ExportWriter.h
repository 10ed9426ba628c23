// Writes the instructions of a computation, one after the other. The functions in
// HloOperations.def write one operation each, using the public members.
#pragma once

#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace drumlin::hlo {

// Returns a shape such as `f32[4,3]{1,0}`, or a tuple; nullopt for types that HLO doesn't have.
// `layoutMode`: the layout of an argument or a result, if stated.
std::optional<std::string> shapeText(mlir::Type type, llvm::StringRef layoutMode = {});

// The state that is shared by all computations of a module.
class Output {
public:
  explicit Output(mlir::ModuleOp module) : module(module) {}

  // Returns a name that no instruction or computation has yet, such as `add.3`.
  std::string freshName(llvm::StringRef stem);
  // Reports an error. Only the first one is kept.
  void fail(mlir::Operation *op, std::string message, std::string remedy = {});
  bool failed() const { return error.has_value(); }

  mlir::ModuleOp module;
  std::string computations;               // text of the completed computations
  llvm::StringMap<std::string> functions; // the computations' names by function
  std::optional<Diagnostic> error;

private:
  llvm::StringMap<unsigned> counts;
};

class Writer {
public:
  explicit Writer(Output &output) : output(output) {}

  //===-- values ------------------------------------------------------------------------------===//

  // Returns the name of a value, such as `%add.3`.
  std::string name(mlir::Value value) const { return names.lookup(value); }
  // Returns the names of values, such as `%add.3, %p.1`.
  std::string list(mlir::ValueRange values) const;
  void define(mlir::Value value, std::string name) { names[value] = std::move(name); }

  //===-- instructions ------------------------------------------------------------------------===//

  // Writes an instruction and defines the operation's results. A single result is the instruction's
  // value. Several results are the elements of its tuple. `attributes` begins with a comma, unless
  // it is empty.
  void write(mlir::Operation *op, llvm::StringRef opcode, const std::string &operands,
             const std::string &attributes = {});
  // Writes an instruction of the given shape, which may be a tuple. `elements`: the indices of the
  // tuple's elements that are the operation's results.
  void writeElements(mlir::Operation *op, llvm::StringRef opcode, const std::string &shape,
                     const std::string &operands, const std::string &attributes,
                     llvm::ArrayRef<size_t> elements);
  // Writes an additional instruction, for operations that need several. Returns the instruction's
  // name.
  std::string add(mlir::Operation *op, llvm::StringRef opcode, const std::string &shape,
                  const std::string &operands, const std::string &attributes = {});
  std::string shapeOf(mlir::Operation *op, mlir::Type type);
  // Returns the shape of a single type, or the tuple shape of several types.
  std::string shapeOf(mlir::Operation *op, mlir::TypeRange types);
  // Write instructions for a tuple of values and for an element of a tuple. Return their names.
  std::string tuple(mlir::Operation *op, mlir::ValueRange values);
  std::string element(mlir::Operation *op, const std::string &of, mlir::Type type, size_t index);
  // Broadcasts a scalar to the shape of `like`; other values aren't changed. Returns the name of
  // the result.
  std::string broadcast(mlir::Operation *op, mlir::Value value, mlir::Type like);
  void fail(mlir::Operation *op, std::string message, std::string remedy = {}) {
    output.fail(op, std::move(message), std::move(remedy));
  }

  //===-- computations ------------------------------------------------------------------------===//

  // Writes the computation of a region, whose parameters are the region's arguments. Constants are
  // the only values from outside that the region may use. Returns the computation's name.
  std::string scalarComputation(mlir::Region &region, llvm::StringRef stem);
  // Writes the computation of a region with a single parameter, the tuple of the region's arguments
  // and `captured`. The computation's result is the tuple of the region's results, followed by
  // `captured` if `givesCaptured`.
  std::string tupleComputation(mlir::Region &region, mlir::ValueRange captured, bool givesCaptured,
                               llvm::StringRef stem);
  // Writes the computation of a region that returns one array. The computation has the same
  // parameter as one that tupleComputation() writes.
  std::string conditionComputation(mlir::Region &region, mlir::ValueRange captured);
  std::string functionComputation(mlir::func::FuncOp function);
  // Returns the name of the computation of a function to which the operation refers. Writes the
  // computation at its first use.
  std::string computationOf(mlir::Operation *op, llvm::StringRef function);

private:
  struct Line {
    std::string name, text; // for `%add.3 = text`: `%add.3` and `text`
  };

  void writeOperation(mlir::Operation *op);
  void writeBody(mlir::Block &block);
  std::string parameter(mlir::Operation *op, size_t number, const std::string &shape,
                        const std::string &attributes = {});
  void openTuple(mlir::Region &region, mlir::ValueRange captured);
  // Adds the computation to the output, with the instruction `root` as its root. Returns the
  // computation's name.
  std::string finish(llvm::StringRef stem, const std::string &root, bool isEntry = false);

  Output &output;
  llvm::DenseMap<mlir::Value, std::string> names;
  std::vector<Line> lines;
};

// Returns the values that the regions use but don't define, each once.
llvm::SmallVector<mlir::Value> capturedBy(llvm::MutableArrayRef<mlir::Region> regions);

// Returns a list such as `{1,2,3}`.
std::string braces(llvm::ArrayRef<int64_t> numbers);
// Returns an attribute such as `, name={1,2,3}`; empty if there are no numbers.
std::string numbers(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
// Returns `, name=true`; empty if false.
std::string flag(llvm::StringRef name, bool value);
// Returns an attribute's text if it is HLO text in braces, such as `{0,1}` or `{replicated}`; empty
// for any other attribute and for null.
llvm::StringRef inBraces(mlir::StringAttr attribute);
// Returns `, sharding={replicated}`; empty if the attribute isn't HLO text.
std::string shardingText(mlir::StringAttr attribute);
// Returns a string in quotes.
std::string inQuotes(llvm::StringRef text);
// Returns `, metadata={op_name="…" source_file="…" source_line=3}`; empty for a location that has
// none of these.
std::string metadata(mlir::Location location);

// Returns a constant's elements as an HLO literal; nullopt for attributes without elements.
std::optional<std::string> literalText(mlir::ElementsAttr value);

} // namespace drumlin::hlo
