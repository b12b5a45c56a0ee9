// The header of a safetensors file: which tensors it holds, and where. Nothing in it is trusted; read_header checks all
// of it before any memory is allocated for elements. Used only by safetensors.cpp and safetensors_save.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace heed::io {

// Limits, so that a hostile file costs at most 100 MB plus about twice the size of its header.
constexpr uint64_t kMaxHeader = 100'000'000;  // bytes, as in the reference implementation
constexpr size_t kMaxNames = 100'000;         // maximum number of tensors, and of metadata entries
constexpr int64_t kMaxBytes = int64_t{1} << 46;
constexpr const char* kMetadata = "__metadata__";

enum class Stored : uint8_t { f32, f64, i64, boolean, f16, bf16, i8, u8, i16, u16, i32, u32, u64 };
struct Format {
  const char* name;
  Stored stored;
  int64_t bytes;  // of one element in the file
  DType dtype;    // of the tensor that it is read into
};
// We write the first four formats; the others are widened without loss when read.
constexpr std::array<Format, 13> kFormats = {{{"F32", Stored::f32, 4, DType::f32},
                                              {"F64", Stored::f64, 8, DType::f64},
                                              {"I64", Stored::i64, 8, DType::i64},
                                              {"BOOL", Stored::boolean, 1, DType::boolean},
                                              {"F16", Stored::f16, 2, DType::f32},
                                              {"BF16", Stored::bf16, 2, DType::f32},
                                              {"I8", Stored::i8, 1, DType::i64},
                                              {"U8", Stored::u8, 1, DType::i64},
                                              {"I16", Stored::i16, 2, DType::i64},
                                              {"U16", Stored::u16, 2, DType::i64},
                                              {"I32", Stored::i32, 4, DType::i64},
                                              {"U32", Stored::u32, 4, DType::i64},
                                              {"U64", Stored::u64, 8, DType::i64}}};

struct HeaderEntry {
  std::string name;
  const Format* format = nullptr;
  Shape shape;
  int64_t begin = 0, end = 0;  // bytes, counted from the first element of the file
};
struct Header {
  std::vector<HeaderEntry> entries;
  std::map<std::string, std::string> metadata;
};

// `available` is the number of bytes after the header. IoError "<what>: <rule>; got <what>".
Header read_header(std::string_view json, int64_t available, const std::string& what);

}  // namespace heed::io
