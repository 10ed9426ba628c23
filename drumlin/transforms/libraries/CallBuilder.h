// Builds the library call of one kernel from its parts. One builder serves both libraries, since
// their calls have the same arguments; the tables list what each library accepts.
#pragma once

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/target/LibraryTable.h"
#include "drumlin/transforms/libraries/GemmParts.h"
#include "drumlin/transforms/libraries/ScaleShapes.h"

namespace drumlin {

// One axis of the library's GEMM: the stride of each matrix that has this axis, and the strides of
// each scale along it.
struct LibraryAxis {
  int64_t size = 1;
  llvm::SmallVector<int64_t, 3> strides;
  std::vector<StridedDimension> scales;
};

class CallBuilder {
public:
  // `results`: the program's values for the kernel's results, by number.
  CallBuilder(plan::GemmOp gemm, const GpuTarget &target, const GemmParts &parts,
              llvm::ArrayRef<mlir::Value> results)
      : gemm(gemm), target(target), parts(parts), results(results) {}

  using Limit = std::optional<PartsLimit>;

  // Fills in `call`. Returns the limit that rules out every call, or nothing if `call` is complete.
  // The caller must still check `call` against the tables.
  Limit run();

  LibraryCall call;

private:
  // One operand, once it is known whether it is A or B.
  struct Side {
    const OperandParts *parts = nullptr;
    const LibraryAxis *free = nullptr;
    size_t matrix = 0; // the operand's index in LibraryAxis::strides
    std::vector<ScaleFactor> tensorScales;
    const ScaleFactor *blockScale = nullptr;
    ScaleShape shape;
    std::optional<ScaleMode> mode;
  };

  static Limit fails(LibraryLimit limit, std::string detail = "") {
    return PartsLimit{limit, std::move(detail)};
  }

  // CallBuilder.cpp
  Limit findAxes();
  Limit placeResult();
  Limit placeOperands();
  Limit place(const Side &side, LibraryMatrix &matrix, bool &depthInRow);
  void chooseProduct();
  void noteRoundings();

  // CallScales.cpp
  Limit chooseScales();
  Limit readScales(Side &side, bool isLhs);
  std::optional<LibraryScale> scalarScale(const Side &side);
  LibraryScale filledScale(Side &side, ScaleMode mode);
  LibraryScale blockScale(Side &side);
  std::string wantedOrder(const Side &side) const;
  std::string textOf(const ReadValue &read);
  std::string productText(llvm::ArrayRef<ScaleFactor> factors);
  std::string scalarPointer(llvm::ArrayRef<ScaleFactor> factors);
  // Returns the name of a value that a small generated kernel computes before the call.
  std::string prepare(const std::string &what);

  // CallEpilogue.cpp
  Limit addEpilogue();
  Limit addResidual(const Addend &residual);
  std::optional<LibraryVector> vectorOf(const Addend &addend, bool isAlongColumns);
  Limit addBias(const Addend &bias);
  Limit addBiasGradient(const BiasSum &sum, BiasGradient &which);
  Limit addAux();
  void addAlpha();

  plan::GemmOp gemm;
  const GpuTarget &target;
  const GemmParts &parts;
  llvm::SmallVector<mlir::Value> results;
  LibraryAxis batch, m, n, k;
  bool rowsAreN = true; // the library's A is the dot's right operand
  Side a, b;
  std::vector<ScaleFactor> alpha;
  // For each entry of call.values: the value that it computes, and the conversions of that value.
  std::vector<std::pair<mlir::Value, llvm::SmallVector<ElementType>>> computed;
};

} // namespace drumlin
