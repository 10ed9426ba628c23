#include "drumlin/runtime/executable/WeightsFile.h"

#include "drumlin/runtime/Abi.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/diagnostics/ImageErrors.h"

#include <cstring>
#include <sys/stat.h>

namespace drumlin {

static constexpr std::string_view weightsMagic = "DRMLWGHT";
static constexpr uint64_t weightsHeaderBytes = 64;
static_assert(weightsHeaderBytes % DRUMLIN_ALIGNMENT == 0);

void placeWeights(ImageDescription &description, uint64_t embedBelow) {
  uint64_t end = 0;
  for (WeightDescription &weight : description.weights) {
    uint64_t size = weight.value.storedBytes();
    weight.offset = 0;
    if (size < embedBelow || size == 0) {
      continue;
    }
    weight.offset = end == 0
                        ? weightsHeaderBytes
                        : (end + DRUMLIN_ALIGNMENT - 1) / DRUMLIN_ALIGNMENT * DRUMLIN_ALIGNMENT;
    end = weight.offset + size;
  }
  description.weightsFileBytes = end;
}

std::string weightsIdentity(const ImageDescription &description) {
  Hasher hasher;
  for (const WeightDescription &weight : description.weights) {
    if (weight.isInFile()) {
      hasher.addField(weight.contentHash);
      hasher.addField(weight.offset);
      hasher.addField(static_cast<uint64_t>(weight.value.storedBytes()));
    }
  }
  return hasher.str();
}

static std::string weightsHeader(const ImageDescription &description) {
  std::string header(weightsMagic);
  for (unsigned i = 0; i < 8; ++i) {
    header += static_cast<char>(description.weightsFileBytes >> (8 * i));
  }
  header += hashBytes(weightsIdentity(description));
  header.resize(weightsHeaderBytes, '\0');
  return header;
}

Result<AtomicFile> prepareWeightsFile(const std::string &path, const ImageDescription &description,
                                      const WeightContents &contents) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) {
    return file.error();
  }
  if (Status status = file->write(weightsHeader(description)); !status) {
    return status.error();
  }
  uint64_t end = weightsHeaderBytes;
  for (size_t i = 0; i < description.weights.size(); ++i) {
    const WeightDescription &weight = description.weights[i];
    if (!weight.isInFile()) {
      continue;
    }
    if (Status status = file->write(std::string(weight.offset - end, '\0')); !status) {
      return status.error();
    }
    Tensor tensor = contents(i);
    std::span<const std::byte> bytes(tensor.data(), weight.value.storedBytes());
    if (Status status = file->write(bytes); !status) {
      return status.error();
    }
    end = weight.offset + weight.value.storedBytes();
  }
  return file;
}

static bool hasMagic(std::span<const std::byte> bytes) {
  return bytes.size() >= weightsHeaderBytes &&
         std::memcmp(bytes.data(), weightsMagic.data(), weightsMagic.size()) == 0;
}

bool isWeightsFile(const std::string &path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return false;
  }
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  return file && hasMagic((*file)->bytes());
}

// The bytes of a sample (one page), and the number of samples per array.
static constexpr size_t sampleBytes = 4096;
static constexpr size_t samples = 4;

std::string sampleHash(std::span<const std::byte> elements) {
  Hasher hasher;
  hasher.addField(static_cast<uint64_t>(elements.size()));
  if (elements.size() <= samples * sampleBytes) {
    hasher.add(elements);
    return hasher.str();
  }
  size_t last = elements.size() - sampleBytes;
  for (size_t i = 0; i < samples; ++i) {
    hasher.add(elements.subspan(last * i / (samples - 1), sampleBytes));
  }
  return hasher.str();
}

uint64_t safetensorsHeaderBytes(std::span<const std::byte> file) {
  uint64_t length = 0;
  for (size_t i = 0; i < 8 && i < file.size(); ++i) {
    length |= static_cast<uint64_t>(file[i]) << (8 * i);
  }
  return file.size() >= 8 && length <= file.size() - 8 ? 8 + length : 0;
}

