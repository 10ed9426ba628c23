// A dot or convolution as a batch of GEMMs: result[b, m, n] = sum over k of lhs[b, m, k] * rhs[b,
// k, n].
//
// Each of b, m, n and k traverses several dimensions of the program's tensors in row-major order.
// For a convolution, lhs is the unfolded input and rhs the kernel: m traverses images and output
// positions, n output features, k kernel positions and input features, and b feature or batch
// groups. If the input has its image dimension after its spatial dimensions, as in kernel gradients
// with features last, m has these dimensions in the same order, so that neighbours along m are
// neighbours in memory.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/target/ComputeUnit.h"
#include "mlir/IR/Operation.h"

#include <array>

namespace drumlin {

enum class GemmOperand { Lhs, Rhs };

// Describes the windows of a convolution if each window consists of contiguous runs of input
// elements. A run consists of the positions along the last spatial dimension with their features.
// In k, the elements of a run have the same order.
struct WindowRuns {
  int64_t outer;       // number of window positions along the other spatial dimensions
  int64_t run;         // number of contiguous elements of k
  int64_t outputs;     // number of output positions along the last spatial dimension
  int64_t step;        // distance between the windows of neighbouring outputs, in elements
  int64_t rowElements; // number of input elements that all `outputs` read, including padding
};

class GemmProblem {
public:
  // `hero` is a dot_general or a convolution.
  explicit GemmProblem(mlir::Operation *hero);

  enum GroupName : unsigned { Batch, M, N, K, Features, groupCount };
  // The group to which a dimension of a tensor belongs, and its position in the group.
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
  // Whether the size of a contracting dimension is known only at run time. In this case, `k` is its
  // nominal value.
  bool contractsOpenSize() const;
  // Whether computing the indices of the dimensions with these roles divides an index along b, m, n
  // or k by a size that is known only at run time.
  bool isNumberedBySizes(llvm::ArrayRef<Role> roles) const;
  // Whether a convolution's windows have symbolic sizes or traverse dimensions of symbolic size.
  bool hasOpenWindows() const;
  mlir::Value value(GemmOperand operand) const { return operand == GemmOperand::Lhs ? lhs : rhs; }
  int64_t sumBytes() const { return info(sumType).bits / 8; }

  // Whether the kernel also reduces all elements of its result, tile by tile, for example to their
  // largest magnitude.
  bool combinesResults() const;

  // Returns the type of the operand's elements. If the region widens an integer operand, this is
  // the type before the conversion, because it represents the same values.
  ElementType termType(GemmOperand operand) const;
  // Whether a unit can compute the problem. The unit's operand type must represent all operand
  // values. If an operand's precision isn't DEFAULT, the unit must also be exact
  // (ComputeUnitInfo::isExact).
  bool mayUse(ComputeUnit unit) const;
  // Whether the operand's elements are unsigned integers or booleans.
  bool isWithoutSign(GemmOperand operand) const;
  // Whether the signedness of the operands differs from the signedness that a unit requires, so
  // that the elements of the rows are offset by 128 (ComputeUnits.def).
  bool movesRows(ComputeUnit unit) const;

  // Pads the innermost output dimension of a convolution in m to full registers, so that the lanes
  // along this dimension are contiguous. Does nothing if this would add many positions. Returns
  // whether the dimension was padded.
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
