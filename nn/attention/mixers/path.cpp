#include "nn/attention/mixers/path.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/delta_rule.h"

namespace heed::nn {

PathScores path_scores(const Variable& q, const Variable& k, const Variable& w, const Variable& b, const Variable& keys,
                       int64_t C) {
  const int64_t n = q.size(2), S = n + (keys.defined() ? keys.size(2) : 0);
  PathScores path{{}, keys};
  std::vector<Variable> rows;
  for (int64_t at = 0; at < n; at += C) {
    const int64_t to = std::min(at + C, n);
    auto part = [&](const Variable& x) { return slice(x, 2, at, to); };
    Variable all =
        path.keys.defined() ? concat({path.keys, part(k)}, 2) : part(k);  // [B, H, s, K], as word at - 1 sees them
    Variable bw = part(b) * part(w), by_feature = transpose(all, -2, -1);
    const int64_t s = all.size(2), before = s - (to - at);
    Variable among = tril(matmul(bw, transpose(part(w), -2, -1)), -1);
    Variable Y = matmul(inverse_of_unit_lower(among), tril(matmul(bw, by_feature), before - 1));  // [B, H, C, s]
    Variable seen = tril(matmul(part(q), transpose(part(w), -2, -1)));
    rows.push_back(pad(matmul(part(q), by_feature) - matmul(seen, Y), {{.axis = -1, .after = S - s}}));
    path.keys = all - matmul(transpose(Y, -2, -1), part(w));
  }
  path.scores = concat(rows, 2);
  return path;
}

PathMixer::PathMixer(const MixerOptions& o, Generator& rng)
    : OwnCacheMixer(o, "path", rng),
      settings(options.settings.as<Settings>()),
      w_down({.in = o.query, .out = settings.rank, .bias = false}, rng),
      w_up({.in = settings.rank, .out = o.query, .bias = false}, rng),
      convolution({.features = o.query, .taps = settings.taps, .bias = false}, rng),
      strength({.in = o.query, .out = o.heads}, rng) {}

Attended PathMixer::read_after(const OwnHeads& h, std::vector<Variable>& state) const {
  const bool follows = !state.empty();
  auto read = convolution(w_up(w_down(h.x)), follows ? state[0] : Variable());
  Variable w = unit_length(split_heads(read.output, options.heads));
  Variable b = split_heads(2 * sigmoid(strength(h.x)), options.heads);  // [B, H, n, 1]
  if (h.words.defined())
    b = masked_fill(b, logical_not(h.words).unsqueeze(1).unsqueeze(-1), 0);  // padding turns nothing
  PathScores seen = path_scores(h.q, h.k, w, b, follows ? state[1] : Variable(), settings.chunk);
  Variable e = seen.scores, v = follows ? concat({state[2], h.v}, 2) : h.v;
  if (!options.causal)
    e = tril(e) + transpose(tril(path_scores(h.k, h.q, w, b, {}, settings.chunk).scores, -1), -2, -1);
  state = {read.state, seen.keys, v};
  return attend(e / std::sqrt(static_cast<double>(h.q.size(3))), v, h.allowed);
}

}  // namespace heed::nn
