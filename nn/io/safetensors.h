// safetensors: a file format for named tensors with text metadata, common for the weights of PyTorch models.
//
// clang-format off
//   [ L: 8 bytes, little-endian | L bytes of JSON, padded to a multiple of 8 | the elements ]
//   JSON: {"__metadata__": {key: text},
//          name: {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...}
// clang-format on
//
// Offsets count from the first element; the tensors fill the rest of the file without gaps or overlaps. Nothing in a
// file is executed or trusted: every size is checked against the others before any element is read.
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

  const Tensor* find(std::string_view name) const;  // linear search; nullptr if there is none
};

// F32, F64, I64 and BOOL are read as they are. F16 and BF16 are widened to f32, and the other integers, I8 to U64, to
// i64, without loss (a U64 of 2^63 or more is refused). Limits: 100 MB of header, 100,000 tensors, 100,000 metadata
// entries and 8 axes. Anything else, and every defect of the file, is an IoError:
//
//   load: "model.safetensors": <rule that was broken>; got ..
//
// Models and checkpoints of heed (files with the metadata heed.kind) have a checksum (nn/io/checksum.h). If a file has
// one, it must agree with the contents. It is not part of `metadata`.
SafeTensors load_safetensors(const std::string& path);

// Accepts any strides; the file holds row-major copies. It is written completely or not at all (io::AtomicFile), and
// the same tensors always give the same bytes. ValueError for an undefined tensor, a duplicate name, the reserved name
// __metadata__, text that is not UTF-8, and anything beyond the limits of load_safetensors.
void save_safetensors(const std::string& path, const SafeTensors& file);

}  // namespace heed::io
