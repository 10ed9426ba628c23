#include "drumlin/driver/Pipelines.h"

#include "drumlin/transforms/buffers/Passes.h"
#include "drumlin/transforms/fusion/Passes.h"
#include "drumlin/transforms/layout/Passes.h"
#include "drumlin/transforms/rewrite/Passes.h"
#include "drumlin/transforms/schedule/Passes.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace drumlin {

void buildRounding(PipelineBuilder &pipeline, Ledger &ledger, bool marksRoundings) {
  pipeline.add(createNameSizesPass());
  pipeline.add(
      createInlineCallsPass(ledger, pipeline.compileOptions().compileOperations, pipeline.failure));
  pipeline.add<func::FuncOp>(createFenceGroupsPass());
  pipeline.add(createResolveSizesPass(pipeline.compileOptions().sizes, pipeline.failure));
  pipeline.add<func::FuncOp>(createLowerQuantizedPass(ledger));
  pipeline.add<func::FuncOp>(createDecomposeOperationsPass(pipeline.failure));
  pipeline.add<func::FuncOp>(createFormHostCallsPass());
  pipeline.add<func::FuncOp>(createSimplifyBranchesPass());
  pipeline.add<func::FuncOp>(createSimplifyWhilesPass());
  pipeline.add<func::FuncOp>(createUnrollWhilesPass());
  pipeline.add<func::FuncOp>(createSimplifyDynamicsPass(pipeline.failure));
  if (AutoCast cast = pipeline.compileOptions().autoCast; cast.mode != AutoCast::Mode::None) {
    pipeline.add<func::FuncOp>(createAutoCastPass(ledger, cast, marksRoundings));
  }
}

static void buildSimplify(PipelineBuilder &pipeline, Ledger &ledger) {
  buildRounding(pipeline, ledger, /*marksRoundings=*/false);
  pipeline.add<func::FuncOp>(createSplitComplexPass());
  pipeline.add<func::FuncOp>(createSplitBitcastsPass());
  pipeline.add<func::FuncOp>(createSimplifyElementwisePass());
  pipeline.add<func::FuncOp>(createSimplifyShapesPass());
  pipeline.add<func::FuncOp>(createSimplifySlicesPass());
  pipeline.add<func::FuncOp>(createSimplifyDotsPass(ledger));
  pipeline.add<func::FuncOp>(createFoldConstantsPass(ledger));
  pipeline.add<func::FuncOp>(createMarkPrefixScansPass());
  pipeline.add<func::FuncOp>(createCsePass());
}

static void buildRewrite(PipelineBuilder &pipeline, Ledger &ledger) {
  if (pipeline.compileOptions().numerics.allows(Relaxation::Reassociate)) {
    pipeline.add<func::FuncOp>(createFactorScalesPass(ledger));
  }
  pipeline.backend->addRewrites(pipeline, ledger);
  pipeline.add<func::FuncOp>(createSplitTransformsPass(ledger));
  pipeline.add<func::FuncOp>(createHeroRewritePass(ledger));
  pipeline.add<func::FuncOp>(createGemmRewritePass(ledger, pipeline.compileOptions().modelType));
  pipeline.backend->addSplits(pipeline, ledger);
}

static void buildFusion(PipelineBuilder &pipeline, Ledger &ledger) {
  pipeline.add<func::FuncOp>(createLoopFusionPass(ledger));
}

static void buildLayout(PipelineBuilder &pipeline, Ledger &ledger) {
  const CompileOptions &options = pipeline.compileOptions();
  if (!options.forcedKernels.empty()) {
    pipeline.add(createForceKernelsPass(options.forcedKernels, options.target, pipeline.failure));
  }
  LayoutOptions layouts = {options.target, std::nullopt, options.numerics};
  if (const CpuTarget *cpu = pipeline.backend->cpu()) {
    layouts.cpu = *cpu;
  }
  pipeline.add<func::FuncOp>(createAssignLayoutsPass(ledger, layouts));
  pipeline.add<func::FuncOp>(createNormalizeLayoutsPass(ledger));
  pipeline.backend->addLayouts(pipeline, ledger);
}

static void buildSelect(PipelineBuilder &pipeline, Ledger &ledger) {
  pipeline.backend->addSelection(pipeline, ledger);
}

static void buildSchedule(PipelineBuilder &pipeline, Ledger &ledger) {
  pipeline.add<func::FuncOp>(createDropBarriersPass());
  pipeline.add(createOutlineKernelsPass());
  pipeline.backend->addEfforts(pipeline, ledger);
}

static void buildBuffers(PipelineBuilder &pipeline, Ledger &ledger) {
  pipeline.add<func::FuncOp>(createAssignBuffersPass());
  pipeline.backend->addGroups(pipeline, ledger);
}

const std::vector<Phase> &phases() {
  static const std::vector<Phase> all = {
      {"simplify", buildSimplify}, {"rewrite", buildRewrite}, {"fusion", buildFusion},
      {"layout", buildLayout},     {"select", buildSelect},   {"schedule", buildSchedule},
      {"buffers", buildBuffers},
  };
  return all;
}

} // namespace drumlin
