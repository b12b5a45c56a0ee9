// Softmax attention as one operation.
#pragma once

#include "autograd/variable.h"
#include "tensor/kernels/tiled_attention.h"
#include "tensor/random.h"

namespace heed {

// c_th = sum_s drop(w_hts) v_sg,   w_ht = softmax_s(scale q_th . k_sg + bias_hts, where allowed),   g = h / (H / G)
// q [B, T, H, K], k [B, S, G, K], v [B, S, G, V] -> c [B, T, H, V]; the weights [T, S] are never stored
//   D_th = c_th . dc_th     de = w (drop(dc_th . v_sg) - D_th)
//   dq_th = scale sum_s de k_sg     dk_sg = scale sum_th de q_th     dv_sg = sum_th drop(w) dc_th
// 2 B H T S (K + V) FLOPs forward, 2.5 times that back. Saves q, k, v, c, the mask, the bias and two numbers per query.
// A query whose keys are all masked gets 0 and passes on no gradient. Keys whose scores overflow to +inf share the
// weight of their query equally, as in softmax. A mask hides ordinary numbers only: a hidden key or value that is NaN
// or infinite can make the context and gradients NaN, since 0 times NaN is NaN (nn::MultiHeadAttention therefore
// replaces padding by 0). Masks are constants, and so is a bias in the options. Dropout is drawn again in the backward
// pass; its factors are those that dropout() would draw for weights [B, H, T, S]. Tiles outside the window or the block
// list are not computed, so the FLOPs shrink with them.
Variable tiled_attention(const Variable& q, const Variable& k, const Variable& v, const AttentionTiles& options = {});
// The same with a bias that has a gradient, dbias = sum de over the axes that it is repeated along. It broadcasts to
// [B, H, T, S]; undefined: none. The scores are not stored for it: its gradient is added up tile by tile.
Variable tiled_attention(const Variable& q, const Variable& k, const Variable& v, const Variable& bias,
                         const AttentionTiles& options);
// The same composed of public operations, which store the weights. Read this one first: it is the formula.
Variable tiled_attention_composed(const Variable& q, const Variable& k, const Variable& v,
                                  const AttentionTiles& options = {});
Variable tiled_attention_composed(const Variable& q, const Variable& k, const Variable& v, const Variable& bias,
                                  const AttentionTiles& options);

// m + ln l = ln sum_s e^score, [B, H, T]; -inf where nothing is allowed.
Tensor log_sum_exp(const TiledContext& seen);

}  // namespace heed
