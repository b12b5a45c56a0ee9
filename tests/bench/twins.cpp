#include "tests/bench/twins.h"

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/models/attention_decoder.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/sequence.h"

namespace bench {
namespace {

using namespace heed;

Variable leaf(const Shape& shape, uint64_t seed) {
  Generator rng(seed);
  return {Tensor::normal(shape, rng, 0, 0.1), Variable::kRequiresGrad};
}

// Forward, backward of the sum, gradients away.
template <class F>
Work step(std::vector<Variable> leaves, const F& f) {
  return [leaves, f]() mutable {
    backward(sum(f(leaves)));
    for (Variable& x : leaves) x.zero_grad();
  };
}
using In = const std::vector<Variable>&;

Work affine(const Sizes& s, bool composed) {  // R, I, O
  return step({leaf({s[0], s[1]}, 1), leaf({s[2], s[1]}, 2), leaf({s[2]}, 3)}, [composed](In in) {
    return composed ? matmul(in[0], transpose(in[1], 0, 1)) + in[2] : linear(in[0], in[1], in[2]);
  });
}
Work norm(const Sizes& s, bool composed) {  // R, N
  return step({leaf({s[0], s[1]}, 1), leaf({s[1]}, 2), leaf({s[1]}, 3)}, [composed](In in) {
    return composed ? layer_norm_composed(in[0], in[1], in[2]) : layer_norm(in[0], in[1], in[2]);
  });
}
Work loss(const Sizes& s, bool composed) {  // R, V
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < s[0]; ++i) ids.push_back(i % s[1]);
  return step({leaf({s[0], s[1]}, 1)}, [composed, targets = Tensor::from(ids, {s[0]})](In in) {
    return composed ? cross_entropy_composed(in[0], targets) : cross_entropy(in[0], targets);
  });
}
Work score(const Sizes& s, bool composed) {  // B, T, S, A
  return step({leaf({s[0], s[1], s[3]}, 1), leaf({s[0], s[2], s[3]}, 2), leaf({s[3]}, 3)}, [composed](In in) {
    return composed ? nn::additive_score_composed(in[0], in[1], in[2]) : nn::additive_score(in[0], in[1], in[2]);
  });
}
Work attention(const Sizes& s, bool composed) {  // B, T, H, K: causal
  Shape shape{s[0], s[1], s[2], s[3]};
  AttentionTiles o{.scale = 1 / std::sqrt(static_cast<double>(s[3])), .causal = true};
  return step({leaf(shape, 1), leaf(shape, 2), leaf(shape, 3)}, [composed, o](In in) {
    return composed ? tiled_attention_composed(in[0], in[1], in[2], o) : tiled_attention(in[0], in[1], in[2], o);
  });
}

Work sequence(const Sizes& s, bool composed) {  // T, B, I, N
  int64_t T = s[0], B = s[1], I = s[2], N = s[3];
  return step({leaf({T, B, I}, 1), leaf({4 * N, I}, 2), leaf({4 * N, N}, 3), leaf({4 * N}, 4), leaf({4 * N}, 5)},
              [=](In in) {
                Variable zero(Tensor::zeros({B, N}));
                if (!composed) return nn::lstm_sequence({in[0], in[1], in[2], in[3], in[4], {zero, zero}}).outputs;
                nn::LSTMState state{zero, zero};
                std::vector<Variable> outputs;
                for (const Variable& x : unstack(linear(in[0], in[1], in[3]), 0)) {
                  state = nn::lstm_gates_composed(x, linear(state.h, in[2], in[4]), state);
                  outputs.push_back(state.h);
                }
                return stack(outputs, 0);
              });
}

Work decoder(const Sizes& s, bool composed) {  // B, T, S, E, N; annotations 2N wide, attention N
  int64_t B = s[0], T = s[1], S = s[2], E = s[3], N = s[4];
  return step({leaf({B, T, E}, 1), leaf({B, N}, 2), leaf({B, S, 2 * N}, 3), leaf({B, S, N}, 4), leaf({N, N}, 5),
               leaf({N}, 6), leaf({3 * N, E + 2 * N}, 7), leaf({3 * N, N}, 8), leaf({3 * N}, 9), leaf({3 * N}, 10)},
              [composed](In in) {
                nn::DecoderInputs d{.words = in[0],
                                    .state = in[1],
                                    .annotations = in[2],
                                    .keys = in[3],
                                    .query = in[4],
                                    .v = in[5],
                                    .weight_ih = in[6],
                                    .weight_hh = in[7],
                                    .bias_ih = in[8],
                                    .bias_hh = in[9]};
                return (composed ? nn::attention_decoder_composed(d) : nn::attention_decoder(d)).joined;
              });
}

}  // namespace

std::map<std::string, Maker> twins(bool composed) {
  auto either = [composed](Work (*make)(const Sizes&, bool)) {
    return [make, composed](const Sizes& s) { return make(s, composed); };
  };
  return {{"linear", either(affine)},           {"layer_norm_step", either(norm)},
          {"cross_entropy", either(loss)},      {"additive_score", either(score)},
          {"attention_256", either(attention)}, {"attention_2048", either(attention)},
          {"lstm_sequence", either(sequence)},  {"attention_decoder", either(decoder)}};
}

}  // namespace bench
