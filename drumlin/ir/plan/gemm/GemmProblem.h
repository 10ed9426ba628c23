// A dot or convolution as a batch of GEMMs: result[b, m, n] = sum over k of lhs[b, m, k] * rhs[b,
// k, n].
//
// Each of b, m, n and k traverses several dimensions of the program's tensors in row-major order.
// For a convolution, lhs is the unfolded input and rhs the kernel: m traverses images and output
// positions, n output features, k kernel positions and input features, and b feature or batch
// groups. If the images come after the positions in the input, as in kernel gradients with features
// last, m has the same order, so that neighbours along m are neighbours in memory.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/target/ComputeUnit.h"
#include "mlir/IR/Operation.h"

#include <array>

namespace drumlin {

enum class GemmOperand { Lhs, Rhs };

// Describes the windows of a convolution that consist of contiguous runs of its input: positions
// along the last spatial dimension, with their features, are contiguous, and have the order that k
// has in the kernel.
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

  // Return the sizes of the dimensions that a group traverses, and the product of these sizes. The
  // group must not be Features. The features of a convolution are counted per feature group.
  llvm::SmallVector<Size> sizes(GroupName group) const;
  Size size(GroupName group) const;

  bool isConvolution() const;
  // Whether the size of a contracting dimension is known only at run time; `k` is then nominal.
  bool contractsOpenSize() const;
  // Whether the indices of dimensions with these roles are computed from a group's index by
  // dividing by sizes that are known only at run time.
  bool isNumberedBySizes(llvm::ArrayRef<Role> roles) const;
  // Whether a convolution's windows have symbolic sizes or traverse dimensions of symbolic size.
  bool hasOpenWindows() const;
  mlir::Value value(GemmOperand operand) const { return operand == GemmOperand::Lhs ? lhs : rhs; }
  int64_t sumBytes() const { return info(sumType).bits / 8; }

  // Whether the kernel reduces all elements of its result, tile by tile, for example to the largest
  // magnitude.
  bool combinesResults() const;

  // Returns the type of the operand's elements. For integers that the region widens, this is the
  // narrow type, which represents the same values.
  ElementType termType(GemmOperand operand) const;
  // Whether a unit can compute the problem: its operand type represents all operand values, and a
  // precision other than DEFAULT requires the sums' own type.
  bool mayUse(ComputeUnit unit) const;
  // Whether the operand's integer type is unsigned.
  bool isWithoutSign(GemmOperand operand) const;
  // Whether a unit multiplies integers of a signedness other than the operands', so that the rows
  // are shifted by 128 (ComputeUnits.def).
  bool movesRows(ComputeUnit unit) const;

  // Pads a convolution's innermost output dimension in m to full registers, so that lanes along it
  // are contiguous, if this adds few positions. Returns whether the dimension was padded.
  bool padInnermost();
  void unpadInnermost();
  // Size of the padded innermost output dimension before padding; 0: no dimension is padded.
  int64_t innermost = 0;

  // Returns the contiguous runs of a convolution's windows; nothing if the hero is no convolution,
  // or if its windows are not contiguous.
  std::optional<WindowRuns> windowRuns() const;

  // Return the maps from (b, m or n, k) to the operand's index, and from (b, m, n) to the result's
  // index. If an index or a convolution's windows depend on symbolic sizes, the maps are correct
  // only at the nominal sizes.
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
