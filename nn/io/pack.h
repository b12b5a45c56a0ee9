// Values in a row as bytes, for a message from one process to another of the same program: numbers of 8 bytes, and
// texts with their length before them.
//
//   Packer p;  p.add(3);  p.add("words");          Unpacker u(p.bytes);  u.number() == 3;  u.text() == "words"
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "nn/io/safetensors.h"

namespace heed::io {

class Packer {
 public:
  void add(int64_t number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(std::string_view text) {
    add(static_cast<int64_t>(text.size()));
    bytes.append(text);
  }
  void add(const SafeTensors& file);
  std::string bytes;
};

// Reads what a Packer has written, in the same order.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  int64_t number() {
    int64_t n = 0;
    std::memcpy(&n, take(sizeof n).data(), sizeof n);
    return n;
  }
  std::string text() { return std::string(view()); }
  SafeTensors tensors();

 private:
  std::string_view view() { return take(static_cast<size_t>(number())); }
  std::string_view take(size_t n) {
    std::string_view out = left_.substr(0, n);
    left_.remove_prefix(n);
    return out;
  }
  std::string_view left_;
};

}  // namespace heed::io
