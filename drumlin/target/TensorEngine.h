// Accelerators that multiply on a systolic array: what their published manuals say, and what an
// array of that shape does for a matrix product. For plans and costs only; no code is made for
// them. docs/costs.md has the equations.
//
// One instruction holds a stationary tile of up to rows × columns in the array and moves up to
// `movingElements` columns of the other operand through it. Both tiles have the contracted
// dimension along the array's rows (the memory's partitions). A transpose is such an instruction as
// well, with an identity in the array and up to `rows` rows of the tile moving.
#pragma once

#include "drumlin/support/ElementType.h"
#include "drumlin/target/Target.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace drumlin {

// The vendor's name for what the manuals describe together: inf2, trn1 and trn1n are of one.
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
  double fp8Factor; // time of an fp8 operation over that of a bf16 one
  double peakFlops; // bf16, of one core, a second
};

// inf2, trn1, trn1n, trn2. The manuals' figures of a whole chip are divided by its cores.
std::span<const TensorEngine> tensorEngines();
const TensorEngine *findTensorEngine(std::string_view name);

// Time of an operation on elements of a type, over that of a bf16 one: what adjusts FLOPs.
double typeFactor(const TensorEngine &engine, ElementType type);

// `batch` products [m, k] by [k, n].
struct EngineProduct {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  // Whether the operand lies with k along the free dimension, and has to be transposed at each
  // call.
  bool turnsLhs = false, turnsRhs = false;
};

struct EngineFlops {
  int64_t model = 0;  // two for each multiply-add that is asked for
  int64_t matmul = 0; // 2 · rows · columns · elements of the instructions that multiply
  int64_t turnLhs = 0, turnRhs = 0; // of those that transpose
  bool holdsRhs = true;             // which operand is stationary: what takes fewer
  int64_t hardware() const;
  int64_t transposes() const;
};

// Traverses the tiles of a product: tiles at the edges hold the array as long as whole ones.
// Counts saturate.
EngineFlops traverseTiles(const TensorEngine &engine, const EngineProduct &product);
// Of transposes of `count` matrices rows × columns.
int64_t traverseTransposed(const TensorEngine &engine, int64_t count, int64_t rows,
                           int64_t columns);

} // namespace drumlin
