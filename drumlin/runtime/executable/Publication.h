// How an image and its weights get their names.
//
// What lies at PATH can be loaded at every moment, also when the process that publishes is killed:
//
//   1. the new weights appear as `PATH.weights.IDENTITY`, which the new image alone asks for;
//   2. the new image appears as `PATH`; until then the old one finds its weights as before;
//   3. the new weights become `PATH.weights`, in place of the old ones;
//   4. whatever weights an earlier process left at step 1 or 2 are removed.
//
// Readers look for `PATH.weights`, and where that belongs to another image for
// `PATH.weights.IDENTITY` (WeightsFile.h). Processes that publish under one path do so one after
// another.
#pragma once

#include "drumlin/runtime/executable/WeightsFile.h"

#include <string>
#include <string_view>

namespace drumlin {

// `image` is without its appended constants. `contents` as for prepareWeightsFile() and
// writeImage(). Fails with FileNotWritable; what was at the path is untouched then.
Status publishImage(const std::string &path, std::string_view image,
                    const ImageDescription &description, const WeightContents &contents);

} // namespace drumlin
