// Writes a program's results, and compares them with a file's.
#include "commands/Commands.h"

#include "commands/CommandFiles.h"
#include "commands/Printing.h"

#include "drumlin/support/ArrayFiles.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/NumericCompare.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/NumberErrors.h"

#include <algorithm>
#include <cstdio>

namespace drumlin::cli {

Status writeTogether(const std::vector<std::pair<std::string, std::string>> &files) {
  std::vector<AtomicFile> prepared;
  for (const auto &[path, content] : files) {
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) {
      return file.error();
    }
    if (Status status = file->write(content); !status) {
      return status;
    }
    prepared.push_back(std::move(*file));
  }
  for (AtomicFile &file : prepared) {
    if (Status status = file.commit(); !status) {
      return status;
    }
  }
  return Done{};
}

Status checkOutputs(const std::string &path, const std::vector<ElementType> &types) {
  return path.empty() || isFolder(path) ? Status(Done{}) : checkArraysPath(path, types);
}

Status writeOutputs(const std::string &path, const std::vector<Tensor> &results) {
  std::vector<NamedTensor> named;
  for (size_t i = 0; i < results.size(); ++i) {
    named.push_back({"out" + std::to_string(i), results[i]});
  }
  if (!isFolder(path)) {
    return writeArrays(path, named);
  }
  for (const NamedTensor &array : named) {
    if (Status status = writeNpy(path + "/" + array.name + ".npy", array.tensor); !status) {
      return status;
    }
  }
  return Done{};
}

static Result<bool> checkExpected(const ArrayHeader &header, const Tensor &result,
                                  const std::string &path) {
  if (Status typed = checkReinterpret(header.type, result.type()); !typed) {
    return diagnose(typed.error().code, typed.error().message, path + ":" + header.name,
                    typed.error().remedy);
  }
  if (header.shape != result.shape()) {
    return diagnose(errors::ArrayTypeMismatch,
                    "the shape of `" + header.name + "` differs from the result's", path);
  }
  return true;
}

Status compareOutputs(const std::string &path, const std::vector<Tensor> &results,
                      double tolerance) {
  // Arrays that no result is compared with aren't read.
  Result<std::vector<NamedTensor>> arrays =
      readArrays(path, [&](const ArrayHeader &header) -> Result<bool> {
        for (size_t i = 0; i < results.size(); ++i) {
          if (header.name == "out" + std::to_string(i)) {
            return checkExpected(header, results[i], path);
          }
        }
        return false;
      });
  if (!arrays) {
    return arrays.error();
  }
  bool matches = true;
  for (size_t i = 0; i < results.size(); ++i) {
    std::string name = "out" + std::to_string(i);
    auto found = std::find_if(arrays->begin(), arrays->end(),
                              [&](const NamedTensor &array) { return array.name == name; });
    if (found == arrays->end()) {
      return diagnose(errors::ArrayTypeMismatch, "has no array `" + name + "`", path);
    }
    Result<Tensor> expected = reinterpret(found->tensor, results[i].type());
    if (!expected) {
      return expected.error();
    }
    CompareOptions options;
    options.relativeTolerance = tolerance;
    options.equalShare = 0.99;
    Result<Comparison> comparison = compare(results[i], *expected, options);
    if (!comparison) {
      return comparison.error();
    }
    std::fprintf(printed(), "%s: %s\n", name.c_str(), comparison->str().c_str());
    matches &= comparison->matches;
  }
  if (!matches) {
    return diagnose(errors::NumbersDiffer, "results differ by more than the tolerance", path);
  }
  return Done{};
}

} // namespace drumlin::cli
