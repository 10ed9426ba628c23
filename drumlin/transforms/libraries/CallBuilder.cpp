#include "drumlin/transforms/libraries/CallBuilder.h"

#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/target/LibraryTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin {

static ElementType typeOf(Value value) { return elementTypeOf(value.getType()); }

// Returns the library axis that these views describe. The first `matrices` views are of matrices;
// the others are of scales. Returns nothing if a matrix needs several strides. The axis takes its
// indices in the order in which matrix `ordering` has them in memory.
static std::optional<LibraryAxis> axisOf(ArrayRef<StridedDimension> views, size_t matrices,
                                         size_t ordering) {
  SmallVector<const StridedDimension *> pointers;
  for (const StridedDimension &view : views) {
    pointers.push_back(&view);
  }
  std::optional<std::vector<AlignedFactor>> factors = alignFactors(pointers);
  if (!factors) {
    return std::nullopt;
  }
  sortByStride(*factors, ordering);
  LibraryAxis axis;
  std::vector<AlignedFactor> merged = mergeFactors(*factors, 0, matrices - 1);
  if (merged.size() > 1) {
    return std::nullopt;
  }
  axis.strides.assign(matrices, 0);
  if (!merged.empty()) {
    axis.size = merged.front().size;
    axis.strides.assign(merged.front().strides.begin(), merged.front().strides.begin() + matrices);
  }
  for (size_t scale = matrices; scale < views.size(); ++scale) {
    StridedDimension pattern;
    for (const AlignedFactor &factor : mergeFactors(*factors, scale, scale)) {
      pattern.push_back({factor.size, factor.strides[scale]});
    }
    axis.scales.push_back(std::move(pattern));
  }
  return axis;
}

CallBuilder::Limit CallBuilder::run() {
  using Step = Limit (CallBuilder::*)();
  static constexpr Step steps[] = {&CallBuilder::findAxes, &CallBuilder::placeResult,
                                   &CallBuilder::chooseScales, &CallBuilder::placeOperands,
                                   &CallBuilder::addEpilogue};
  for (Step step : steps) {
    if (Limit limit = (this->*step)()) {
      return limit;
    }
  }
  chooseProduct();
  call.library = target.library;
  call.workspaceBytes = target.workspaceBytes;
  noteRoundings();
  return std::nullopt;
}

CallBuilder::Limit CallBuilder::findAxes() {
  const StridedView &result = parts.epilogue.resultView;
  SmallVector<int64_t> batchDims = parts.roles.batchInResult();
  SmallVector<int64_t> mDims = parts.roles.freeInResult(0), nDims = parts.roles.freeInResult(1);
  auto views = [&](std::vector<StridedDimension> made, const OperandParts &operand,
                   ArrayRef<int64_t> group) {
    for (const ScaleFactor &scale : operand.scales) {
      made.push_back(concatenated(scale.view, group));
    }
    return made;
  };
  const stablehlo::ProductRoles::Operand &l = parts.roles.lhs(), &r = parts.roles.rhs();
  StridedDimension lhsBatch = concatenated(parts.lhs.view, l.batch);
  StridedDimension rhsBatch = concatenated(parts.rhs.view, r.batch);
  std::vector<StridedDimension> ofBatch =
      views({lhsBatch, rhsBatch, concatenated(result, batchDims)}, parts.lhs, l.batch);
  std::optional<LibraryAxis> b = axisOf(views(ofBatch, parts.rhs, r.batch), 3, 2);
  std::optional<LibraryAxis> rows = axisOf(
      views({concatenated(parts.lhs.view, l.free), concatenated(result, mDims)}, parts.lhs, l.free),
      2, 1);
  std::optional<LibraryAxis> columns = axisOf(
      views({concatenated(parts.rhs.view, r.free), concatenated(result, nDims)}, parts.rhs, r.free),
      2, 1);
  StridedDimension lhsDepth = concatenated(parts.lhs.view, l.contracting);
  StridedDimension rhsDepth = concatenated(parts.rhs.view, r.contracting);
  std::optional<LibraryAxis> depth = axisOf(
      views(views({lhsDepth, rhsDepth}, parts.lhs, l.contracting), parts.rhs, r.contracting), 2, 0);
  if (!b || !rows || !columns || !depth) {
    return fails(LibraryLimit::Layout, !b      ? "of the batch dimensions"
                                       : depth ? "of the free dimensions"
                                               : "of the contracted dimensions");
  }
  batch = std::move(*b);
  m = std::move(*rows);
  n = std::move(*columns);
  k = std::move(*depth);
  return std::nullopt;
}

