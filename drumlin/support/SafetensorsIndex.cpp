// Indices of checkpoints split into several safetensors files: JSON whose `weight_map` lists the
// file of each array.
#include "drumlin/support/ArrayFiles.h"
#include "drumlin/support/JsonDepth.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/FileErrors.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace drumlin {

// The limit on the index, as for a safetensors header: both list all arrays.
static constexpr size_t maxIndexBytes = 100'000'000;

using Json = nlohmann::json;

namespace {
// The arrays of each file, by the file's name.
using Shards = std::map<std::string, std::set<std::string>>;

class IndexReader {
public:
  IndexReader(const std::string &path, const ArrayFilter &filter) : path(path), filter(filter) {}

  Result<std::vector<NamedTensor>> read() {
    Result<Shards> shards = readShards();
    if (!shards) {
      return shards.error();
    }
    std::vector<NamedTensor> arrays;
    for (const auto &[file, names] : *shards) {
      Result<std::vector<NamedTensor>> read = readShard(file, names);
      if (!read) {
        return read.error();
      }
      for (NamedTensor &array : *read) {
        array.fileOffset = 0; // the elements' offset isn't one in the file at `path`
        arrays.push_back(std::move(array));
      }
    }
    return arrays;
  }

private:
  Diagnostic invalid(const std::string &what) const {
    return diagnose(errors::ArrayFileInvalid, "not a valid index of safetensors files: " + what,
                    path, "pass the `model.safetensors.index.json` that lies beside the files");
  }

  // Parses JSON; null if the text is invalid. `repeated` receives a name that `weight_map` has
  // twice.
  static Json parse(std::string_view text, std::string &repeated) {
    if (jsonDepth(text) > maxJsonDepth) {
      return {};
    }
    bool isInMap = false;
    std::set<std::string> seen;
    auto see = [&](int depth, Json::parse_event_t event, Json &value) {
      if (event == Json::parse_event_t::key && depth == 1) {
        isInMap = value == "weight_map";
      } else if (event == Json::parse_event_t::key && depth == 2 && isInMap &&
                 !seen.insert(value.get<std::string>()).second) {
        repeated = value.get<std::string>();
      }
      return true;
    };
    Json parsed = Json::parse(text.begin(), text.end(), see, /*allow_exceptions=*/false);
    return parsed.is_discarded() ? Json() : parsed;
  }

  Result<Shards> readShards() {
    Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
    if (!file) {
      return file.error();
    }
    std::span<const std::byte> bytes = (*file)->bytes();
    if (bytes.size() > maxIndexBytes) {
      return invalid("it has more than " + std::to_string(maxIndexBytes) + " bytes");
    }
    std::string repeated;
    Json index = parse({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, repeated);
    if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
      return invalid("it is no JSON object with a `weight_map`");
    }
    if (!repeated.empty()) {
      return invalid("`" + repeated + "` is there twice");
    }
    Shards shards;
    for (const auto &[name, value] : index["weight_map"].items()) {
      if (!value.is_string()) {
        return invalid("the file of `" + name + "` is no string");
      }
      const auto &file = value.get_ref<const std::string &>();
      if (!file.ends_with(".safetensors") || file.find('/') != std::string::npos ||
          file.find('\0') != std::string::npos) {
        return invalid("`" + name + "` is in `" + file.substr(0, 64) +
                       "`, which names no `.safetensors` file beside it");
      }
      shards[file].insert(name);
      fileOf[name] = file;
    }
    return shards;
  }

  Result<std::vector<NamedTensor>> readShard(const std::string &file,
                                             const std::set<std::string> &names) {
    size_t slash = path.rfind('/');
    std::string beside = (slash == std::string::npos ? "" : path.substr(0, slash + 1)) + file;
    std::set<std::string> missing = names;
    Result<std::vector<NamedTensor>> read =
        readSafetensors(beside, [&](const ArrayHeader &header) -> Result<bool> {
          if (missing.erase(header.name) != 0) {
            return filter ? filter(header) : Result<bool>(true);
          }
          // Arrays that the index doesn't list aren't part of the checkpoint.
          auto elsewhere = fileOf.find(header.name);
          if (elsewhere == fileOf.end()) {
            return false;
          }
          return diagnose(errors::ArrayFileInvalid,
                          "has the array `" + header.name + "`, and the index `" + path +
                              "` says that `" + elsewhere->second + "` has it",
                          beside, "pass the index and the files of one checkpoint");
        });
    if (!read) {
      Diagnostic error = read.error();
      if (error.code == errors::FileNotReadable) {
        error.message += "; the index `" + path + "` says that it has `" + *names.begin() + "`";
      }
      return error;
    }
    if (!missing.empty()) {
      return diagnose(errors::ArrayFileInvalid,
                      "has no array `" + *missing.begin() + "`, but the index `" + path +
                          "` says so",
                      beside, "pass the index and the files of one checkpoint");
    }
    return read;
  }

  const std::string &path;
  const ArrayFilter &filter;
  std::map<std::string, std::string> fileOf; // for each array in the index, its file
};
} // namespace

Result<std::vector<NamedTensor>> readSafetensorsIndex(const std::string &path,
                                                      const ArrayFilter &filter) {
  return IndexReader(path, filter).read();
}

} // namespace drumlin
