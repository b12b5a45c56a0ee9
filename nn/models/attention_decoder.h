// The decoder of Bahdanau, Cho and Bengio (ICLR 2015) with teacher forcing, all steps as ONE node of the graph:
//
//   e_ts = v . tanh(W_q s_{t-1} + k_s)                  additive attention (nn/attention/scores/additive_score.h)
//   w_t  = softmax(e_t, where allowed),  c_t = sum_s w_ts h_s
//   s_t  = GRU([y_{t-1}; c_t], s_{t-1})                 (nn/recurrent/gru.h)
//   the result is [s_t; c_t; y_{t-1}] for every step
//
// B batch, T target words, S source words, E embedding, N hidden, C width of h, A width of the keys k_s = W_k h_s + b.
//
// The product of W_ih with the words y is computed once for all steps; each step continues the same sums with its
// context c, so that the result has the same bits as with the concatenated input [y; c]. Backward goes through time
// once. The gradient of each weight matrix is one product over all steps; that of the keys accumulates in place.
//
// Saved for backward: the inputs, the gates [T, B, 4N], states [T + 1, B, N], queries [T, B, A], contexts [T, B, C] and
// weights [T, B, S]. Nothing of the size [B, T, S, A] is stored; the tanh values are computed again. Gradients of
// gradients run the steps again (attention_decoder_composed).
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

struct DecoderInputs {
  Variable words;                                   // y_0 .. y_{T-1} [B, T, E]
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
