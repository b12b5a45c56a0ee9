// What the fuzz targets share. A target is the function LLVMFuzzerTestOneInput. The fuzzer calls it with bytes that it
// chooses; the target passes them to a reader of heed and aborts the program if the reader breaks a rule.
//
//   ./heed test --fuzz 60                   // runs every target for a minute, guided by code coverage (libFuzzer)
//   build/release/bin/fuzz_json FILE...     // runs one target on files; the tests do so with corpus/TARGET/
//
// corpus/TARGET/ contains a few inputs from which the fuzzer starts, and every input that ever broke a rule. If you
// find another one, add it there before you mend the fault. TARGET.dict lists words of the format (syntax: AFL
// dictionaries).
//
// A reader may refuse an input only with the exceptions that it declares, and with a message in one line of printable
// text (exceptions: Message, below). Any other exception, a crash, a report of a sanitizer, and an input that takes
// more than 25 seconds are findings.
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

constexpr size_t kMaxBytes = 4096;  // longer inputs are ignored; some targets have a lower limit

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

// Messages about models and equations may contain any bytes of the input, since heed's programs escape messages before
// they print them (tutorials/common/output.h). All other messages must be printable.
enum class Message { printable, any };

// Runs `work`. False if it threw one of the Declared errors; any other error of heed breaks a rule.
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

// A folder for the temporary files of this process. It is deleted when the program ends.
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
