// The large constants of a program. In the image's file they are stored between the shared object
// and the seal: zeros up to a multiple of 64 bytes, then each constant at a multiple of 64, with
// zeros between constants. The seal covers only the shared object, whose description has each
// constant's hash and offset. So the bytes of a constant are written, read and hashed only once,
// and the linker doesn't read them.
//
// An image in memory may lack these constants; the loader then gets them from its caller
// (LoadOptions::weights).
#pragma once

#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/runtime/executable/WeightsFile.h"
#include "drumlin/support/AtomicFile.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// Appends the weights from index `first` on that are too large for the description
// (maxEmbeddedConstant): sets `isAppended`, `offset` and the description's `appendedBytes`.
void placeConstants(ImageDescription &description, size_t first);

// Writes an image: the shared object, the constants, then the seal. `image` consists of the object
// and the seal. contents(i) returns the stored elements of weights[i]; it is called for one weight
// after another.
Status writeImage(AtomicFile &file, std::string_view image, const ImageDescription &description,
                  const WeightContents &contents);

// Copies the constants to `places`, one for each appended weight, in the order of the weight table.
// Calls `read` with each range of bytes that has been copied, so that the caller can free its
// memory. Fails with ImageInvalid if the constants
// differ from those that the image was made with.
Status readAppended(std::span<const std::byte> appended, const ImageDescription &description,
                    std::span<std::byte *const> places,
                    const std::function<void(std::span<const std::byte>)> &read,
                    const std::string &location);

} // namespace drumlin
