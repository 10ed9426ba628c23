// Array files: numpy's `.npy` and `.npz`, and safetensors.
//
// Elements are converted to the machine's layout: little-endian, row-major, booleans 0 or 1. Types
// that a format lacks (bfloat16 and the 8-bit floats in numpy's, most narrow ones in safetensors)
// are written as unsigned integers of the same width and come back as such; reinterpret() then
// gives them the type that the program expects. Whatever bytes a file holds, the answer is a tensor
// or a diagnostic (FileNotReadable, ArrayFileInvalid, OutOfMemory).
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

struct NamedTensor {
  std::string name;
  Tensor tensor;
  // Where its elements begin in the file that it was read from, if they lie there as they do in
  // memory; else 0.
  uint64_t fileOffset = 0;
};

// What a file says of an array before its elements are read.
struct ArrayHeader {
  std::string name;
  ElementType type = ElementType::F32;
  Shape shape;
};

// Asked for each array before memory is taken for it: whether it is to be read, or why the file
// can't be used. A small archive may hold huge arrays. Empty: all are read.
using ArrayFilter = std::function<Result<bool>(const ArrayHeader &header)>;

// By the path's ending: `.npy` (one array, named as the file without its ending), `.npz`,
// `.safetensors` or `.index.json` (of several safetensors files).
Result<std::vector<NamedTensor>> readArrays(const std::string &path,
                                            const ArrayFilter &filter = {});
Status writeArrays(const std::string &path, std::span<const NamedTensor> arrays);
// Whether writeArrays() could write arrays of these types there; fails as it would.
Status checkArraysPath(const std::string &path, std::span<const ElementType> types);

// Format: numpy's "NPY format", versions 1 to 3. Objects, strings and structures are refused.
// `location` names the bytes in diagnostics.
Result<Tensor> parseNpy(std::span<const std::byte> bytes, const std::string &location);
// From the first bytes of such a file, which has `size` bytes. The header has no name.
Result<ArrayHeader> parseNpyHeader(std::span<const std::byte> start, uint64_t size,
                                   const std::string &location);
Result<Tensor> readNpy(const std::string &path, const ArrayFilter &filter = {});
// The bytes before the elements of such a tensor; the elements follow as they lie in memory.
std::string npyHeader(const Tensor &tensor);
Status writeNpy(const std::string &path, const Tensor &tensor);

enum class NpzCompression { Stored, Deflated };

// A zip archive of `.npy` members, in the archive's order and without that ending in their names.
// Members that share bytes are refused.
Result<std::vector<NamedTensor>> parseNpz(std::span<const std::byte> bytes,
                                          const std::string &location,
                                          const ArrayFilter &filter = {});
Result<std::vector<NamedTensor>> readNpz(const std::string &path, const ArrayFilter &filter = {});
// The same arrays give the same bytes: members carry the format's earliest date.
Status writeNpz(const std::string &path, std::span<const NamedTensor> arrays,
                NpzCompression compression = NpzCompression::Stored);

// Tensors in the order of their data. `owner` keeps the bytes alive; a tensor whose elements are
// aligned for their type shares them (they must be writable if anyone writes to the tensor), others
// are copied.
Result<std::vector<NamedTensor>> parseSafetensors(std::span<std::byte> bytes,
                                                  std::shared_ptr<void> owner,
                                                  const std::string &location,
                                                  const ArrayFilter &filter = {});
// Maps the file; pages are read when elements are.
Result<std::vector<NamedTensor>> readSafetensors(const std::string &path,
                                                 const ArrayFilter &filter = {});
Status writeSafetensors(const std::string &path, std::span<const NamedTensor> arrays);
// Fails where the format has no type for one of these.
Status checkSafetensorsTypes(const std::string &path, std::span<const ElementType> types);

// The arrays that a JSON index names in safetensors files beside it, as Hugging Face's libraries
// write them: `{"weight_map": {"a": "model-00001-of-00002.safetensors", …}}`. By file, in the order
// of their names. What the index doesn't name isn't read. ArrayFileInvalid where a file lacks what
// the index says, or another one has it as well.
Result<std::vector<NamedTensor>> readSafetensorsIndex(const std::string &path,
                                                      const ArrayFilter &filter = {});

// Unsigned integers of a file as what they stand for: `raw` itself if it has the wanted type; the
// same elements under it if they are unsigned integers as wide in memory and file formats may lack
// the wanted type. The elements are shared, except that the unused high bits of types narrower than
// a byte are set as Tensor.h says, in a copy. Fails with ArrayTypeMismatch.
Result<Tensor> reinterpret(Tensor raw, ElementType wanted);
// Whether it could, without the elements.
Status checkReinterpret(ElementType raw, ElementType wanted);

} // namespace drumlin
