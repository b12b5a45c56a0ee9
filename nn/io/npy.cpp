#include "nn/io/npy.h"

#include <fmt/format.h>

#include <bit>

#include "nn/io/file.h"

namespace heed::io {
namespace {

static_assert(std::endian::native == std::endian::little);

const char* numpy_name(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "<f4";
    case DType::f64:
      return "<f8";
    case DType::i64:
      return "<i8";
    case DType::boolean:
      return "|b1";
  }
  return "";
}

}  // namespace

void save_npy(const std::string& path, const Tensor& x_) {
  Tensor x = x_.contiguous();
  std::string shape;
  for (int64_t axis = 0; axis < x.rank(); ++axis) shape += fmt::format("{}, ", x.size(axis));
  if (x.rank() > 1) shape.resize(shape.size() - 2);  // Python writes a tuple of one element with a comma: (3,)
  if (x.rank() == 1) shape.pop_back();
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", numpy_name(x.dtype()), shape);
  constexpr size_t kBefore = 10;
  header.append(63 - (kBefore + header.size()) % 64, ' ');  // pads the header and its newline to a multiple of 64 bytes
  header += '\n';
  AtomicFile file(path);
  file.write(std::string_view("\x93NUMPY\x01\x00", 8));
  const auto length = static_cast<uint16_t>(header.size());
  const char bytes[2] = {static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  file.write(bytes, 2);
  file.write(header);
  dispatch(x.dtype(),
           [&](auto zero) { file.write(x.data<decltype(zero)>(), static_cast<size_t>(x.count()) * sizeof(zero)); });
  file.commit();
}

}  // namespace heed::io
