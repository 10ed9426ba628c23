// Checkpoints that are several safetensors files.
#pragma once

#include "drumlin/support/ArrayFiles.h"

namespace drumlin {

// The arrays that a JSON index names in safetensors files beside it, as Hugging Face's libraries
// write them: `{"weight_map": {"a": "model-00001-of-00002.safetensors", …}}`. By file, in the order
// of their names. What the index doesn't name isn't read. ArrayFileInvalid where a file lacks what
// the index says, or another one has it as well.
Result<std::vector<NamedTensor>> readSafetensorsIndex(const std::string &path,
                                                      const ArrayFilter &filter = {});

} // namespace drumlin
