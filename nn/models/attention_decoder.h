// The decoder of Bahdanau, Cho and Bengio (ICLR 2015) under teacher forcing, all its steps as ONE node of the graph:
//
//   e_ts = v^T tanh(W_q s_{t-1} + k_s)                  additive attention (nn/attention/scores/additive_score.h)
//   w_t  = softmax(e_t, where allowed),  c_t = sum_s w_ts h_s
//   s_t  = GRU([y_t; c_t], s_{t-1})                     (nn/recurrent/gru.h)
//   the result: [s_t; c_t; y_t] of every step
//
// The words' part of W_ih [y; c] is multiplied once for all steps; the context's part continues its sums step by step,
// so the bits are those of the concatenated input. Backward walks time once; every weight's gradient is one product
// over all steps, and those of the keys are added up in place.
//
// Saves the inputs, the gates [T, B, 4N], states [T + 1, B, N], queries [T, B, A], contexts [T, B, C] and weights
// [T, B, S]: nothing of the size [B, T, S, A]; the tanh are computed again. Gradients of gradients replay the steps
// (attention_decoder_composed).
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

struct DecoderInputs {
  Variable words;                                   // y [B, T, E]
  Variable state;                                   // s_0 [B, N]
  Variable annotations, keys;                       // h [B, S, C], k [B, S, A]
  Tensor allowed = {};                              // [B, 1, S] bool, or undefined
  Variable query, v;                                // W_q [A, N], v [A]
  Variable weight_ih, weight_hh, bias_ih, bias_hh;  // of the GRU: [3N, E + C], [3N, N], [3N] twice
};
struct DecoderOutputs {
  Variable joined;  // [B, T, N + C + E]
  Tensor weights;   // [T, B, S]
};

DecoderOutputs attention_decoder(const DecoderInputs& inputs);
DecoderOutputs attention_decoder_composed(const DecoderInputs& inputs);

}  // namespace heed::nn
