// Builds the library call of one kernel from its parts: one builder for both libraries, since their
// calls have the same arguments; what each of them takes is in the tables.
#pragma once

#include "drumlin/target/LibraryTable.h"
#include "drumlin/transforms/libraries/GemmParts.h"
#include "drumlin/transforms/libraries/ScaleShapes.h"

namespace drumlin {

// One index of the library's product. `strides` are those of the matrices that have it, `scales`
// how each scale changes along it.
struct LibraryAxis {
  int64_t size = 1;
  llvm::SmallVector<int64_t, 3> strides;
  std::vector<StridedDimension> scales;
};

class CallBuilder {
public:
  // `results`: those of the program that the kernel's stand for, by number.
  CallBuilder(plan::GemmOp gemm, const GpuTarget &target, const GemmParts &parts,
              llvm::ArrayRef<mlir::Value> results)
      : gemm(gemm), target(target), parts(parts), results(results) {}

  using Limit = std::optional<PartsLimit>;

  // What no call can do; else `call` is complete, and has to be checked against the tables.
  Limit run();

  LibraryCall call;

private:
  // What one operand is made of, once it is known which of A and B it is.
  struct Side {
    const OperandParts *parts = nullptr;
    const LibraryAxis *free = nullptr;
    size_t matrix = 0; // of the axes that both operands have
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
  // Something that a small kernel of ours makes before the call.
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
  bool rowsAreN = true; // the library's A is the right operand
  Side a, b;
  std::vector<ScaleFactor> alpha;
  // The value that each entry of call.values computes, and how it is converted.
  std::vector<std::pair<mlir::Value, llvm::SmallVector<ElementType>>> computed;
};

} // namespace drumlin
