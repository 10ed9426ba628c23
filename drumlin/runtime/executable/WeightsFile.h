// The side file of an image, `<image>.weights`: a header of 64 bytes, then each weight at a
// multiple of 64. It is mapped, so that weights are read only when used and several processes share
// them.
//
// Header: `DRMLWGHT`, the file's size (8 bytes, little-endian), the identity of the weight table
// (32 bytes), zeros.
//
// An image compiled for weights in place has no side file. It has the offset of each array in the
// caller's file, and identifies that file by its size, the hash of its header, and samples of each
// array.
#pragma once

#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/MappedFile.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace drumlin {

// Places the weights that aren't embedded: sets their `offset` and the description's
// `weightsFileBytes`. `embedBelow`: weights with fewer bytes keep offset 0, and the caller fills in
// `embedded`.
void placeWeights(ImageDescription &description, uint64_t embedBelow);

// Returns a hash of the placed weights' contents, sizes and offsets, which identifies an image's
// side file.
std::string weightsIdentity(const ImageDescription &description);

// Writes the side file. contents(i) returns the stored elements of weights[i]; it is called only
// for weights in the file, one after another, so that only one at a time must be in memory. The
// file appears when the caller calls commit().
using WeightContents = std::function<Tensor(size_t)>;
Result<AtomicFile> prepareWeightsFile(const std::string &path, const ImageDescription &description,
                                      const WeightContents &contents);

enum class WeightsCheck {
  Header,   // fast: checks size and identity, or samples of a caller's file
  Contents, // slow: also checks each weight's hash, and so reads the full file
};

// Opens the weights file at this path or, if that isn't the image's side file, at the path extended
// by the identity of the image's weights (Publication.h). Fails with FileNotReadable or
// WeightsInvalid.
Result<std::shared_ptr<MappedFile>> openWeightsFile(const std::string &path,
                                                    const ImageDescription &description,
                                                    WeightsCheck check = WeightsCheck::Header);

// Returns a hash of an array's size and of samples of its bytes, at both ends and between: it
// distinguishes the arrays of different models without reading them completely.
std::string sampleHash(std::span<const std::byte> elements);

// Returns the number of bytes before the elements in a .safetensors file; 0 if the file is shorter
// than its header says.
uint64_t safetensorsHeaderBytes(std::span<const std::byte> file);

// Whether the file at this path is the side file of some image.
bool isWeightsFile(const std::string &path);

} // namespace drumlin
