// A file whose elements become tensors without being read: the system reads a page when its elements are first used,
// and programs that open the same file share the pages. Writing to such a tensor changes a copy of the page, never the
// file.
//
// The file must keep its length while a tensor of it lives. require_whole() says so in a sentence; a program calls it
// before each use of the tensors. What nothing can guard: a file that is shortened during that use ends the program by
// a signal, and one whose bytes are changed in place may change the numbers of pages that nobody has written to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "nn/io/safetensors.h"
#include "tensor/half_matrix.h"
#include "tensor/tensor.h"

namespace heed::io {

class MappedFile {
 public:
  explicit MappedFile(const std::string& path);  // IoError if it cannot be opened
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // f32 elements from byte `at` on. Undefined where they cannot be mapped: a small tensor, one that is not aligned to
  // its elements, a system without mappings.
  Tensor tensor(int64_t at, const Shape& shape) const;
  void read(int64_t at, void* to, int64_t bytes) const;  // IoError if the file has become shorter
  void require_whole() const;                            // IoError if the file has become shorter
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int file_ = -1;
  int64_t bytes_ = 0;
};

// As load_safetensors, but large tensors in F32 are mapped: the file opens in a moment, whatever its size. A file with
// a checksum is read, and `file` is null.
struct MapOptions {
  bool leave_halves = false;  // matrices in F16 and BF16 stay in the file, and MappedFile::read has their numbers
};
struct HalfPlace {
  HalfFormat format;
  int64_t at;  // byte of the file
};
struct MappedTensors {
  SafeTensors contents;
  std::shared_ptr<const MappedFile> file;
  std::map<std::string, HalfPlace> halves;  // those that stay; in `contents` they have their shape, and no memory
};
MappedTensors map_safetensors(const std::string& path, const MapOptions& options = {});

}  // namespace heed::io
