// A dot or convolution as a batch of GEMMs: result[b, m, n] = sum over k of lhs[b, m, k] * rhs[b,
// k, n].
//
// Each of b, m, n and k traverses several dimensions of the program's tensors as one, row-major. A
// convolution is the GEMM of its unfolded input (m: image and output position, k: kernel position
// and input feature) and its kernel (n: output feature); b is the feature or batch group. If images
// come after positions in the input, as in kernel gradients with features last, they do so in m,
// too: neighbours along m are then neighbours in memory.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/target/ComputeUnit.h"
#include "mlir/IR/Operation.h"

#include <array>

namespace drumlin {

enum class GemmOperand { Lhs, Rhs };

// The windows of a convolution that are contiguous runs of its input: positions along the last
// spatial dimension and their features are contiguous, in the kernel's order of k.
struct WindowRuns {
  int64_t outer;       // number of window positions along the other spatial dimensions
  int64_t run;         // number of contiguous elements of k
  int64_t outputs;     // number of outputs along the last spatial dimension
  int64_t step;        // distance in the input between these outputs, in elements
  int64_t rowElements; // input elements that all these outputs read, including padding
};

class GemmProblem {
public:
  // `hero` is a dot_general or a convolution.
  explicit GemmProblem(mlir::Operation *hero);

  enum GroupName : unsigned { Batch, M, N, K, Features, groupCount };
  // The group of a tensor's dimension, and its position in the group.
  struct Role {
    unsigned group = Batch;
    size_t position = 0;
  };

  mlir::Operation *hero;
  mlir::Value lhs, rhs, result;
  int64_t batch = 1, m = 1, n = 1, k = 1;
  ElementType sumType = ElementType::F32;                    // f32, f64, i32 or i64
  std::array<llvm::SmallVector<int64_t>, groupCount> groups; // dimension sizes
  llvm::SmallVector<Role> lhsRoles, rhsRoles, resultRoles;
  size_t featurePosition = 0;                // position of a convolution's input feature in K
  llvm::SmallVector<size_t> windowPositions; // positions of the kernel's spatial dimensions in K
  size_t imagePosition = 0;                  // position of a convolution's output batch in M
  llvm::SmallVector<size_t> outputPositions; // positions of the output's spatial dimensions in M

  // Return the sizes of the dimensions that a group other than Features traverses, and their
  // product. A convolution's features are counted per group.
  llvm::SmallVector<Size> sizes(GroupName group) const;
  Size size(GroupName group) const;

  bool isConvolution() const;
  // Whether a contracting dimension's size is known only at run time; `k` is then its nominal size.
  bool contractsOpenSize() const;
  // Whether an index in dimensions with these roles is computed from a group's index by division by
  // sizes that are known only at run time.
  bool isNumberedBySizes(llvm::ArrayRef<Role> roles) const;
  // Whether a convolution's windows have symbolic sizes or traverse dimensions of symbolic size.
  bool hasOpenWindows() const;
  mlir::Value value(GemmOperand operand) const { return operand == GemmOperand::Lhs ? lhs : rhs; }
  int64_t sumBytes() const { return info(sumType).bits / 8; }

  // Whether the kernel reduces its whole result tile by tile, for example to the largest magnitude.
  bool combinesResults() const;

  // Returns the type of the operand's elements; for integers that the region widens, the narrow
  // type, which has the same values.
  ElementType termType(GemmOperand operand) const;
  // Whether a unit can compute the problem: its operand type represents all operand values, and a
  // precision other than DEFAULT requires the sums' own type.
  bool mayUse(ComputeUnit unit) const;
  // Whether the operand's integer type is unsigned.
  bool isWithoutSign(GemmOperand operand) const;
  // Whether a unit multiplies integers of other signedness than the operands, so that its rows are
  // shifted by 128 (ComputeUnits.def).
  bool movesRows(ComputeUnit unit) const;

  // Pads a convolution's innermost output dimension in m to whole registers if this adds few
  // positions, so that lanes along it are contiguous. Returns whether it did.
  bool padInnermost();
  void unpadInnermost();
  // The positions of the padded innermost output dimension; 0: no dimension is padded.
  int64_t innermost = 0;

  // Returns the runs; nothing if the hero is no convolution, or if its windows are not contiguous.
  std::optional<WindowRuns> windowRuns() const;

  // Return the maps from (b, m or n, k) to the operand's index and from (b, m, n) to the result's;
  // they hold at the nominal sizes only if an index depends on symbolic sizes or a convolution's
  // windows do.
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
