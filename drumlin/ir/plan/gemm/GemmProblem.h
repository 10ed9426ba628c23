// A dot or convolution as a batch of matrix products: result[b, m, n] = sum over k of lhs[b, m, k]
// * rhs[b, k, n].
//
// Each of b, m, n and k traverses several dimensions of the program's tensors as one, row-major. A
// convolution is the product of its unfolded input (m: image and output position, k: kernel
// position and input feature) with its kernel (n: output feature); b is the feature or batch group.
// Where images lie behind the positions of the input, as in gradients of kernels with features
// last, they do so in m, too: neighbours along m are then neighbours in memory.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/target/ComputeUnit.h"
#include "mlir/IR/Operation.h"

#include <array>

namespace drumlin {

enum class GemmOperand { Lhs, Rhs };

// A convolution's windows where they are runs of its input: positions along the last spatial
// dimension, with their features, are contiguous, in the kernel's order of k.
struct WindowRuns {
  int64_t outer;       // window positions along the other spatial dimensions
  int64_t run;         // contiguous elements of k
  int64_t outputs;     // along the last spatial dimension
  int64_t step;        // elements of the input from one of these outputs to the next
  int64_t rowElements; // that all of them read, padding included
};

class GemmProblem {
public:
  // `hero` is a dot_general or a convolution.
  explicit GemmProblem(mlir::Operation *hero);

  enum GroupName : unsigned { Batch, M, N, K, Features, groupCount };
  // Which dimension of which group a tensor's dimension is.
  struct Role {
    unsigned group = Batch;
    size_t position = 0;
  };

  mlir::Operation *hero;
  mlir::Value lhs, rhs, result;
  int64_t batch = 1, m = 1, n = 1, k = 1;
  ElementType sumType = ElementType::F32;                    // f32, f64, i32 or i64
  std::array<llvm::SmallVector<int64_t>, groupCount> groups; // sizes
  llvm::SmallVector<Role> lhsRoles, rhsRoles, resultRoles;
  size_t featurePosition = 0;                // of a convolution's input feature in K
  llvm::SmallVector<size_t> windowPositions; // of the kernel's spatial dimensions in K
  size_t imagePosition = 0;                  // of a convolution's output batch in M
  llvm::SmallVector<size_t> outputPositions; // of the output's spatial dimensions in M

  // The sizes of the dimensions that a group other than Features traverses, and their product.
  // Those of a convolution's features are of each of its groups.
  llvm::SmallVector<Size> sizes(GroupName group) const;
  Size size(GroupName group) const;

  bool isConvolution() const;
  // Whether it contracts a dimension whose size is known only when the program runs; `k` is of the
  // nominal one.
  bool contractsOpenSize() const;
  // Whether an index in dimensions of these roles is a group's divided by sizes that are known only
  // when the program runs.
  bool isNumberedBySizes(llvm::ArrayRef<Role> roles) const;
  // Whether a convolution's windows lie along sizes that only the run tells, or are of such sizes.
  bool hasOpenWindows() const;
  mlir::Value value(GemmOperand operand) const { return operand == GemmOperand::Lhs ? lhs : rhs; }
  int64_t sumBytes() const { return info(sumType).bits / 8; }

  // Whether the kernel combines its whole result, tile by tile: a largest magnitude, say.
  bool combinesResults() const;

  // The type of the operand's elements; of integers that the region widens, the type from which it
  // does: both have the same values.
  ElementType termType(GemmOperand operand) const;
  // Whether a unit computes the products: its operands' type holds all of the operands, and a
  // precision other than DEFAULT asks for the sums' own type.
  bool mayUse(ComputeUnit unit) const;
  // Of integers: whether the operand's type has no negative numbers.
  bool isWithoutSign(GemmOperand operand) const;
  // Whether a unit multiplies integers of other signs than the operands are: its rows are moved by
  // 128 (ComputeUnits.def).
  bool movesRows(ComputeUnit unit) const;

  // Lets m traverse a convolution's innermost output dimension in whole registers, where that adds
  // few positions: lanes along it are then contiguous. Returns whether it does.
  bool padInnermost();
  void unpadInnermost();
  // The positions of a padded innermost output dimension; 0: none is padded.
  int64_t innermost = 0;

  // Nothing where the hero is no convolution, or its windows don't lie so.
  std::optional<WindowRuns> windowRuns() const;

  // From (b, m or n, k) to the operand's index, and from (b, m, n) to the result's; of nominal
  // sizes where these are numbered by sizes, or a convolution's windows are open.
  IndexingMap operandMap(GemmOperand operand) const;
  IndexingMap resultMap() const;

private:
  void analyzeDot();
  void analyzeConvolution();
  mlir::AffineExpr part(const IndexingBuilder &made, unsigned group, size_t position,
                        unsigned dimension) const;
  IndexingMap convolutionInputMap() const;
};

} // namespace drumlin