// Describes D, which is column-major for the library: its rows are the result's contiguous
// dimension.
CallBuilder::Limit CallBuilder::placeResult() {
  rowsAreN = n.size > 1 ? n.strides[1] == 1 : (m.size == 1 || m.strides[1] != 1);
  const LibraryAxis &rows = rowsAreN ? n : m, &columns = rowsAreN ? m : n;
  call.d.type = parts.epilogue.resultType;
  call.d.rows = rows.size;
  call.d.columns = columns.size;
  call.d.ld = columns.size > 1 ? columns.strides[1] : rows.size;
  call.d.batchCount = batch.size;
  call.d.batchStride = batch.strides[2];
  call.d.pointer = "output " + std::to_string(parts.epilogue.result);
  if ((rows.size > 1 && rows.strides[1] != 1) || call.d.ld < call.d.rows) {
    return fails(LibraryLimit::ResultLayout, "neither dimension of the result is contiguous");
  }
  Side &ofLhs = rowsAreN ? b : a, &ofRhs = rowsAreN ? a : b;
  ofLhs.parts = &parts.lhs;
  ofLhs.free = &m;
  ofLhs.matrix = 0;
  ofRhs.parts = &parts.rhs;
  ofRhs.free = &n;
  ofRhs.matrix = 1;
  return std::nullopt;
}

CallBuilder::Limit CallBuilder::placeOperands() {
  bool depthInRow = false;
  if (Limit limit = place(a, call.a, depthInRow)) {
    return limit;
  }
  call.transposesA = depthInRow;
  if (Limit limit = place(b, call.b, depthInRow)) {
    return limit;
  }
  call.transposesB = !depthInRow;
  return std::nullopt;
}

CallBuilder::Limit CallBuilder::place(const Side &side, LibraryMatrix &matrix, bool &depthInRow) {
  int64_t free = side.free->size, freeStride = side.free->strides[0];
  int64_t depthStride = k.strides[side.matrix];
  matrix.type = typeOf(side.parts->data);
  matrix.pointer = textOf(ReadValue{side.parts->data, {}, {}});
  matrix.offsetBytes = side.parts->view.offset * info(matrix.type).bits / 8;
  matrix.batchCount = batch.size;
  matrix.batchStride = batch.strides[side.matrix];
  bool isAlongDepth = (k.size == 1 || depthStride == 1) && (free == 1 || freeStride >= k.size);
  bool isAlongFree = (free == 1 || freeStride == 1) && (k.size == 1 || depthStride >= free);
  if (!isAlongDepth && !isAlongFree) {
    return fails(LibraryLimit::Layout, "of " + matrix.pointer);
  }
  depthInRow = isAlongDepth;
  matrix.rows = depthInRow ? k.size : free;
  matrix.columns = depthInRow ? free : k.size;
  int64_t stride = depthInRow ? freeStride : depthStride;
  matrix.ld = matrix.columns > 1 ? stride : matrix.rows;
  return std::nullopt;
}

// Chooses the table row whose types fit best. Properties that the program fixes count most.
void CallBuilder::chooseProduct() {
  const LibraryProduct *best = nullptr;
  int most = -1;
  for (const LibraryProduct &row : libraryProducts()) {
    bool isCandidate = (row.targets & target.set) != 0 && row.a == call.a.type &&
                       row.b == call.b.type && row.d == call.d.type &&
                       llvm::StringRef(row.compute).contains("TF32") == parts.wantsTf32;
    if (!isCandidate) {
      continue;
    }
    ScaleMode mode = call.scaleA   ? call.scaleA->mode
                     : call.scaleB ? call.scaleB->mode
                                   : ScaleMode::Scalar;
    bool takesMode = (row.scaleModes >> static_cast<unsigned>(mode) & 1) != 0;
    bool takesAux =
        !call.aux || drumlin::takesAux(target, row, call.epilogue, call.aux->type,
                                       call.bias ? std::optional(call.bias->type) : std::nullopt);
    const std::optional<LibraryVector> &bias = call.bias ? call.bias : call.biasGradient;
    int fit = (takesAux ? 8 : 0) + (!bias || row.bias == bias->type ? 4 : 0) +
              (!parts.epilogue.residual || row.c == call.c.type ? 2 : 0) + (takesMode ? 1 : 0);
    if (fit > most) {
      most = fit;
      best = &row;
    }
  }
  if (best) {
    call.computeType = best->compute;
    call.scaleType = best->scale;
    if (!parts.epilogue.residual) {
      call.c.type = best->c;
      call.c.pointer = best->c == best->d ? call.d.pointer : "null";
    }
  }
}

void CallBuilder::noteRoundings() {
  bool scalesElements = parts.lhs.scales.size() > parts.epilogue.rows[0].size() ||
                        parts.rhs.scales.size() > parts.epilogue.rows[1].size();
  if (scalesElements) {
    call.roundings.emplace_back("scales multiply sums, but the program rounds scaled elements");
  }
  bool isNvfp4 = call.scaleA && call.scaleA->mode == ScaleMode::Nvfp4;
  if (isNvfp4) {
    call.roundings.emplace_back("the sign of an NVFP4 scale is ignored");
  }
  if (parts.epilogue.roundsBetween) {
    call.roundings.emplace_back(
        "the epilogue is computed in f32, but the program rounds each step");
  }
}

} // namespace drumlin
