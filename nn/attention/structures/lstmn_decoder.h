// A decoder that attends both to its own past and to the source: shallow and deep fusion (Cheng, Dong and Lapata,
// EMNLP 2016, section 4). The source is the tape of an LSTMN encoder: g_1 .. g_S are its h, a_1 .. a_S its c.
//
//   none      an LSTMN that attends only to its own past and starts from the source's last state
//   shallow   the LSTMN reads [x_t; context_t] in place of x_t: context_t comes from additive attention with the query
//             h_{t-1}, as in Bahdanau, Cho and Bengio (ICLR 2015). The two attentions are independent of each other
//   deep      the decoder attends to the source's tape as it does to its own, and a gate adds the result to the memory
//             cell:
//               p_t = softmax_j(u^T tanh(W_g g_j + W_y x_t + W_q g~_{t-1}))
//               g~_t, a~_t = sum_j p_tj (g_j, a_j)
//               r_t = sigmoid(W_r [g~_t; x_t])                          how much of the source is added
//               c_t = r_t a~_t + f_t c~_t + i_t c^_t,   h_t = o_t tanh(c_t)
//
// With r_t = 0, deep fusion is the decoder without the source. B batch, S source length, I input width, N hidden width.
//
// This is the decoder alone, to read and to test. As translation models with the cell lstmn the three are papers:
// sutskever (none), bahdanau (shallow) and deep_fusion (nn/models/deep_fusion.h).
#pragma once

#include <optional>

#include "nn/attention/attention.h"
#include "nn/attention/structures/lstmn.h"

namespace heed::nn {

struct LSTMNDecoderOptions {
  int64_t input, hidden;        // I, N; the source's tape must also have the width N
  std::string fusion = "deep";  // none, shallow, deep
  int64_t attention = 0;        // width of all additive scores; 0: the hidden width
  int64_t tape = 0;             // as in LSTMNOptions
};

// The source, prepared for the decoder.
struct SourceTape {
  Memory memory;   // for both kinds of fusion: prepared keys, and the values g
  Variable cells;  // a [B, S, N]; for deep fusion only
};

struct FusionState {
  Tape tape;                      // the decoder's own previous states
  Variable source = {};           // g~ [B, N] of the previous step; undefined before the first, where it counts as 0
  AlignmentState alignment = {};  // holds the weights [B, S] of the last step's attention to the source
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
  std::optional<Attention> attention;  // query: h_{t-1} (shallow) or [x_t; g~_{t-1}] (deep: W = [W_y, W_q])
  std::optional<Linear> gate;          // deep: W_r
};

}  // namespace heed::nn
