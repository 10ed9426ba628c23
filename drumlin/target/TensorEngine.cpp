#include "drumlin/target/TensorEngine.h"

#include "drumlin/support/Cost.h"

#include <algorithm>
#include <array>
#include <vector>

namespace drumlin {

// Figures from the AWS Neuron documentation, with page and section:
//
// - rows, columns, moving elements: "Trainium/Inferentia2 Architecture Guide for NKI", "Tensor
//   Engine" (128 rows and 128 columns of processing elements) and its "Tile Size" (at most 512
//   elements of the moving tensor, the size of one accumulation buffer bank). The "Trainium2
//   Architecture Guide for NKI" builds on this guide and states no other figures.
// - bf16 rate: "Inferentia2 Architecture" and "Trainium Architecture", "Compute": 190 TFLOPS a chip
//   of two cores; "Trainium2 Architecture", "Trainium2 chip components": 667 TFLOPS a chip of
//   eight cores. The pages on single cores round down: "NeuronCore-v2 Architecture" says over 90
//   TFLOPS, the NKI guide 92 at 2.8 GHz, "NeuronCore-v3 Architecture" 79.
// - bandwidth: the NKI guides' lists of components, 820 GB/s (trn1, inf2) and 2.9 TB/s (trn2) a
//   chip; "Trainium2 Architecture", "Memory", has 0.8 and 2.9 TB/s. Newer editions of "Trainium
//   Architecture" print 820 GiB/s, which agrees with neither of these two sources.
// - fp8 time: "Trainium Architecture", "Compute", gives cFP8 and bf16 the same rate;
//   "Trainium2 Architecture", "Trainium2 chip components", gives 1,299 and 667 TFLOPS.
std::span<const TensorEngine> tensorEngines() {
  static const std::array<TensorEngine, 4> engines = {{
      {"inf2", EngineGeneration::NeuronCoreV2, 1.0, 190e12 / 2, 820e9 / 2},
      {"trn1", EngineGeneration::NeuronCoreV2, 1.0, 190e12 / 2, 820e9 / 2},
      {"trn1n", EngineGeneration::NeuronCoreV2, 1.0, 190e12 / 2, 820e9 / 2},
      {"trn2", EngineGeneration::NeuronCoreV3, 0.5, 667e12 / 8, 2.9e12 / 8},
  }};
  return engines;
}

TensorEngine::TensorEngine(std::string name, EngineGeneration generation, double fp8Factor,
                           double peakFlops, double bytesPerSecond)
    : Target(Kind::TensorEngine, std::move(name)), generation(generation), fp8Factor(fp8Factor),
      peakFlops(peakFlops) {
  this->bytesPerSecond = bytesPerSecond;
}

std::string_view generationName(EngineGeneration generation) {
  return generation == EngineGeneration::NeuronCoreV2 ? "NeuronCore-v2" : "NeuronCore-v3";
}

std::vector<TargetUnit> TensorEngine::units() const {
  std::vector<TargetUnit> made;
  for (ElementType type : {ElementType::BF16, ElementType::F32, ElementType::F8E4M3FN}) {
    made.push_back({"systolic array", std::string(drumlin::name(type)), movingElements, columns,
                    rows, peakFlops / typeFactor(*this, type)});
  }
  return made;
}

const TensorEngine *findTensorEngine(std::string_view name) {
  std::span<const TensorEngine> engines = tensorEngines();
  auto found = std::find_if(engines.begin(), engines.end(),
                            [&](const TensorEngine &engine) { return engine.name == name; });
  return found == engines.end() ? nullptr : &*found;
}

// f32 takes four times the time of bf16: "Trainium Architecture", "Compute", gives 47.5 TFLOPS for
// f32 and 190 TFLOPS for bf16. The NKI guide's "Cost Model" says that f32 takes roughly four times
// the time of bf16.
double typeFactor(const TensorEngine &engine, ElementType type) {
  if (isFloat(type) && info(type).bits <= 8) {
    return engine.fp8Factor;
  }
  return info(type).bits <= 16 ? 1 : 4;
}

int64_t EngineFlops::transposes() const { return addSaturating(turnLhs, turnRhs); }
int64_t EngineFlops::hardware() const { return addSaturating(matmul, transposes()); }

// Tiles of the same size that together cover a dimension or a part of a dimension.
struct Tiles {
  int64_t size, count;
};
static std::vector<Tiles> tilesOf(int64_t extent, int64_t size) {
  std::vector<Tiles> tiles;
  if (extent >= size) {
    tiles.push_back({size, extent / size});
  }
  if (extent % size != 0) {
    tiles.push_back({extent % size, 1});
  }
  return tiles;
}

// Returns the FLOPs of one instruction, which occupies the whole array for one step per moving
// element.
static int64_t instructionFlops(const TensorEngine &engine, int64_t elements) {
  return multiplySaturating(2 * engine.rows * engine.columns, elements);
}

// Returns the FLOPs of a product if `held` columns of one operand are stationary and `moving`
// columns of the other operand move.
static int64_t traverseProduct(const TensorEngine &engine, int64_t k, int64_t held,
                               int64_t moving) {
  int64_t flops = 0;
  for (Tiles depth : tilesOf(k, engine.rows)) {
    for (Tiles stationary : tilesOf(held, engine.columns)) {
      for (Tiles elements : tilesOf(moving, engine.movingElements)) {
        int64_t instructions =
            multiplySaturating(multiplySaturating(depth.count, stationary.count), elements.count);
        flops = addSaturating(
            flops, multiplySaturating(instructions, instructionFlops(engine, elements.size)));
      }
    }
  }
  return flops;
}

int64_t traverseTransposed(const TensorEngine &engine, int64_t count, int64_t rows,
                           int64_t columns) {
  int64_t flops = 0;
  for (Tiles down : tilesOf(rows, engine.rows)) {
    for (Tiles along : tilesOf(columns, engine.columns)) {
      flops = addSaturating(flops, multiplySaturating(multiplySaturating(down.count, along.count),
                                                      instructionFlops(engine, down.size)));
    }
  }
  return multiplySaturating(count, flops);
}

EngineFlops traverseTiles(const TensorEngine &engine, const EngineProduct &product) {
  EngineFlops flops;
  flops.model =
      multiplySaturating(multiplySaturating(2, product.batch),
                         multiplySaturating(multiplySaturating(product.m, product.n), product.k));
  int64_t holdingRhs = traverseProduct(engine, product.k, product.n, product.m);
  int64_t holdingLhs = traverseProduct(engine, product.k, product.m, product.n);
  flops.holdsRhs = holdingRhs <= holdingLhs;
  flops.matmul = multiplySaturating(product.batch, std::min(holdingRhs, holdingLhs));
  if (product.turnsLhs) {
    flops.turnLhs = traverseTransposed(engine, product.batch, product.m, product.k);
  }
  if (product.turnsRhs) {
    flops.turnRhs = traverseTransposed(engine, product.batch, product.n, product.k);
  }
  return flops;
}

} // namespace drumlin
