// Fuzzes the JSON parser (nn/io/json.h). A value that was parsed, written in one line or indented, and parsed again
// must be the same, with every bit of its numbers. To ask a value for a type that it does not have must be an IoError.
#include "nn/io/json.h"

#include "tests/fuzz/target.h"

using namespace heed;
using fuzz::accepted, fuzz::must;

namespace {

void ask(const io::Json& j) {
  accepted<IoError>([&] { j.as_bool(); });
  accepted<IoError>([&] { must(j.as_number() == static_cast<double>(j.as_integer()), "an integer is that number"); });
  accepted<IoError>([&] { j.as_string(); });
  if (j.is_array())
    for (const io::Json& element : j.elements()) ask(element);
  if (!j.is_object()) return;
  for (const io::Member& member : j.items()) {
    must(j.at(member.key) == member.value, "a key finds its value");
    accepted<IoError>([&] { j.boolean(member.key); });
    accepted<IoError>([&] { j.integer(member.key, 1); });
    accepted<IoError>([&] { j.list(member.key); });
    ask(member.value);
  }
  accepted<IoError>([&] { j.number("a key that may be missing"); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > fuzz::kMaxBytes) return 0;
  const std::string text = fuzz::text_of(data, size);
  io::Json j;
  if (!accepted<IoError>([&] { j = io::parse(text, "F"); })) return 0;
  ask(j);
  const std::string line = j.dump(), lines = j.dump(2);
  must(io::is_utf8(line) && line.find('\n') == line.npos, "a value is written in one line of UTF-8");
  io::Json again = io::parse(line, "what was written");
  must(again == j && again.dump() == line, "what was written is the same value: " + line);
  must(io::parse(lines, "what was written indented") == j, "indented it is the same value: " + lines);
  return 0;
}
