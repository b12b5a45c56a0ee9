#include "nn/attention/positions/dynamic_ntk.h"

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/positions/scaled_rope.h"
#include "nn/attention/registry.h"

namespace heed::nn {
namespace {

// The number of words of each of B sentences, for `keys` keys of a call; one number if it is the same for all.
std::vector<int64_t> words_of(const Places& p, int64_t keys, int64_t B) {
  std::vector<int64_t> words(static_cast<size_t>(B), p.first_key + keys);
  for (int64_t b = 0; b < B; ++b) {
    int64_t& n = words[static_cast<size_t>(b)];
    if (p.lengths.defined())
      n = static_cast<int64_t>(p.lengths.at({p.lengths.size(0) == 1 ? 0 : b}));
    else if (p.key_at.defined() && p.key_at.size(1) > 0) {
      const Tensor at = p.key_at.select(0, b).contiguous();
      n = 1 + *std::max_element(at.data<int64_t>(), at.data<int64_t>() + at.count());
    }
  }
  return words;
}

}  // namespace

DynamicNtk::DynamicNtk(const Options& o, Generator&)
    : options(completed_stage(Kind::position, o, "dynamic_ntk")), settings(options.settings.as<Settings>()) {
  require_even_widths(options);
}

double DynamicNtk::slowing(int64_t words) const {
  const double share = static_cast<double>(words) / settings.trained;
  return share > 1 ? settings.factor * share - (settings.factor - 1) : 1;
}

Variable DynamicNtk::turned(const Variable& x, int64_t first, const Tensor& at,
                            const std::vector<int64_t>& words) const {
  auto with_base_of = [&](const Variable& some, const Tensor& places, int64_t n) {
    return rotate_pairs(
        some,
        {.thetas = scaled_thetas("rope_ntk", x.size(3), {slowing(n), settings.base}), .first = first, .at = places});
  };
  const bool alike =
      std::all_of(words.begin(), words.end(), [&](int64_t n) { return slowing(n) == slowing(words[0]); });
  if (words.empty() || alike) return with_base_of(x, at, words.empty() ? 0 : words[0]);
  std::vector<Variable> sentences;
  for (int64_t b = 0; b < x.size(0); ++b)
    sentences.push_back(
        with_base_of(slice(x, 0, b, b + 1), at.defined() ? at.slice(0, b, b + 1) : at, words[static_cast<size_t>(b)]));
  return concat(sentences, 0);
}

Variable DynamicNtk::turn_query(const Variable& q, const Places& p) const {
  Call call(*this);
  return call.result("turned", turned(q, p.first_query, p.query_at, words_of(p, p.keys, q.size(0))));
}

Variable DynamicNtk::turn_key(const Variable& k, const Places& p) const {
  Call call(*this);
  return call.result("turned", turned(k, p.first_key, p.key_at, words_of(p, k.size(1), k.size(0))));
}

}  // namespace heed::nn
