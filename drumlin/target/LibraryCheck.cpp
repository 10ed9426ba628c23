#include "drumlin/target/LibraryCheck.h"

#include "drumlin/target/LibraryTable.h"

#include <algorithm>
#include <array>

namespace drumlin {

using Violation = std::optional<LibraryViolation>;

static std::string text(int64_t number) { return std::to_string(number); }
static std::string text(ElementType type) { return std::string(name(type)); }
static std::string text(const LibraryMatrix &matrix) {
  return text(matrix.rows) + "x" + text(matrix.columns) + ", ld " + text(matrix.ld);
}

namespace {
class CallCheck {
public:
  CallCheck(const LibraryCall &call, const GpuTarget &target)
      : call(call), target(target), matrices{&call.a, &call.b, &call.c, &call.d} {
    m = call.d.rows;
    n = call.d.columns;
    k = call.transposesA ? call.a.rows : call.a.columns;
  }

  Violation run() const {
    using Check = Violation (CallCheck::*)() const;
    // Types are checked first: if the target lacks an operand's type, no other rule applies to it.
    static constexpr std::array<Check, 11> checks = {
        &CallCheck::typesExist, &CallCheck::shapes,    &CallCheck::product,    &CallCheck::orders,
        &CallCheck::scales,     &CallCheck::alignment, &CallCheck::blockSizes, &CallCheck::epilogue,
        &CallCheck::aux,        &CallCheck::result,    &CallCheck::integers};
    for (Check check : checks) {
      if (Violation found = (this->*check)()) {
        return found;
      }
    }
    return std::nullopt;
  }

private:
  static Violation fails(LibraryLimit limit, std::string detail, std::string_view source = {}) {
    return LibraryViolation{limit, std::move(detail), source};
  }

  Violation typesExist() const {
    for (const LibraryMatrix *matrix : matrices) {
      if (!libraryTypeName(target, matrix->type)) {
        return fails(LibraryLimit::OperandType, text(matrix->type));
      }
    }
    return std::nullopt;
  }

  Violation shapes() const {
    const LibraryRuleRow *largest = ruleOf(target, LibraryRule::LargestSize);
    for (const LibraryMatrix *matrix : matrices) {
      bool isRight = matrix->rows > 0 && matrix->columns > 0 && matrix->ld >= matrix->rows &&
                     matrix->batchCount == call.d.batchCount && matrix->batchCount > 0 &&
                     matrix->batchStride >= 0;
      if (!isRight) {
        return fails(LibraryLimit::Shape, text(*matrix) + ", batch " + text(matrix->batchCount));
      }
      if (std::max({matrix->rows, matrix->columns, matrix->batchCount}) > largest->value) {
        return fails(LibraryLimit::Shape, text(*matrix), largest->source);
      }
    }
    int64_t rowsOfA = call.transposesA ? call.a.columns : call.a.rows;
    int64_t depthOfB = call.transposesB ? call.b.columns : call.b.rows;
    int64_t columnsOfB = call.transposesB ? call.b.rows : call.b.columns;
    bool agree =
        rowsOfA == m && columnsOfB == n && depthOfB == k && call.c.rows == m && call.c.columns == n;
    return agree ? inPlace()
                 : fails(LibraryLimit::Shape,
                         "A " + text(call.a) + ", B " + text(call.b) + ", D " + text(call.d));
  }

  Violation inPlace() const {
    const LibraryRuleRow *rule = ruleOf(target, LibraryRule::InPlaceAlike);
    bool isAlike = call.c.type == call.d.type && call.c.ld == call.d.ld &&
                   call.c.batchStride == call.d.batchStride &&
                   call.c.offsetBytes == call.d.offsetBytes;
    return !rule || call.c.pointer != call.d.pointer || isAlike
               ? std::nullopt
               : fails(LibraryLimit::Shape,
                       "C " + text(call.c) + " of " + text(call.c.type) + " in the memory of D " +
                           text(call.d) + " of " + text(call.d.type),
                       rule->source);
  }

