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
//   dbias = de, summed over the axes along which the bias is broadcast
// (With m and l stored separately, w is as accurate as from softmax; e^(e - (m + ln l)) loses digits for large scores.)
// A score that overflowed to +inf has m = +inf; the +inf of its row share the weight equally, as in softmax_rows.
//
// Shapes: q [B, T, H, K], k [B, S, G, K], v [B, S, G, V], context [B, T, H, V]: as projections produce them, with
// any strides, so nothing has to be transposed or copied. H is a multiple of G; head h reads the keys and values of
// group h / (H / G). Additional numbers per thread: about S (K + V) forward, S (K + V) + T (2 K + V) backward, and 1 to
// 3 tiles. The bits depend neither on the number of threads nor on the batch: each sum runs over the blocks in order.
//
// Three masks combine by AND: a window (`causal`, `left`, `right`), a block list and `allowed`. The first two say which
// tiles need no work, and these are never multiplied (Child et al., "Generating Long Sequences with Sparse
// Transformers", 2019; Beltagy et al., "Longformer", 2020; Zaheer et al., "Big Bird", NeurIPS 2020):
//
//   window, left 2 and right 1     block list, size 2        x: multiplied
//       keys ->                                              A window of w keys costs T w instead of T S.
//   q   x x . . . .                x x . . x x
//   u   x x x . . .                x x . . x x
//   e   x x x x . .                . . x x . .
//   r   . x x x x .                . . x x . .
//   y   . . x x x x                x x . . x x
//       . . . x x x                x x . . x x
#pragma once

#include <limits>

#include "tensor/tensor.h"

namespace heed {

// No limit on one side of a window; small enough that adding a position to it does not overflow.
inline constexpr int64_t kAllKeys = std::numeric_limits<int64_t>::max() / 4;

// Which pairs of a block of queries and a block of keys contain anything. A pair that is false is masked completely.
// These blocks need not be the tiles that the kernel chooses, but tiles that fit them waste the least.
struct BlockList {
  int64_t size = 0;  // queries, and keys, of a block
  Tensor keep = {};  // bool [ceil(T / size), ceil(S / size)]; undefined: every pair is kept
};

struct AttentionTiles {
  double scale = 1;
  Tensor allowed = {};  // attention mask: bool, broadcastable to [B, H, T, S]; undefined: all true
  Tensor bias = {};     // added to the scores, broadcastable to [B, H, T, S]; undefined: none
  bool causal = false;  // query t attends to keys 0, ..., first + t: the same as right = 0
  // The window: query t, at position first + t, attends to keys first + t - left, ..., first + t + right.
  int64_t left = kAllKeys, right = kAllKeys;
  int64_t first = 0;  // position of the first query among the keys
  BlockList blocks = {};
  double dropout = 0;  // of the weights; element i of [B, H, T, S] uses word i of the stream
  uint64_t seed = 0, offset = 0;
  int64_t query_block = 0, key_block = 0;  // 0: a size that fits the caches
};

struct TiledContext {
  Tensor context;     // [B, T, H, V]; 0 for a query whose keys are all masked
  Tensor top, total;  // m and l, [B, H, T]; -inf and 0 for such a query
};
TiledContext tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionTiles& o);

struct TiledGrads {
  Tensor q, k, v, bias;  // undefined if not wanted; dbias has the shape of the bias
};
struct TiledWanted {
  bool q = true, keys_and_values = true, bias = false;
};
namespace tiles {
// Throws ShapeError, DTypeError or ValueError if the arguments do not fit together.
void check(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionTiles& o);
}  // namespace tiles
TiledGrads tiled_attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const TiledContext& seen,
                                    const Tensor& dcontext, const AttentionTiles& o, const TiledWanted& wanted = {});

}  // namespace heed
