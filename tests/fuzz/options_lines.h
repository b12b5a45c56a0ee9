// The inputs of the targets `options` and `model` contain lines key=value. They replace or add keys in the options of a
// model file, which are JSON.
#pragma once

#include <string>
#include <vector>

#include "nn/io/json.h"
#include "nn/models/papers.h"
#include "tests/fuzz/target.h"

namespace heed::fuzz {

template <class... Declared, class Work>
bool accepted_from_model(const Work& work) {
  return accepted<Declared...>(work, Message::any);
}

// Applies the lines to the options. A value that is not valid JSON is taken as a string. The result is written and
// parsed, as if it came from a file. Lines that are not valid UTF-8 are left out, because two of their keys may become
// equal when they are written.
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

inline nn::AnyPaper paper_or_bahdanau(const std::string& name) {
  for (const std::string& known : nn::paper_names())
    if (known == name) return nn::paper_called(name);
  return nn::paper_called("bahdanau");
}

}  // namespace heed::fuzz
