#include "tests/bench/forward.h"

#include <torch/torch.h>

namespace bench {
namespace {

namespace nn = torch::nn;

template <class Model>
Work forward(Model model, const torch::Tensor& x) {
  model->eval();
  return [model, x]() mutable {
    torch::NoGradGuard guard;
    model->forward(x);
  };
}

Work encoder(const Sizes& s) {
  nn::TransformerEncoderLayer layer(nn::TransformerEncoderLayerOptions(s[2], s[3]).dim_feedforward(s[5]));
  // [T, B, D], as this module wants it
  return forward(nn::TransformerEncoder(nn::TransformerEncoderOptions(layer, s[4])), torch::randn({s[1], s[0], s[2]}));
}
Work lstm(const Sizes& s) {
  return forward(nn::LSTM(nn::LSTMOptions(s[2], s[3]).batch_first(true)), torch::randn({s[0], s[1], s[2]}));
}
Work gru(const Sizes& s) {
  return forward(nn::GRU(nn::GRUOptions(s[2], s[3]).batch_first(true).bidirectional(true)),
                 torch::randn({s[0], s[1], s[2]}));
}

}  // namespace

std::map<std::string, Maker> forward_passes() {
  return {{"encoder_forward", encoder}, {"lstm_forward", lstm}, {"gru_forward", gru}};
}

}  // namespace bench
