#include "nn/io/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "nn/io/json_scanner.h"
#include "tensor/error.h"

namespace heed::io {
namespace {

class HeaderReader {
 public:
  HeaderReader(std::string_view json, int64_t available, const std::string& what)
      : json_(json), scan_(json, what), available_(available), what_(what) {}

  Header read() {
    if (json_.empty() || json_[0] != '{')
      refuse("the header must be a JSON object", json_.empty() ? "nothing" : shown(json_.substr(0, 1)));
    bool metadata_seen = false;
    scan_.expect('{');
    if (!scan_.empty_or('}')) do {
        std::string name = scan_.string();
        scan_.expect(':');
        if (name == kMetadata) {
          if (metadata_seen) refuse("a name must appear once", fmt::format("{} twice", kMetadata));
          metadata_seen = true;
          read_metadata();
        } else {
          if (header_.entries.size() == kMaxNames)
            refuse(fmt::format("a file must have at most {} tensors", kMaxNames), "more");
          header_.entries.push_back(entry(std::move(name)));
        }
      } while (scan_.next('}'));
    scan_.expect_end();
    check_names();
    check_layout();
    return std::move(header_);
  }

 private:
  [[noreturn]] void refuse(const std::string& rule, const std::string& got) const {
    throw IoError(fmt::format("{}: {}; got {}", what_, rule, got));
  }
  [[noreturn]] void refuse(const HeaderEntry& e, const std::string& rule, const std::string& got) const {
    refuse(fmt::format("tensor {}{}", shown(e.name), rule), got);
  }

  void read_metadata() {
    if (scan_.peek() != '{') refuse(fmt::format("{} must be an object of texts", kMetadata), scan_.kind());
    scan_.expect('{');
    if (scan_.empty_or('}')) return;
    do {
      std::string key = scan_.string();
      scan_.expect(':');
      if (scan_.peek() != '"') refuse(fmt::format("{} {} must be a text", kMetadata, shown(key)), scan_.kind());
      std::string text = scan_.string();
      if (header_.metadata.size() == kMaxNames)
        refuse(fmt::format("{} must have at most {} keys", kMetadata, kMaxNames), "more");
      auto [at, fresh] = header_.metadata.try_emplace(std::move(key), std::move(text));
      if (!fresh) refuse(fmt::format("a key of {} must appear once", kMetadata), shown(at->first) + " twice");
    } while (scan_.next('}'));
  }

  // The reference implementation ignores unknown keys. We refuse them, because such a key could change the meaning of
  // the bytes.
  HeaderEntry entry(std::string name) {
    HeaderEntry e;
    e.name = std::move(name);
    if (scan_.peek() != '{') refuse(e, " must be an object", scan_.kind());
    scan_.expect('{');
    bool has_shape = false, has_offsets = false;
    std::vector<int64_t> offsets;
    if (!scan_.empty_or('}')) do {
        std::string key = scan_.string();
        scan_.expect(':');
        bool again = key == "dtype" ? e.format != nullptr : key == "shape" ? has_shape : has_offsets;
        if (key != "dtype" && key != "shape" && key != "data_offsets")
          refuse(e, " must have no key but dtype, shape and data_offsets", shown(key));
        if (again) refuse(e, fmt::format(" must have one {}", key), "two");
        if (key == "dtype") {
          e.format = format(e);
        } else if (key == "shape") {
          e.shape = Shape(numbers(e, "shape", kMaxRank, " must have at most 8 axes"));
          has_shape = true;
        } else {
          offsets = numbers(e, "data_offsets", 2, ": data_offsets must be two numbers");
          has_offsets = true;
        }
      } while (scan_.next('}'));
    if (!e.format) refuse(e, " must have a dtype", "none");
    if (!has_shape) refuse(e, " must have a shape", "none");
    if (!has_offsets) refuse(e, " must have data_offsets", "none");
    if (offsets.size() != 2) refuse(e, ": data_offsets must be two numbers", std::to_string(offsets.size()));
    e.begin = offsets[0], e.end = offsets[1];
    check_sizes(e);
    return e;
  }

