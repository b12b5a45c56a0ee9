// QK-clip (MuonClip, Kimi K2): after a step of training, the heads whose largest score was above a limit get smaller
// matrices of queries and keys, so that scores cannot grow without bound.
//
//   g_h = min(1, limit / S_h),   S_h = max over sentences and pairs of the scaled scores of head h in the forward pass
//   W_q,h <- g_h^(1/2) W_q,h      W_k,h <- g_h^(1/2) W_k,h                        biases too
//   grouped keys:  W_k,g <- m^(1/2) W_k,g, m the smallest g_h of the group;       W_q,h <- g_h m^(-1/2) W_q,h
//   latent attention:  W_uk,h, the q^C rows of W_uq,h <- g_h^(1/2);               the q^R rows of W_qr,h <- g_h
//
// The key that all heads of latent attention share is left alone, so that a head cannot change the scores of another.
// The next forward pass with the same words has the largest score `limit`. A head below the limit changes no bit. The
// scores are those of scaled_dot, without a bias of positions. H heads.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/heads_properties.cpp use it.
#pragma once

#include "nn/attention/mixers/latent.h"
#include "nn/attention/structures/multi_head.h"

namespace heed::nn {

inline constexpr About kAboutQkClip{
    .names = {"L11", "qk_clip", "MuonClip"},
    .formula = "g_h = min(1, 100 / S_h);  W_q,h and W_k,h times sqrt(g_h),  S_h the largest score of head h",
    .paper = {"Kimi Team (Kimi K2), 2025 (arXiv 2507.20534)", 2025, 4},
    .idea =
        "After each step of training the largest score of each head is compared with a limit. With some optimisers the "
        "scores of a few heads grow until training breaks down. A head above the limit gets smaller matrices for "
        "queries and keys, and all others stay as they are.",
    .wrong =
        "The largest score is that of the step's own forward pass, after the division by the root of the width. A key "
        "that several heads share must not be scaled for one of them.",
    .shapes = "scores [B, H, T, S] -> S [H]",
    .cost = "a maximum over the scores, which must be stored; 2 D^2 products for heads that are clipped",
    .own = {"largest_score_becomes_the_limit", "heads_below_the_limit_stay"},
    .more = "a rule for a training loop of your own, in C++; no option of heed train has it",
};

// The largest of the scores [B, H, T, S] of each head, [H] f64; -inf: none is allowed. Observe reports such scores.
Tensor largest_scores(const Tensor& scores);
// largest [H]; ValueError for a limit that is not positive, ShapeError for another number of heads.
void qk_clip(MultiHeadAttention& attention, const Tensor& largest, double limit = 100);
void qk_clip(LatentHeads& attention, const Tensor& largest, double limit = 100);

}  // namespace heed::nn
