#include "drumlin/ir/vhlo/conversion/ConvertAttributes.h"

#include "drumlin/ir/stablehlo/StablehloDialect.h"

using namespace mlir;

namespace drumlin::vhlo {

using Parts = ArrayRef<SmallVector<int64_t>>;
using OwnedParts = SmallVector<SmallVector<int64_t>>;

static SmallVector<int64_t> list(ArrayRef<int64_t> numbers) {
  return SmallVector<int64_t>(numbers);
}

//===-- dots and convolutions -----------------------------------------------------------------===//

static constexpr StringRef dotParts[] = {"*lhs_batching_dimensions", "*rhs_batching_dimensions",
                                         "*lhs_contracting_dimensions",
                                         "*rhs_contracting_dimensions"};

static Attribute joinDot(MLIRContext *context, Parts parts) {
  return stablehlo::DotDimensionNumbersAttr::get(context, parts[0], parts[1], parts[2], parts[3]);
}

static OwnedParts splitDot(Attribute attribute) {
  auto numbers = dyn_cast<stablehlo::DotDimensionNumbersAttr>(attribute);
  if (!numbers) {
    return {};
  }
  return {list(numbers.getLhsBatchingDimensions()), list(numbers.getRhsBatchingDimensions()),
          list(numbers.getLhsContractingDimensions()), list(numbers.getRhsContractingDimensions())};
}

static constexpr StringRef convolutionParts[] = {
    "input_batch_dimension",           "input_feature_dimension",
    "*input_spatial_dimensions",       "kernel_input_feature_dimension",
    "kernel_output_feature_dimension", "*kernel_spatial_dimensions",
    "output_batch_dimension",          "output_feature_dimension",
    "*output_spatial_dimensions"};

static Attribute joinConvolution(MLIRContext *context, Parts parts) {
  return stablehlo::ConvDimensionNumbersAttr::get(
      context, parts[0].front(), parts[1].front(), parts[2], parts[3].front(), parts[4].front(),
      parts[5], parts[6].front(), parts[7].front(), parts[8]);
}

static OwnedParts splitConvolution(Attribute attribute) {
  auto numbers = dyn_cast<stablehlo::ConvDimensionNumbersAttr>(attribute);
  if (!numbers) {
    return {};
  }
  return {{numbers.getInputBatchDimension()},          {numbers.getInputFeatureDimension()},
          list(numbers.getInputSpatialDimensions()),   {numbers.getKernelInputFeatureDimension()},
          {numbers.getKernelOutputFeatureDimension()}, list(numbers.getKernelSpatialDimensions()),
          {numbers.getOutputBatchDimension()},         {numbers.getOutputFeatureDimension()},
          list(numbers.getOutputSpatialDimensions())};
}

//===-- gathers and scatters ------------------------------------------------------------------===//

static constexpr StringRef gatherParts[] = {
    "*offset_dims",           "*collapsed_slice_dims",
    "*operand_batching_dims", "*start_indices_batching_dims",
    "*start_index_map",       "index_vector_dim"};

static Attribute joinGather(MLIRContext *context, Parts parts) {
  return stablehlo::GatherDimensionNumbersAttr::get(context, parts[0], parts[1], parts[2], parts[3],
                                                    parts[4], parts[5].front());
}

static OwnedParts splitGather(Attribute attribute) {
  auto numbers = dyn_cast<stablehlo::GatherDimensionNumbersAttr>(attribute);
  if (!numbers) {
    return {};
  }
  return {list(numbers.getOffsetDims()),          list(numbers.getCollapsedSliceDims()),
          list(numbers.getOperandBatchingDims()), list(numbers.getStartIndicesBatchingDims()),
          list(numbers.getStartIndexMap()),       {numbers.getIndexVectorDim()}};
}

static constexpr StringRef scatterParts[] = {
    "*update_window_dims",           "*inserted_window_dims",
    "*input_batching_dims",          "*scatter_indices_batching_dims",
    "*scatter_dims_to_operand_dims", "index_vector_dim"};

static Attribute joinScatter(MLIRContext *context, Parts parts) {
  return stablehlo::ScatterDimensionNumbersAttr::get(context, parts[0], parts[1], parts[2],
                                                     parts[3], parts[4], parts[5].front());
}

static OwnedParts splitScatter(Attribute attribute) {
  auto numbers = dyn_cast<stablehlo::ScatterDimensionNumbersAttr>(attribute);
  if (!numbers) {
    return {};
  }
  return {
      list(numbers.getUpdateWindowDims()),         list(numbers.getInsertedWindowDims()),
      list(numbers.getInputBatchingDims()),        list(numbers.getScatterIndicesBatchingDims()),
      list(numbers.getScatterDimsToOperandDims()), {numbers.getIndexVectorDim()}};
}

//===-- channels ------------------------------------------------------------------------------===//

static constexpr StringRef channelParts[] = {"channel_id", "channel_type"};

static Attribute joinChannel(MLIRContext *context, Parts parts) {
  return stablehlo::ChannelHandleAttr::get(context, parts[0].front(), parts[1].front());
}

static OwnedParts splitChannel(Attribute attribute) {
  auto channel = dyn_cast<stablehlo::ChannelHandleAttr>(attribute);
  if (!channel) {
    return {};
  }
  return {{channel.getHandle()}, {channel.getType()}};
}

const AttributeGroup *attributeGroup(StringRef base) {
  static constexpr AttributeGroup groups[] = {
      {"convolution", "dimension_numbers", convolutionParts, joinConvolution, splitConvolution},
      {"dot_general", "dot_dimension_numbers", dotParts, joinDot, splitDot},
      {"dynamic_conv", "dimension_numbers", convolutionParts, joinConvolution, splitConvolution},
      {"dynamic_gather", "dimension_numbers", gatherParts, joinGather, splitGather},
      {"gather", "dimension_numbers", gatherParts, joinGather, splitGather},
      {"recv", "channel_handle", channelParts, joinChannel, splitChannel},
      {"scatter", "scatter_dimension_numbers", scatterParts, joinScatter, splitScatter},
      {"send", "channel_handle", channelParts, joinChannel, splitChannel},
  };
  const auto *found =
      llvm::find_if(groups, [&](const AttributeGroup &each) { return each.base == base; });
  return found == std::end(groups) ? nullptr : found;
}

} // namespace drumlin::vhlo
