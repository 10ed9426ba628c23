// A folder that acts as the root of a machine's file system.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace drumlin {

class SystemRoot : public testing::Test {
protected:
  std::string root = testing::TempDir() + "root-" + std::to_string(getpid());

  ~SystemRoot() override { std::filesystem::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    std::filesystem::path file = root + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
};

} // namespace drumlin