  // Searches for a row of the table that allows all types and scales of the call. A row's columns
  // are compared in a fixed order. If no row matches, reports the first mismatch in the row with
  // the most columns that match before it.
  Violation product() const {
    LibraryLimit limit = LibraryLimit::TypeCombination;
    std::string detail = text(call.a.type) + " by " + text(call.b.type);
    std::string_view source;
    auto nearer = [&](LibraryLimit found, std::string what, const LibraryProduct &row) {
      if (found >= limit) {
        limit = found;
        detail = std::move(what);
        source = row.source;
      }
    };
    for (const LibraryProduct &row : libraryProducts()) {
      if ((row.targets & target.set) == 0 || row.a != call.a.type || row.b != call.b.type) {
        continue;
      }
      bool isResult = row.c == call.c.type && row.d == call.d.type &&
                      row.compute == call.computeType && row.scale == call.scaleType;
      if (!isResult) {
        nearer(LibraryLimit::ResultType,
               text(call.a.type) + " by " + text(call.b.type) + " to " + text(call.d.type), row);
        continue;
      }
      const std::optional<LibraryVector> &bias = call.bias ? call.bias : call.biasGradient;
      if (bias && row.bias != bias->type) {
        nearer(LibraryLimit::BiasType, text(bias->type), row);
        continue;
      }
      bool takesScales =
          std::ranges::all_of(std::array{&call.scaleA, &call.scaleB}, [&](const auto *scale) {
            return !*scale || (row.scaleModes >> static_cast<unsigned>((*scale)->mode) & 1) != 0;
          });
      // If a row has block scales but no whole-tensor scales, its types can't be multiplied without
      // scales.
      bool needsScales = row.scaleModes != 0 &&
                         (row.scaleModes >> static_cast<unsigned>(ScaleMode::Scalar) & 1) == 0;
      if (!takesScales || (needsScales && !(call.scaleA && call.scaleB))) {
        nearer(LibraryLimit::ScaleMode, scaleText(), row);
        continue;
      }
      if (!row.bias && call.epilogue != LibraryEpilogue::Default) {
        nearer(LibraryLimit::Epilogue, "with " + text(call.a.type), row);
        continue;
      }
      return std::nullopt;
    }
    return fails(limit, detail, source);
  }

  std::string scaleText() const {
    auto one = [&](const std::optional<LibraryScale> &scale) {
      return scale ? std::string(scaleRowOf(call.library, scale->mode).name) : "no scale";
    };
    return one(call.scaleA) + " and " + one(call.scaleB);
  }

  bool hasMode(ScaleMode mode) const {
    return (call.scaleA && call.scaleA->mode == mode) || (call.scaleB && call.scaleB->mode == mode);
  }

  Violation orders() const {
    bool isMx = hasMode(ScaleMode::Mx);
    const LibraryRuleRow *ofA = depthInRowRule(target, call.a.type, isMx);
    const LibraryRuleRow *ofB = depthInRowRule(target, call.b.type, isMx);
    if (ofA && !call.transposesA) {
      return fails(LibraryLimit::OperandOrder, text(call.a.type) + " as A", ofA->source);
    }
    if (ofB && call.transposesB) {
      return fails(LibraryLimit::OperandOrder, text(call.b.type) + " as B", ofB->source);
    }
    return std::nullopt;
  }