  const Format* format(const HeaderEntry& e) {
    if (scan_.peek() != '"') refuse(e, ": dtype must be a text", scan_.kind());
    std::string name = scan_.string(), known;
    for (const Format& f : kFormats) {
      if (name == f.name) return &f;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", f.name);
    }
    refuse(e, fmt::format(": dtype must be one of {}", known), shown(name));
  }

  std::vector<int64_t> numbers(const HeaderEntry& e, const char* key, size_t most, const char* rule_of_count) {
    std::string rule = fmt::format(": {} must be a list of whole numbers", key), other;
    if (scan_.peek() != '[') refuse(e, rule, scan_.kind());
    scan_.expect('[');
    std::vector<int64_t> out;
    if (scan_.empty_or(']')) return out;
    do {
      auto n = scan_.whole_number(other);
      if (!n) refuse(e, rule, other);
      if (out.size() == most) refuse(e, rule_of_count, "more");
      out.push_back(*n);
    } while (scan_.next(']'));
    return out;
  }

  void check_sizes(const HeaderEntry& e) const {
    int64_t bytes = e.format->bytes;  // sizes of 0 count as 1, so that the strides cannot overflow either
    for (int64_t d : e.shape)
      if (__builtin_mul_overflow(bytes, std::max<int64_t>(d, 1), &bytes) || bytes > kMaxBytes)
        refuse(e, " must have at most 2^46 bytes", to_string(e.shape));
    if (e.begin > e.end || e.end > available_)
      refuse(e, fmt::format(": data_offsets must lie in order within [0, {}]", available_), place(e));
    bytes = element_count(e.shape) * e.format->bytes;
    if (e.end - e.begin != bytes)
      refuse(e, ": shape and data_offsets must agree",
             fmt::format("{} {} ({} bytes) and {} ({} bytes)", e.format->name, to_string(e.shape), bytes, place(e),
                         e.end - e.begin));
  }
  static std::string place(const HeaderEntry& e) { return fmt::format("[{}, {}]", e.begin, e.end); }

  void check_names() const {
    std::vector<std::string_view> names;
    for (const HeaderEntry& e : header_.entries) names.push_back(e.name);
    std::sort(names.begin(), names.end());
    auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) refuse("a name must appear once", shown(*twice) + " twice");
  }

  // Sorted by position, each tensor must begin where the one before it ends, and the last must end with the file. The
  // reference implementation also refuses overlaps, gaps, and bytes after the last tensor.
  void check_layout() const {
    std::vector<const HeaderEntry*> order;
    for (const HeaderEntry& e : header_.entries) order.push_back(&e);
    std::sort(order.begin(), order.end(), [](const HeaderEntry* a, const HeaderEntry* b) {
      return std::tie(a->begin, a->end, a->name) < std::tie(b->begin, b->end, b->name);
    });
    const HeaderEntry* before = nullptr;
    for (const HeaderEntry* e : order) {
      int64_t at = before ? before->end : 0;
      if (e->begin < at)
        refuse("tensors must not overlap",
               fmt::format("{} at {} and {} at {}", shown(before->name), place(*before), shown(e->name), place(*e)));
      if (e->begin > at)
        refuse("tensors must leave no holes", fmt::format("{} at {} after byte {}", shown(e->name), place(*e), at));
      before = e;
    }
    int64_t at = before ? before->end : 0;
    if (at != available_)
      refuse("tensors must fill the file to its end", fmt::format("{} bytes of {} in use", at, available_));
  }

  std::string_view json_;
  JsonScanner scan_;
  int64_t available_;
  const std::string& what_;
  Header header_;
};

}  // namespace

Header read_header(std::string_view json, int64_t available, const std::string& what) {
  return HeaderReader(json, available, what).read();
}

}  // namespace heed::io
