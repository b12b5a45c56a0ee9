// THE TABLE OF BAD INPUT. Every failure of tensor/, autograd/ and nn/: what was wrong, as which exception it comes, and
// the whole sentence it says. The sections follow the folders.
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
// got. The first test of this file reads all sources (throw_sites.h) and names each throw that has no row. In
// sentences ~ stands for the folder of this run's files.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <functional>
#include <typeinfo>

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/checkpoint.h"
#include "autograd/gradcheck.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/additive.h"
#include "nn/data/toy_corpus.h"
#include "nn/data/toy_lexicon.h"
#include "nn/init.h"
#include "nn/io/file.h"
#include "nn/io/json.h"
#include "nn/norm.h"
#include "nn/optim/adadelta.h"
#include "nn/optim/adagrad.h"
#include "nn/optim/adam.h"
#include "nn/optim/average.h"
#include "nn/optim/clip.h"
#include "nn/optim/cosine.h"
#include "nn/optim/decay.h"
#include "nn/optim/one_cycle.h"
#include "nn/optim/plateau.h"
#include "nn/optim/rmsprop.h"
#include "nn/optim/sgd.h"
#include "nn/optim/warmup.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/padding.h"
#include "nn/recurrent/rnn.h"
#include "nn/text/bleu.h"
#include "nn/text/chrf.h"
#include "nn/text/unicode.h"
#include "nn/train/checkpoint.h"
#include "nn/train/fit.h"
#include "nn/train/interrupt.h"
#include "nn/translator.h"
#include "tensor/activation.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/layer_norm.h"
#include "tensor/matmul.h"
#include "tensor/print.h"
#include "tensor/rearrange.h"
#include "tensor/reduce.h"
#include "tensor/sort.h"
#include "tensor/thread_pool.h"
#include "tests/nn/throw_sites.h"

using namespace heed;