  Violation scales() const {
    for (const auto *scale : {&call.scaleA, &call.scaleB, &call.scaleD}) {
      if (!*scale) {
        continue;
      }
      const LibraryScaleRow &row = scaleRowOf(call.library, (*scale)->mode);
      if ((row.targets & target.set) == 0) {
        return fails(LibraryLimit::ScaleMode, std::string(row.name), row.source);
      }
      if (row.type != (*scale)->type) {
        return fails(LibraryLimit::ScaleType, text((*scale)->type), row.source);
      }
    }
    auto group = [](const std::optional<LibraryScale> &scale) {
      ScaleMode mode = scale ? scale->mode : ScaleMode::Scalar;
      return mode == ScaleMode::Square128 ? ScaleMode::Row128 : mode;
    };
    if (group(call.scaleA) != group(call.scaleB)) {
      return fails(LibraryLimit::ScalePair, scaleText());
    }
    bool areSquares = call.scaleA && call.scaleB && call.scaleA->mode == ScaleMode::Square128 &&
                      call.scaleB->mode == ScaleMode::Square128;
    const LibraryRuleRow *pair = ruleOf(target, LibraryRule::BlockPair);
    if (pair && areSquares) {
      return fails(LibraryLimit::ScalePair, scaleText(), pair->source);
    }
    const LibraryRuleRow *batch = ruleOf(target, LibraryRule::ScalarBatchOnly);
    if (batch && call.d.batchCount > 1 && group(call.scaleA) != ScaleMode::Scalar) {
      return fails(LibraryLimit::BatchScale, scaleText(), batch->source);
    }
    return std::nullopt;
  }

  Violation alignment() const {
    const LibraryRuleRow *rule = ruleOf(target, LibraryRule::NarrowAlignment);
    if (!rule || !isNarrow(call.a.type)) {
      return std::nullopt;
    }
    for (const LibraryMatrix *matrix : matrices) {
      // 4-bit elements are stored in pairs.
      int64_t bits = drumlin::info(matrix->type).bits;
      for (int64_t elements : {matrix->rows, matrix->ld, matrix->batchStride}) {
        if (elements * bits % (8 * rule->value) != 0) {
          return fails(LibraryLimit::Alignment,
                       text(*matrix) + " of " + text(matrix->type) + " isn't a multiple of " +
                           text(rule->value) + " bytes",
                       rule->source);
        }
      }
      if (matrix->offsetBytes % rule->value != 0) {
        return fails(LibraryLimit::Alignment,
                     "an offset of " + text(matrix->offsetBytes) + " bytes", rule->source);
      }
    }
    return std::nullopt;
  }

  Violation blockSizes() const {
    auto multiple = [&](bool applies, LibraryRule rule,
                        std::initializer_list<int64_t> sizes) -> Violation {
      const LibraryRuleRow *row = applies ? ruleOf(target, rule) : nullptr;
      for (int64_t size : sizes) {
        if (row && size % row->value != 0) {
          return fails(LibraryLimit::BlockSize,
                       text(size) + " isn't a multiple of " + text(row->value), row->source);
        }
      }
      return std::nullopt;
    };
    bool isMx = hasMode(ScaleMode::Mx);
    bool isBlock = hasMode(ScaleMode::Row128) || hasMode(ScaleMode::Square128);
    if (Violation found = multiple(isBlock, LibraryRule::BlockMultiple, {m, n})) {
      return found;
    }
    if (Violation found = multiple(isMx, LibraryRule::MxRowMultiple, {m, n})) {
      return found;
    }
    return multiple(isMx, LibraryRule::MxDepthMultiple, {k});
  }

  Violation epilogue() const {
    EpilogueParts parts = partsOf(call.epilogue);
    bool hasGradient = parts.biasGradient != BiasGradient::None;
    if (parts.hasBias != call.bias.has_value() || parts.hasAux != call.aux.has_value() ||
        hasGradient != call.biasGradient.has_value() ||
        (parts.activation == EpilogueParts::Clamp) != (call.bounds.size() == 2)) {
      return fails(LibraryLimit::Epilogue, "its arguments don't match");
    }
    if (auto why = whyWithoutEpilogue(target, call.a.type, call.d.type, call.epilogue)) {
      return fails(LibraryLimit::Epilogue,
                   "of " + text(call.a.type) + " with a result of " + text(call.d.type), *why);
    }
    if (!epilogueName(target, call.epilogue)) {
      return fails(LibraryLimit::Epilogue, "on " + std::string(target.name));
    }
    const LibraryRuleRow *order = ruleOf(target, LibraryRule::BiasGradientOrder);
    bool isOtherOrder = (parts.biasGradient == BiasGradient::OfA && call.transposesA) ||
                        (parts.biasGradient == BiasGradient::OfB && !call.transposesB);
    if (order && isOtherOrder) {
      return fails(LibraryLimit::OperandOrder, "an operand whose sum is the gradient of a bias",
                   order->source);
    }
    const LibraryRuleRow *plain =
        hasMode(ScaleMode::Mx) ? ruleOf(target, LibraryRule::MxPlainEpilogue) : nullptr;
    if (plain && call.epilogue != LibraryEpilogue::Default) {
      return fails(LibraryLimit::Epilogue, "with MX scales", plain->source);
    }
    return std::nullopt;
  }

