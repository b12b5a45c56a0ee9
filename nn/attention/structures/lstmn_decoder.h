// Attention within a sequence and between two, joined in one decoder: shallow and deep fusion (Cheng, Dong and Lapata,
// EMNLP 2016, section 4). The source is the tape of an LSTMN encoder: g_1 .. g_S its h, a_1 .. a_S its c.
//
//   none      an LSTMN that only knows its own past, begun from the source's last state
//   shallow   the LSTMN reads [x_t; context_t] in place of x_t: context_t answers h_{t-1} by additive attention, as in
//             Bahdanau, Cho and Bengio (ICLR 2015). The two attentions do not know of each other
//   deep      the source's tape is read like the decoder's own, and goes into the memory through a gate (eq. 12 to 15):
//               p_t = softmax_j(u^T tanh(W_g g_j + W_y x_t + W_q g~_{t-1}))
//               g~_t, a~_t = sum_j p_tj (g_j, a_j)
//               r_t = sigmoid(W_r [g~_t; x_t])                          how much of the source comes in
//               c_t = r_t a~_t + f_t c~_t + i_t c^_t,   h_t = o_t tanh(c_t)
//
// With r_t = 0 deep fusion is the decoder without the source. B batch, S source length, I input width, N hidden width.
#pragma once

#include <optional>

#include "nn/attention/attention.h"
#include "nn/attention/structures/lstmn.h"

namespace heed::nn {

struct LSTMNDecoderOptions {
  int64_t input, hidden;        // I, N; the source's tape is N wide too
  std::string fusion = "deep";  // none, shallow, deep
  int64_t attention = 0;        // width of all alignment networks; 0: as hidden
  int64_t tape = 0;             // as in LSTMNOptions
};

// The source as the decoder reads it.
struct SourceTape {
  Memory memory;   // of both kinds of fusion: keys as the score wants them, values g
  Variable cells;  // a [B, S, N]; deep only
};

struct FusionState {
  Tape tape;                      // the decoder's own past
  Variable source = {};           // g~ [B, N] of the step before; undefined before the first: 0
  AlignmentState alignment = {};  // its weights: the inter-attention of the last step [B, S]
};

struct LSTMNDecoder : Module {
  using Options = LSTMNDecoderOptions;
  LSTMNDecoder(const Options& options, Generator& rng);

  SourceTape remember(const LSTMN::Sequence& source, const Tensor& lengths = {}) const;
  FusionState begin(const LSTMState& first) const;
  Variable step(const Variable& x, const SourceTape& source, FusionState& state) const;  // x [B, I] -> h_t [B, N]

  void visit(Visitor& v) {
    v.child("lstmn", lstmn);
    if (attention) v.child("attention", *attention);
    if (gate) v.child("gate", *gate);
  }
  Options options;
  LSTMN lstmn;
  std::optional<Attention> attention;  // shallow: its query is h_{t-1}; deep: [x_t; g~_{t-1}], so W = [W_y, W_q]
  std::optional<Linear> gate;          // deep: W_r
};

}  // namespace heed::nn
