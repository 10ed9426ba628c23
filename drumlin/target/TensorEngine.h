// Accelerators with a systolic array: the figures in their published manuals, and the FLOPs that
// such an array needs for a matrix product. For plans and costs only; Drumlin generates no code for
// these accelerators. docs/costs.md has the equations.
//
// One instruction holds a stationary tile of up to rows × columns in the array and moves up to
// `movingElements` columns of the other operand through it. The contracting dimension of both tiles
// is along the array's rows (the memory's partitions). A transpose is an instruction of the same
// kind: the array holds an identity matrix, and up to `rows` rows of the transposed tile move
// through it.
#pragma once

#include "drumlin/support/ElementType.h"
#include "drumlin/target/Target.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace drumlin {

// Generations of engines. The manuals describe all engines of a generation together: inf2, trn1 and
// trn1n belong to the same generation.
enum class EngineGeneration : uint8_t { NeuronCoreV2, NeuronCoreV3 };
std::string_view generationName(EngineGeneration generation); // `NeuronCore-v2`

class TensorEngine : public Target {
public:
  TensorEngine(std::string name, EngineGeneration generation, double fp8Factor, double peakFlops,
               double bytesPerSecond);
  static bool classof(const Target *target) { return target->kind() == Kind::TensorEngine; }

  std::vector<TargetUnit> units() const override;
  std::string_view use() const override { return "plans and costs"; }

  EngineGeneration generation;
  int64_t rows = 128, columns = 128;
  int64_t movingElements = 512;
  double fp8Factor; // time of an fp8 operation divided by the time of a bf16 operation
  double peakFlops; // bf16 operations a second of one core
};

// Returns inf2, trn1, trn1n and trn2. An engine is one core of a chip. The manuals state rates of
// whole chips, which are divided by the number of cores.
std::span<const TensorEngine> tensorEngines();
const TensorEngine *findTensorEngine(std::string_view name);

// Returns the time of an operation on this type divided by the time on bf16. FLOPs are multiplied
// by this factor.
double typeFactor(const TensorEngine &engine, ElementType type);

// `batch` matrix products of [m, k] and [k, n].
struct EngineProduct {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  // Whether the operand must be transposed at each call, since it is stored with k along the free
  // dimension of the engine's memory.
  bool turnsLhs = false, turnsRhs = false;
};

struct EngineFlops {
  int64_t model = 0;  // 2 for each multiply-add of the program
  int64_t matmul = 0; // FLOPs of all multiplying instructions: 2 · rows · columns · moving elements
  int64_t turnLhs = 0, turnRhs = 0; // FLOPs of the instructions that transpose
  bool holdsRhs = true;             // whether rhs is stationary instead of lhs; the cheaper choice
  int64_t hardware() const;
  int64_t transposes() const;
};

// Counts the FLOPs of a product's tiles. A partial tile counts like a full tile, since it occupies
// the array for the same time. Counts saturate.
EngineFlops traverseTiles(const TensorEngine &engine, const EngineProduct &product);
// Counts the FLOPs of transposing `count` matrices of rows × columns.
int64_t traverseTransposed(const TensorEngine &engine, int64_t count, int64_t rows,
                           int64_t columns);

} // namespace drumlin