  Violation aux() const {
    if (!call.aux) {
      return std::nullopt;
    }
    bool agrees = call.aux->rows == m && call.aux->columns == n && call.aux->ld >= m;
    if (!agrees) {
      return fails(LibraryLimit::Shape, text(*call.aux));
    }
    LibraryProduct product = {
        target.set,  call.computeType, call.scaleType, call.a.type, call.b.type,
        call.c.type, call.d.type,      std::nullopt,   0,           ""};
    bool isKnown = takesAux(target, product, call.epilogue, call.aux->type,
                            call.bias ? std::optional(call.bias->type) : std::nullopt);
    if (!isKnown) {
      return fails(LibraryLimit::AuxType,
                   text(call.aux->type) + " beside a result of " + text(call.d.type));
    }
    const LibraryRuleRow *multiple = ruleOf(target, LibraryRule::AuxMultiple);
    if (multiple && call.aux->ld % multiple->value != 0) {
      return fails(LibraryLimit::Alignment, "the activation's input: " + text(*call.aux),
                   multiple->source);
    }
    return std::nullopt;
  }

  Violation result() const {
    bool isScalable = isNarrow(call.d.type);
    const LibraryRuleRow *scale = ruleOf(target, LibraryRule::NarrowResultScale);
    if (call.scaleD && !isScalable) {
      return fails(LibraryLimit::ResultScale, text(call.d.type), scale->source);
    }
    if (call.scaleD && call.scaleD->mode != ScaleMode::Scalar) {
      return fails(LibraryLimit::ScaleMode,
                   std::string(scaleRowOf(call.library, call.scaleD->mode).name) + " of the result",
                   scale->source);
    }
    const LibraryRuleRow *amax = ruleOf(target, LibraryRule::NarrowAmax);
    if (!call.amaxD.empty() && !isScalable) {
      return fails(LibraryLimit::AmaxType, text(call.d.type), amax->source);
    }
    return std::nullopt;
  }

  Violation integers() const {
    const LibraryRuleRow *rule = ruleOf(target, LibraryRule::IntegerMultiple);
    if (!rule || !isInteger(call.a.type)) {
      return std::nullopt;
    }
    for (int64_t size : {m, k, call.a.ld, call.b.ld, call.d.ld}) {
      if (size % rule->value != 0) {
        return fails(LibraryLimit::Alignment,
                     text(size) + " isn't a multiple of " + text(rule->value), rule->source);
      }
    }
    const LibraryRuleRow *pointer = ruleOf(target, LibraryRule::IntegerAlignment);
    for (const LibraryMatrix *matrix : matrices) {
      for (int64_t bytes :
           {matrix->offsetBytes, matrix->batchStride * drumlin::info(matrix->type).bits / 8}) {
        if (pointer && bytes % pointer->value != 0) {
          return fails(LibraryLimit::Alignment,
                       text(bytes) + " bytes aren't a multiple of " + text(pointer->value),
                       pointer->source);
        }
      }
    }
    return std::nullopt;
  }

  const LibraryCall &call;
  const GpuTarget &target;
  std::array<const LibraryMatrix *, 4> matrices;
  int64_t m, n, k;
};
} // namespace

std::optional<LibraryViolation> violationOf(const LibraryCall &call, const GpuTarget &target) {
  return CallCheck(call, target).run();
}

} // namespace drumlin
