#include "tests/bench/forward.h"

#include <memory>

#include "autograd/modes.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/transformer/transformer.h"

namespace bench {
namespace {

using namespace heed;

Variable input(const Sizes& s) {  // [B, T, width]
  Generator rng(2);
  return Tensor::normal({s[0], s[1], s[2]}, rng);
}

template <class Model>
Work forward(const typename Model::Options& options, const Sizes& s) {
  Generator rng(1);
  auto model = std::make_shared<Model>(options, rng);
  nn::set_training(*model, false);
  return [model, x = input(s)] {
    NoGrad guard;
    (*model)(x);
  };
}

Work encoder(const Sizes& s) {
  nn::TransformerStackOptions options{.layer = {.model = s[2], .heads = s[3], .inner = s[5]}, .layers = s[4]};
  options.final_norm = false;
  return forward<nn::TransformerStack>(options, s);
}

}  // namespace

std::map<std::string, Maker> forward_passes() {
  return {{"encoder_forward", encoder},
          {"lstm_forward", [](const Sizes& s) { return forward<nn::LSTM>({.input = s[2], .hidden = s[3]}, s); }},
          {"gru_forward",
           [](const Sizes& s) { return forward<nn::GRU>({.input = s[2], .hidden = s[3], .bidirectional = true}, s); }}};
}

}  // namespace bench
