// safetensors: named tensors and a few words about them in one file, the format that PyTorch's users exchange weights
// in.
//
//   [ L: 8 bytes, little-endian | L bytes of JSON, padded with spaces to a multiple of 8 | the elements ]
//   JSON: {"__metadata__": {key: text}, name: {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...}
//
// Offsets count from the first element; the tensors fill the rest of the file without holes or overlap. Nothing in a
// file is executed or trusted: every size is checked against the others before a byte is used.
// Format: https://huggingface.co/docs/safetensors
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace heed::io {

struct SafeTensors {
  std::vector<std::pair<std::string, Tensor>> tensors;  // in the order of the header
  std::map<std::string, std::string> metadata;

  const Tensor* find(std::string_view name) const;  // nullptr where there is none; a walk over all names
};

// F32, F64, I64 and BOOL as they are; F16 and BF16 widened to f32, the other integers I8 to U64 to i64, without loss (a
// U64 of 2^63 or more is refused). Limits: 100 MB of header, 100,000 tensors and as many words of metadata, 8 axes.
// Anything else, and every fault of the file, is an IoError:  load: "model.safetensors": <rule that was broken>; got ..
SafeTensors load_safetensors(const std::string& path);

// Any strides; the file holds row-major copies. The file is whole or not there (io::AtomicFile), and the same tensors
// give the same bytes. ValueError for an undefined tensor, a name given twice, the reserved name __metadata__, text
// that is not UTF-8, and more than load would take.
void save_safetensors(const std::string& path, const SafeTensors& file);

}  // namespace heed::io
