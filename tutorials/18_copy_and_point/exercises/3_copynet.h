// Exercise 18.3: CopyNet, its distribution and its gradient.
//
//   P(w)  = (exp g_w + sum_{s : x_s = w} exp c_s) / Z        Z = sum_w exp g_w + sum_s exp c_s
//   loss  = -log P(y)
//   dg_v  = exp(g_v) / Z - [v = y]   exp(g_v) / (Z P(y))     the gradient of the loss with respect to g_v
//   dc_s  = exp(c_s) / Z - [x_s = y] exp(c_s) / (Z P(y))     and to c_s
//
// g are scores of the V words of the vocabulary, c scores of the S places of the source, x the ids of its words. Words
// that the vocabulary lacks have the ids V .. size - 1 and no g. A place with x_s = kPadding is padding: it cannot be
// copied, does not count in Z, and has the gradient 0. The scores may be as large as 1000: subtract their maximum,
// which changes none of the results. Gu, Lu, Li and Li, ACL 2016, equations 5 to 8.
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

inline constexpr std::size_t kPadding = static_cast<std::size_t>(-1);

struct CopyNet {
  std::vector<double> P;       // [size]
  double loss;                 // -log P(y)
  std::vector<double> dg, dc;  // [V], [S]
};

// g [V], c [S], x [S], y: a word below size, which the vocabulary or the source has
CopyNet copynet(const std::vector<double>& g, const std::vector<double>& c, const std::vector<std::size_t>& x,
                std::size_t size, std::size_t y);

}  // namespace mine
