// THE TABLE OF BAD INPUT. Every failure of tensor/, autograd/ and nn/: what was wrong, as which exception it comes, and
// the whole sentence it says. One file of rows for each part of the library, in this folder.
//
//   refuses<ShapeError>("reshape: the number of elements must stay; got [2] (2 elements) to [3]",
//                       [] { zeros({2}).reshape({3}); });
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
// To add a row: write refuses<Error>("?", [] { the call }); a failing row prints the sentence and the type that it
// got. sources_test.cpp reads all sources (throw_sites.h) and names each throw that has no row. In
// sentences ~ stands for the folder of this run's files.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <typeinfo>

#include "autograd/variable.h"
#include "nn/io/file.h"
#include "tensor/error.h"
#include "tensor/random.h"

namespace heed::bad_input {

// The folder of this run's files.
struct Box {
  std::string path = (std::filesystem::temp_directory_path() / fmt::format("heed-bad-input-{}", getpid())).string();
  Box() { std::filesystem::create_directories(path); }
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

inline std::string type_of(const std::exception& e) {
  std::string name = typeid(e).name();  // mangled: the words end with the type's own
  for (const char* known : {"ShapeError", "DTypeError", "IndexError", "ValueError", "GraphError", "InputError",
                            "IoError", "Interrupted", "Error"})
    if (name.find(known) != std::string::npos) return known;
  return name;
}

// A call to try. std::function would do, and take the compiler half a minute for more than six hundred of them.
class Attempt {
 public:
  template <class F>
  Attempt(const F& f) : f_(&f), call_([](const void* g) { (*static_cast<const F*>(g))(); }) {}
  void operator()() const { call_(f_); }

 private:
  const void* f_;
  void (*call_)(const void*);
};

// f must throw an E, exactly, and say this and nothing else.
template <class E>
void refuses(const char* sentence, const Attempt& f, int line = __builtin_LINE()) {
  std::string got = "nothing: it was accepted", type = "nothing";
  bool exact = false;
  try {
    f();
  } catch (const std::exception& e) {
    exact = typeid(e) == typeid(E);
    type = type_of(e);
    got = e.what();
    for (size_t at = got.find(box()); at != std::string::npos; at = got.find(box())) got.replace(at, box().size(), "~");
  }
  if (exact && got == sentence)
    CHECK(true);
  else
    ADD_FAIL_CHECK_AT(__FILE__, line, "wanted: " << std::string(sentence) << "\n  got: " << got << "\n as: " << type);
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
