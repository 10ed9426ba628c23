// Publication of an image and its weights under their names.
//
// The image at PATH can be loaded at every moment, even if the publishing process is killed:
//
//   1. the new weights appear as `PATH.weights.IDENTITY`, which only the new image looks for;
//   2. the new image appears as `PATH`; until then the old image finds its weights as before;
//   3. the new weights become `PATH.weights`, replacing the old ones;
//   4. weights that an earlier process left at step 1 or 2 are removed.
//
// Readers look for `PATH.weights` and, if that belongs to another image, for
// `PATH.weights.IDENTITY` (WeightsFile.h). Processes that publish under one path do so one after
// another.
#pragma once

#include "drumlin/runtime/executable/WeightsFile.h"

#include <string>
#include <string_view>

namespace drumlin {

// Publishes an image and its weights. `image` excludes its appended constants. `contents` is as for
// prepareWeightsFile() and writeImage(). Fails with FileNotWritable, and leaves existing files at
// the path untouched.
Status publishImage(const std::string &path, std::string_view image,
                    const ImageDescription &description, const WeightContents &contents);

} // namespace drumlin
