// ONNX models made in memory: a graph of named values, and its bytes as ONNX Runtime reads them.
//
// An ONNX file is one protobuf message. Protobuf is simple to write: a message is a list of fields, each a key (its
// number and its kind) and a value.
//
// clang-format off
//   number     key, then the number: 7 bits per byte, low bits first   integers
//   bytes      key, length, then the bytes                             texts, weights, messages
//   4 bytes    key, then the four bytes                                float
//
//   model -- the versions of the format and of the operators
//         -- graph -- inputs, outputs   name, type, shape (kAny: a size known when the model runs)
//                  -- weights           name, type, shape, bytes
//                  -- nodes             operation, names of its inputs and outputs, attributes
// clang-format on
//
// Numbers of fields and types are those of onnx.proto: https://github.com/onnx/onnx. The operators are described at
// https://onnx.ai/onnx/operators/.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace bench::onnx {

using Shape = std::vector<int64_t>;
using Value = std::string;  // the name of a value of the graph; "": an optional input that is left out
constexpr int64_t kAny = -1;
enum class Type { f32 = 1, i64 = 7 };

struct Attribute {
  std::string name;
  std::variant<int64_t, float, std::string, std::vector<int64_t>> value;
};

class Graph {
 public:
  Value input(const std::string& name, Type type, const Shape& shape);
  std::string output(const Value& value, Type type, const Shape& shape);  // marks it as an output; returns its name
  Value weight(const Shape& shape, const std::vector<float>& values);
  Value integers(const std::vector<int64_t>& values);  // [number of values]
  // An operation of ONNX: its only output, or the first `outputs` of them.
  Value node(const std::string& operation, const std::vector<Value>& inputs, const std::vector<Attribute>& how = {});
  std::vector<Value> nodes(size_t outputs, const std::string& operation, const std::vector<Value>& inputs,
                           const std::vector<Attribute>& how = {});
  std::string model() const;  // the bytes of the file

 private:
  Value constant(Type type, const Shape& shape, const void* data, size_t bytes);
  std::string nodes_, weights_, inputs_, outputs_;  // their fields in the graph's message
  int64_t values_ = 0;
};

}  // namespace bench::onnx
