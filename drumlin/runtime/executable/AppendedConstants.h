// Large constants of a program in its image's file, between the shared object and the seal: zeros
// up to a multiple of 64 bytes, then each constant at a multiple of 64, with zeros between them.
// The seal covers the shared object, whose description has the hash and the place of each: so the
// bytes of a constant are written, read and hashed once each, and no linker sees them.
//
// An image in memory may be without this part; its constants are given to the loader then
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

// Places the weights from `first` on that are too large for the description (maxEmbeddedConstant):
// sets `isAppended`, `offset` and the description's `appendedBytes`.
void placeConstants(ImageDescription &description, size_t first);

// Writes an image that is without its constants, and these. contents(i) gives the elements of
// weights[i] as they are stored; it is asked for one after another.
Status writeImage(AtomicFile &file, std::string_view image, const ImageDescription &description,
                  const WeightContents &contents);

// Copies the constants to `places`, one for each that is appended, in the table's order. `read` is
// told of bytes that aren't needed again. Fails with ImageInvalid where they aren't those that the
// image was made with.
Status readAppended(std::span<const std::byte> appended, const ImageDescription &description,
                    std::span<std::byte *const> places,
                    const std::function<void(std::span<const std::byte>)> &read,
                    const std::string &location);

} // namespace drumlin
