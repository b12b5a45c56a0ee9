// What the tests of files share: a folder of its own, safetensors files put together by hand, the sentence of a load.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <typeinfo>

#include "nn/io/safetensors.h"

namespace heed::io_test {

namespace fs = std::filesystem;

// A folder that goes away with the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("heed-io-{}", getpid());
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

inline std::string bytes_of(uint64_t n) { return {reinterpret_cast<const char*>(&n), 8}; }
inline std::string file_of(const std::string& header, const std::string& elements) {
  return bytes_of(header.size()) + header + elements;
}
// "x":{...}
inline std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                         const std::string& offsets) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":{}}})", name, dtype, shape, offsets);
}
// The header of one tensor x.
inline std::string only(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return "{" + entry("x", dtype, shape, offsets) + "}";
}

// Not flushed to the disk: for files that only this test reads.
inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// The sentence of loading these bytes, with the path cut out; "no error" where they load.
inline std::string sentence(const std::string& bytes) {
  Folder folder;
  std::string path = folder / "x.safetensors", before = "load: \"" + path + "\": ";
  write_file(path, bytes);
  try {
    io::load_safetensors(path);
  } catch (const InputError& error) {  // the user's: exit code 2
    std::string text = error.what();
    CHECK(typeid(error) == typeid(IoError));
    CHECK(text.rfind(before, 0) == 0);
    return text.substr(std::min(before.size(), text.size()));
  }
  return "no error";
}

}  // namespace heed::io_test
