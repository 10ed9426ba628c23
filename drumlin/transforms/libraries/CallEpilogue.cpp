#include "drumlin/transforms/libraries/CallBuilder.h"

#include "drumlin/ir/plan/LibraryCalls.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/target/LibraryTable.h"
#include "drumlin/transforms/libraries/TrainingProducts.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin {

static ElementType typeOf(Value value) { return elementTypeOf(value.getType()); }

// Returns how an addend varies along the result's memory, outermost first.
static std::optional<std::vector<AlignedFactor>> factorsOf(const Addend &addend) {
  if (addend.view.dimensions.size() != addend.result.dimensions.size()) {
    return std::nullopt;
  }
  std::vector<AlignedFactor> all;
  for (auto [inResult, inAddend] : llvm::zip(addend.result.dimensions, addend.view.dimensions)) {
    auto aligned = alignFactors({&inResult, &inAddend});
    if (!aligned) {
      return std::nullopt;
    }
    llvm::append_range(all, *aligned);
  }
  sortByStride(all, 0);
  return mergeFactors(all, 0, 1);
}

// Returns the text of a number or of a prepared value, with a minus sign if `isNegative`.
static std::string signedText(const std::string &text, bool isNegative) {
  double number = 0;
  if (!isNegative) {
    return text;
  }
  bool isNumber = !llvm::StringRef(text).getAsDouble(number);
  return !isNumber ? "- " + text : text.starts_with('-') ? text.substr(1) : "-" + text;
}

CallBuilder::Limit CallBuilder::addResidual(const Addend &residual) {
  auto factors = factorsOf(residual);
  bool liesAlike =
      factors && residual.isInput() && llvm::all_of(*factors, [](const AlignedFactor &factor) {
        return factor.strides[0] == factor.strides[1];
      });
  if (!liesAlike) {
    return fails(LibraryLimit::ResidualShape, "the residual");
  }
  call.c = call.d;
  call.c.pointer = textOf(residual);
  call.c.type = typeOf(residual.value);
  return std::nullopt;
}

// Returns the addend as a contiguous vector along D's rows or columns, either one vector per batch
// or the same for all batches. Returns nothing if the addend isn't such a vector.
std::optional<LibraryVector> CallBuilder::vectorOf(const Addend &addend, bool isAlongColumns) {
  auto factors = factorsOf(addend);
  int64_t size = isAlongColumns ? call.d.columns : call.d.rows;
  int64_t stride = isAlongColumns && call.d.columns > 1 ? call.d.ld : 1;
  LibraryVector vector;
  bool isVector = false, isElse = !factors;
  for (const AlignedFactor &factor : factors.value_or(std::vector<AlignedFactor>())) {
    int64_t inResult = factor.strides[0], inVector = factor.strides[1];
    if (inVector == 0) {
      continue;
    }
    bool isAlong = inResult == stride && factor.size == size && inVector == 1;
    bool isAlongBatch =
        inResult == call.d.batchStride && factor.size == call.d.batchCount && batch.size > 1;
    isVector |= isAlong;
    isElse |= !isAlong && !isAlongBatch;
    if (!isAlong && isAlongBatch) {
      vector.batchStride = inVector;
    }
  }
  vector.type = addend.type();
  return isVector && !isElse ? std::optional(vector) : std::nullopt;
}

CallBuilder::Limit CallBuilder::addBias(const Addend &bias) {
  std::optional<LibraryVector> vector = vectorOf(bias, /*isAlongColumns=*/false);
  if (!vector) {
    return fails(LibraryLimit::BiasShape, rowsAreN ? "the library's rows are the result's columns"
                                                   : "the library's rows are the result's rows");
  }
  bool isDirect = bias.isInput() && !bias.isNegative;
  vector->pointer = isDirect ? textOf(bias)
                             : prepare((bias.isNegative ? "- " : "") + textOf(bias) + ", " +
                                       std::string(name(vector->type)));
  call.bias = std::move(vector);
  return std::nullopt;
}

