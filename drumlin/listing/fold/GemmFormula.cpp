#include "drumlin/listing/fold/GemmFormula.h"

#include "drumlin/listing/fold/FunctionFinder.h"

#include <algorithm>

namespace drumlin::listing {

using hlo::GemmCall;

// Returns whether the contracting dimension of a matrix or a batch of matrices is the column
// dimension (true) or the row dimension (false). Returns nullopt for other operands.
static std::optional<bool> contractsColumns(const std::vector<int64_t> &contracting,
                                            const std::vector<int64_t> &batch, size_t rank) {
  bool isBatched = batch.size() + 2 == rank && contracting.size() == 1;
  for (size_t i = 0; i < batch.size(); ++i) {
    isBatched = isBatched && batch[i] == static_cast<int64_t>(i);
  }
  int64_t columns = static_cast<int64_t>(rank) - 1;
  if (!isBatched || contracting[0] < columns - 1 || contracting[0] > columns) {
    return std::nullopt;
  }
  return contracting[0] == columns;
}

namespace {
class FormulaWriter {
public:
  FormulaWriter(const Instruction &instruction, const GemmCall &call)
      : instruction(instruction), call(call) {}

  CallFormula write() {
    CallFormula formula;
    formula.said = {{"alpha_real"}, {"alpha_imag"}, {"beta"}, {"epilogue"}, {"damax_output"}};
    sayStrides(formula);
    if (isPlainProduct()) {
      formula.said.push_back({"dot_dimension_numbers"});
    }
    std::string x = factorText(call.alpha) + scale("a_scale") + scale("b_scale") + product();
    bool isSum = call.beta != 0 || call.hasBias;
    x += call.beta != 0 ? " + " + factorText(call.beta) + scale("c_scale") + "c" : "";
    x += call.hasBias ? " + bias" : "";
    if (call.function != GemmCall::Function::None) {
      x = std::string(call.function == GemmCall::Function::Relu ? "relu" : "gelu_tanh") + "(" + x +
          ")";
      isSum = false;
    }
    std::string scaled = scale("d_scale"), where;
    if (call.givesLargest) {
      std::string name = "x";
      while (isOperand(name)) {
        name += "'";
      }
      formula.text = "(" + scaled + name + ", max(|" + name + "|))";
      where = name + " = " + x + ", ";
    } else {
      formula.text = scaled.empty() || !isSum ? scaled + x : scaled + "(" + x + ")";
    }
    formula.text += " where " + where + operandsText(instruction, call.operands);
    return formula;
  }

private:
  bool isOperand(const std::string &name) const {
    return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                       [&](const Operand &operand) { return operand.instruction->name == name; });
  }

  const Instruction *operandOf(std::string_view role) const {
    std::optional<size_t> number = call.operand(role);
    return number ? instruction.operands[*number].instruction : nullptr;
  }

  // Returns a factor such as `a_scale * `; empty if there is no such operand, or if it is 1.
  std::string scale(std::string_view role) const {
    const Instruction *operand = operandOf(role);
    bool isOne = !operand || (isConstant(*operand) && operand->argument == "1");
    return isOne ? std::string() : std::string(role) + " * ";
  }

  std::optional<bool> leftContractsColumns() const {
    return contractsColumns(call.lhsContracting, call.lhsBatch, rankOf("a"));
  }
  std::optional<bool> rightContractsColumns() const {
    return contractsColumns(call.rhsContracting, call.rhsBatch, rankOf("b"));
  }

  // Whether the product's text determines the contracting dimensions.
  bool isPlainProduct() const { return leftContractsColumns() && rightContractsColumns(); }

  std::string product() const {
    return isPlainProduct() ? std::string(*leftContractsColumns() ? "a·" : "aᵀ·") +
                                  (*rightContractsColumns() ? "bᵀ" : "b")
                            : "dot(a, b)";
  }

  size_t rankOf(std::string_view role) const { return operandOf(role)->shape.dimensions.size(); }

  // Marks the batch strides as known if they equal the number of elements of a matrix.
  void sayStrides(CallFormula &formula) const {
    formula.said.push_back({"lhs_stride", matrixElements("a", call.lhsBatch)});
    formula.said.push_back({"rhs_stride", matrixElements("b", call.rhsBatch)});
  }

  int64_t matrixElements(std::string_view role, const std::vector<int64_t> &batch) const {
    const Shape &shape = operandOf(role)->shape;
    int64_t elements = elementsOf(shape);
    for (int64_t dimension : batch) {
      bool isThere = dimension >= 0 && static_cast<size_t>(dimension) < shape.dimensions.size();
      int64_t size = isThere ? shape.dimensions[static_cast<size_t>(dimension)] : 0;
      elements = size > 0 ? elements / size : 0;
    }
    return elements;
  }

  const Instruction &instruction;
  const GemmCall &call;
};
} // namespace

CallFormula gemmFormula(const Instruction &instruction, const GemmCall &call) {
  return FormulaWriter(instruction, call).write();
}

} // namespace drumlin::listing