namespace {

// The folder of this run's files.
struct Box {
  std::string path = (std::filesystem::temp_directory_path() / fmt::format("heed-bad-input-{}", getpid())).string();
  Box() { std::filesystem::create_directories(path); }
  ~Box() { std::filesystem::remove_all(path); }
};
const std::string& box() {
  static Box folder;
  return folder.path;
}
std::string in_box(const std::string& name) { return box() + "/" + name; }
std::string file(const std::string& name, const std::string& contents) {
  io::atomic_write(in_box(name), contents);
  return in_box(name);
}

std::string type_of(const std::exception& e) {
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

Tensor zeros(const Shape& shape, DType dtype = DType::f32) { return Tensor::zeros(shape, dtype); }
Tensor ones(const Shape& shape, DType dtype = DType::f32) { return Tensor::ones(shape, dtype); }
Tensor ids(const std::vector<int64_t>& values) { return Tensor::from(values, {static_cast<int64_t>(values.size())}); }
Tensor matrix() { return Tensor::ones({2, 3}); }
Tensor wholes(const Shape& shape) { return Tensor::ones(shape, DType::i64); }
Tensor mask(const Shape& shape) { return Tensor::ones(shape, DType::boolean); }
Variable leaf(const Shape& shape, DType dtype = DType::f32) {
  return Variable(Tensor::ones(shape, dtype), Variable::kRequiresGrad);
}
Variable constant(const Shape& shape, DType dtype = DType::f32) { return Variable(Tensor::ones(shape, dtype)); }
using Tensors = std::vector<Tensor>;
using Variables = std::vector<Variable>;
Generator dice(1);
// A place to write into.
Tensor& target(Tensor value) {
  static Tensor kept;
  return kept = std::move(value);
}
const double kNan = std::nan(""), kInf = INFINITY;

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("bad input: every throw in the sources has a row here") {
    std::vector<nn_test::TableRow> rows = nn_test::table_rows(HEED_SOURCE_DIR "/tests/nn/bad_input_test.cpp");
    std::vector<nn_test::ThrowSite> sites = nn_test::throw_sites(HEED_SOURCE_DIR, {"tensor", "autograd", "nn"});
    CHECK(rows.size() > 300);
    CHECK(sites.size() > 300);
    // No row, and why: file, what the sentence begins with, reason.
    const std::vector<std::array<std::string, 3>> exempt = {
        {"nn/data/toy_families.cpp", "toy lexicon", "words of the grammar itself, in calls that find them"},
        {"nn/data/toy_named_families.cpp", "toy lexicon", "the same"},
        {"nn/data/toy_showcase.cpp", "toy lexicon", "the same"},
        {"nn/io/safetensors.cpp", ": ", "files damaged byte by byte: tests/nn/io has each sentence"},
        {"nn/io/safetensors_header.cpp", "", "the same"},
        {"nn/io/json_scanner.cpp", "", "the same"},
        {"nn/text/unicode.cpp", "nfc: composition failed", "libutf8proc fails only without memory"},
    };
    size_t bare = 0;
    for (const nn_test::ThrowSite& site : sites) {
      bool covered = std::any_of(rows.begin(), rows.end(), [&](const nn_test::TableRow& row) {
        size_t at = 0;
        for (const std::string& piece : site.pieces) {
          size_t found = row.sentence.find(piece, at);
          if (found == std::string::npos) return false;
          at = found + piece.size();
        }
        return true;
      });
      for (const auto& [file, beginning, reason] : exempt)
        covered = covered || (site.file == file && site.pieces.front().starts_with(beginning));
      if (covered) continue;
      ++bare;
      ADD_FAIL_CHECK_AT(site.file.c_str(), site.line,
                        "no row for " << site.type << " \"" << fmt::format("{}", fmt::join(site.pieces, "{}")) << "\"");
    }
    MESSAGE(fmt::format("{} rows, {} places that throw, {} without a row", rows.size(), sites.size(), bare));
  }

  TEST_CASE("tensor: making and reading") {
    refuses<ShapeError>("empty: sizes must not be negative; got [2, -1]", [] { zeros({2, -1}); });
    refuses<ShapeError>("empty: more elements than memory can hold; got [1073741824, 1073741824]", [] {
      zeros({1 << 30, 1 << 30});
    });
    refuses<ShapeError>("shape: a tensor has at most 8 axes; got one more", [] { zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}); });
    refuses<ShapeError>("from: the number of values must be the product of the sizes; got 3 values and [2]", [] {
      Tensor::from(std::vector<float>{1, 2, 3}, {2});
    });
    refuses<ShapeError>("from: sizes must not be negative; got [-2, -1]", [] {
      Tensor::from(std::vector<float>{1, 2}, {-2, -1});
    });
    refuses<ShapeError>("from: more elements than memory can hold; got [1099511627776, 1099511627776]", [] {
      Tensor::from(std::vector<float>{}, {int64_t{1} << 40, int64_t{1} << 40});
    });
    refuses<ShapeError>("empty: sizes must not be negative; got [-1, -1]", [] { Tensor::eye(-1); });
    refuses<ShapeError>("empty: sizes must not be negative; got [-3]", [] { Tensor::arange(-3); });
    refuses<DTypeError>("arange: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { Tensor::arange(3, DType::boolean); });
    refuses<ValueError>("arange: the steps must lead from begin to end; got 0, 1, step 0",
                        [] { Tensor::arange(0, 1, 0); });
    refuses<ValueError>("arange: the steps must lead from begin to end; got 0, 1, step -1",
                        [] { Tensor::arange(0, 1, -1); });
    refuses<ValueError>("arange: the steps must lead from begin to end; got 0, nan, step 1",
                        [] { Tensor::arange(0, kNan); });
    refuses<ValueError>("linspace: the count must not be negative; got -1", [] { Tensor::linspace(0, 1, -1); });
    refuses<DTypeError>("linspace: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { Tensor::linspace(0, 1, 3, DType::i64); });
    refuses<ValueError>("uniform: needs a finite low <= high; got 1 and 0", [] { Tensor::uniform({2}, dice, 1, 0); });
    refuses<ValueError>("uniform: needs a finite low <= high; got 0 and inf",
                        [] { Tensor::uniform({2}, dice, 0, kInf); });
    refuses<ValueError>("normal: needs a finite mean and std at least 0; got mean 0 and std -1",
                        [] { Tensor::normal({2}, dice, 0, -1); });
    refuses<ValueError>("normal: needs a finite mean and std at least 0; got mean nan and std 1",
                        [] { Tensor::normal({2}, dice, kNan, 1); });
    refuses<DTypeError>("random: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { Tensor::normal({2}, dice, 0, 1, DType::i64); });
    refuses<ValueError>("below: n must be at least 1; got 0", [] { dice.below(0); });
    refuses<ShapeError>("item: needs exactly one element; got [2, 3]", [] { matrix().item(); });
    refuses<ValueError>("item: the tensor must be defined; got an undefined one", [] { Tensor().item(); });
    refuses<IndexError>("at: needs one index for each axis; got 1 for [2, 3]", [] { matrix().at({1}); });
    refuses<IndexError>("at: an index must lie in [0, 3); got 3 on axis 1 of [2, 3]", [] { matrix().at({1, 3}); });
    refuses<IndexError>("at: an index must lie in [0, 2); got -1 on axis 0 of [2, 3]", [] {
      matrix().set({-1, 0}, 1);
    });
    refuses<IndexError>("size: axis must lie in [-2, 2); got axis 2", [] { matrix().size(2); });
    refuses<DTypeError>("data: the type asked for must be the tensor's; got f64 for a tensor of f32 [2, 3]",
                        [] { matrix().data<double>(); });
    refuses<ValueError>("to_string: needs a precision in [0, 40] and an edge of at least 0; got -1 and 3",
                        [] { to_string(matrix(), {.precision = -1}); });
    refuses<ValueError>("set_thread_count: needs 1 to 256; got 0", [] { set_thread_count(0); });
    refuses<ValueError>("set_thread_count: needs 1 to 256; got 257", [] { set_thread_count(257); });
    refuses<ValueError>("set_thread_count: must be called outside parallel loops; got a call from inside one", [] {
      int before = thread_count();
      set_thread_count(2);
      auto put_back = [&](void*) { set_thread_count(before); };
      std::unique_ptr<void, decltype(put_back)> later(&before, put_back);
      parallel_for(0, 4, 1, [](int64_t, int64_t) { set_thread_count(3); });
    });
  }

  TEST_CASE("tensor: an undefined tensor") {
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { Tensor().data<float>(); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { Tensor().to_vector(); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { Tensor().version(); });
    refuses<ValueError>("copy_into: both tensors must be defined; got b undefined", [] { Tensor().clone(); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one",
                        [] { Tensor().as_strided({1}, {1}, 0); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one",
                        [] { target({}).mark_written("here"); });
    refuses<ValueError>("copy_into: both tensors must be defined; got a undefined", [] { fill_into(target({}), 1); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { scale_into(target({}), 1); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { exp(Tensor()); });
    refuses<ValueError>("copy_into: both tensors must be defined; got b undefined", [] { sum(Tensor()); });
    refuses<ValueError>("add: both tensors must be defined; got both undefined", [] { add(Tensor(), Tensor()); });
    refuses<ValueError>("add: both tensors must be defined; got b undefined", [] { add(matrix(), Tensor()); });
    refuses<ValueError>("matmul: both tensors must be defined; got a undefined", [] { matmul(Tensor(), matrix()); });
    refuses<ValueError>("concat: both tensors must be defined; got b undefined", [] {
      concat(Tensors{matrix(), Tensor()}, 0);
    });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one",
                        [] { index_select(Tensor().unsqueeze(0), ids({0})); });
    refuses<DTypeError>("gather: indices must be i64; got f32 [1]",
                        [] { gather(matrix().select(0, 0), 0, Tensor().unsqueeze(0)); });
    refuses<DTypeError>("where: the mask must be bool; got f32 []", [] { where(Tensor(), matrix(), matrix()); });
    refuses<GraphError>("value: the variable must be defined; got an undefined one", [] { Variable().value(); });
    refuses<GraphError>("value: the variable must be defined; got an undefined one", [] { exp(Variable()); });
    refuses<GraphError>("value: the variable must be defined; got an undefined one", [] { leaf({2}) + Variable(); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { square(Variable(Tensor())); });
    refuses<GraphError>("set_value: the variable and its value must be defined; got a variable undefined",
                        [] { Variable().set_value(matrix()); });
    refuses<GraphError>("set_value: the variable and its value must be defined; got a value undefined",
                        [] { leaf({2}).set_value({}); });
  }

  TEST_CASE("tensor: shapes and views") {
    refuses<ShapeError>("reshape: the number of elements must stay; got [2] (2 elements) to [3]",
                        [] { zeros({2}).reshape({3}); });
    refuses<ShapeError>("reshape: the number of elements must stay; got [2] (2 elements) to [-1, -1]", [] {
      zeros({2}).reshape({-1, -1});
    });
    refuses<ShapeError>("view: the number of elements must stay; got [4] (4 elements) to [3]",
                        [] { zeros({4}).view({3}); });
    refuses<ShapeError>(
        "view: the strides do not allow it without a copy; got [3, 2] with strides [1, 3] to [6]; hint: reshape copies",
        [] { matrix().transpose(0, 1).view({6}); });
    refuses<IndexError>("transpose: axis must lie in [-2, 2); got axis 2", [] { matrix().transpose(0, 2); });
    refuses<ShapeError>("permute: each axis must be named once; got [0, 0] for [2, 3]", [] {
      matrix().permute({0, 0});
    });
    refuses<IndexError>("permute: axis must lie in [-2, 2); got axis 5", [] { matrix().permute({0, 5}); });
    refuses<ShapeError>("expand: only axes of size 1 can be repeated; got [2, 3] to [4, 3]", [] {
      matrix().expand({4, 3});
    });
    refuses<ShapeError>("expand: sizes must not be negative; got [-2]", [] { ones({1}).expand({-2}); });
    refuses<ShapeError>("expand: more elements than memory can hold; got [1099511627776, 1099511627776]", [] {
      ones({1}).expand({int64_t{1} << 40, int64_t{1} << 40});
    });
    refuses<IndexError>("slice: needs 0 <= begin <= end <= size and step >= 1; got 1:3:1 on axis 0 of [2, 3]",
                        [] { matrix().slice(0, 1, 3); });
    refuses<IndexError>("slice: needs 0 <= begin <= end <= size and step >= 1; got 0:2:0 on axis 0 of [2, 3]",
                        [] { matrix().slice(0, 0, 2, 0); });
    refuses<IndexError>("slice: axis must lie in [-2, 2); got axis 7", [] { matrix().slice(7, 0, 1); });
    refuses<IndexError>("select: the index must lie in [-3, 3); got 3 on axis 1 of [2, 3]",
                        [] { matrix().select(1, 3); });
    refuses<IndexError>("select: the index must lie in [-3, 3); got -4 on axis 1 of [2, 3]",
                        [] { matrix().select(1, -4); });
    refuses<IndexError>("select: axis must lie in [-2, 2); got axis 2", [] { matrix().select(2, 0); });
    refuses<ShapeError>("squeeze: the axis must have size 1; got axis 0 of [2, 3]", [] { matrix().squeeze(0); });
    refuses<IndexError>("squeeze: axis must lie in [-2, 2); got axis 2", [] { matrix().squeeze(2); });
    refuses<IndexError>("unsqueeze: axis must lie in [-3, 3); got axis 4", [] { matrix().unsqueeze(4); });
    refuses<ShapeError>("shape: a tensor has at most 8 axes; got one more", [] {
      zeros({1, 1, 1, 1, 1, 1, 1, 1}).unsqueeze(0);
    });
    refuses<ShapeError>("as_strided: needs one stride for each axis, none negative; got [2] with strides [1, 1]", [] {
      matrix().as_strided({2}, {1, 1}, 0);
    });
    refuses<ShapeError>("as_strided: needs one stride for each axis, none negative; got [2] with strides [-1]",
                        [] { matrix().as_strided({2}, {-1}, 1); });
    refuses<ShapeError>("as_strided: sizes must not be negative; got [-2]", [] { matrix().as_strided({-2}, {1}, 0); });
    refuses<IndexError>(
        "as_strided: the elements must lie inside the storage; got [4] with strides [2] from 0 in 6 elements",
        [] { matrix().as_strided({4}, {2}, 0); });
    refuses<IndexError>(
        "as_strided: the elements must lie inside the storage; got [3] with strides [9223372036854775807] from 0 in 6 "
        "elements",
        [] { matrix().as_strided({3}, {INT64_MAX}, 0); });
    refuses<IndexError>(
        "as_strided: the elements must lie inside the storage; got [1] with strides [1] from -1 in 6 elements",
        [] { matrix().as_strided({1}, {1}, -1); });
  }

  TEST_CASE("tensor: elementwise") {
    refuses<ShapeError>(
        "add: sizes must be equal or 1, aligned at the right; got a [2, 3] and b [2, 4] (axis -1: 3 vs 4)", [] {
          add(ones({2, 3}), ones({2, 4}));
        });
    refuses<DTypeError>("add: both must have one dtype; got a f32 [2, 3] and b f64 [2, 3]; convert one with to(...)",
                        [] {
                          add(matrix(), ones({2, 3}, DType::f64));
                        });
    refuses<DTypeError>("add: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { add(mask({2}), mask({2})); });
    refuses<DTypeError>("add: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] { add(mask({2}), 1); });
    refuses<DTypeError>("mul: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] { mul(mask({2}), 2); });
    refuses<DTypeError>("neg: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] { neg(mask({2})); });
    refuses<DTypeError>("exp: takes f32 or f64; got i64; convert with to(DType::f32)", [] { exp(wholes({2})); });
    refuses<DTypeError>("div: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { div(wholes({2}), wholes({2})); });
    refuses<DTypeError>("pow: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { pow(wholes({2}), wholes({2})); });
    refuses<ShapeError>("pow: sizes must be equal or 1, aligned at the right; got a [2] and b [3] (axis -1: 2 vs 3)",
                        [] { pow(ones({2}), ones({3})); });
    refuses<DTypeError>("pow: both must have one dtype; got a f32 [2] and b i64 [2]; convert one with to(...)",
                        [] { pow(ones({2}), wholes({2})); });
    refuses<ValueError>("clamp: low must not exceed high; got 1 and 0", [] { clamp(matrix(), 1, 0); });
    refuses<ValueError>("clamp: low must not exceed high; got nan and 1", [] { clamp(matrix(), kNan, 1); });
    refuses<DTypeError>("where: the mask must be bool; got f32 [2, 3]", [] { where(matrix(), matrix(), matrix()); });
    refuses<DTypeError>("where: both must have one dtype; got a f32 [2, 3] and b i64 [2, 3]; convert one with to(...)",
                        [] {
                          where(mask({2, 3}), matrix(), wholes({2, 3}));
                        });
    refuses<ShapeError>(
        "where: sizes must be equal or 1, aligned at the right; got a [2] and b [2, 3] (axis -1: 2 vs 3)",
        [] { where(mask({2}), matrix(), matrix()); });
    refuses<DTypeError>("masked_fill: the mask must be bool; got f32 [2, 3]",
                        [] { masked_fill(matrix(), matrix(), 0); });
    refuses<DTypeError>("less: both must have one dtype; got a f32 [2, 3] and b i64 [2, 3]; convert one with to(...)",
                        [] {
                          less(matrix(), wholes({2, 3}));
                        });
    refuses<ShapeError>("equal: sizes must be equal or 1, aligned at the right; got a [2] and b [3] (axis -1: 2 vs 3)",
                        [] { equal(ones({2}), ones({3})); });
    refuses<DTypeError>("logical_not: the mask must be bool; got f32 [2, 3]", [] { logical_not(matrix()); });
    refuses<DTypeError>("logical_and: the mask must be bool; got f32 [2, 3]", [] {
      logical_and(matrix(), mask({2, 3}));
    });
    refuses<DTypeError>("logical_or: the mask must be bool; got f32 [2, 3]", [] {
      logical_or(matrix(), mask({2, 3}));
    });
    refuses<DTypeError>("logical_or: the mask must be bool; got f32 [2, 3]", [] {
      logical_or(mask({2, 3}), matrix());
    });
    refuses<DTypeError>(
        "copy_into: both must have one dtype; got a f32 [2, 3] and b i64 [2, 3]; convert one with to(...)", [] {
          copy_into(target(matrix()), wholes({2, 3}));
        });
    refuses<ShapeError>("copy_into: the value must broadcast to the target's shape; got target [1, 3] and value [2, 3]",
                        [] {
                          copy_into(target(ones({1, 3})), matrix());
                        });
    refuses<ShapeError>(
        "copy_into: sizes must be equal or 1, aligned at the right; got a [2, 3] and b [2] (axis -1: 3 vs 2)",
        [] { copy_into(target(matrix()), ones({2})); });
    refuses<ValueError>("copy_into: the target must not repeat elements; got [3] with strides [0]; hint: contiguous()",
                        [] { copy_into(target(ones({1}).expand({3})), ones({3})); });
    refuses<ValueError>("add_into: the target must not repeat elements; got [3] with strides [0]; hint: contiguous()",
                        [] { add_into(target(ones({1}).expand({3})), ones({3})); });
    refuses<ValueError>("scale_into: the target must not repeat elements; got [3] with strides [0]; hint: contiguous()",
                        [] { scale_into(target(ones({1}).expand({3})), 2); });
    refuses<DTypeError>("add_into: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { add_into(target(mask({3})), mask({3})); });
    refuses<DTypeError>("scale_into: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { scale_into(target(mask({3})), 2); });
    refuses<ValueError>("dropout: p must lie in [0, 1]; got 1.5", [] { dropout_mask({2}, DType::f32, 1.5, 1, 0); });
    refuses<DTypeError>("dropout: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { dropout_mask({2}, DType::i64, 0.5, 1, 0); });
    refuses<ShapeError>("max_abs_difference: shapes must be equal; got [2] and [3]",
                        [] { max_abs_difference(ones({2}), ones({3})); });
    refuses<ValueError>("softplus: beta must be positive; got 0", [] { softplus(matrix(), {.beta = 0}); });
    refuses<DTypeError>("gelu: takes f32 or f64; got i64; convert with to(DType::f32)", [] { gelu(wholes({2})); });
    refuses<ShapeError>("gelu_backward: x and dy must have one shape; got x [2] and dy [3]",
                        [] { gelu_backward(ones({2}), ones({3}), Gelu::exact); });
    refuses<ShapeError>("leaky_relu_backward: x and dy must have one shape; got x [2] and dy [3]",
                        [] { leaky_relu_backward(ones({2}), ones({3}), 0.1); });
    refuses<ShapeError>("elu_backward: x and dy must have one shape; got x [2] and dy [3]",
                        [] { elu_backward(ones({2}), ones({3}), 1); });
    refuses<ShapeError>("silu_backward: x and dy must have one shape; got x [2] and dy [3]",
                        [] { silu_backward(ones({2}), ones({3})); });
    refuses<ShapeError>("softplus_backward: x and dy must have one shape; got x [2] and dy [3]",
                        [] { softplus_backward(ones({2}), ones({3}), {}); });
    refuses<DTypeError>(
        "gelu_backward: both must have one dtype; got a f32 [2] and b i64 [2]; convert one with to(...)",
        [] { gelu_backward(ones({2}), wholes({2}), Gelu::exact); });
  }

  TEST_CASE("tensor: reductions, softmax, order") {
    refuses<IndexError>("sum: axis must lie in [-2, 2); got axis 2", [] { sum(matrix(), {2}); });
    refuses<IndexError>("sum: an axis is named twice; got [0, -2]", [] { sum(matrix(), {0, -2}); });
    refuses<DTypeError>("sum: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] { sum(mask({2})); });
    refuses<ShapeError>("sum_to: can only undo a repetition of axes; got [2, 3] to [2]", [] { sum_to(matrix(), {2}); });
    refuses<ShapeError>("sum_to: can only undo a repetition of axes; got [2] to [1, 2]", [] {
      sum_to(ones({2}), {1, 2});
    });
    refuses<IndexError>("max: the axis is empty; got [2, 0]", [] { max(zeros({2, 0}), 1); });
    refuses<IndexError>("max: axis must lie in [-2, 2); got axis 2", [] { max(matrix(), 2); });
    refuses<IndexError>("min: the axis is empty; got [2, 0]", [] { min(zeros({2, 0}), 1); });
    refuses<IndexError>("argmax: the axis is empty; got [0]", [] { argmax(zeros({0}), 0); });
    refuses<IndexError>("argmin: the axis is empty; got [0]", [] { argmin(zeros({0}), 0); });
    refuses<DTypeError>("argmax: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { argmax(mask({2}), 0); });
    refuses<IndexError>("amax: the axis is empty; got [2, 0]", [] { amax(zeros({2, 0})); });
    refuses<DTypeError>("amin: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] { amin(mask({2})); });
    refuses<IndexError>("prod: an axis is named twice; got [1, 1]", [] { prod(matrix(), {1, 1}); });
    refuses<IndexError>("logsumexp: axis must lie in [-2, 2); got axis 3", [] { logsumexp(matrix(), {3}); });
    refuses<DTypeError>("logsumexp: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { logsumexp(wholes({2})); });
    refuses<IndexError>("cumsum: axis must lie in [-2, 2); got axis 2", [] { cumsum(matrix(), 2); });
    refuses<DTypeError>("cumsum: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { cumsum(mask({2}), 0); });
    refuses<ShapeError>("softmax: needs at least one axis; got []", [] { softmax_rows(Tensor::scalar(1)); });
    refuses<ShapeError>("log_softmax: needs at least one axis; got []", [] { log_softmax_rows(Tensor::scalar(1)); });
    refuses<ShapeError>("logsumexp: needs at least one axis; got []", [] { logsumexp_rows(Tensor::scalar(1)); });
    refuses<DTypeError>("softmax: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { softmax_rows(wholes({2})); });
    refuses<ShapeError>("softmax_backward: both must have one shape of at least one axis; got y [2] and dy [3]",
                        [] { softmax_rows_backward(ones({2}), ones({3})); });
    refuses<DTypeError>(
        "softmax_backward: both must have one dtype; got a f32 [2] and b i64 [2]; convert one with to(...)",
        [] { softmax_rows_backward(ones({2}), wholes({2})); });
    refuses<IndexError>("argsort: axis must lie in [-2, 2); got axis 2", [] { argsort(matrix(), 2); });
    refuses<DTypeError>("argsort: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { argsort(mask({2})); });
    refuses<ValueError>("topk: k must lie in [0, 3]; got 4 on axis 1 of [2, 3]", [] { argtopk(matrix(), 4); });
    refuses<ValueError>("topk: k must not be negative; got -1", [] { argtopk(matrix(), -1); });
    refuses<ShapeError>("norm_rows: needs x [R, N], rows [N] and dy of x's shape; got x [3]",
                        [] { norm_rows(ones({3}), {}, {}, 1e-5, Centre::mean); });
    refuses<ShapeError>("norm_rows: needs x [R, N], rows [N] and dy of x's shape; got x [2, 3] and a row of [2]",
                        [] { norm_rows(matrix(), ones({2}), {}, 1e-5, Centre::mean); });
    refuses<ShapeError>("norm_rows_backward: needs x [R, N], rows [N] and dy of x's shape; got x [2, 3] and dy [2, 2]",
                        [] {
                          NormRows y = norm_rows(matrix(), {}, {}, 1e-5, Centre::mean);
                          norm_rows_backward(matrix(), {}, y, ones({2, 2}), Centre::mean);
                        });
    refuses<ShapeError>("norm_rows_weight: needs x [R, N], rows [N] and dy of x's shape; got x [2, 3] and dy [3, 3]",
                        [] {
                          NormRows y = norm_rows(matrix(), {}, {}, 1e-5, Centre::mean);
                          norm_rows_weight(matrix(), y, ones({3, 3}));
                        });
  }

  TEST_CASE("tensor: products, picking, rearranging") {
    refuses<ShapeError>("matmul: inner sizes must agree; got a [32, 128] and b [256, 512] (128 vs 256)", [] {
      matmul(ones({32, 128}), ones({256, 512}));
    });
    refuses<ShapeError>("matmul: both must have at least one axis; got a [] and b [2, 3]; hint: use mul for scalars",
                        [] { matmul(Tensor::scalar(1), matrix()); });
    refuses<ShapeError>("matmul: sizes must be equal or 1, aligned at the right; got a [2] and b [3] (axis -1: 2 vs 3)",
                        [] {
                          matmul(ones({2, 1, 3}), ones({3, 3, 1}));
                        });
    refuses<DTypeError>("matmul: both must have one dtype; got a f32 [2, 3] and b f64 [3, 2]; convert one with to(...)",
                        [] {
                          matmul(matrix(), ones({3, 2}, DType::f64));
                        });
    refuses<DTypeError>("matmul: takes f32 or f64; got i64; convert with to(DType::f32)", [] {
      matmul(wholes({2, 3}), wholes({3, 2}));
    });
    refuses<ShapeError>("matmul_into: needs c [M, N], a [M, K], b [K, N]; got c [2, 2], a [2, 3] and b [2, 3]", [] {
      matmul_into(target(ones({2, 2})), matrix(), matrix());
    });
    refuses<DTypeError>(
        "matmul_into: both must have one dtype; got a f32 [2, 3] and b f64 [2, 2]; convert one with to(...)", [] {
          matmul_into(target(ones({2, 2}, DType::f64)), matrix(), ones({3, 2}));
        });
    refuses<DTypeError>("matmul_into: takes f32 or f64; got i64; convert with to(DType::f32)", [] {
      matmul_into(target(wholes({2, 2})), wholes({2, 3}), wholes({3, 2}));
    });
    refuses<DTypeError>("matmul: both must have one dtype; got a f32 [2, 3] and b i64 [3, 2]; convert one with to(...)",
                        [] {
                          matmul_reference(matrix(), wholes({3, 2}));
                        });
    refuses<ShapeError>("index_select: the table needs at least one axis; got []",
                        [] { index_select(Tensor::scalar(1), ids({0})); });
    refuses<IndexError>("index_select: an index must lie in [0, 2); got 2 at position 1", [] {
      index_select(matrix(), ids({0, 2}));
    });
    refuses<IndexError>("index_select: an index must lie in [0, 2); got -1 at position 0",
                        [] { index_select(matrix(), ids({-1})); });
    refuses<DTypeError>("index_select: indices must be i64; got f32 [1]", [] { index_select(matrix(), ones({1})); });
    refuses<IndexError>("index_select: axis must lie in [-2, 2); got axis 2",
                        [] { index_select(matrix(), 2, ids({0})); });
    refuses<IndexError>("index_add_into: an index must lie in [0, 2); got 2 at position 0", [] {
      index_add_into(target(matrix()), ids({2}), ones({1, 3}));
    });
    refuses<ShapeError>(
        "index_add_into: needs a contiguous table [V, D] and dy [index.., D]; got [2, 3], [2] and [3, 2]", [] {
          index_add_into(target(matrix()), ids({0, 1}), ones({3, 2}));
        });
    refuses<DTypeError>(
        "index_add_into: both must have one dtype; got a f32 [2, 3] and b i64 [1, 3]; convert one with to(...)", [] {
          index_add_into(target(matrix()), ids({0}), wholes({1, 3}));
        });
    refuses<DTypeError>("index_add_into: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] {
      index_add_into(target(mask({2, 3})), ids({0}), mask({1, 3}));
    });
    refuses<IndexError>("gather: an index must lie in [0, 3); got 3 at position 0", [] {
      gather(matrix(), 1, ids({3}).expand({2, 1}));
    });
    refuses<IndexError>("gather: axis must lie in [-2, 2); got axis 2", [] {
      gather(matrix(), 2, ids({3}).expand({2, 1}));
    });
    refuses<ShapeError>("gather: the index needs as many axes as x, none but axis 1 longer; got x [2, 3] and index [1]",
                        [] { gather(matrix(), 1, ids({0})); });
    refuses<ShapeError>("gather: all axes but the last must agree; got x [2, 3] and index [3, 1]", [] {
      gather_last(matrix(), wholes({3, 1}));
    });
    refuses<DTypeError>("gather: indices must be i64; got f32 [2, 3]", [] { gather(matrix(), 1, matrix()); });
    refuses<ShapeError>("scatter_add: all axes but the last must agree; got x [2, 3] and index [3, 1]", [] {
      scatter_add_last_into(target(matrix()), wholes({3, 1}), ones({3, 1}));
    });
    refuses<ShapeError>(
        "scatter_add: index and values must have one shape, the target be contiguous; got [2, 1] and [2, 2]", [] {
          scatter_add_into(target(matrix()), 1, wholes({2, 1}), ones({2, 2}));
        });
    refuses<IndexError>("scatter_add: an index must lie in [0, 3); got 3 at position 0", [] {
      scatter_add_into(target(matrix()), 1, ids({3}).expand({2, 1}), ones({2, 1}));
    });
    refuses<DTypeError>(
        "scatter_add: both must have one dtype; got a f32 [2, 3] and b i64 [2, 1]; convert one with to(...)", [] {
          scatter_add_into(target(matrix()), 1, wholes({2, 1}), wholes({2, 1}));
        });
    refuses<DTypeError>("scatter_add: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] {
      scatter_add_into(target(mask({2, 3})), 1, wholes({2, 1}), mask({2, 1}));
    });
    refuses<ValueError>("concat: needs at least one tensor; got none", [] { concat(Tensors{}, 0); });
    refuses<ShapeError>("concat: all sizes but that of axis 1 must agree; got [2, 3] and [3, 3]", [] {
      concat(Tensors{matrix(), ones({3, 3})}, 1);
    });
    refuses<IndexError>("concat: axis must lie in [-2, 2); got axis 2", [] { concat(Tensors{matrix()}, 2); });
    refuses<IndexError>("concat: axis must lie in [0, 0); got axis 0", [] { concat(Tensors{Tensor::scalar(1)}, 0); });
    refuses<DTypeError>("concat: both must have one dtype; got a f32 [2, 3] and b i64 [2, 3]; convert one with to(...)",
                        [] {
                          concat(Tensors{matrix(), wholes({2, 3})}, 0);
                        });
    refuses<ValueError>("stack: needs at least one tensor; got none", [] { stack(Tensors{}, 0); });
    refuses<ShapeError>("stack: all must have one shape; got [2] and [3]", [] {
      stack(Tensors{ones({2}), ones({3})}, 0);
    });
    refuses<DTypeError>("stack: both must have one dtype; got a f32 [2] and b i64 [2]; convert one with to(...)", [] {
      stack(Tensors{ones({2}), wholes({2})}, 0);
    });
    refuses<IndexError>("unsqueeze: axis must lie in [-2, 2); got axis 3", [] { stack(Tensors{ones({2})}, 3); });
    refuses<IndexError>("one_hot: an index must lie in [0, 3); got 3 at position 0", [] { one_hot(ids({3}), 3); });
    refuses<ShapeError>("empty: sizes must not be negative; got [0, -1]", [] { one_hot(ids({}), -1); });
    refuses<DTypeError>("one_hot: indices must be i64; got f32 [1]", [] { one_hot(ones({1}), 3); });
    refuses<IndexError>("flip: an axis is named twice; got [0, 0]", [] { flip(matrix(), {0, 0}); });
    refuses<IndexError>("flip: axis must lie in [-2, 2); got axis 2", [] { flip(matrix(), {2}); });
    refuses<ValueError>("roll: needs one shift for each axis; got shifts [1] and axes [0, 1]", [] {
      roll(matrix(), {1}, {0, 1});
    });
    refuses<IndexError>("roll: an axis is named twice; got [1, -1]", [] { roll(matrix(), {1, 1}, {1, -1}); });
    refuses<IndexError>("pad: an axis is named twice; got [0, 0]", [] {
      pad(matrix(), {{.axis = 0, .before = 1}, {.axis = 0, .after = 1}});
    });
    refuses<ShapeError>("pad: cannot take away more than there is; got -2 before and -1 after on axis 0 of [2, 3]",
                        [] { pad(matrix(), {{.axis = 0, .before = -2, .after = -1}}); });
    refuses<ShapeError>(
        "pad: a margin must be at most 2^46 long; got -9223372036854775808 before and 0 after on axis 0",
        [] { pad(matrix(), {{.axis = 0, .before = INT64_MIN}}); });
    refuses<ShapeError>("tril: needs a matrix [.., M, N]; got [3]", [] { tril(ones({3})); });
    refuses<ShapeError>("triu: needs a matrix [.., M, N]; got [3]", [] { triu(ones({3})); });
    refuses<IndexError>("diagonal: needs two different axes; got 1 and -1", [] { diagonal(matrix(), 0, 1, -1); });
    refuses<IndexError>("diagonal: axis must lie in [-1, 1); got axis -2", [] { diagonal(ones({3})); });
    refuses<IndexError>("movedim: axis must lie in [-2, 2); got axis 2", [] { movedim(matrix(), 2, 0); });
  }

  TEST_CASE("autograd: variables and the graph") {
    refuses<DTypeError>("set_requires_grad: only f32 and f64 have gradients; got i64",
                        [] { Variable(wholes({2}), Variable::kRequiresGrad); });
    refuses<GraphError>(
        "set_requires_grad: only a leaf can be changed; got a value made by an operation; hint: detach() it",
        [] { (leaf({2}) * 2).set_requires_grad(false); });
    refuses<DTypeError>("set_value: only f32 and f64 have gradients; got i64",
                        [] { leaf({2}).set_value(wholes({2})); });
    refuses<GraphError>("set_value: only a leaf's value can be replaced; got a value made by an operation",
                        [] { (leaf({2}) * 2).set_value(ones({2})); });
    refuses<ShapeError>("set_grad: the gradient must have the value's shape and dtype; got f32 [3] for f32 [2]",
                        [] { leaf({2}).set_grad(ones({3})); });
    refuses<ShapeError>("set_grad: the gradient must have the value's shape and dtype; got f64 [2] for f32 [2]",
                        [] { leaf({2}).set_grad(ones({2}, DType::f64)); });
    refuses<GraphError>("set_grad: only a leaf that requires a gradient has one to set; got a constant",
                        [] { constant({2}).set_grad(ones({2})); });
    refuses<GraphError>(
        "set_grad: only a leaf that requires a gradient has one to set; got a value made by an operation",
        [] { (leaf({2}) * 2).set_grad(ones({2})); });
    refuses<GraphError>("retain_grad: the value must require a gradient; got a constant",
                        [] { constant({2}).retain_grad(); });
    refuses<GraphError>("on_grad: the value must require a gradient; got a constant",
                        [] { constant({2}).on_grad([](const Variable& g) { return g; }); });
    refuses<GraphError>(
        "add_: cannot write into a value that needs a gradient; got [2]; hint: use a NoGrad scope, or make a new value",
        [] { add_(leaf({2}), ones({2})); });
    refuses<GraphError>(
        "mul_: cannot write into a value that needs a gradient; got [2]; hint: use a NoGrad scope, or make a new value",
        [] { mul_(leaf({2}), 2); });
    refuses<GraphError>(
        "copy_: cannot write into a value that needs a gradient; got [2]; hint: use a NoGrad scope, or make a new "
        "value",
        [] { copy_(leaf({2}), ones({2})); });
    refuses<GraphError>(
        "fill_: cannot write into a value that needs a gradient; got [2]; hint: use a NoGrad scope, or make a new "
        "value",
        [] { fill_(leaf({2}), 2); });
    refuses<GraphError>("backward: the value must require a gradient; got a constant; hint: was it made under NoGrad?",
                        [] { backward(constant({})); });
    refuses<GraphError>("backward: the value must require a gradient; got a constant; hint: was it made under NoGrad?",
                        [] { backward(Variable()); });
    refuses<GraphError>("backward: a value with more than one element needs a seed; got [2]; hint: sum it first",
                        [] { backward(leaf({2}) * 2); });
    refuses<GradientShapeError>(
        "backward: a gradient must have the shape and dtype of its value; got f32 [3] for f32 [2] of mul",
        [] { backward(leaf({2}) * 2, {.seed = ones({3})}); });
    refuses<GradientShapeError>(
        "backward: a gradient must have the shape and dtype of its value; got f64 [2] for f32 [2] of mul",
        [] { backward(leaf({2}) * 2, {.seed = ones({2}, DType::f64)}); });
    refuses<GraphError>("backward: the graph was already freed at sum; pass retain_graph to the first pass", [] {
      Variable y = sum(square(leaf({2})));
      backward(y);
      backward(y);
    });
    refuses<GraphError>(
        "backward of square: a value that it saved was overwritten by add_; got version 1, saved at 0; hint: compute "
        "on a clone()",
        [] {
          Variable x = leaf({2}), y = sum(square(x));
          NoGrad guard;
          add_(x, ones({2}));
          backward(y);
        });
    refuses<GraphError>(
        "backward of square: a value that it saved was overwritten by set_value; got version 0, saved at 0; hint: "
        "compute on a clone()",
        [] {
          Variable x = leaf({2}), y = sum(square(x));
          x.set_value(ones({2}));
          backward(y);
        });
    refuses<GraphError>("grad: every input must require a gradient; got a constant",
                        [] { grad({leaf({})}, {constant({})}); });
    refuses<GraphError>("grad: no output depends on input 0; pass allow_unused to get an undefined one",
                        [] { grad({leaf({}) * 2}, {leaf({})}); });
    refuses<GraphError>("grad: needs one seed an output; got 2 seeds for 1 outputs", [] {
      Variable x = leaf({});
      grad({x * 2}, {x}, {.seeds = {constant({}), constant({})}});
    });
    refuses<GradientShapeError>(
        "backward of half: a gradient must have the shape and dtype of its value; got f32 [] for f32 [2] of leaf", [] {
          Variable x = leaf({2});
          backward(sum(attach("half", {x}, x.value(), [](Grads& g, const Variable& dy) { g.add(0, sum(dy)); })));
        });
    refuses<GraphError>("backward of half: gives a gradient to one of its 1 inputs; got one for input 1", [] {
      Variable x = leaf({2});
      backward(sum(attach("half", {x}, x.value(), [](Grads& g, const Variable& dy) { g.add(1, dy); })));
    });
    refuses<GradientShapeError>(
        "backward: a gradient must have the shape and dtype of its value; got f32 [] for f32 [2] of leaf", [] {
          Variable x = leaf({2});
          x.on_grad([](const Variable& dy) { return sum(dy); });
          backward(sum(x));
        });
    refuses<GraphError>("log: gave nan at position 0 of its result [2]; got inputs [2]", [] {
      Anomaly watch;
      log(leaf({2}) * -1);
    });
    refuses<GraphError>("backward of sqrt: gave inf at position 0 of the gradient of input 0; got shape [2]", [] {
      Anomaly watch;
      backward(sum(sqrt(leaf({2}) * 0)));
    });
    refuses<GraphError>(
        "checkpoint: the second run of f must give the same bits as the first; hint: f may depend only on its inputs, "
        "on parameters that nobody changes in between, and on generators",
        [] {
          int runs = 0;
          Variable x = leaf({2});
          backward(sum(checkpoint([&](const Variable& h) { return h * ++runs; }, x)));
        });
  }

  TEST_CASE("autograd: operations") {
    refuses<ShapeError>("add: sizes must be equal or 1, aligned at the right; got a [2] and b [3] (axis -1: 2 vs 3)",
                        [] { leaf({2}) + leaf({3}); });
    refuses<DTypeError>("mul: both must have one dtype; got a f32 [2] and b f64 [2]; convert one with to(...)",
                        [] { leaf({2}) * leaf({2}, DType::f64); });
    refuses<ValueError>("clamp: low must not exceed high; got 1 and 0", [] { clamp(leaf({2}), 1, 0); });
    refuses<DTypeError>("where: the mask must be bool; got f32 [2]", [] { where(ones({2}), leaf({2}), leaf({2})); });
    refuses<ValueError>("dropout: p must lie in [0, 1]; got nan", [] { dropout(leaf({2}), kNan, dice); });
    refuses<ShapeError>("reshape: the number of elements must stay; got [2, 3] (6 elements) to [4]", [] {
      reshape(leaf({2, 3}), {4});
    });
    refuses<IndexError>("transpose: axis must lie in [-2, 2); got axis 2", [] { transpose(leaf({2, 3}), 0, 2); });
    refuses<ShapeError>("permute: each axis must be named once; got [0] for [2, 3]", [] {
      permute(leaf({2, 3}), {0});
    });
    refuses<IndexError>("movedim: axis must lie in [-2, 2); got axis 2", [] { movedim(leaf({2, 3}), 0, 2); });
    refuses<IndexError>("slice: axis must lie in [-2, 2); got axis 2", [] { slice(leaf({2, 3}), 2, 0, 1); });
    refuses<IndexError>("slice: needs 0 <= begin <= end <= size and step >= 1; got 1:0:1 on axis 0 of [2, 3]", [] {
      slice(leaf({2, 3}), 0, 1, 0);
    });
    refuses<IndexError>("narrow: the piece must lie inside the axis; got 2 from 2 on axis 1 of [2, 3]", [] {
      narrow(leaf({2, 3}), 1, 2, 2);
    });
    refuses<IndexError>("narrow: the piece must lie inside the axis; got -1 from 0 on axis 1 of [2, 3]", [] {
      narrow(leaf({2, 3}), 1, 0, -1);
    });
    refuses<IndexError>("narrow: axis must lie in [-2, 2); got axis 2", [] { narrow(leaf({2, 3}), 2, 0, 1); });
    refuses<IndexError>("select: the index must lie in [-2, 2); got 2 on axis 0 of [2, 3]", [] {
      select(leaf({2, 3}), 0, 2);
    });
    refuses<IndexError>("select: axis must lie in [-2, 2); got axis 2", [] { select(leaf({2, 3}), 2, 0); });
    refuses<IndexError>("slice: needs 0 <= begin <= end <= size and step >= 1; got 4:6:1 on axis 0 of [5]",
                        [] { place(leaf({2}), 0, 4, 1, 5); });
    refuses<IndexError>("place: axis must lie in [-1, 1); got axis 1", [] { place(leaf({2}), 1, 0, 1, 5); });
    refuses<ValueError>("concat: needs at least one tensor; got none", [] { concat(Variables{}, 0); });
    refuses<ValueError>("stack: needs at least one tensor; got none", [] { stack(Variables{}, 0); });
    refuses<ShapeError>("split: the sizes must add up to the axis; got [1, 1] for axis 1 of [2, 3]", [] {
      split(leaf({2, 3}), {1, 1}, 1);
    });
    refuses<ShapeError>("split: the sizes must add up to the axis; got [1, 9223372036854775807] for axis 0 of [3]", [] {
      split(leaf({3}), {1, INT64_MAX}, 0);
    });
    refuses<ShapeError>("split: the sizes must add up to the axis; got [1, 1, 1, 1, 1, 1, 1, 1, 1] for axis 0 of [3]",
                        [] {
                          split(leaf({3}), {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0);
                        });
    refuses<IndexError>("split: axis must lie in [-1, 1); got axis 1", [] { split(leaf({3}), {3}, 1); });
    refuses<ValueError>("chunk: needs at least one piece; got 0", [] { chunk(leaf({3}), 0, 0); });
    refuses<IndexError>("chunk: axis must lie in [-1, 1); got axis 1", [] { chunk(leaf({3}), 2, 1); });
    refuses<IndexError>("unstack: axis must lie in [-1, 1); got axis 1", [] { unstack(leaf({3}), 1); });
    refuses<ShapeError>("place_diagonal: x must have the shape of the diagonal; got x [2] for a diagonal [3] of [3, 3]",
                        [] {
                          place_diagonal(leaf({2}), {3, 3}, 0, 0, 1);
                        });
    refuses<IndexError>("index_select: an index must lie in [0, 2); got 2 at position 0", [] {
      index_select(leaf({2, 3}), ids({2}));
    });
    refuses<IndexError>("index_select: axis must lie in [-2, 2); got axis 2", [] {
      index_select(leaf({2, 3}), 2, ids({0}));
    });
    refuses<IndexError>("index_add_into: an index must lie in [0, 2); got 2 at position 1", [] {
      index_add(leaf({2, 3}), ids({0, 2}), 2);
    });
    refuses<ShapeError>("index_add_into: needs a contiguous table [V, D] and dy [index.., D]; got [2], [2, 2] and [4]",
                        [] {
                          index_add(leaf({4}), wholes({2, 2}), 2);
                        });
    refuses<ShapeError>("empty: sizes must not be negative; got [-1]", [] { index_add(leaf({0}), ids({}), -1); });
    refuses<IndexError>("gather: an index must lie in [0, 3); got 3 at position 0", [] {
      gather(leaf({2, 3}), 1, wholes({2, 1}) = ids({3}).expand({2, 1}));
    });
    refuses<IndexError>("gather: axis must lie in [-2, 2); got axis 2", [] {
      gather(leaf({2, 3}), 2, wholes({2, 1}));
    });
    refuses<ShapeError>("gather: all axes but the last must agree; got x [2, 3] and index [1, 1]", [] {
      gather(leaf({2, 3}), wholes({1, 1}));
    });
    refuses<ShapeError>("gather: all axes but the last must agree; got x [] and index []",
                        [] { gather(leaf({}), wholes({})); });
    refuses<IndexError>("scatter_add: axis must lie in [-2, 2); got axis 2", [] {
      scatter_add(leaf({2, 3}), 2, wholes({2, 1}), leaf({2, 1}));
    });
    refuses<ShapeError>(
        "scatter_add: index and values must have one shape, the target be contiguous; got [2, 2] and [2, 1]", [] {
          scatter_add(leaf({2, 3}), 1, wholes({2, 2}), leaf({2, 1}));
        });
    refuses<ShapeError>("scatter_add: needs at least one axis; got []", [] { scatter_add(leaf({}), wholes({}), 3); });
    refuses<IndexError>("scatter_add: an index must lie in [0, 3); got 3 at position 1", [] {
      scatter_add(leaf({2}), ids({0, 3}), 3);
    });
    refuses<IndexError>("index_select: an index must lie in [0, 4); got 4 at position 0", [] {
      embedding(leaf({4, 2}), ids({4}));
    });
    refuses<IndexError>("index_select: an index must lie in [0, 4); got -1 at position 0", [] {
      embedding(leaf({4, 2}), ids({-1}));
    });
    refuses<DTypeError>("index_select: indices must be i64; got f32 [1]", [] { embedding(leaf({4, 2}), ones({1})); });
    refuses<ShapeError>("embedding: needs a table [V, D] that has the row of padding; got [4] and padding -1",
                        [] { embedding(leaf({4}), ids({0})); });
    refuses<ShapeError>("embedding: needs a table [V, D] that has the row of padding; got [4, 2] and padding 4", [] {
      embedding(leaf({4, 2}), ids({0}), 4);
    });
    refuses<ShapeError>("matmul: inner sizes must agree; got a [2, 3] and b [2, 3] (3 vs 2)", [] {
      matmul(leaf({2, 3}), leaf({2, 3}));
    });
    refuses<ShapeError>("linear: x [.., I] and w [O, I] must agree in I; got x [2, 3] and w [4, 2]", [] {
      linear(leaf({2, 3}), leaf({4, 2}), {});
    });
    refuses<ShapeError>("add: sizes must be equal or 1, aligned at the right; got a [2, 4] and b [5] (axis -1: 4 vs 5)",
                        [] {
                          linear(leaf({2, 3}), leaf({4, 3}), leaf({5}));
                        });
    refuses<IndexError>("sum: axis must lie in [-1, 1); got axis 1", [] { sum(leaf({2}), {1}); });
    refuses<ValueError>("mean: needs at least one element; got [0]", [] { mean(leaf({0})); });
    refuses<DTypeError>("mean: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { mean(Variable(wholes({2}))); });
    refuses<IndexError>("max: axis must lie in [-1, 1); got axis 1", [] { max(leaf({2}), 1); });
    refuses<IndexError>("max: the axis is empty; got [0]", [] { max(leaf({0}), 0); });
    refuses<ShapeError>("sum_to: can only undo a repetition of axes; got [2, 3] to [4]", [] {
      sum_to(leaf({2, 3}), {4});
    });
    refuses<ValueError>("hardtanh: low must be less than high; got 1 and 1", [] { hardtanh(leaf({2}), 1, 1); });
    refuses<ValueError>("var: needs at least 2 elements along the axes; got [1] over []; .unbiased = false allows 1",
                        [] { var(leaf({1})); });
    refuses<ValueError>("stddev: needs at least 1 element along the axes; got [0] over []",
                        [] { stddev(leaf({0}), {}, {.unbiased = false}); });
    refuses<ValueError>("norm: p must be at least 1; got 0.5", [] { norm(leaf({2}), 0.5); });
    refuses<ShapeError>("expand: only axes of size 1 can be repeated; got [2, 3] to [3, 3]", [] {
      expand(leaf({2, 3}), {3, 3});
    });
    refuses<IndexError>("softmax: axis must lie in [-1, 1); got axis 1", [] { softmax(leaf({2}), 1); });
    refuses<IndexError>("log_softmax: axis must lie in [0, 0); got axis 0", [] { log_softmax(leaf({}), 0); });
    refuses<ValueError>("topk: k must lie in [0, 3]; got 4 on axis 0 of [3]", [] { topk(leaf({3}), 4); });
    refuses<ShapeError>("layer_norm: needs between 1 and all axes of x; got 3 of [2, 3]", [] {
      layer_norm(leaf({2, 3}), {}, {}, {.axes = 3});
    });
    refuses<ValueError>("layer_norm: eps must not be negative; got -1", [] {
      layer_norm(leaf({2, 3}), {}, {}, {.eps = -1});
    });
    refuses<ShapeError>("layer_norm: the weight must have the sizes of the last axes of x; got x [2, 3] and weight [2]",
                        [] {
                          layer_norm(leaf({2, 3}), leaf({2}), {});
                        });
    refuses<ShapeError>("layer_norm: the bias must have the sizes of the last axes of x; got x [2, 3] and bias [1]",
                        [] {
                          layer_norm(leaf({2, 3}), {}, leaf({1}));
                        });
    refuses<DTypeError>(
        "layer_norm: both must have one dtype; got a f32 [2, 3] and b f64 [3]; convert one with to(...)", [] {
          layer_norm(leaf({2, 3}), leaf({3}, DType::f64), {});
        });
    refuses<DTypeError>("layer_norm: takes f32 or f64; got i64; convert with to(DType::f32)", [] {
      layer_norm(Variable(wholes({2, 3})), {}, {});
    });
    refuses<ShapeError>("rms_norm: the weight must have the sizes of the last axes of x; got x [2, 3] and weight [2]",
                        [] {
                          rms_norm(leaf({2, 3}), leaf({2}));
                        });
    refuses<ValueError>("einsum: \"ij,jk\" describes 2 operands; got 1", [] { einsum("ij,jk", {leaf({2, 3})}); });
    refuses<ValueError>("einsum: \"i\" describes 1 operand; got 0", [] { einsum("i", {}); });
    refuses<ValueError>("einsum: an equation is letters, \"...\", commas and one \"->\"; got \"i;j->ij\"", [] {
      einsum("i;j->ij", {leaf({2}), leaf({3})});
    });
    refuses<ValueError>("einsum: an operand may have \"...\" once; got \"...i...->i\"",
                        [] { einsum("...i...->i", {leaf({2})}); });
    refuses<ValueError>("einsum: the result names k, which no operand has; got \"ij->ik\"", [] {
      einsum("ij->ik", {leaf({2, 3})});
    });
    refuses<ValueError>("einsum: the result names i twice; got \"ij->ii\"", [] { einsum("ij->ii", {leaf({2, 3})}); });
    refuses<ShapeError>("einsum: operand 1 of \"ijk->i\" needs 3 axes; got [2, 3]", [] {
      einsum("ijk->i", {leaf({2, 3})});
    });
    refuses<ShapeError>("einsum: operand 1 of \"...ijk->i\" needs at least 3 axes; got [2, 3]", [] {
      einsum("...ijk->i", {leaf({2, 3})});
    });
    refuses<ShapeError>("einsum: j must have one size in \"ij,jk->ik\"; got 3 and 2", [] {
      einsum("ij,jk->ik", {leaf({2, 3}), leaf({2, 3})});
    });
    refuses<ShapeError>("einsum: an axis of ... must have one size in \"...i,...i\"; got 2 and 4", [] {
      einsum("...i,...i", {leaf({2, 3}), leaf({4, 3})});
    });
    refuses<ShapeError>("shape: a tensor has at most 8 axes; got one more", [] {
      einsum("abcde,fghij->abcdefghij", {leaf({1, 1, 1, 1, 1}), leaf({1, 1, 1, 1, 1})});
    });
  }

  TEST_CASE("autograd: losses") {
    refuses<ShapeError>("mse_loss: the prediction and its target must have one shape; got [2] and [2, 1]", [] {
      mse_loss(leaf({2}), constant({2, 1}));
    });
    refuses<DTypeError>("mse_loss: both must have one dtype; got a f32 [2] and b f64 [2]; convert one with to(...)",
                        [] { mse_loss(leaf({2}), constant({2}, DType::f64)); });
    refuses<DTypeError>("mse_loss: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { mse_loss(Variable(wholes({2})), Variable(wholes({2}))); });
    refuses<ValueError>("mse_loss: a mean needs at least one element; got [0]",
                        [] { mse_loss(leaf({0}), constant({0})); });
    refuses<ShapeError>("l1_loss: the prediction and its target must have one shape; got [2] and [3]",
                        [] { l1_loss(leaf({2}), constant({3})); });
    refuses<ValueError>("l1_loss: a mean needs at least one element; got [0]",
                        [] { l1_loss(leaf({0}), constant({0})); });
    refuses<ShapeError>("huber_loss: the prediction and its target must have one shape; got [2] and [3]",
                        [] { huber_loss(leaf({2}), constant({3})); });
    refuses<ValueError>("huber_loss: delta must be positive; got 0",
                        [] { huber_loss(leaf({2}), constant({2}), {.delta = 0}); });
    refuses<ValueError>("huber_loss: a mean needs at least one element; got [0]",
                        [] { huber_loss(leaf({0}), constant({0})); });
    refuses<ShapeError>("smooth_l1_loss: the prediction and its target must have one shape; got [2] and [3]",
                        [] { smooth_l1_loss(leaf({2}), constant({3})); });
    refuses<ValueError>("smooth_l1_loss: beta must not be negative; got -1",
                        [] { smooth_l1_loss(leaf({2}), constant({2}), {.beta = -1}); });
    refuses<ValueError>("smooth_l1_loss: a mean needs at least one element; got [0]",
                        [] { smooth_l1_loss(leaf({0}), constant({0})); });
    refuses<ShapeError>("bce_loss: the prediction and its target must have one shape; got [2] and [3]",
                        [] { bce_loss(leaf({2}), constant({3})); });
    refuses<ValueError>(
        "bce_loss: probabilities must lie in [0, 1]; got nan at position 0; hint: logits go to bce_with_logits_loss",
        [] { bce_loss(leaf({2}) * kNan, constant({2})); });
    refuses<ValueError>(
        "bce_loss: probabilities must lie in [0, 1]; got 1.5 at position 0; hint: logits go to bce_with_logits_loss",
        [] { bce_loss(leaf({2}) * 1.5, constant({2})); });
    refuses<ValueError>("bce_loss: a mean needs at least one element; got [0]",
                        [] { bce_loss(leaf({0}), constant({0})); });
    refuses<ShapeError>("bce_with_logits_loss: the prediction and its target must have one shape; got [2] and [3]",
                        [] { bce_with_logits_loss(leaf({2}), constant({3})); });
    refuses<ShapeError>("bce_with_logits_loss: pos_weight must broadcast to the prediction; got [3, 1] and [2]", [] {
      bce_with_logits_loss(leaf({2}), constant({2}), {.pos_weight = ones({3, 1})});
    });
    refuses<DTypeError>(
        "bce_with_logits_loss: both must have one dtype; got a f32 [2] and b i64 [2]; convert one with to(...)",
        [] { bce_with_logits_loss(leaf({2}), constant({2}), {.pos_weight = wholes({2})}); });
    refuses<ShapeError>("kl_div: the prediction and its target must have one shape; got [2] and [3]",
                        [] { kl_div(leaf({2}), constant({3})); });
    refuses<ValueError>("kl_div: a mean needs at least one element; got [0, 2]", [] {
      kl_div(leaf({0, 2}), constant({0, 2}));
    });
    refuses<ShapeError>(
        "nll_loss: log-probabilities [.., V] need targets [..]; got log-probabilities [2, 3] and targets [3]", [] {
          nll_loss(leaf({2, 3}), ids({0, 1, 2}));
        });
    refuses<IndexError>("nll_loss: a target must lie in [0, 3) or be ignored; got 3 at position 1", [] {
      nll_loss(leaf({2, 3}), ids({0, 3}));
    });
    refuses<DTypeError>("nll_loss: targets must be i64; got f32 [2]", [] { nll_loss(leaf({2, 3}), ones({2})); });
    refuses<ShapeError>("cross_entropy: logits [.., V] need targets [..]; got logits [2, 3] and targets [3]", [] {
      cross_entropy(leaf({2, 3}), ids({0, 1, 2}));
    });
    refuses<ShapeError>("cross_entropy: logits [.., V] need targets [..]; got logits [] and targets [1]",
                        [] { cross_entropy(leaf({}), ids({0})); });
    refuses<ShapeError>("cross_entropy: needs at least one class; got logits [2, 0]", [] {
      cross_entropy(leaf({2, 0}), ids({-100, -100}));
    });
    refuses<IndexError>("cross_entropy: a target must lie in [0, 3) or be ignored; got -1 at position 1", [] {
      cross_entropy(leaf({2, 3}), ids({0, -1}));
    });
    refuses<DTypeError>("cross_entropy: targets must be i64; got f32 [2]", [] {
      cross_entropy(leaf({2, 3}), ones({2}));
    });
    refuses<DTypeError>("cross_entropy: takes f32 or f64; got i64; convert with to(DType::f32)", [] {
      cross_entropy(Variable(wholes({2, 3})), ids({0, 1}));
    });
    refuses<ValueError>("cross_entropy: label smoothing must lie in [0, 1); got 1", [] {
      cross_entropy(leaf({2, 3}), ids({0, 1}), {.label_smoothing = 1});
    });
    refuses<ShapeError>("cross_entropy: logits [.., V] need targets [..]; got logits [2, 3] and targets [3]", [] {
      cross_entropy_composed(leaf({2, 3}), ids({0, 1, 2}));
    });
  }

  TEST_CASE("autograd: gradcheck") {
    auto same = [](const std::vector<Variable>& in) { return in[0]; };
    refuses<DTypeError>("gradcheck: inputs must be f64, since differences need its digits; got f32 [2]",
                        [&] { gradcheck(same, {ones({2})}); });
    refuses<ValueError>(
        "gradcheck: needs a step above 0, a tolerance of at least 0 and at least one direction; got 0, 1e-06 and 4",
        [&] { gradcheck(same, {ones({2}, DType::f64)}, {.step = 0}); });
    refuses<ValueError>(
        "gradcheck: needs a step above 0, a tolerance of at least 0 and at least one direction; got 6e-06, 1e-06 and 0",
        [&] { gradcheck(same, {ones({2}, DType::f64)}, {.directions_per_input = 0}); });
    refuses<ValueError>(
        "gradcheck: f must give the same value for the same input; got two; hint: seed it inside f", [] {
          int runs = 0;
          gradcheck([&](const std::vector<Variable>& in) { return in[0] * ++runs; }, {ones({2}, DType::f64)});
        });
    refuses<ShapeError>("gradcheck: the surrogate must have as many values as f; got 1 for 2", [&] {
      gradcheck(same, {ones({2}, DType::f64)}, {.surrogate = [](const auto& in) { return sum(in[0]); }});
    });
    refuses<GraphError>("value: the variable must be defined; got an undefined one", [] {
      gradcheck([](const std::vector<Variable>&) { return Variable(); }, {ones({2}, DType::f64)});
    });
  }

  TEST_CASE("nn: layers, norms, initial values") {
    refuses<ValueError>("Linear: in must be at least 1; got 0", [] { nn::Linear({.in = 0, .out = 3}, dice); });
    refuses<ValueError>("Linear: out must be at least 1; got -1", [] { nn::Linear({.in = 3, .out = -1}, dice); });
    refuses<ShapeError>("linear: x [.., I] and w [O, I] must agree in I; got x [2, 4] and w [2, 3]", [] {
      nn::Linear({.in = 3, .out = 2}, dice)(constant({2, 4}));
    });
    refuses<DTypeError>("matmul: both must have one dtype; got a f64 [2, 3] and b f32 [3, 2]; convert one with to(...)",
                        [] {
                          nn::Linear({.in = 3, .out = 2}, dice)(constant({2, 3}, DType::f64));
                        });
    refuses<ValueError>("Embedding: vocabulary must be at least 1; got 0",
                        [] { nn::Embedding({.vocabulary = 0, .width = 3}, dice); });
    refuses<ValueError>("Embedding: width must be at least 1; got 0",
                        [] { nn::Embedding({.vocabulary = 4, .width = 0}, dice); });
    refuses<ValueError>("Embedding: padding must be a row of the table; got 4 of 4 rows",
                        [] { nn::Embedding({.vocabulary = 4, .width = 3, .padding = 4}, dice); });
    refuses<ValueError>("normal: needs a finite mean and std at least 0; got mean 0 and std nan",
                        [] { nn::Embedding({.vocabulary = 4, .width = 3, .std = kNan}, dice); });
    refuses<IndexError>("index_select: an index must lie in [0, 4); got 4 at position 0",
                        [] { nn::Embedding({.vocabulary = 4, .width = 3}, dice)(ids({4})); });
    refuses<ValueError>("Dropout: p must lie in [0, 1]; got -0.1", [] { nn::Dropout({.p = -0.1}, dice); });
    refuses<ValueError>("LayerNorm: shape needs at least one axis; got []", [] { nn::LayerNorm({.shape = {}}, dice); });
    refuses<ShapeError>("empty: sizes must not be negative; got [-3]", [] { nn::LayerNorm({.shape = {-3}}, dice); });
    refuses<ShapeError>("LayerNorm: the last axes of x must be [3]; got x [2, 4]", [] {
      nn::LayerNorm({.shape = {3}}, dice)(constant({2, 4}));
    });
    refuses<ValueError>("layer_norm: eps must not be negative; got -1", [] {
      nn::LayerNorm({.shape = {3}, .eps = -1}, dice)(constant({2, 3}));
    });
    refuses<ValueError>("RMSNorm: shape needs at least one axis; got []", [] { nn::RMSNorm({.shape = {}}, dice); });
    refuses<ShapeError>("RMSNorm: the last axes of x must be [3]; got x [2, 4]", [] {
      nn::RMSNorm({.shape = {3}}, dice)(constant({2, 4}));
    });
    refuses<ShapeError>("xavier_uniform: needs weights [O, I, ..]; got [3]",
                        [] { nn::init::xavier_uniform({3}, dice); });
    refuses<ShapeError>("xavier_normal: needs weights [O, I, ..]; got [3]", [] { nn::init::xavier_normal({3}, dice); });
    refuses<ShapeError>("kaiming_uniform: needs weights [O, I, ..]; got [3]",
                        [] { nn::init::kaiming_uniform({3}, dice); });
    refuses<ShapeError>("kaiming_normal: needs weights [O, I, ..]; got [3]",
                        [] { nn::init::kaiming_normal({3}, dice); });
    refuses<ShapeError>("orthogonal: needs weights [O, I, ..]; got [3]", [] { nn::init::orthogonal({3}, dice); });
    refuses<ValueError>("uniform: needs a finite low <= high; got 1 and 0",
                        [] { nn::init::uniform({3}, dice, {.low = 1, .high = 0}); });
    refuses<ValueError>("normal: needs a finite mean and std at least 0; got mean 0 and std -1",
                        [] { nn::init::normal({3}, dice, {.std = -1}); });
    refuses<ValueError>(
        "truncated_normal: [low, high] must hold at least 1 % of the values; got [8, 9] of mean 0 and std 1",
        [] { nn::init::truncated_normal({3}, dice, {}, {.low = 8, .high = 9}); });
    refuses<ValueError>(
        "truncated_normal: [low, high] must hold at least 1 % of the values; got [-1, 1] of mean 0 and std -1",
        [] { nn::init::truncated_normal({3}, dice, {.std = -1}, {.low = -1, .high = 1}); });
    refuses<ShapeError>("truncated_normal: sizes must not be negative; got [-3]",
                        [] { nn::init::truncated_normal({-3}, dice, {}, {.low = -1, .high = 1}); });
    refuses<ValueError>("gain: the nonlinearity must be one of the five; got number 9",
                        [] { nn::init::gain(static_cast<nn::init::Nonlinearity>(9)); });
    refuses<DTypeError>("convert: a model is f32 or f64; got i64", [] {
      nn::Linear model({.in = 3, .out = 2}, dice);
      nn::convert(model, DType::i64);
    });
  }

  TEST_CASE("nn: recurrent") {
    refuses<ValueError>("RNN: widths must be positive; got input 0 and hidden 3",
                        [] { nn::RNN({.input = 0, .hidden = 3}, dice); });
    refuses<ValueError>("GRU: widths must be positive; got input 3 and hidden 0",
                        [] { nn::GRU({.input = 3, .hidden = 0}, dice); });
    refuses<ValueError>("LSTM: needs at least one layer; got 0",
                        [] { nn::LSTM({.input = 3, .hidden = 3, .layers = 0}, dice); });
    refuses<ValueError>("LSTM: forget_bias needs biases; got 1 with bias = false",
                        [] { nn::LSTM({.input = 3, .hidden = 3, .bias = false, .forget_bias = 1}, dice); });
    refuses<ValueError>("Dropout: p must lie in [0, 1]; got 2",
                        [] { nn::GRU({.input = 3, .hidden = 3, .dropout = 2}, dice); });
    refuses<ShapeError>("GRU: needs x [B, T, 3] with T at least 1; got [5, 3]; hint: unsqueeze(x, 0) is a batch of one",
                        [] {
                          nn::GRU({.input = 3, .hidden = 2}, dice)(constant({5, 3}));
                        });
    refuses<ShapeError>("GRU: needs x [B, T, 3] with T at least 1; got [1, 5, 4]", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({1, 5, 4}));
    });
    refuses<ShapeError>("GRU: needs x [B, T, 3] with T at least 1; got [1, 0, 3]", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({1, 0, 3}));
    });
    refuses<DTypeError>(
        "matmul: both must have one dtype; got a f64 [1, 5, 3] and b f32 [3, 6]; convert one with to(...)", [] {
          nn::GRU({.input = 3, .hidden = 2}, dice)(constant({1, 5, 3}, DType::f64));
        });
    refuses<ShapeError>("GRU: needs one length a sentence, [2]; got [1]", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ids({5}));
    });
    refuses<ValueError>("length_mask: a length must lie in [1, 5]; got 6 in row 1", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ids({5, 6}));
    });
    refuses<ValueError>("length_mask: a length must lie in [1, 5]; got 0 in row 0", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ids({0, 5}));
    });
    refuses<ShapeError>("length_mask: lengths must be [B] i64; got f32 [2]", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ones({2}));
    });
    refuses<ShapeError>("GRU: the initial state must be [layers x directions, B, N] = [1, 2, 2]; got [2, 2]", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), {}, constant({2, 2}));
    });
    refuses<ValueError>("LSTM: the initial state needs all its 2 parts; got 1", [] {
      nn::LSTM({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), {}, {constant({1, 2, 2}), {}});
    });
    refuses<ShapeError>("RNN: needs i [B, N], h [B, N] and keep [B] bool; got [4, 2], [1, 2] and no keep", [] {
      nn::RNNCell cell({.input = 3, .hidden = 2}, dice);
      cell(constant({4, 3}), constant({1, 2}));
    });
    refuses<ShapeError>("RNN: needs i [B, N], h [B, N] and keep [B] bool; got [4, 2], [4, 2] and f32 [4]", [] {
      nn::RNNCell cell({.input = 3, .hidden = 2}, dice);
      cell.apply_state(constant({4, 2}), constant({4, 2}), ones({4}));
    });
    refuses<ShapeError>(
        "gru_gates: needs i [B, 3N], g [B, 3N], h [B, N] and keep [B] bool; got [4, 6], [4, 6], [4, 3] and no keep",
        [] {
          nn::gru_gates(constant({4, 6}), constant({4, 6}), constant({4, 3}));
        });
    refuses<ShapeError>(
        "gru_gates: needs i [B, 3N], g [B, 3N], h [B, N] and keep [B] bool; got [4, 6], [4, 6], [4, 2] and f32 [4]",
        [] {
          nn::gru_gates(constant({4, 6}), constant({4, 6}), constant({4, 2}), ones({4}));
        });
    refuses<DTypeError>(
        "gru_gates: both must have one dtype; got a f32 [4, 6] and b f64 [4, 2]; convert one with to(...)", [] {
          nn::gru_gates(constant({4, 6}), constant({4, 6}), constant({4, 2}, DType::f64));
        });
    refuses<ShapeError>(
        "lstm_gates: needs in [B, 4N], past [B, 4N], h [B, N], c [B, N] and keep [B] bool; got [4, 8], [4, 8], [4, 2], "
        "none and no keep",
        [] {
          nn::lstm_gates(constant({4, 8}), constant({4, 8}), {constant({4, 2}), {}});
        });
    refuses<ShapeError>(
        "lstm_gates: needs in [B, 4N], past [B, 4N], h [B, N], c [B, N] and keep [B] bool; got [4, 8], [4, 8], [4, 2], "
        "[4, 2] and f32 [4]",
        [] {
          nn::lstm_gates(constant({4, 8}), constant({4, 8}), {constant({4, 2}), constant({4, 2})}, ones({4}));
        });
    refuses<DTypeError>(
        "lstm_gates: both must have one dtype; got a f32 [4, 8] and b f64 [4, 2]; convert one with to(...)", [] {
          nn::lstm_gates(constant({4, 8}), constant({4, 8}), {constant({4, 2}), constant({4, 2}, DType::f64)});
        });
  }

  TEST_CASE("nn: optimisers and clipping") {
    using Parameters = std::vector<NamedVariable>;
    const Parameters one = {{"w", leaf({2})}};
    refuses<ValueError>("Adam: needs at least one parameter; got none", [] { nn::Adam({}, {}); });
    refuses<ValueError>("Adam: a parameter must be defined; got w undefined", [] {
      nn::Adam({{"w", Variable()}}, {});
    });
    refuses<ValueError>("Adam: a parameter must be a leaf; got w, which an operation made", [] {
      nn::Adam({{"w", leaf({2}) * 2}}, {});
    });
    refuses<ValueError>("Adam: each parameter must be given once; got w and v, which are one", [&] {
      nn::Adam({one[0], {"v", one[0].variable}}, {});
    });
    refuses<ValueError>("Adam: parameters must have different names; got two called w", [] {
      nn::Adam({{"w", leaf({2})}, {"w", leaf({2})}}, {});
    });
    refuses<ValueError>("Adam: the learning rate must be positive; got 0",
                        [&] { nn::Adam(one, {.learning_rate = 0}); });
    refuses<ValueError>("Adam: the learning rate must be positive; got nan",
                        [&] { nn::Adam(one, {.learning_rate = kNan}); });
    refuses<ValueError>("Adam: beta1 must lie in [0, 1); got 1", [&] { nn::Adam(one, {.beta1 = 1}); });
    refuses<ValueError>("Adam: beta2 must lie in [0, 1); got -0.1", [&] { nn::Adam(one, {.beta2 = -0.1}); });
    refuses<ValueError>("Adam: the epsilon must be at least 0; got -1", [&] { nn::Adam(one, {.epsilon = -1}); });
    refuses<ValueError>("Adam: the weight decay must be at least 0; got inf",
                        [&] { nn::Adam(one, {.weight_decay = kInf}); });
    refuses<ValueError>("AdamW: the weight decay must be at least 0; got -1",
                        [&] { nn::AdamW(one, {.weight_decay = -1}); });
    refuses<ValueError>("Adam: the learning rate of a step must be at least 0; got -1", [&] {
      nn::Adam adam(one, {});
      adam.learning_rate = -1;
      adam.step();
    });
    refuses<ValueError>("Adam: a parameter must be contiguous; got w [3, 2] with strides [1, 3]", [] {
      Parameters turned = {{"w", Variable(matrix().transpose(0, 1), Variable::kRequiresGrad)}};
      nn::Adam adam(turned, {});
      turned[0].variable.set_grad(ones({3, 2}));
      adam.step();
    });
    refuses<ValueError>("SGD: the momentum must be at least 0; got -1", [&] { nn::SGD(one, {.momentum = -1}); });
    refuses<ValueError>("SGD: the weight decay must be at least 0; got -1",
                        [&] { nn::SGD(one, {.weight_decay = -1}); });
    refuses<ValueError>("SGD: the dampening must lie in [0, 1); got 1", [&] { nn::SGD(one, {.dampening = 1}); });
    refuses<ValueError>("SGD: Nesterov needs momentum above 0 and no dampening; got momentum 0 and dampening 0",
                        [&] { nn::SGD(one, {.nesterov = true}); });
    refuses<ValueError>("RMSprop: alpha must lie in [0, 1); got 1", [&] { nn::RMSprop(one, {.alpha = 1}); });
    refuses<ValueError>("RMSprop: the epsilon must be at least 0; got -1", [&] { nn::RMSprop(one, {.epsilon = -1}); });
    refuses<ValueError>("RMSprop: the momentum must be at least 0; got -1",
                        [&] { nn::RMSprop(one, {.momentum = -1}); });
    refuses<ValueError>("RMSprop: the weight decay must be at least 0; got -1",
                        [&] { nn::RMSprop(one, {.weight_decay = -1}); });
    refuses<ValueError>("Adagrad: the decay of the learning rate must be at least 0; got -1",
                        [&] { nn::Adagrad(one, {.lr_decay = -1}); });
    refuses<ValueError>("Adagrad: the weight decay must be at least 0; got -1",
                        [&] { nn::Adagrad(one, {.weight_decay = -1}); });
    refuses<ValueError>("Adagrad: the initial sum must be at least 0; got -1",
                        [&] { nn::Adagrad(one, {.initial_sum = -1}); });
    refuses<ValueError>("Adagrad: the epsilon must be at least 0; got -1", [&] { nn::Adagrad(one, {.epsilon = -1}); });
    refuses<ValueError>("Adadelta: rho must lie in [0, 1); got 1", [&] { nn::Adadelta(one, {.rho = 1}); });
    refuses<ValueError>("Adadelta: the epsilon must be positive; got 0", [&] { nn::Adadelta(one, {.epsilon = 0}); });
    refuses<ValueError>("Adadelta: the weight decay must be at least 0; got -1",
                        [&] { nn::Adadelta(one, {.weight_decay = -1}); });
    refuses<ValueError>("ParameterAverage: the decay must lie in [0, 1); got 1",
                        [&] { nn::ParameterAverage(one, {.decay = 1}); });
    refuses<ValueError>("ParameterAverage: a parameter must be defined; got w undefined", [] {
      nn::ParameterAverage({{"w", Variable()}}, {});
    });
    refuses<ValueError>("ParameterAverage: a parameter must be a leaf; got w, which an operation made", [] {
      nn::ParameterAverage({{"w", leaf({2}) * 2}}, {});
    });
    refuses<ValueError>("ParameterAverage: each parameter must be given once; got w again", [&] {
      nn::ParameterAverage({one[0], one[0]}, {});
    });
    auto while_swapped = [&](auto call) {
      nn::ParameterAverage average(one, {});
      auto scope = average.swap_in();
      call(average);
    };
    refuses<GraphError>(
        "ParameterAverage: update needs the trained parameters; got a model that holds their averages; hint: end the "
        "scope of swap_in first",
        [&] { while_swapped([](auto& a) { a.update(); }); });
    refuses<GraphError>(
        "ParameterAverage: swap_in needs the trained parameters; got a model that holds their averages; hint: end the "
        "scope of swap_in first",
        [&] { while_swapped([](auto& a) { auto second = a.swap_in(); }); });
    refuses<GraphError>(
        "ParameterAverage: save_state needs the trained parameters; got a model that holds their averages; hint: end "
        "the scope of swap_in first",
        [&] { while_swapped([](auto& a) { a.save_state(); }); });
    refuses<GraphError>(
        "ParameterAverage: load_state needs the trained parameters; got a model that holds their averages; hint: end "
        "the scope of swap_in first",
        [&] { while_swapped([](auto& a) { a.load_state({}, "e"); }); });
    refuses<ValueError>("clip_grad_norm: the limit must be positive; got 0", [&] { nn::clip_grad_norm(one, 0); });
    refuses<ValueError>("clip_grad_norm: p must be 2 or infinity; got 3",
                        [&] { nn::clip_grad_norm(one, 1, {.p = 3}); });
    refuses<ValueError>("clip_grad_value: the limit must be positive; got -1", [&] { nn::clip_grad_value(one, -1); });
    refuses<ValueError>("clip_grad_norm: gradients must be finite; got nan in the gradient of w [2]", [] {
      Parameters p = {{"w", leaf({2})}};
      p[0].variable.set_grad(Tensor::full({2}, kNan));
      nn::clip_grad_norm(p, 1);
    });
  }

  TEST_CASE("nn: schedules") {
    refuses<ValueError>("ConstantRate: the peak must be positive; got 0", [] { nn::ConstantRate({.peak = 0}); });
    refuses<ValueError>("StepDecay: the number of steps between falls must be at least 1; got 0",
                        [] { nn::StepDecay({.every = 0}); });
    refuses<ValueError>("StepDecay: the factor must be positive; got 0", [] { nn::StepDecay({.factor = 0}); });
    refuses<ValueError>("MultiStepDecay: milestones must be positive and rise; got 3, 3", [] {
      nn::MultiStepDecay({.milestones = {3, 3}});
    });
    refuses<ValueError>("ExponentialDecay: the factor must be positive; got -1",
                        [] { nn::ExponentialDecay({.factor = -1}); });
    refuses<ValueError>("WarmupLinear: the start must be at least 0; got -1", [] { nn::WarmupLinear({.start = -1}); });
    refuses<ValueError>("WarmupLinear: the floor must be at least 0; got -1", [] { nn::WarmupLinear({.floor = -1}); });
    refuses<ValueError>("WarmupLinear: the total must be at least 1 and at least the warm-up; got 4 for a warm-up of 5",
                        [] { nn::WarmupLinear({.warmup = 5, .total = 4}); });
    refuses<ValueError>("Noam: the width must be at least 1; got 0", [] { nn::Noam({.width = 0}); });
    refuses<ValueError>("Noam: the warm-up must be at least 1; got 0", [] { nn::Noam({.warmup = 0}); });
    refuses<ValueError>("Noam: the scale must be positive; got 0", [] { nn::Noam({.scale = 0}); });
    refuses<ValueError>("InverseSquareRoot: the warm-up must be at least 1; got 0",
                        [] { nn::InverseSquareRoot({.warmup = 0}); });
    refuses<ValueError>("WarmupCosine: the warm-up must be at least 0; got -1",
                        [] { nn::WarmupCosine({.warmup = -1}); });
    refuses<ValueError>("WarmupCosine: the total must be at least 1; got 0", [] { nn::WarmupCosine({.total = 0}); });
    refuses<ValueError>("WarmupCosine: the total must be at least 5; got 4",
                        [] { nn::WarmupCosine({.warmup = 5, .total = 4}); });
    refuses<ValueError>("CosineDecay: the period must be at least 1; got 0", [] { nn::CosineDecay({.period = 0}); });
    refuses<ValueError>("CosineRestarts: the growth must be at least 1; got 0",
                        [] { nn::CosineRestarts({.period = 1, .growth = 0}); });
    refuses<ValueError>("OneCycle: the total must be at least 2; got 1", [] { nn::OneCycle({.total = 1}); });
    refuses<ValueError>("OneCycle: the share of the rise must lie in [0, 1]; got 2",
                        [] { nn::OneCycle({.total = 9, .rise = 2}); });
    refuses<ValueError>("OneCycle: the divisor of the start must be positive; got 0",
                        [] { nn::OneCycle({.total = 9, .start_divisor = 0}); });
    refuses<ValueError>("OneCycle: the divisor of the end must be positive; got 0",
                        [] { nn::OneCycle({.total = 9, .end_divisor = 0}); });
    refuses<ValueError>("ReduceOnPlateau: the factor must lie in (0, 1); got 1",
                        [] { nn::ReduceOnPlateau({.factor = 1}); });
    refuses<ValueError>("ReduceOnPlateau: the patience must be at least 0; got -1",
                        [] { nn::ReduceOnPlateau({.patience = -1}); });
    refuses<ValueError>("ReduceOnPlateau: the cooldown must be at least 0; got -1",
                        [] { nn::ReduceOnPlateau({.cooldown = -1}); });
    refuses<ValueError>("ReduceOnPlateau: the threshold must be at least 0; got -1",
                        [] { nn::ReduceOnPlateau({.threshold = -1}); });
    refuses<ValueError>("ReduceOnPlateau: the least change must be at least 0; got -1",
                        [] { nn::ReduceOnPlateau({.least_change = -1}); });
    refuses<ValueError>("ReduceOnPlateau: the peak must be positive; got -1",
                        [] { nn::ReduceOnPlateau({.peak = -1}); });
  }

  // A state that was saved, then changed, and loaded under the name "s".
  using Edit = std::function<void(io::SafeTensors&)>;
  TEST_CASE("nn: states that do not fit") {
    auto optimiser = [](const Edit& edit) {
      std::vector<NamedVariable> p = {{"w", leaf({2})}};
      nn::Adam adam(p, {});
      p[0].variable.set_grad(ones({2}));
      adam.step();
      io::SafeTensors state = adam.save_state();
      edit(state);
      adam.load_state(state, "s");
    };
    refuses<IoError>("load: \"s\": holds no optimiser state", [&] { optimiser([](auto& s) { s.metadata.clear(); }); });
    refuses<IoError>("load: \"s\": must hold the state of Adam; got SGD",
                     [&] { optimiser([](auto& s) { s.metadata["optimizer"] = "SGD"; }); });
    refuses<IoError>("load: \"s\": steps must be a number; got \"-1\"",
                     [&] { optimiser([](auto& s) { s.metadata["steps"] = "-1"; }); });
    refuses<IoError>("load: \"s\": steps.w must be a number of at most 1; got \"2\"",
                     [&] { optimiser([](auto& s) { s.metadata["steps.w"] = "2"; }); });
    refuses<IoError>("load: \"s\": the parameter groups must be 1; got \"2\"",
                     [&] { optimiser([](auto& s) { s.metadata["groups"] = "2"; }); });
    refuses<IoError>("load: \"s\": w must be in group 0; got group 1",
                     [&] { optimiser([](auto& s) { s.metadata["group.w"] = "1"; }); });
    refuses<IoError>("load: \"s\": group0.beta1 is missing",
                     [&] { optimiser([](auto& s) { s.metadata.erase("group0.beta1"); }); });
    refuses<IoError>("load: \"s\": group0.beta1 must be a number; got \"much\"",
                     [&] { optimiser([](auto& s) { s.metadata["group0.beta1"] = "much"; }); });
    refuses<IoError>("load: \"s\": Adam: beta1 must lie in [0, 1); got 2",
                     [&] { optimiser([](auto& s) { s.metadata["group0.beta1"] = "2"; }); });
    refuses<IoError>("load: \"s\": group0.amsgrad must be true or false; got \"maybe\"",
                     [&] { optimiser([](auto& s) { s.metadata["group0.amsgrad"] = "maybe"; }); });
    refuses<IoError>("load: \"s\": Adam: the learning rate of a step must be at least 0; got -1",
                     [&] { optimiser([](auto& s) { s.metadata["learning_rate"] = "-1"; }); });
    refuses<IoError>("load: \"s\": Adam: the learning rate must be positive; got 0",
                     [&] { optimiser([](auto& s) { s.metadata["group0.learning_rate"] = "0"; }); });
    refuses<IoError>("load: \"s\": the tensor mean.w is missing",
                     [&] { optimiser([](auto& s) { s.tensors.clear(); }); });
    refuses<IoError>("load: \"s\": mean.w must have the parameter's shape; got [3] for [2]",
                     [&] { optimiser([](auto& s) { s.tensors[0].second = ones({3}); }); });
    refuses<IoError>("load: \"s\": mean.w must hold real numbers; got i64",
                     [&] { optimiser([](auto& s) { s.tensors[0].second = wholes({2}); }); });
    refuses<IoError>("load: \"s\": the tensor more does not belong to this optimiser",
                     [&] { optimiser([](auto& s) { s.tensors.emplace_back("more", ones({2})); }); });
    auto schedule = [](const Edit& edit) {
      nn::MultiStepDecay decay({.milestones = {2, 4}});
      io::SafeTensors state = decay.save_state();
      edit(state);
      decay.load_state(state, "s");
    };
    refuses<IoError>("load: \"s\": holds no state of a schedule",
                     [&] { schedule([](auto& s) { s.metadata.clear(); }); });
    refuses<IoError>("load: \"s\": must hold the state of MultiStepDecay; got Noam",
                     [&] { schedule([](auto& s) { s.metadata["schedule"] = "Noam"; }); });
    refuses<IoError>("load: \"s\": milestones must be whole numbers; got \"two\"",
                     [&] { schedule([](auto& s) { s.metadata["milestones"] = "two"; }); });
    refuses<IoError>("load: \"s\": MultiStepDecay: milestones must be positive and rise; got 4, 2",
                     [&] { schedule([](auto& s) { s.metadata["milestones"] = "4 2"; }); });
    auto average = [](const Edit& edit) {
      nn::ParameterAverage mean({{"w", leaf({2})}}, {});
      io::SafeTensors state = mean.save_state();
      edit(state);
      mean.load_state(state, "s");
    };
    refuses<IoError>("load: \"s\": holds no averages of parameters",
                     [&] { average([](auto& s) { s.metadata.clear(); }); });
    refuses<IoError>("load: \"s\": updates must be at least 0; got -1",
                     [&] { average([](auto& s) { s.metadata["updates"] = "-1"; }); });
    refuses<IoError>("load: \"s\": updates must be a whole number; got \"1.5\"",
                     [&] { average([](auto& s) { s.metadata["updates"] = "1.5"; }); });
    refuses<IoError>("load: \"s\": the decay must lie in [0, 1); got 1",
                     [&] { average([](auto& s) { s.metadata["decay"] = "1"; }); });
    refuses<IoError>("load: \"s\": the tensor average.w is missing",
                     [&] { average([](auto& s) { s.tensors.clear(); }); });
    refuses<IoError>("load: \"s\": average.w must have the parameter's shape; got f32 [3] for [2]",
                     [&] { average([](auto& s) { s.tensors[0].second = ones({3}); }); });
    refuses<IoError>("load: \"s\": the tensor more belongs to no parameter",
                     [&] { average([](auto& s) { s.tensors.emplace_back("more", ones({2})); }); });
    auto model = [](const Edit& edit) {
      nn::Linear layer({.in = 3, .out = 2}, dice);
      io::SafeTensors state = nn::save_state(layer);
      edit(state);
      nn::load_state(layer, state, "s");
    };
    refuses<IoError>(
        "load: \"s\": no tensor of the model may be missing; got no bias; hint: was it saved from another kind of "
        "model?",
        [&] { model([](auto& s) { s.tensors.pop_back(); }); });
    refuses<IoError>("load: \"s\": tensors must have the shapes of the model's; got weight [3, 2] for [2, 3]", [&] {
      model([](auto& s) { s.tensors[0].second = ones({3, 2}); });
    });
    refuses<IoError>(
        "load: \"s\": each tensor must belong to the model; got more; hint: was it saved from another kind of model?",
        [&] { model([](auto& s) { s.tensors.emplace_back("more", ones({2})); }); });
    refuses<IoError>("load: \"s\": tensors must have the element types of the model's; got weight i64 for f32", [&] {
      model([](auto& s) { s.tensors[0].second = wholes({2, 3}); });
    });
    refuses<IoError>(
        "load: \"s\": the tensors must be those of the model; got wait in place of weight; hint: was it saved from "
        "another kind of model?",
        [&] { model([](auto& s) { s.tensors[0].first = "wait"; }); });
    refuses<IoError>("load: \"s\": first and second are one tied parameter and must be equal", [] {
      struct Tied : nn::Module {
        Variable weight = leaf({2});
        void visit(nn::Visitor& v) {
          v.parameter("first", weight);
          v.parameter("second", weight);
        }
      } tied;
      nn::load_state(tied, {{{"first", ones({2})}, {"second", zeros({2})}}, {}}, "s");
    });
  }

  TEST_CASE("nn: checkpoints of runs") {
    auto generators = [](const char* key, const char* text) {
      nn::Dropout dropout({.p = 0.5}, dice);
      io::SafeTensors state = nn::save_generators(dropout);
      state.metadata[key] = text;
      if (*text == 0) state.metadata.erase(key);
      nn::load_generators(dropout, state, "s");
    };
    refuses<IoError>("load: \"s\": the generator generator is missing", [&] { generators("generator", ""); });
    refuses<IoError>("load: \"s\": the generator generator must be a seed and an offset; got \"1 one\"",
                     [&] { generators("generator", "1 one"); });
    refuses<IoError>("load: \"s\": the generators must be those of the model, 1; got 2",
                     [&] { generators("more", "1 1"); });
    nn::Linear layer({.in = 3, .out = 2}, dice);
    nn::Part whole = nn::part("model", layer), dotted = nn::part("a.b", layer);
    refuses<ValueError>("checkpoint: the name of a part must be a word without dots and spaces, not heed; got \"a.b\"",
                        [&] { nn::save_parts({dotted}); });
    refuses<ValueError>("checkpoint: parts must have different names; got two model", [&] {
      nn::save_parts({whole, whole});
    });
    auto parts = [&](const Edit& edit) {
      io::SafeTensors state = nn::save_parts({whole});
      edit(state);
      nn::load_parts({whole}, state, "s");
    };
    refuses<IoError>("load: \"s\": must be a \"training checkpoint 1\"; got \"\"",
                     [&] { parts([](auto& s) { s.metadata.clear(); }); });
    refuses<IoError>("load: \"s\": must hold the parts \"model\"; got \"model optimizer\"",
                     [&] { parts([](auto& s) { s.metadata["heed.parts"] = "model optimizer"; }); });
    refuses<IoError>("load: \"s\": each name must begin with that of a part; got stray.weight",
                     [&] { parts([](auto& s) { s.tensors[0].first = "stray.weight"; }); });
    // A run after its first epoch of two, saved, changed, and loaded.
    auto run = [](const Edit& edit) {
      Variable w = leaf({6});
      const nn::FitModel bias{{{"w", w}},
                              [&](const data::Batch& b) {
                                return expand(w, {b.target_out.size(0), b.target_out.size(1), 6});
                              },
                              [](bool) {},
                              {}};
      const std::vector<data::EncodedPair> pairs = {{{4, 3}, {4}}};
      nn::FitRun first(bias, pairs, pairs, {.epochs = 2});
      first.step();
      first.save(in_box("run"));
      io::SafeTensors state = io::load_safetensors(in_box("run"));
      edit(state);
      io::save_safetensors(in_box("run"), state);
      first.load(in_box("run"));
    };
    auto tensor = [](io::SafeTensors& s, const std::string& name) {
      return std::find_if(s.tensors.begin(), s.tensors.end(), [&](const auto& t) { return t.first == name; });
    };
    refuses<IoError>("load: \"~/run#progress\": a run must go on with the pairs that it began with, 7; got 1",
                     [&] { run([](auto& s) { s.metadata["progress.pairs"] = "7"; }); });
    refuses<IoError>("load: \"~/run#progress\": progress must lie within the run",
                     [&] { run([](auto& s) { s.metadata["progress.epoch"] = "9"; }); });
    refuses<IoError>("load: \"~/run#progress\": the tensor history is missing",
                     [&] { run([&](auto& s) { s.tensors.erase(tensor(s, "progress.history")); }); });
    refuses<IoError>("load: \"~/run#progress\": history must be f64 [1, 4]; got f32 [1, 4]", [&] {
      run([&](auto& s) { tensor(s, "progress.history")->second = ones({1, 4}); });
    });
    refuses<IoError>("load: \"~/run#progress\": the tensor best.w is missing",
                     [&] { run([&](auto& s) { s.tensors.erase(tensor(s, "progress.best.w")); }); });
    refuses<IoError>("load: \"~/run#progress\": best.w must be f32 [6]; got f32 [5]",
                     [&] { run([&](auto& s) { tensor(s, "progress.best.w")->second = ones({5}); }); });
    refuses<IoError>("load: \"~/run#progress\": progress must have 2 tensors; got 3",
                     [&] { run([](auto& s) { s.tensors.emplace_back("progress.more", ones({1})); }); });
  }

  TEST_CASE("nn: attention, search, training") {
    refuses<ShapeError>("attend: needs scores [B, T, S] and values [B, S, D]; got [2, 3] and [2, 3, 4]", [] {
      nn::attend(constant({2, 3}), constant({2, 3, 4}));
    });
    refuses<ShapeError>("attend: needs scores [B, T, S] and values [B, S, D]; got [2, 1, 3] and [2, 4, 4]", [] {
      nn::attend(constant({2, 1, 3}), constant({2, 4, 4}));
    });
    refuses<ShapeError>("attend: the mask must broadcast to the scores; got mask [4, 2, 1, 3] and scores [2, 1, 3]",
                        [] {
                          nn::attend(constant({2, 1, 3}), constant({2, 3, 4}), mask({4, 2, 1, 3}));
                        });
    refuses<ShapeError>(
        "attend: sizes must be equal or 1, aligned at the right; got a [2] and b [2, 1, 3] (axis -1: 2 vs 3)", [] {
          nn::attend(constant({2, 1, 3}), constant({2, 3, 4}), mask({2}));
        });
    refuses<DTypeError>("logical_not: the mask must be bool; got f32 [2, 1, 3]", [] {
      nn::attend(constant({2, 1, 3}), constant({2, 3, 4}), ones({2, 1, 3}));
    });
    refuses<DTypeError>(
        "matmul: both must have one dtype; got a f32 [2, 1, 3] and b f64 [2, 3, 4]; convert one with to(...)", [] {
          nn::attend(constant({2, 1, 3}), constant({2, 3, 4}, DType::f64));
        });
    refuses<ValueError>("Linear: out must be at least 1; got 0",
                        [] { nn::AdditiveAttention({.query = 3, .key = 3, .width = 0}, dice); });
    refuses<ShapeError>("length_mask: lengths must be [B] i64; got i64 [2, 2]", [] {
      nn::length_mask(wholes({2, 2}), 3);
    });
    refuses<ShapeError>("length_mask: lengths must be [B] i64; got f32 []", [] { nn::length_mask({}, 3); });
    struct Model : nn::SearchModel {
      int64_t R = 1, V = 6;
      int64_t rows() const override { return R; }
      Tensor next(const Tensor& tokens) override { return zeros({tokens.size(0), V}); }
      void keep(const Tensor&) override {}
    } model;
    refuses<ValueError>("beam_search: needs a beam of at least 1; got 0", [&] { nn::beam_search(model, 0); });
    refuses<ValueError>("beam_search: needs one length limit a row; got 2 for 1", [&] {
      nn::beam_search(model, 2, {.max_lengths = {3, 4}});
    });
    refuses<ValueError>("greedy: needs one length limit a row; got 2 for 1", [&] {
      nn::greedy(model, {.max_lengths = {3, 4}});
    });
    refuses<ShapeError>("greedy: the model must answer [1, V] with V at least 4; got [1, 2]", [&] {
      model.V = 2;
      nn::greedy(model);
    });
    refuses<ShapeError>("beam_search: the model must answer [1, V] with V at least 4; got [1, 2]",
                        [&] { nn::beam_search(model, 2); });
    refuses<ValueError>("beam_search: takes one sentence; got 2", [&] {
      model.R = 2;
      nn::beam_search(model, 2);
    });
    const std::vector<data::EncodedPair> pairs = {{{4, 3}, {4}}};
    const nn::FitModel fitted{{{"w", leaf({2})}},
                              [](const data::Batch& b) {
                                return Variable(Tensor::full({b.target_out.size(0), b.target_out.size(1), 6}, kNan));
                              },
                              [](bool) {},
                              {}};
    refuses<InputError>("train: needs at least one training pair; got none", [&] { nn::fit(fitted, {}, pairs, {}); });
    refuses<InputError>("train: needs at least one validation pair; got none", [&] { nn::fit(fitted, pairs, {}, {}); });
    refuses<InputError>("train: needs at least one epoch; got 0",
                        [&] { nn::fit(fitted, pairs, pairs, {.epochs = 0}); });
    refuses<ValueError>("batches: the batch size must be at least 1; got 0",
                        [&] { nn::fit(fitted, pairs, pairs, {.batch_size = 0}); });
    refuses<ValueError>("Adam: the learning rate must be positive; got -1",
                        [&] { nn::fit(fitted, pairs, pairs, {.learning_rate = -1}); });
    refuses<Error>("train: the loss must stay finite; got nan at step 1; hint: a smaller learning rate than 0.001",
                   [&] { nn::fit(fitted, pairs, pairs, {}); });
    refuses<ValueError>("mean_loss: needs at least one pair; got none", [&] { nn::mean_loss(fitted, {}); });
    refuses<nn::Interrupted>("interrupted: stopped by Ctrl-C", [] {
      nn::Interrupt interrupt;
      std::raise(SIGINT);
      interrupt.check();
    });
  }

  TEST_CASE("nn: data") {
    refuses<ValueError>("make_batch: needs at least one sentence; got none", [] {
      data::make_batch({{{4}, {5}}}, {});
    });
    refuses<IndexError>("make_batch: a member must lie in [0, 1); got 1", [] { data::make_batch({{{4}, {5}}}, {1}); });
    refuses<ValueError>("make_batch: a source must not be empty; got sentence 0", [] {
      data::make_batch({{{}, {5}}}, {0});
    });
    refuses<ValueError>("batches: the batch size must be at least 1; got 0", [] {
      data::sorted_batches({{{4}, {5}}}, 0);
    });
    refuses<ValueError>("batches: the batch size must be at least 1; got -1", [] {
      data::epoch_batches({{{4}, {5}}}, -1, 1, 0);
    });
    const std::vector<float> weights = {0.5f, 0.5f};
    const data::AlignedPair pair{.source = {"a", "b"},
                                 .target = {"x"},
                                 .source_content = {true, true},
                                 .target_content = {true},
                                 .links = {{.source = 2, .target = 0}},
                                 .family = {},
                                 .combinations = {}};
    refuses<ShapeError>("hard_links: weights must hold targets x sources numbers; got 2 for [3, 2]",
                        [&] { data::hard_links(weights, 3, 2); });
    refuses<ShapeError>("alignment_mass: weights must hold targets x sources numbers; got 2 for [1, 1]",
                        [&] { data::alignment_mass(weights, 1, 1, pair); });
    refuses<ShapeError>("alignment_mass: the weights must cover the pair; got [2, 1] for 1 target and 2 source tokens",
                        [&] { data::alignment_mass(weights, 2, 1, pair); });
    refuses<IndexError>("alignment_mass: a link must lie inside the pair; got source 2 and target 0 of 2 and 1 tokens",
                        [&] { data::alignment_mass(weights, 1, 2, pair); });
    refuses<ValueError>(
        "toy_corpus: sizes must not be negative; got train -1, validation 500, test 1000, combinations 500",
        [] { data::toy_corpus({.train = -1}); });
    refuses<ValueError>(
        "toy_corpus: the grammar must have as many sentences as are asked for; got 0 of 500; a larger training set "
        "knows more words, a smaller one leaves more sentences",
        [] { data::toy_corpus({.train = 3, .test = 1000}); });
    refuses<ValueError>("toy lexicon: the noun must be in the table; got \"unicorn\"",
                        [] { data::toy::noun("unicorn"); });
    refuses<ValueError>("toy lexicon: the verb must be in the table; got \"unicorn\"",
                        [] { data::toy::verb("unicorn"); });
    refuses<ValueError>("toy lexicon: the adjective must be in the table; got \"unicorn\"",
                        [] { data::toy::adjective("unicorn"); });
  }

  TEST_CASE("text: vocabularies, tokens, scores") {
    using Words = std::vector<std::vector<std::string>>;
    using Lines = std::vector<std::string>;
    refuses<ValueError>("vocabulary: min_frequency must be at least 1 and max_size at least 0; got 0 and 0",
                        [] { text::Vocabulary(Words{{"a"}}, {.min_frequency = 0}); });
    refuses<ValueError>("vocabulary: a token must be neither empty nor broken into lines; got \"a\\x0Ab\"",
                        [] { text::Vocabulary(Words{{"a\nb"}}); });
    refuses<IndexError>("vocabulary: an id must lie in [0, 4); got 4", [] { text::Vocabulary().token(4); });
    refuses<IoError>("load vocabulary: each line must be a count, a space and a token in UTF-8; got \"cat\" in line 5",
                     [] {
                       text::Vocabulary::from_lines({"0 <pad>", "0 <unk>", "0 <s>", "0 </s>", "cat"});
                     });
    refuses<IoError>("load vocabulary: line 1 must hold <pad>; got \"<unk>\"", [] {
      text::Vocabulary::from_lines({"0 <unk>", "0 <pad>", "0 <s>", "0 </s>"});
    });
    refuses<IoError>("load vocabulary: tokens must be distinct; got \"a\" again in line 6", [] {
      text::Vocabulary::from_lines({"0 <pad>", "0 <unk>", "0 <s>", "0 </s>", "1 a", "2 a"});
    });
    refuses<IoError>("load vocabulary: it must begin with <pad> <unk> <s> </s>; got 1 line",
                     [] { text::Vocabulary::from_lines({"0 <pad>"}); });
    refuses<InputError>("tokenize: text must be UTF-8; got byte 0xE9 at offset 3",
                        [] { text::Tokenizer().split("caf\xE9"); });
    refuses<InputError>("tokenizer: the name must be space, words or words-spaced; got \"bytes\"",
                        [] { text::Tokenizer::from_name("bytes"); });
    refuses<InputError>("nfc: text must be UTF-8; got byte 0xE9 at offset 3", [] { text::nfc("caf\xE9"); });
    refuses<InputError>("bleu: the tokenisation must be none or 13a; got \"14a\"",
                        [] { text::bleu_tokens_from_name("14a"); });
    refuses<InputError>("bleu: hypotheses and references must be as many, and at least one; got 2 and 1", [] {
      text::bleu(Lines{"a", "b"}, Lines{"a"});
    });
    refuses<InputError>("chrf: hypotheses and references must be as many, and at least one; got 0 and 0",
                        [] { text::chrf(Lines{}, Lines{}); });
    auto filtered = [](std::vector<text::TokenPair> pairs, int64_t longest) { text::filter_by_length(pairs, longest); };
    const std::vector<text::TokenPair> pairs = {{{"a", "b", "c"}, {"x"}}}, bare = {{{}, {"x"}}};
    refuses<InputError>("length filter: the longest sentence must have at least 1 token; got 0",
                        [&] { filtered(pairs, 0); });
    refuses<InputError>(
        "length filter: a pair must have at most 2 tokens a side; got 1 pair, the shortest with 3 tokens; raise the "
        "maximum length",
        [&] { filtered(pairs, 2); });
    refuses<InputError>("length filter: a pair must have a token on both sides; got 1 pair without",
                        [&] { filtered(bare, 2); });
    refuses<InputError>("split: the sizes must not be negative; got validation -1 and test 0", [] {
      text::assign_sets({"a", "b"}, {.validation = -1});
    });
    refuses<InputError>(
        "split: a source sentence must be left to train on; got 2 distinct ones for validation 1 and test 1", [] {
          text::assign_sets({"a", "b"}, {.validation = 1, .test = 1});
        });
  }

  TEST_CASE("files: text") {
    refuses<IoError>("read: the file must exist and be readable; got \"~/missing.txt\" (No such file or directory)",
                     [] { text::read_lines(in_box("missing.txt")); });
    refuses<IoError>("read: a file is needed; got the folder \"~\"", [] { text::read_lines(box()); });
    refuses<IoError>("read: the file must exist and be readable; got \"\" (No such file or directory)",
                     [] { text::read_lines(""); });
    refuses<IoError>("read: the file must not be empty; got \"~/empty.txt\"",
                     [] { text::read_lines(file("empty.txt", "")); });
    refuses<IoError>("read: there must be a line with text on both sides; got \"~/blank.tsv\" with 2 blank lines",
                     [] { text::read_pairs(file("blank.tsv", "\n \n")); });
    refuses<IoError>(
        "read: every line must be source TAB target; got one column in line 2 of \"~/one.tsv\": \"only one\"",
        [] { text::read_pairs(file("one.tsv", "a\tb\nonly one\n")); });
    refuses<IoError>("read: a text file must not hold NUL bytes; got one in line 1 of \"~/zero.txt\", byte 3",
                     [] { text::read_lines(file("zero.txt", std::string("ab\0c", 4))); });
    refuses<IoError>(
        "read: text must be UTF-8; got byte 0xE9 in line 2 of \"~/latin.txt\", byte 4; if the file is Latin-1, convert "
        "it with iconv -f LATIN1 -t UTF-8",
        [] { text::read_lines(file("latin.txt", "a\ncaf\xE9\n")); });
    refuses<IoError>("read: text must be UTF-8; got UTF-16 in \"~/wide.txt\"; convert it with iconv -f UTF-16 -t UTF-8",
                     [] {
                       text::read_lines(file("wide.txt",
                                             "\xFF\xFE"
                                             "a"));
                     });
    refuses<IoError>("read: parallel files must have as many lines; got 2 in \"~/two.txt\" and 1 in \"~/single.txt\"",
                     [] { text::read_parallel(file("two.txt", "a\nb\n"), file("single.txt", "x\n")); });
    // A stream that gives `letters` letters without a line end, and then breaks.
    struct Broken : std::streambuf {
      size_t letters;
      char letter = 'a';
      explicit Broken(size_t n) : letters(n) {}
      int underflow() override {
        if (letters-- == 0) throw std::ios_base::failure("broken");
        setg(&letter, &letter, &letter + 1);
        return letter;
      }
    };
    auto read = [](size_t letters) {
      Broken buffer(letters);
      std::istream stream(&buffer);
      text::LineReader reader(stream, "standard input");
      std::string line;
      reader.next(line);
    };
    refuses<IoError>("read: the file must stay readable; got a read error after line 1 of standard input",
                     [&] { read(5); });
    refuses<IoError>("read: a line must be at most 64 MiB; got more in line 1 of standard input",
                     [&] { read((size_t{64} << 20) + 1); });
  }

  TEST_CASE("files: bytes, folders, JSON") {
    refuses<IoError>("read: cannot read \"~/missing\": No such file or directory",
                     [] { io::read_file(in_box("missing")); });
    refuses<IoError>("read: cannot read \"~\": Is a directory", [] { io::read_file(box()); });
    refuses<IoError>("write: a file name must not be empty; got \"\"", [] { io::atomic_write("", "text"); });
    refuses<IoError>("write: cannot write \"~\": Is a directory", [] { io::atomic_write(box(), "text"); });
    refuses<IoError>("write: cannot write \"~/missing/file\": No such file or directory",
                     [] { io::atomic_write(in_box("missing/file"), "text"); });
    refuses<IoError>("write: cannot write \"~/plain/file\": Not a directory",
                     [] { io::atomic_write(file("plain", "text") + "/file", "text"); });
    refuses<IoError>("write: cannot write \"/dev/full\": No space left on device",
                     [] { io::atomic_write("/dev/full", "text"); });
    refuses<IoError>("write: a folder name must not be empty; got \"\"", [] { io::make_folder(""); });
    refuses<IoError>("write: cannot make the folder \"~/plain\": a file of that name is in the way",
                     [] { io::make_folder(file("plain", "text")); });
    refuses<IoError>("write: cannot make the folder \"/dev/null/folder\": Not a directory",
                     [] { io::make_folder("/dev/null/folder"); });
    CHECK_THROWS_AS(io::make_folder(in_box(std::string(300, 'x'))), IoError);  // File name too long
    refuses<IoError>(
        "c.json: must be valid JSON; line 1, column 7: value - unexpected '}'; expected '[', '{', or a literal",
        [] { io::parse("{\"a\": }", "c.json"); });
    refuses<IoError>(
        "c.json: must be valid JSON; line 1, column 1: value - unexpected end of input; expected '[', '{', or a "
        "literal",
        [] { io::parse("", "c.json"); });
    refuses<IoError>("c.json: a key must appear once in an object; got \"a\" twice",
                     [] { io::parse("{\"a\": 1, \"a\": 2}", "c.json"); });
    refuses<IoError>("c.json: brackets must not nest deeper than 200; got one more",
                     [] { io::parse(std::string(300, '['), "c.json"); });
    const io::Json json = io::parse("{\"a\": [1], \"n\": 1.5, \"t\": \"x\"}", "c.json");
    refuses<IoError>("c.json: key \"b\" is missing", [&] { json.at("b"); });
    refuses<IoError>("c.json: key \"a\" must be true or false; got an array", [&] { json.boolean("a"); });
    refuses<IoError>("c.json: key \"n\" must be an integer; got a number", [&] { json.integer("n"); });
    refuses<IoError>("c.json: key \"t\" must be a number; got a string", [&] { json.number("t"); });
    refuses<IoError>("c.json: key \"a\" must be a string; got an array", [&] { json.text("a"); });
    refuses<IoError>("c.json: key \"n\" must be an array; got a number", [&] { json.list("n"); });
    refuses<IoError>("json: must be true or false; got an array", [&] { json.at("a").as_bool(); });
    refuses<IoError>("json: must be an integer; got a number", [&] { json.at("n").as_integer(); });
    refuses<IoError>("json: must be a number; got an array", [&] { json.at("a").as_number(); });
    refuses<IoError>("json: must be a string; got an array", [&] { json.at("a").as_string(); });
    refuses<IoError>("json: must be an array; got an object", [&] { json.elements(); });
    refuses<IoError>("json: must be an object; got an array", [&] { json.at("a").items(); });
    refuses<IoError>("json: must be an object; got an integer", [] { io::Json(1).set("a", 1); });
    refuses<IoError>("json: must be an array; got an integer", [] { io::Json(1).push(1); });
  }

  TEST_CASE("files: safetensors") {
    auto saved = [](io::SafeTensors tensors) { io::save_safetensors(in_box("s"), tensors); };
    refuses<ValueError>("save: tensors must be defined; got w undefined", [&] { saved({{{"w", {}}}, {}}); });
    refuses<ValueError>("save: a name must be given once; got w twice", [&] {
      saved({{{"w", ones({1})}, {"w", ones({1})}}, {}});
    });
    refuses<ValueError>("save: the name __metadata__ is reserved; got a tensor of it", [&] {
      saved({{{"__metadata__", ones({1})}}, {}});
    });
    refuses<ValueError>("save: names and metadata must be UTF-8; got \"caf\xEF\xBF\xBD\"", [&] {
      saved({{{"caf\xE9", ones({1})}}, {}});
    });
    refuses<ValueError>("save: the header must have at most 100000000 bytes; got 100000032", [&] {
      saved({{}, {{"a", std::string(100'000'001, 'x')}}});
    });
    refuses<ValueError>("save: a file must have at most 100000 tensors and words of metadata; got 100001", [&] {
      io::SafeTensors many;
      for (int i = 0; i <= 100'000; ++i) many.metadata[std::to_string(i)] = "x";
      saved(many);
    });
    refuses<IoError>("load: \"~/missing\": must be a file that exists; got No such file or directory",
                     [] { io::load_safetensors(in_box("missing")); });
    refuses<IoError>("load: \"~\": must be a file; got a folder", [] { io::load_safetensors(box()); });
    refuses<IoError>("load: \"/dev/null\": must be a file; got a device", [] { io::load_safetensors("/dev/null"); });
    refuses<IoError>("load: \"~/s\": a safetensors file begins with 8 bytes of header length; got 5 bytes",
                     [] { io::load_safetensors(file("s", "short")); });
    refuses<IoError>(
        "load: \"~/s\": the header must have at most 100000000 bytes; got 7021991845529153390; is this a safetensors "
        "file?",
        [] { io::load_safetensors(file("s", "not a safetensors file")); });
    refuses<IoError>("load: \"~/s\": the header must lie inside the file; got 9 bytes of header in 10 bytes",
                     [] { io::load_safetensors(file("s", std::string("\x09\0\0\0\0\0\0\0{}", 10))); });
    refuses<IoError>("load: \"~/s\": the header must be a JSON object; got \"[\"",
                     [] { io::load_safetensors(file("s", std::string("\x02\0\0\0\0\0\0\0[]", 10))); });
  }

  TEST_CASE("files: translators") {
    auto saved = [](const std::function<void(io::SafeTensors&)>& edit) {
      text::Vocabulary words(std::vector<std::vector<std::string>>{{"a", "b"}});
      nn::Translator small({{}, words, words},
                           {.source_vocabulary = 0, .target_vocabulary = 0, .embedding = 2, .hidden = 2}, 1);
      small.epochs = 1;
      small.save(in_box("t"), {});
      io::SafeTensors state = io::load_safetensors(in_box("t"));
      edit(state);
      io::save_safetensors(in_box("t"), state);
      return nn::Translator::load(in_box("t"));
    };
    auto with_option = [&](const char* key, const io::Json& value) {
      saved([&](auto& s) {
        io::Json options = io::parse(s.metadata["heed.options"], "options");
        s.metadata["heed.options"] = options.set(key, value).dump();
      });
    };
    refuses<IoError>("load: \"~/t\": must be a translator saved by heed; got a file without heed.kind",
                     [&] { saved([](auto& s) { s.metadata.clear(); }); });
    refuses<IoError>("load: \"~/t\": must be a \"seq2seq translator 1\"; got \"parrot\"",
                     [&] { saved([](auto& s) { s.metadata["heed.kind"] = "parrot"; }); });
    refuses<IoError>("load: \"~/t\": must hold a trained model; got one that saw \"0\" epochs",
                     [&] { saved([](auto& s) { s.metadata["heed.epochs"] = "0"; }); });
    refuses<IoError>("load: \"~/t\": is damaged: a width must lie in [1, 16384]; got 0",
                     [&] { with_option("hidden", 0); });
    refuses<IoError>("load: \"~/t\": is damaged: dropout must lie in [0, 1); got 1",
                     [&] { with_option("dropout", 1); });
    refuses<IoError>("load: \"~/t\": is damaged: its options: key \"hidden\" must be an integer; got a string",
                     [&] { with_option("hidden", "two"); });
    refuses<IoError>(
        "load: \"~/t\": is damaged: tokenizer: the name must be space, words or words-spaced; got \"bytes\"",
        [&] { with_option("source_tokenizer", "bytes"); });
    refuses<IoError>("load: \"~/t\": the parameters must fit the sizes and vocabularies that the file names",
                     [&] { with_option("hidden", 3); });
    refuses<IoError>(
        "load: \"~/t\": is damaged: its options: must be valid JSON; line 1, column 2: object key - unexpected end of "
        "input; expected string literal",
        [&] { saved([](auto& s) { s.metadata["heed.options"] = "{"; }); });
    refuses<IoError>(
        "load: \"~/t\": no tensor of the model may be missing; got no output.bias; hint: was it saved from another "
        "kind of model?",
        [&] { saved([](auto& s) { s.tensors.pop_back(); }); });
    refuses<ValueError>("translate: needs a beam of at least 1; got 0",
                        [&] { saved([](auto&) {}).translate("a", {.beam = 0}); });
    refuses<IoError>("load: \"~/missing\": must be a file that exists; got No such file or directory",
                     [] { nn::Translator::load(in_box("missing")); });
  }
}
