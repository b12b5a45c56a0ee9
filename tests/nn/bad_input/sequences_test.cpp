// What the operations over whole sequences refuse.
#include "nn/attention/scores/additive_score.h"
#include "nn/models/attention_decoder.h"
#include "nn/recurrent/sequence.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {

nn::SequenceInputs gru_inputs() {
  return {constant({3, 2, 4}), constant({15, 4}), constant({15, 5}), {}, {}, {constant({2, 5})}};
}
nn::DecoderInputs decoder_inputs() {
  return {constant({2, 3, 3}), constant({2, 5}), constant({2, 4, 6}), constant({2, 4, 7}), {},
          constant({7, 5}),    constant({7}),    constant({15, 9}),   constant({15, 5}),   constant({15}),
          constant({15})};
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("nn: whole sequences as one node") {
    refuses<ShapeError>(
        "lstm_sequence: needs x [T, B, I] with T at least 1, weight_ih [4N, I], weight_hh [4N, N], biases [4N] or none "
        "and 2 states [B, N]; got [3, 2, 4], [15, 4], [15, 5], none, none and [2, 5]",
        [] { nn::lstm_sequence(gru_inputs()); });
    refuses<ShapeError>("gru_sequence: needs keep [T, B] bool, contiguous; got bool [3] for x [3, 2, 4]", [] {
      nn::SequenceInputs in = gru_inputs();
      in.keep = Tensor::from_bools({1, 1, 1}, {3});
      nn::gru_sequence(in);
    });
    refuses<DTypeError>(
        "gru_sequence: both must have one dtype; got a f32 [3, 2, 4] and b f64 [15, 5]; convert one with to(...)", [] {
          nn::SequenceInputs in = gru_inputs();
          in.weight_hh = constant({15, 5}, DType::f64);
          nn::gru_sequence(in);
        });
    refuses<ShapeError>("additive_score: needs q [B, T, A], keys [B, S, A] and v [A]; got [2, 1, 3], [2, 4, 2] and [3]",
                        [] {
                          nn::additive_score(constant({2, 1, 3}), constant({2, 4, 2}), constant({3}));
                        });
    refuses<ShapeError>(
        "attention_decoder: needs words [B, T, E] with T at least 1, state [B, N], annotations [B, S, C], keys [B, S, "
        "A], query [A, N], v [A], weight_ih [3N, E + C], weight_hh [3N, N], biases [3N] and allowed [B, 1, S] bool; "
        "got [2, 3, 3], [2, 5], [2, 4, 6], [2, 4, 7], [7, 5], [7], [15, 9], [15, 5], none, [15]",
        [] {
          nn::DecoderInputs in = decoder_inputs();
          in.bias_ih = {};
          nn::attention_decoder(in);
        });
    refuses<DTypeError>(
        "attention_decoder: both must have one dtype; got a f32 [2, 3, 3] and b f64 [15, 5]; convert one with to(...)",
        [] {
          nn::DecoderInputs in = decoder_inputs();
          in.weight_hh = constant({15, 5}, DType::f64);
          nn::attention_decoder(in);
        });
  }
}
