#include "drumlin/interpreter/kernels/EvaluateConvolution.h"
#include "drumlin/interpreter/kernels/EvaluateProducts.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/Index.h"

#include <limits>

namespace drumlin::interpreter {

// Returns [first] + middle + [last]: the order in which an operand's dimensions are packed.
static std::vector<int64_t> order(int64_t first, std::span<const int64_t> middle, int64_t last) {
  std::vector<int64_t> dimensions{first};
  dimensions.insert(dimensions.end(), middle.begin(), middle.end());
  dimensions.push_back(last);
  return dimensions;
}

static std::vector<int64_t> inverse(std::span<const int64_t> permutation) {
  std::vector<int64_t> result(permutation.size());
  for (size_t d = 0; d < permutation.size(); ++d) {
    result[static_cast<size_t>(permutation[d])] = static_cast<int64_t>(d);
  }
  return result;
}

static std::span<const int64_t> spatial(const Tensor &packed) {
  return std::span<const int64_t>(packed.shape()).subspan(1, packed.shape().size() - 2);
}

// Returns the size of an output dimension: the number of windows in the padded, dilated input.
static int64_t windowCount(int64_t input, int64_t kernel, const ConvolutionWindow &window,
                           size_t d) {
  int64_t base = input == 0 ? 0 : (input - 1) * window.lhsDilation[d] + 1;
  int64_t padded = base + window.paddingLow[d] + window.paddingHigh[d];
  int64_t extent = kernel == 0 ? 0 : (kernel - 1) * window.rhsDilation[d] + 1;
  return padded <= 0 || extent > padded ? 0 : (padded - extent) / window.strides[d] + 1;
}

// Returns the input position that output `o` multiplies by kernel element `k`; -1 in the padding
// and between dilated elements.
static int64_t inputPosition(int64_t o, int64_t k, int64_t input, int64_t kernel,
                             const ConvolutionWindow &window, size_t d) {
  int64_t element = window.reversal[d] ? kernel - 1 - k : k;
  int64_t position = o * window.strides[d] + element * window.rhsDilation[d] - window.paddingLow[d];
  if (position < 0 || position % window.lhsDilation[d] != 0) {
    return -1;
  }
  position /= window.lhsDilation[d];
  return position < input ? position : -1;
}

namespace {
// The operands packed as input [batch, spatial..., feature], kernel [input feature, spatial...,
// output feature] and output [batch, spatial..., feature].
struct Packed {
  Tensor input, kernel, output;
  int64_t featureGroups, batchGroups;
  bool isWide;
};
} // namespace

template <typename C> static void convolve(Packed &packed, const ConvolutionWindow &window) {
  std::unique_ptr<C[]> input = productTerms<C>(packed.input);
  std::unique_ptr<C[]> kernel = productTerms<C>(packed.kernel);
  size_t spatialRank = packed.input.shape().size() - 2;
  int64_t outputFeatures = packed.output.shape().back();
  int64_t inputFeatures = packed.input.shape().back();
  int64_t kernelFeatures = packed.kernel.shape().front();
  int64_t batches = packed.output.shape().front();
  // Both feature groups and batch groups assign an input slice to each block of output features.
  int64_t groups = packed.featureGroups * packed.batchGroups;
  int64_t groupOutputs = outputFeatures / groups;
  Shape inputStrides = rowMajorStrides(packed.input.shape());
  Shape kernelStrides = rowMajorStrides(packed.kernel.shape());
  auto sums = std::make_unique_for_overwrite<C[]>(static_cast<size_t>(outputFeatures));
  std::byte *target = packed.output.data();
  // Padding is multiplied too: zero times infinity is NaN. f8E8M0FNU has no zero, so its padding is
  // NaN.
  C padding = C(0);
  if constexpr (std::is_floating_point_v<C>) {
    bool isScale = info(packed.input.type()).specials == FloatSpecials::ScaleOnly;
    padding = isScale ? std::numeric_limits<C>::quiet_NaN() : C(0);
  }
  for (int64_t batch = 0; batch < batches; ++batch) {
    forEachIndex(spatial(packed.output), [&](const Index &output) {
      std::fill_n(sums.get(), outputFeatures, C(0));
      forEachIndex(spatial(packed.kernel), [&](const Index &element) {
        int64_t inputOffset = 0;
        int64_t kernelOffset = 0;
        bool isPadding = false;
        for (size_t d = 0; d < spatialRank; ++d) {
          int64_t position = inputPosition(output[d], element[d], packed.input.shape()[d + 1],
                                           packed.kernel.shape()[d + 1], window, d);
          isPadding |= position < 0;
          inputOffset += std::max<int64_t>(position, 0) * inputStrides[d + 1];
          kernelOffset += element[d] * kernelStrides[d + 1];
        }
        for (int64_t group = 0; group < groups; ++group) {
          int64_t image = packed.batchGroups > 1 ? group * batches + batch : batch;
          int64_t firstFeature = packed.featureGroups > 1 ? group * kernelFeatures : 0;
          const C *pixel = input.get() + image * inputStrides[0] + inputOffset + firstFeature;
          for (int64_t feature = 0; feature < std::min(kernelFeatures, inputFeatures); ++feature) {
            C *partial = sums.get() + group * groupOutputs;
            const C *terms =
                kernel.get() + feature * kernelStrides[0] + kernelOffset + group * groupOutputs;
            C factor = isPadding ? padding : pixel[feature];
            if (packed.isWide) {
              addProducts(partial, factor, terms, groupOutputs);
            } else {
              addRoundedProducts(packed.output.type(), partial, factor, terms, groupOutputs);
            }
          }
        }
      });
      storeProducts(packed.output.type(), sums.get(), target, outputFeatures);
      target += outputFeatures * storageBytes(packed.output.type());
    });
  }
}

Result<Tensor> convolution(const Tensor &lhs, const Tensor &rhs,
                           const ConvolutionDimensions &dimensions, const ConvolutionWindow &window,
                           int64_t featureGroups, int64_t batchGroups, ElementType resultType,
                           const KernelOptions &options) {
  Result<Tensor> left = asProductOperand(lhs, resultType);
  Result<Tensor> right = asProductOperand(rhs, resultType);
  if (!left || !right) {
    return !left ? left : right;
  }
  if (Status fits = checkWorkspace(std::max(lhs.elements(), rhs.elements()),
                                   sizeof(std::complex<double>), options);
      !fits) {
    return fits.error();
  }
  Result<Tensor> input = transpose(
      *left, order(dimensions.inputBatch, dimensions.inputSpatial, dimensions.inputFeature),
      options);
  Result<Tensor> kernel = transpose(*right,
                                    order(dimensions.kernelInputFeature, dimensions.kernelSpatial,
                                          dimensions.kernelOutputFeature),
                                    options);
  if (!input || !kernel) {
    return !input ? input : kernel;
  }
  Shape shape{input->shape().front() / batchGroups};
  for (size_t d = 0; d < dimensions.inputSpatial.size(); ++d) {
    shape.push_back(windowCount(input->shape()[d + 1], kernel->shape()[d + 1], window, d));
  }
  shape.push_back(kernel->shape().back());
  Result<Tensor> output = allocate(resultType, shape, options);
  if (!output) {
    return output;
  }
  Packed packed{*input, *kernel, *output, featureGroups, batchGroups, options.wideAccumulation};
  if (output->elements() > 0) {
    withProductType(resultType, [&]<typename C>() { convolve<C>(packed, window); });
  }
  return transpose(
      packed.output,
      inverse(order(dimensions.outputBatch, dimensions.outputSpatial, dimensions.outputFeature)),
      options);
}

} // namespace drumlin::interpreter
