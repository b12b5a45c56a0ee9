// THE TABLE OF BAD INPUT. Every failure of tensor/, autograd/ and nn/: what was wrong, as which exception it comes, and
// what its sentence must contain. One file of rows for each part of the library, in this folder. The form of a
// row is explained in tests/refuses.h; a row has all numbers, shapes and names of its sentence. Where an operation has
// several rules, the row also has a word of the rule: sources_test.cpp fails if a row would accept the sentence of
// another rule. sentences_test.cpp has the whole sentences that users see most.
//
// A sentence is  <operation>: <rule that was broken>; got <names with shapes>[; hint]  (tensor/error.h). The type says
// whose mistake it was:
//
//   ShapeError   sizes that do not fit together                     DTypeError   element types that do not
//   IndexError   an axis or an index out of range                   ValueError   an argument outside its domain
//   GraphError   a graph that cannot serve: freed, overwritten, not differentiable
//   InputError   what a user typed, chose or handed over            IoError      a file that cannot be read or written
//
// Programs end with exit code 2 for an InputError or an IoError, and with 3 for all others: these are mistakes in code.
// 1 is left to claims and tests that failed, 130 to Ctrl-C. What the programs themselves refuse stands in
// tests/tutorials/bad_input_test.sh.
//
// To add a row: write refuses<Error>("operation: ?", [] { the call }); a failing row prints the sentence and the type
// that it got. sources_test.cpp reads all sources (throw_sites.h) and names each throw that has no row. In sentences ~
// stands for the folder of this run's files.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "autograd/variable.h"
#include "nn/io/file.h"
#include "tensor/error.h"
#include "tensor/random.h"
#include "tests/refuses.h"

namespace heed::bad_input {

// The folder of this run's files.
struct Box {
  std::string path = (std::filesystem::temp_directory_path() / fmt::format("heed-bad-input-{}", getpid())).string();
  Box() {
    std::filesystem::create_directories(path);
    shown_as_home() = path;
  }
  ~Box() { std::filesystem::remove_all(path); }
};
inline const std::string& box() {
  static Box folder;
  return folder.path;
}
inline std::string in_box(const std::string& name) { return box() + "/" + name; }
inline std::string file(const std::string& name, const std::string& contents) {
  io::atomic_write(in_box(name), contents);
  return in_box(name);
}

inline Tensor zeros(const Shape& shape, DType dtype = DType::f32) { return Tensor::zeros(shape, dtype); }
inline Tensor ones(const Shape& shape, DType dtype = DType::f32) { return Tensor::ones(shape, dtype); }
inline Tensor ids(const std::vector<int64_t>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}
inline Tensor matrix() { return Tensor::ones({2, 3}); }
inline Tensor wholes(const Shape& shape) { return Tensor::ones(shape, DType::i64); }
inline Tensor mask(const Shape& shape) { return Tensor::ones(shape, DType::boolean); }
inline Variable leaf(const Shape& shape, DType dtype = DType::f32) {
  return Variable(Tensor::ones(shape, dtype), Variable::kRequiresGrad);
}
inline Variable constant(const Shape& shape, DType dtype = DType::f32) { return Variable(Tensor::ones(shape, dtype)); }
using Tensors = std::vector<Tensor>;
using Variables = std::vector<Variable>;
inline Generator dice(1);
// A place to write into.
inline Tensor& target(Tensor value) {
  static Tensor kept;
  return kept = std::move(value);
}
inline const double kNan = std::nan(""), kInf = INFINITY;

}  // namespace heed::bad_input
