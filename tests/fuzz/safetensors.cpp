// Fuzzes the safetensors reader (nn/io/safetensors.h). An input is a header in one line and, after the newline, the
// elements; the target puts the length of the header before it. An input that begins with "=" is a complete file. A
// file that was read, written and read again must have the same names, metadata, shapes and bits. Written once more, it
// must have the same bytes.
#include "nn/io/safetensors.h"

#include "tensor/elementwise.h"
#include "tests/fuzz/target.h"

using namespace heed;
using fuzz::accepted, fuzz::must, fuzz::Scratch;

namespace {

std::string file_of(const std::string& input) {
  if (input.starts_with("=")) return input.substr(1);
  size_t end = std::min(input.find('\n'), input.size());
  uint64_t length = end;
  std::string file(8, '\0');
  for (size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(length >> 8 * i & 255);
  return file + input.substr(0, end) + input.substr(std::min(end + 1, input.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > fuzz::kMaxBytes) return 0;
  const std::string path = Scratch::written("in", file_of(fuzz::text_of(data, size)));
  io::SafeTensors file;
  if (!accepted<IoError>([&] { file = io::load_safetensors(path); })) return 0;
  const std::string out = Scratch::file("out"), twice = Scratch::file("twice");
  io::save_safetensors(out, file);
  io::SafeTensors again = io::load_safetensors(out);
  must(again.metadata == file.metadata, "metadata is kept");
  must(again.tensors.size() == file.tensors.size(), "all tensors are kept");
  for (size_t i = 0; i < file.tensors.size(); ++i) {
    const auto& [name, a] = file.tensors[i];
    const auto& [name_again, b] = again.tensors[i];
    must(name == name_again && file.find(name), "names are kept: " + name);
    must(a.dtype() == b.dtype() && a.shape() == b.shape() && bit_equal(a, b), "elements are kept: " + name);
  }
  io::save_safetensors(twice, again);
  must(Scratch::contents(out) == Scratch::contents(twice), "the same tensors give the same bytes");
  return 0;
}
