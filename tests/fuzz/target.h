// What the fuzz targets share. A target is one function that a fuzzer calls with bytes of its own choice; it feeds them
// to a reader of heed and stops the program where a rule is broken.
//
//   ./heed test --fuzz 60                            // runs every target for a minute, guided by coverage (libFuzzer)
//   build/release/bin/fuzz_json FILE...              // runs files again; the tests do so with corpus/TARGET/
//
// corpus/TARGET/ has a few inputs from which the fuzzer starts, and every input that ever broke a rule: add yours there
// before you mend the fault. TARGET.dict has words of the format (the syntax of AFL's dictionaries).
//
// An input may be refused only by the errors that the reader declares, the readers' in one line of printable text; any
// other exception, a crash, a sanitizer's report and an input that takes seconds are findings too.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "nn/io/json_scanner.h"
#include "tensor/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace heed::fuzz {

constexpr size_t kMaxBytes = 4096;  // of an input; longer ones are ignored

inline void must(bool holds, const std::string& rule) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", rule.c_str());
  std::abort();
}

inline bool printable(std::string_view text) {
  for (char c : text)
    if (static_cast<unsigned char>(c) < ' ') return false;
  return io::is_utf8(text);
}

// Whether a message must be printable, or may repeat what a program wrote or what stands in a model's file: heed's
// programs escape messages before they show them (tutorials/common/output.h).
enum class Message { printable, any };

// Does the work; false if it was refused with one of the errors that are declared for it.
template <class... Declared, class Work>
bool accepted(const Work& work, Message message = Message::printable) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    must((... || (dynamic_cast<const Declared*>(&error) != nullptr)),
         std::string("a declared error; got ") + error.what());
    must(message == Message::any || printable(error.what()),
         std::string("a message in one line of printable UTF-8; got ") + error.what());
    return false;
  }
}

// The bytes as text.
inline std::string text_of(const uint8_t* data, size_t size) {
  return size == 0 ? "" : std::string(reinterpret_cast<const char*>(data), size);
}

inline std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end == text.npos ? end : end - begin));
    if (end == text.npos) return parts;
    begin = end + separator.size();
  }
}

// A folder of this process in the folder for temporary files. It is deleted when the program ends.
class Scratch {
 public:
  static std::string file(const std::string& name) {
    static Scratch scratch;
    return (scratch.path_ / name).string();
  }
  static std::string written(const std::string& name, std::string_view contents) {
    std::string path = file(name);
    std::ofstream(path, std::ios::binary) << contents;
    return path;
  }
  static std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  Scratch() : path_(std::filesystem::temp_directory_path() / ("heed-fuzz-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path path_;
};

}  // namespace heed::fuzz
