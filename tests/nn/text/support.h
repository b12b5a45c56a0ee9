// What the tests of nn/text share: the sentence of an error, and files that vanish with the test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <typeinfo>

namespace heed::text_test {

// The message of the error that f throws, provided that its type is exactly E.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const std::exception& error) {
    return typeid(error) == typeid(E) ? error.what() : std::string("another type of error: ") + error.what();
  }
  return "no error";
}

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