static Result<std::shared_ptr<MappedFile>>
openInPlace(const std::string &path, const ImageDescription &description, WeightsCheck check) {
  static constexpr const char *remedy =
      "pass the file that the program was compiled with as `--weights FILE` (`weights_path` of the "
      "C interface), or compile the program again";
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file) {
    return diagnose(file.error().code,
                    "the image uses its weights in place, but " + file.error().message, path,
                    remedy);
  }
  auto invalid = [&](const std::string &what) {
    return diagnose(errors::WeightsInvalid, what, path, remedy);
  };
  std::span<const std::byte> bytes = (*file)->bytes();
  if (bytes.size() != description.weightsFileBytes) {
    return invalid("the file of weights has " + std::to_string(bytes.size()) +
                   " bytes, the one that the image was compiled with had " +
                   std::to_string(description.weightsFileBytes));
  }
  if (contentHash(bytes.first(description.weightsHeaderBytes)) != description.weightsHeaderHash) {
    return invalid("the file of weights has another header than the one that the image was "
                   "compiled with: other arrays or offsets");
  }
  auto elementsOf = [&](const WeightDescription &weight) {
    return bytes.subspan(weight.offset, weight.value.storedBytes());
  };
  (*file)->expect(MappedFile::Reading::Scattered);
  for (const WeightDescription &weight : description.weights) {
    if (weight.isInFile() && sampleHash(elementsOf(weight)) != weight.sampleHash) {
      return invalid("the weight `" + weight.value.name +
                     "` isn't the one that the image was compiled with");
    }
  }
  (*file)->expect(MappedFile::Reading::Ahead);
  for (const WeightDescription &weight : description.weights) {
    if (check == WeightsCheck::Header || !weight.isInFile()) {
      continue;
    }
    if (weight.contentHash.empty()) {
      return diagnose(errors::WeightsInvalid,
                      "the weights match the image's samples, but the image has no hashes by which "
                      "all elements could be checked",
                      path, "compile with `--weights-in-place hashed`, or load without the check");
    }
    if (contentHash(elementsOf(weight)) != weight.contentHash) {
      return invalid("an element of the weight `" + weight.value.name +
                     "` isn't the one that the image was compiled with");
    }
  }
  return file;
}

static Result<std::shared_ptr<MappedFile>>
openAt(const std::string &path, const ImageDescription &description, WeightsCheck check) {
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file) {
    return file.error();
  }
  auto invalid = [&](const std::string &what) {
    return diagnose(errors::WeightsInvalid, what, path);
  };
  std::span<const std::byte> bytes = (*file)->bytes();
  if (!hasMagic(bytes)) {
    return invalid("not a file of weights");
  }
  if (bytes.size() != description.weightsFileBytes) {
    return invalid("the weights have " + std::to_string(bytes.size()) +
                   " bytes, the image expects " + std::to_string(description.weightsFileBytes));
  }
  if (std::memcmp(bytes.data(), weightsHeader(description).data(), weightsHeaderBytes) != 0) {
    return invalid("the weights belong to another image");
  }
  if (check == WeightsCheck::Header) {
    return file;
  }
  for (const WeightDescription &weight : description.weights) {
    if (weight.isInFile() &&
        contentHash(bytes.subspan(weight.offset, weight.value.storedBytes())) !=
            weight.contentHash) {
      return invalid("the weight `" + weight.value.name + "` was changed since it was written");
    }
  }
  return file;
}

Result<std::shared_ptr<MappedFile>>
openWeightsFile(const std::string &path, const ImageDescription &description, WeightsCheck check) {
  if (description.hasWeightsInPlace()) {
    return openInPlace(path, description, check);
  }
  Result<std::shared_ptr<MappedFile>> found = openAt(path, description, check);
  if (found) {
    return found;
  }
  Result<std::shared_ptr<MappedFile>> own =
      openAt(path + "." + weightsIdentity(description), description, check);
  // Tries the final name again: the file may have been renamed to it between the first two
  // attempts.
  Result<std::shared_ptr<MappedFile>> again = own ? own : openAt(path, description, check);
  return again ? again : found;
}

} // namespace drumlin
