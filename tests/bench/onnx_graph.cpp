#include "tests/bench/onnx_graph.h"

#include <bit>
#include <cstring>

namespace bench::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX stores weights as little-endian bytes");

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}
std::string key(int field, uint64_t kind) { return varint(static_cast<uint64_t>(field) << 3 | kind); }
std::string number(int field, int64_t value) { return key(field, 0) + varint(static_cast<uint64_t>(value)); }
std::string bytes(int field, const std::string& value) { return key(field, 2) + varint(value.size()) + value; }
std::string real(int field, float value) {
  std::string four(4, '\0');
  std::memcpy(four.data(), &value, 4);
  return key(field, 5) + four;
}

std::string attribute(const Attribute& a) {
  std::string message = bytes(1, a.name);
  if (const auto* whole = std::get_if<int64_t>(&a.value)) return message + number(3, *whole) + number(20, 2);
  if (const auto* f = std::get_if<float>(&a.value)) return message + real(2, *f) + number(20, 1);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&a.value)) {
    for (int64_t i : *list) message += number(8, i);
    return message + number(20, 7);
  }
  return message + bytes(4, std::get<std::string>(a.value)) + number(20, 3);
}

std::string value_info(const std::string& name, Type type, const Shape& shape) {
  std::string axes;
  for (int64_t size : shape) axes += bytes(1, size == kAny ? "" : number(1, size));
  return bytes(1, name) + bytes(2, bytes(1, number(1, static_cast<int64_t>(type)) + bytes(2, axes)));
}

}  // namespace

Value Graph::input(const std::string& name, Type type, const Shape& shape) {
  inputs_ += bytes(11, value_info(name, type, shape));
  return name;
}

std::string Graph::output(const Value& value, Type type, const Shape& shape) {
  outputs_ += bytes(12, value_info(value, type, shape));
  return value;
}

Value Graph::constant(Type type, const Shape& shape, const void* data, size_t size) {
  Value name = "#" + std::to_string(values_++);
  std::string message;
  for (int64_t axis : shape) message += number(1, axis);
  message += number(2, static_cast<int64_t>(type)) + bytes(8, name);
  weights_ += bytes(5, message + bytes(9, std::string(static_cast<const char*>(data), size)));
  return name;
}
Value Graph::weight(const Shape& shape, const std::vector<float>& values) {
  return constant(Type::f32, shape, values.data(), values.size() * sizeof(float));
}
Value Graph::integers(const std::vector<int64_t>& values) {
  return constant(Type::i64, {std::ssize(values)}, values.data(), values.size() * sizeof(int64_t));
}

std::vector<Value> Graph::nodes(size_t outputs, const std::string& operation, const std::vector<Value>& inputs,
                                const std::vector<Attribute>& how) {
  std::string message;
  std::vector<Value> made;
  for (const Value& input : inputs) message += bytes(1, input);
  for (size_t i = 0; i < outputs; ++i) {
    made.push_back("#" + std::to_string(values_++));
    message += bytes(2, made.back());
  }
  message += bytes(4, operation);
  for (const Attribute& a : how) message += bytes(5, attribute(a));
  nodes_ += bytes(1, message);
  return made;
}
Value Graph::node(const std::string& operation, const std::vector<Value>& inputs, const std::vector<Attribute>& how) {
  return nodes(1, operation, inputs, how)[0];
}

std::string Graph::model() const {
  // Version 11 of the format and operator set 23 (ONNX 1.18), the first with the operator Attention.
  std::string graph = nodes_ + bytes(2, "graph") + weights_ + inputs_ + outputs_;
  return number(1, 11) + bytes(7, graph) + bytes(8, number(2, 23));
}

}  // namespace bench::onnx
