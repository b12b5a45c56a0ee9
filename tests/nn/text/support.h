// What the tests of nn/text share: the sentence of an error, and files that vanish with the test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/refuses.h"

namespace heed::text_test {

using bad_input::message_of;

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("heed_text_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string file(const std::string& name, const std::string& contents) const {
    std::ofstream(path(name), std::ios::binary) << contents;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace heed::text_test
