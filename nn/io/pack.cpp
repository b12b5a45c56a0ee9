#include "nn/io/pack.h"

namespace heed::io {
namespace {

// Calls f with the elements of a contiguous tensor as bytes.
template <class F>
void with_bytes(const Tensor& t, const F& f) {
  dispatch(t.dtype(), [&](auto zero) {
    using T = decltype(zero);
    f(reinterpret_cast<char*>(t.data<T>()), static_cast<size_t>(t.count()) * sizeof(T));
  });
}

}  // namespace

void Packer::add(const SafeTensors& file) {
  add(static_cast<int64_t>(file.metadata.size()));
  for (const auto& [key, text] : file.metadata) add(key), add(text);
  add(static_cast<int64_t>(file.tensors.size()));
  for (const auto& [name, tensor] : file.tensors) {
    const Tensor t = tensor.contiguous();
    add(name), add(static_cast<int64_t>(t.dtype())), add(static_cast<int64_t>(t.rank()));
    for (int i = 0; i < t.rank(); ++i) add(t.size(i));
    with_bytes(t, [&](const char* data, size_t n) { add(std::string_view(data, n)); });
  }
}

SafeTensors Unpacker::tensors() {
  SafeTensors file;
  for (int64_t n = number(); n > 0; --n) {
    std::string key = text();
    file.metadata[key] = text();
  }
  for (int64_t n = number(); n > 0; --n) {
    std::string name = text();
    const auto dtype = static_cast<DType>(number());
    Shape shape;
    for (int64_t axes = number(); axes > 0; --axes) shape.push_back(number());
    Tensor t = Tensor::empty(shape, dtype);
    const std::string_view from = view();
    with_bytes(t, [&](char* data, size_t bytes) { std::memcpy(data, from.data(), bytes); });
    file.tensors.emplace_back(std::move(name), std::move(t));
  }
  return file;
}

}  // namespace heed::io
