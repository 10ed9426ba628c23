// The side file of an image, `<image>.weights`: a header of 64 bytes, then each weight at a
// multiple of 64. It is mapped, so that weights are read when they are used and several processes
// share them.
//
// Header: `DRMLWGHT`, the file's size (8 bytes, little-endian), the identity of the weight table
// (32 bytes), zeros.
//
// An image that was compiled for weights in place has no side file. It knows the caller's file, and
// where each array lies in it, by the file's size, the hash of its header, and samples of each
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

// Places those weights that aren't to be embedded: sets their `offset` and the description's
// `weightsFileBytes`. `embedBelow`: weights with fewer bytes keep offset 0, and the caller fills in
// `embedded`.
void placeWeights(ImageDescription &description, uint64_t embedBelow);

// A hash of the placed weights' contents, sizes and offsets: what ties a side file to its image.
std::string weightsIdentity(const ImageDescription &description);

// Writes the side file. contents(i) gives the elements of weights[i] as they are stored; it is
// asked for those that aren't embedded, one after another, so that one at a time needs to be in
// memory. The file appears with the caller's commit().
using WeightContents = std::function<Tensor(size_t)>;
Result<AtomicFile> prepareWeightsFile(const std::string &path, const ImageDescription &description,
                                      const WeightContents &contents);

enum class WeightsCheck {
  Header,   // size and identity, of the caller's file with samples: takes no time
  Contents, // also each weight's hash: reads the whole file
};

// Looks for the file of this path, and where that isn't the image's side file, for the one that has
// the identity of its weights added to the name (Publication.h). Fails with FileNotReadable or
// WeightsInvalid.
Result<std::shared_ptr<MappedFile>> openWeightsFile(const std::string &path,
                                                    const ImageDescription &description,
                                                    WeightsCheck check = WeightsCheck::Header);

// A hash of an array's size and of some of its bytes, at both ends and between: it tells the
// arrays of one model from those of another without reading them.
std::string sampleHash(std::span<const std::byte> elements);

// How many bytes stand before the elements in a .safetensors file; 0 where there are less than the
// file says.
uint64_t safetensorsHeaderBytes(std::span<const std::byte> file);

// Whether a side file of some image lies there.
bool isWeightsFile(const std::string &path);

} // namespace drumlin
