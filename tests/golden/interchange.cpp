// One side of check_from_heed.py: writes files for Python to read, and reads what Python wrote.
//
//   interchange write DIR     dtypes.safetensors: every dtype and many shapes; model.safetensors: weights of layers
//                             under PyTorch's names, an input and what heed computes from it
//   interchange read DIR      from_python.safetensors must hold the same as dtypes.safetensors, and formats that heed
//                             only reads; weights.safetensors holds weights that PyTorch saved, x, and its outputs
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include "autograd/modes.h"
#include "nn/layers.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "tensor/elementwise.h"

using namespace heed;

namespace {

int failures = 0;
void miss(const std::string& what) {
  fmt::print("MISS {}\n", what);
  ++failures;
}

// The table that check_from_heed.py has too.
io::SafeTensors table() {
  io::SafeTensors file;
  auto put = [&](const char* name, const Tensor& t) { file.tensors.emplace_back(name, t); };
  constexpr float inf = std::numeric_limits<float>::infinity();
  put("bool", Tensor::from_bools({1, 0, 1, 1, 0}, {5}));
  put("f32", Tensor::from(std::vector<float>{0, -0.0f, 1.5f, -2, 1e-45f, 3.4028235e38f, inf, -inf}, {2, 4}));
  put("f64", Tensor::from(std::vector<double>{0.1, -1e300, 5e-324, 1.0 / 3, 2, -7}, {3, 2}));
  put("i64", Tensor::from(std::vector<int64_t>{INT64_MIN, -1, 0, INT64_MAX}, {4, 1}));
  put("nan", Tensor::from(std::vector<float>{std::numeric_limits<float>::quiet_NaN()}, {1}));
  put("transposed", Tensor::arange(6).reshape({2, 3}).transpose(0, 1));
  put("scalar", Tensor::scalar(2.5, DType::f64));
  put("empty", Tensor::empty({3, 0, 2}));
  put("a \"quoted\"\n\xC3\xA9 \xF0\x9F\x98\x80 name", Tensor::arange(1));
  file.metadata = {{"format", "pt"}, {"words", "\"\\ \xC3\xA9\n"}};
  return file;
}

struct Layers : nn::Module {
  explicit Layers(Generator& rng)
      : embedding({.vocabulary = 7, .width = 3}, rng),
        gru({.input = 3, .hidden = 4, .layers = 2, .bidirectional = true}, rng),
        lstm({.input = 8, .hidden = 5}, rng),
        linear({.in = 5, .out = 2}, rng) {}
  void visit(nn::Visitor& v) {
    v.child("embedding", embedding);
    v.child("gru", gru);
    v.child("lstm", lstm);
    v.child("linear", linear);
  }
  Tensor operator()(const Tensor& ids) const {  // [B, T] -> [B, T, 2]
    NoGrad guard;
    auto B = ids.size(0), T = ids.size(1);
    Tensor lengths = Tensor::from(std::vector<int64_t>(static_cast<size_t>(B), T), {B});
    return linear(lstm(gru(embedding(ids), lengths).annotations, lengths).annotations).value();
  }
  nn::Embedding embedding;
  nn::GRU gru;
  nn::LSTM lstm;
  nn::Linear linear;
};

void write(const std::string& folder) {
  io::save_safetensors(folder + "/dtypes.safetensors", table());
  Generator rng(3);
  Layers layers(rng);
  io::SafeTensors file = nn::save_state(layers);
  Tensor ids = Tensor::from(std::vector<int64_t>{1, 2, 3, 4, 5, 6, 0, 2}, {2, 4});
  file.tensors.emplace_back("x", ids);
  file.tensors.emplace_back("y", layers(ids));
  io::save_safetensors(folder + "/model.safetensors", file);
}

void read(const std::string& folder) {
  io::SafeTensors ours = table(), theirs = io::load_safetensors(folder + "/from_python.safetensors");
  if (ours.metadata != theirs.metadata) miss("metadata");
  for (const auto& [name, t] : ours.tensors) {
    const Tensor* other = theirs.find(name);
    bool both_nan = name == "nan" && other && std::isnan(other->item());
    if (!other || !(both_nan || bit_equal(*other, t))) miss(name);
  }
  // Formats that heed only reads, each with the same numbers in f64 or i64 under "wide.<name>".
  int narrow = 0;
  for (const auto& [name, t] : theirs.tensors) {
    const Tensor* wide = theirs.find("wide." + name);
    if (!wide) continue;
    ++narrow;
    if (!bit_equal(t.to(wide->dtype()), *wide)) miss(name);
  }
  if (narrow != 9) miss(fmt::format("nine narrow formats; got {}", narrow));

  io::SafeTensors file = io::load_safetensors(folder + "/weights.safetensors");
  Tensor x = *file.find("x"), y = *file.find("y");
  std::erase_if(file.tensors, [](const auto& t) { return t.first == "x" || t.first == "y"; });
  Generator rng(4);
  Layers layers(rng);
  nn::load_state(layers, file, "weights.safetensors");
  double error = max_abs_difference(layers(x), y);
  fmt::print("heed with PyTorch's weights: difference {:.1e}\n", error);
  if (!(error < 1e-5)) miss("the outputs of PyTorch's weights");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string what = argc == 3 ? argv[1] : "";
    if (what == "write")
      write(argv[2]);
    else if (what == "read")
      read(argv[2]);
    else
      throw InputError("interchange: must be called with write or read, and a folder");
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return failures > 0;
}