// Adds a bias gradient to the call. Sets `which` to the matrix that is summed: the result, A or B.
CallBuilder::Limit CallBuilder::addBiasGradient(const BiasSum &sum, BiasGradient &which) {
  bool isOfA = sum.operand && (*sum.operand == 1) == rowsAreN;
  which = !sum.operand ? BiasGradient::OfResult : isOfA ? BiasGradient::OfA : BiasGradient::OfB;
  bool isScaled = sum.operand && (*sum.operand == 0 ? parts.lhs : parts.rhs).scales.size() > 0;
  if (isScaled) {
    return fails(LibraryLimit::Reduction, "a sum of a scaled operand");
  }
  std::optional<LibraryVector> vector = vectorOf(sum, which == BiasGradient::OfB);
  if (!vector) {
    return fails(LibraryLimit::BiasShape, "the library adds up all of the matrix's columns");
  }
  if (call.d.batchCount > 1 && vector->batchStride == 0) {
    return fails(LibraryLimit::BiasShape, "the library adds up each matrix of a batch by itself");
  }
  vector->pointer = "output " + std::to_string(sum.output);
  call.biasGradient = std::move(vector);
  return std::nullopt;
}

CallBuilder::Limit CallBuilder::addEpilogue() {
  const EpilogueSteps &steps = parts.epilogue;
  call.c = call.d;
  if (steps.residual) {
    if (Limit limit = addResidual(*steps.residual)) {
      return limit;
    }
  }
  if (steps.bias) {
    if (Limit limit = addBias(*steps.bias)) {
      return limit;
    }
  }
  EpilogueParts wanted{steps.activation, call.bias.has_value(), false};
  if (steps.biasGradient) {
    if (Limit limit = addBiasGradient(*steps.biasGradient, wanted.biasGradient)) {
      return limit;
    }
  }
  if (steps.clamp) {
    if (steps.activation != EpilogueParts::None || !steps.resultScale.empty()) {
      return fails(LibraryLimit::Pointwise, "a clamp after an activation or a scale");
    }
    wanted.activation = EpilogueParts::Clamp;
    call.bounds = {steps.clamp->first, steps.clamp->second};
  }
  if (Limit limit = addAux()) {
    return limit;
  }
  wanted.hasAux = call.aux.has_value();
  std::optional<LibraryEpilogue> epilogue = epilogueOf(wanted);
  if (!epilogue) {
    return fails(LibraryLimit::Epilogue, "this combination of steps");
  }
  call.epilogue = *epilogue;
  if (!steps.resultScale.empty()) {
    call.scaleD =
        LibraryScale{ScaleMode::Scalar, scalarPointer(steps.resultScale), ElementType::F32};
  }
  if (steps.amax) {
    call.amaxD = "output " + std::to_string(*steps.amax);
  }
  addAlpha();
  return std::nullopt;
}

// Alpha and beta must both be in host memory or both in device memory.
void CallBuilder::addAlpha() {
  const EpilogueSteps &steps = parts.epilogue;
  bool isNegative = steps.negatesProduct;
  bool subtracts = steps.residual && steps.residual->isNegative;
  std::string product = productText(alpha);
  std::string added = steps.residual ? productText(steps.beta) : "0";
  double number = 0;
  call.alphaOnDevice =
      llvm::StringRef(product).getAsDouble(number) || llvm::StringRef(added).getAsDouble(number);
  if (!call.alphaOnDevice) {
    call.alpha = signedText(product, isNegative);
    call.beta = signedText(added, subtracts);
    return;
  }
  bool isGiven = steps.residual && !steps.beta.empty() && !subtracts;
  call.alpha = isNegative ? prepare("- " + product + ", f32") : scalarPointer(alpha);
  call.beta = isGiven ? scalarPointer(steps.beta) : prepare(signedText(added, subtracts) + ", f32");
}

CallBuilder::Limit CallBuilder::addAux() {
  const EpilogueSteps &steps = parts.epilogue;
  if (steps.aux) {
    call.aux = call.d;
    call.aux->pointer = "output " + std::to_string(*steps.aux);
    call.aux->type = typeOf(gemm.getOutputs()[*steps.aux]);
  }
  if (steps.gradientOf) {
    // The activation's input is read at the result's positions, so both must have the same layout.
    bool liesAlike =
        rowsAreN && shapeOf(steps.gradientOf) == shapeOf(gemm.getOutputs()[steps.result]);
    if (!liesAlike) {
      return fails(LibraryLimit::ResidualShape, "the activation's input");
    }
    call.aux = call.d;
    call.aux->pointer = textOf(ReadValue{steps.gradientOf, {}, {}});
    call.aux->type = typeOf(steps.gradientOf);
  }
  return std::nullopt;
}

} // namespace drumlin
