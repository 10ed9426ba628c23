// Array files: numpy's `.npy` and `.npz`, and safetensors.
//
// Elements are converted to the machine's layout: little-endian, row-major, booleans 0 or 1. Types
// that a format lacks (bfloat16 and the 8-bit floats in numpy's, most narrow ones in safetensors)
// are written and read back as unsigned integers of the same width; reinterpret() then converts
// them to the type that the program expects. For any bytes in a file, reading returns a tensor or a
// diagnostic (FileNotReadable, ArrayFileInvalid, OutOfMemory).
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
  // The offset of the elements in the file that they were read from, if the file has the same
  // layout as memory; else 0.
  uint64_t fileOffset = 0;
};

// The description of an array, known before its elements are read.
struct ArrayHeader {
  std::string name;
  ElementType type = ElementType::F32;
  Shape shape;
};

// Called for each array before memory is allocated for it: returns whether to read it, or why the
// file can't be used. Needed since a small archive may contain huge arrays. Empty: reads all
// arrays.
using ArrayFilter = std::function<Result<bool>(const ArrayHeader &header)>;

// Reads arrays. The path's extension determines the format: `.npy` (one array, named like the file
// without its extension), `.npz`, `.safetensors` or `.index.json` (of several safetensors files).
Result<std::vector<NamedTensor>> readArrays(const std::string &path,
                                            const ArrayFilter &filter = {});
Status writeArrays(const std::string &path, std::span<const NamedTensor> arrays);
// Checks whether writeArrays() could write arrays of these types to this path; fails as it would.
Status checkArraysPath(const std::string &path, std::span<const ElementType> types);

// Parses numpy's "NPY format", versions 1 to 3. Objects, strings and structures are refused.
// `location` names the bytes in diagnostics.
Result<Tensor> parseNpy(std::span<const std::byte> bytes, const std::string &location);
// Parses the header from the first bytes of a file of `size` bytes. The result has no name.
Result<ArrayHeader> parseNpyHeader(std::span<const std::byte> start, uint64_t size,
                                   const std::string &location);
Result<Tensor> readNpy(const std::string &path, const ArrayFilter &filter = {});
// Returns the bytes that precede a tensor's elements in a file; the elements follow unchanged.
std::string npyHeader(const Tensor &tensor);
Status writeNpy(const std::string &path, const Tensor &tensor);

enum class NpzCompression { Stored, Deflated };

// Parses a zip archive of `.npy` members, in the archive's order; the names omit that extension.
// Members that share bytes are refused.
Result<std::vector<NamedTensor>> parseNpz(std::span<const std::byte> bytes,
                                          const std::string &location,
                                          const ArrayFilter &filter = {});
Result<std::vector<NamedTensor>> readNpz(const std::string &path, const ArrayFilter &filter = {});
// Writes an archive. Equal arrays give equal bytes, since members carry the format's earliest date.
Status writeNpz(const std::string &path, std::span<const NamedTensor> arrays,
                NpzCompression compression = NpzCompression::Stored);

// Parses tensors, in the order of their data. `owner` keeps the bytes alive: a tensor whose
// elements are aligned shares them, so they must be writable if the tensor is written to. Unaligned
// elements are copied.
Result<std::vector<NamedTensor>> parseSafetensors(std::span<std::byte> bytes,
                                                  std::shared_ptr<void> owner,
                                                  const std::string &location,
                                                  const ArrayFilter &filter = {});
// Maps the file; its pages are read when elements are accessed.
Result<std::vector<NamedTensor>> readSafetensors(const std::string &path,
                                                 const ArrayFilter &filter = {});
Status writeSafetensors(const std::string &path, std::span<const NamedTensor> arrays);
// Fails if the format has no equivalent of one of these types.
Status checkSafetensorsTypes(const std::string &path, std::span<const ElementType> types);

// Reads the arrays that a JSON index lists in safetensors files beside it, as Hugging Face's
// libraries write them: `{"weight_map": {"a": "model-00001-of-00002.safetensors", …}}`. Returns
// them by file, in the order of the files' names. Arrays that the index doesn't list aren't read.
// Fails with ArrayFileInvalid if a file lacks an array that the index lists there, or another file
// has it as well.
Result<std::vector<NamedTensor>> readSafetensorsIndex(const std::string &path,
                                                      const ArrayFilter &filter = {});

// Converts a file's array to the wanted type: returns `raw` if it already has that type, or the
// same bits if they are unsigned integers of the same width in memory and file formats may lack the
// wanted type. The elements are shared, except that types narrower than a byte get their unused
// high bits set as Tensor.h says, in a copy. Fails with ArrayTypeMismatch.
Result<Tensor> reinterpret(Tensor raw, ElementType wanted);
// Checks whether reinterpret() could convert the types.
Status checkReinterpret(ElementType raw, ElementType wanted);

} // namespace drumlin
