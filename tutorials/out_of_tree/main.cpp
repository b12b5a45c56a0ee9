// A program outside heed's tree: a small network learns exclusive or, and its weights come back from a file.
//
//   y = W2 tanh(W1 x + b1) + b2         x [4, 2] -> hidden [4, 8] -> y [4, 1]
//   loss = mean of -(t log p + (1 - t) log(1 - p)),  p = sigmoid(y)
#include <cstdio>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/io/safetensors.h"
#include "nn/layers.h"
#include "nn/optim/adam.h"

struct Network : heed::nn::Module {
  explicit Network(heed::Generator& rng) : first({.in = 2, .out = 8}, rng), second({.in = 8, .out = 1}, rng) {}
  heed::Variable operator()(const heed::Variable& x) const { return second(tanh(first(x))); }
  void visit(heed::nn::Visitor& v) {
    v.child("first", first);
    v.child("second", second);
  }
  heed::nn::Linear first, second;
};

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "xor.safetensors";
  heed::Tensor x = heed::Tensor::from(std::vector<float>{0, 0, 0, 1, 1, 0, 1, 1}, {4, 2});
  heed::Tensor t = heed::Tensor::from(std::vector<float>{0, 1, 1, 0}, {4, 1});
  heed::Generator rng(1);
  Network network(rng);
  heed::nn::Adam adam(named_parameters(network), {.learning_rate = 0.05});
  double first = 0, last = 0;
  for (int step = 0; step < 300; ++step) {
    heed::Variable loss = heed::bce_with_logits_loss(network(x), t);
    adam.zero_grad();
    heed::backward(loss);
    adam.step();
    last = loss.item();
    if (step == 0) first = last;
  }

  heed::io::save_safetensors(file, save_state(network));
  Network again(rng);
  load_state(again, heed::io::load_safetensors(file), file);
  double reloaded = heed::bce_with_logits_loss(again(x), t).item();
  double kept = heed::bce_with_logits_loss(network(x), t).item();
  std::printf("loss %.4f -> %.4f, and %.4f from %s\n", first, last, reloaded, file);
  return last < 0.1 * first && reloaded == kept ? 0 : 1;
}
