// Options in the inputs of two targets: lines key=value, which replace or add keys of the JSON that a model's file has.
#pragma once

#include <string>
#include <vector>

#include "nn/io/json.h"
#include "tests/fuzz/target.h"

namespace heed::fuzz {

template <class... Declared, class Work>
bool accepted_from_model(const Work& work) {
  return accepted<Declared...>(work, Message::any);
}

// The options with those of the lines; a value that is not JSON is text. Parsed again, as from a file. Lines that are
// no UTF-8 are left out: written, two of their keys can be the same.
inline io::Json changed(io::Json options, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    size_t sign = line.find('=');
    if (sign == line.npos || !io::is_utf8(line)) continue;
    io::Json value = line.substr(sign + 1);
    accepted_from_model<IoError>([&] { value = io::parse(line.substr(sign + 1), "F"); });
    options.set(line.substr(0, sign), value);
  }
  return io::parse(options.dump(), "its options");
}

}  // namespace heed::fuzz
