// How the heads of a layer read: one formula, three orders of work.
//
//   context_th = sum_s drop(w_hts) (v_sg + where that is),  w = normalise(scale q_th . k_sg + .., where allowed)
//   g = h / (H / G): with fewer groups of keys than heads, neighbours share one (Shazeer, 2019; Ainslie et al., 2023)
//
// clang-format off
//   dense     All scores [B, H, T, S] at once: any score, normaliser or position. It can return the
//             weights.
//   chunked   Dense, C queries at a time (Rabe and Staats, 2021). Without gradients it holds only
//             [B, H, C, S] numbers; with gradients all, as dense does. The bits of dense for any C,
//             except under dropout, which is drawn a chunk at a time. Hooks of the score, the
//             normaliser and the dropout see each chunk; Observe and the caller the whole weights.
//   tiled     One operation that goes over blocks of keys and never holds a row of weights
//             (autograd/ops_attention.h): products and softmax only.
// clang-format on
//
// B batch, T queries, S keys, H heads, G groups of keys, K and V widths of a head.
#pragma once

#include "nn/attention/attend.h"
#include "nn/attention/positions/head_position.h"
#include "nn/attention/scores/score.h"
#include "nn/attention/structures/head_cache.h"
#include "nn/layers.h"

namespace heed::nn {

struct HeadRead {
  Variable queries;     // [B, T, H, K]
  HeadMemory memory;    // [B, G, S, K], [B, G, S, V]
  Tensor allowed = {};  // bool, broadcastable to [B, H, T, S]; undefined: everything
  bool causal = false;  // and, beside that, what stands at or before the query
  int64_t first = 0;    // place of the first query among the keys
  Variable bias = {};   // added to the scores, broadcastable to [B, H, T, S]
  double scale = 1;     // of the products, that the score does not apply: tiled, and the position's share in dense
  const Score& score;
  const HeadPosition& position;
  const Normaliser& normaliser;
  const Dropout& dropout;
  bool report = true;  // the weights to Observe
};

struct HeadContext {
  Variable context;  // [B, T, H, V]
  Variable weights;  // [B, H, T, S], before dropout; undefined from tiled
};
HeadContext read_dense(const HeadRead& read);
HeadContext read_chunked(const HeadRead& read, int64_t queries, bool with_weights);
HeadContext read_tiled(const HeadRead& read);

}  // namespace heed::nn
