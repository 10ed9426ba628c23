// A dot or convolution as a batch of matrix products: result[b, m, n] = sum over k of lhs[b, m, k]
// * rhs[b, k, n].
//
// Each of b, m, n and k walks several dimensions of the program's tensors as one, row-major. A
// convolution is the product of its unfolded input (m: image and output position, k: kernel
// position and input feature) with its kernel (n: output feature); b is the feature or batch group.
#pragma once

#include "drumlin/codegen/cpu/KernelEmitter.h"

#include <array>

namespace drumlin::codegen {

enum class GemmOperand { Lhs, Rhs };

// Which index of an operand runs along the lanes.
enum class GemmAxis { Batch, Free, Depth };

// What one step of the sum takes in: single products, or two neighbouring terms of k held in one
// 32-bit unit, which dot instructions multiply and add at once.
enum class ProductForm {
  Single,
  Bf16Pairs,  // AVX512-BF16; it flushes subnormal inputs, so it serves DEFAULT precision only
  Int16Pairs, // AVX512-VNNI on 16-bit integers, which hold every 8-bit one
};

// A convolution's windows where they are runs of its input: positions along the last spatial
// dimension, with their features, lie in a row, in the kernel's order of k.
struct WindowRuns {
  int64_t outer;       // window positions along the other spatial dimensions
  int64_t run;         // terms that lie in a row
  int64_t outputs;     // along the last spatial dimension
  int64_t step;        // elements of the input from one of these outputs to the next
  int64_t rowElements; // that all of them read, padding included
};

class GemmProblem {
public:
  // `hero` is a dot_general or a convolution of the frame's kernel.
  GemmProblem(KernelFrame &frame, mlir::Operation *hero);

  int64_t batch = 1, m = 1, n = 1, k = 1;
  ElementType sumType = ElementType::F32; // f32, f64, i32 or i64
  mlir::Value result;

  // The form that the target's fastest instructions take.
  ProductForm form() const { return productForm; }
  // Takes single products, whatever the target has: for algorithms that add them one by one.
  void takeSingleProducts() { productForm = ProductForm::Single; }
  // Neighbouring terms of k in one unit.
  int64_t unitTerms() const { return productForm == ProductForm::Single ? 1 : 2; }
  // A term as it is multiplied: of sumType, or 16 bits of a pair.
  llvm::Type *termType() const;
  // One or two terms: an integer of 32 bits for pairs, else the term.
  llvm::Type *unitType() const;
  llvm::Type *sumLlvmType() const;

  // The operand's elements at (b, m or n, k) as terms: a scalar where no index depends on the lane.
  // A convolution's padding is its operand's 0.
  llvm::Value *term(GemmOperand operand, const LaneIndex &b, const LaneIndex &free,
                    const LaneIndex &depth);

  // The index of the result's elements.
  const IndexTuple *resultIndex(const LaneIndex &b, const LaneIndex &atM, const LaneIndex &atN);

  // Sums in sumType as the hero's result: rounded to its type, in compute form.
  Lanes rounded(llvm::Value *sums);

  // What it costs to read a register's worth of an operand with lanes along an axis (free: m or n):
  // about one for each contiguous load, many for a gather.
  int64_t laneCost(GemmOperand operand, GemmAxis along);

  // The bytes of the narrowest element that a contiguous load along the axis reads; 0: there is
  // none.
  int64_t loadedBytes(GemmOperand operand, GemmAxis along);

  // Lets m walk a convolution's innermost output dimension in whole registers, where that adds few
  // positions: lanes along it then lie in a row. Returns whether it does.
  bool padInnermost();
  void unpadInnermost();
  // Which of the positions at m exist; null where all do.
  llvm::Value *exists(const LaneIndex &atM);

  // Nothing where the hero is no convolution, or its windows don't lie so.
  std::optional<WindowRuns> windowRuns() const;
  // Terms of the lhs, lanes along a row of runs from `element` on: that of the outputs at atM (the
  // first of a row of outputs) and of the window's outer position at atK (a multiple of the run).
  // Padding is zero, and so is what lies behind the input's own row.
  llvm::Value *windowRow(const LaneIndex &atM, const LaneIndex &atK, llvm::Value *element);

  // Emits what `emit` does into a function that is thrown away, with three unknown indices, and
  // returns its answer.
  int64_t probe(llvm::function_ref<int64_t(llvm::Function &, llvm::ArrayRef<llvm::Value *>)> emit);

private:
  enum GroupName : unsigned { Batch, M, N, K, Features, groupCount };
  // Which dimension of which group a tensor's dimension is.
  struct Role {
    unsigned group = Batch;
    size_t position = 0;
  };
  using GroupIndices = std::array<LaneIndex, groupCount>;

  static int64_t product(llvm::ArrayRef<int64_t> sizes);
  void emitAlong(GemmOperand operand, GemmAxis along, llvm::ArrayRef<llvm::Value *> at);
  void analyzeDot(mlir::Operation *op);
  void analyzeConvolution(mlir::Operation *op);
  void chooseTypes();
  llvm::Constant *paddingValue(llvm::Type *type);
  Lanes convolutionInput(const GroupIndices &at);
  // The index of the group's dimensions first..last, walked as one.
  LaneIndex divide(const LaneIndex &at, int64_t by, bool wantRemainder, int64_t limit);
  LaneIndex part(unsigned group, size_t first, size_t last, const LaneIndex &at);
  const IndexTuple *tupleFor(mlir::Value value, llvm::ArrayRef<Role> roles, const GroupIndices &at);
  GroupIndices indices(const LaneIndex &b, const LaneIndex &atM, const LaneIndex &atN,
                       const LaneIndex &atK);
  bool allowsPairs() const;
  // An operand's element as a term.
  llvm::Value *asTerm(Lanes element, ElementType type);

  KernelFrame &frame;
  mlir::Operation *hero;
  mlir::Value lhs, rhs;
  ProductForm productForm = ProductForm::Single;
  std::array<llvm::SmallVector<int64_t>, groupCount> groups; // sizes
  llvm::SmallVector<Role> lhsRoles, rhsRoles, resultRoles;
  size_t featurePosition = 0;                // of the input feature in K
  llvm::SmallVector<size_t> windowPositions; // of the kernel's spatial dimensions in K
  int64_t innermost = 0; // the positions of a padded innermost output dimension; 0: none is padded
};

} // namespace drumlin::codegen
