// The kernels of memory-efficient (tiled) attention: the [T, S] weights are never stored. The softmax of a row is
// computed online, block by block (Milakov and Gimelshein, 2018; Rabe and Staats, 2021; Dao et al., "FlashAttention",
// NeurIPS 2022).
//
//   for each block j of keys:   e = scale q k_j^T + bias, -inf where masked               [queries, keys of j]
//     m' = max(m, max e)        sums made with the old m are scaled by e^(m - m')
//     l  = e^(m - m') l + sum e^(e - m')          o = e^(m - m') o + e^(e - m') v_j
//   context = o / l             log-sum-exp = m + ln l
//
// Backward, weights again from m and l:   w = e^(e - m) / l,   D = context . dcontext (one number per query)
//   dw = dcontext v^T,   de = w (dw - D),   dq = scale de k,   dk = scale de^T q,   dv = w^T dcontext
// (With m and l stored separately, w is as accurate as from softmax; e^(e - (m + ln l)) loses digits for large scores.)
//
// Shapes: q [B, T, H, K], k [B, S, G, K], v [B, S, G, V], context [B, T, H, V]: as projections produce them, with
// any strides, so nothing has to be transposed or copied. H is a multiple of G; head h reads the keys and values of
// group h / (H / G). Additional numbers per thread: about S (K + V) forward, S (K + V) + T (2 K + V) backward, and 1 to
// 3 tiles. The bits depend neither on the number of threads nor on the batch: each sum runs over the blocks in order.
#pragma once

#include "tensor/tensor.h"

namespace heed {

struct AttentionTiles {
  double scale = 1;
  Tensor allowed = {};  // attention mask: bool, broadcastable to [B, H, T, S]; undefined: all true
  Tensor bias = {};     // added to the scores, broadcastable to [B, H, T, S]; undefined: none
  bool causal = false;  // query t attends to keys 0, ..., first + t
  int64_t first = 0;    // position of the first query among the keys
  double dropout = 0;   // of the weights; element i of [B, H, T, S] uses word i of the stream
  uint64_t seed = 0, offset = 0;
  int64_t query_block = 0, key_block = 0;  // 0: a size that fits the caches
};

struct TiledContext {
  Tensor context;     // [B, T, H, V]; 0 for a query whose keys are all masked
  Tensor top, total;  // m and l, [B, H, T]; -inf and 0 for such a query
};
TiledContext tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionTiles& o);

struct TiledGrads {
  Tensor q, k, v;  // undefined if not wanted
};
struct TiledWanted {
  bool q = true, keys_and_values = true;
};
TiledGrads tiled_attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const TiledContext& seen,
                                    const Tensor& dcontext, const AttentionTiles& o, const TiledWanted& wanted = {});

}  // namespace heed
