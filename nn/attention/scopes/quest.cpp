#include "nn/attention/scopes/quest.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "nn/attention/registry.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

struct PageOfKeys {
  int64_t number;
  std::vector<double> low, high;  // [K]
};

int64_t place_at(const Tensor& given, int64_t b, int64_t n, int64_t first) {  // given i64 [B, N], or undefined
  return given.defined() ? given.data<int64_t>()[b % given.size(0) * given.size(1) + n] : first + n;
}

}  // namespace

QuestScope::QuestScope(const ScopeOptions& o, Generator&)
    : settings(o.settings.as<Settings>()), reads_all(o.layer < o.layers && o.layer < settings.dense) {}

double bound_of_page(const double* q, const std::vector<double>& low, const std::vector<double>& high) {
  double bound = 0;
  for (size_t d = 0; d < low.size(); ++d) bound += std::max(q[d] * low[d], q[d] * high[d]);
  return bound;
}

Restriction QuestScope::operator()(const Variable& query, const Variable& keys, StageContext& context) const {
  if (reads_all) return {.right = 0};
  const bool heads = query.rank() == 4;
  const Tensor q = query.value().to(DType::f64).contiguous(), k = keys.value().to(DType::f64).contiguous();
  const int64_t B = q.size(0), H = heads ? q.size(1) : 1, G = heads ? k.size(1) : 1, T = q.size(-2), S = k.size(-2),
                K = q.size(-1);
  const Places& p = context.places;
  const Tensor query_at = p.query_at.defined() ? p.query_at.contiguous() : Tensor(),
               key_at = p.key_at.defined() ? p.key_at.contiguous() : Tensor();
  Tensor allowed = Tensor::zeros(heads ? Shape{B, H, T, S} : Shape{B, T, S}, DType::boolean);
  for (int64_t row = 0; row < B * H * T; ++row) {
    const int64_t b = row / (H * T), g = row / T % H / (H / G), i = place_at(query_at, b, row % T, p.first_query);
    const double* q_t = q.data<double>() + row * K;
    auto page_of = [&](int64_t s) {  // -1: not read by this query
      const int64_t j = place_at(key_at, b, s, p.first_key);
      return j >= 0 && j <= i ? j / settings.block : -1;
    };
    std::vector<PageOfKeys> pages;
    for (int64_t s = 0; s < S; ++s) {
      const int64_t number = page_of(s);
      if (number < 0) continue;
      const double* k_s = k.data<double>() + ((b * G + g) * S + s) * K;
      if (pages.empty() || pages.back().number != number) pages.push_back({number, {k_s, k_s + K}, {k_s, k_s + K}});
      for (size_t d = 0; d < static_cast<size_t>(K); ++d) {
        double &low = pages.back().low[d], &high = pages.back().high[d];
        low = std::min(low, k_s[d]), high = std::max(high, k_s[d]);
      }
    }
    std::vector<std::pair<double, int64_t>> best;  // minus the bound, and the page
    for (const PageOfKeys& page : pages) best.emplace_back(-bound_of_page(q_t, page.low, page.high), page.number);
    std::sort(best.begin(), best.end());
    std::set<int64_t> read;
    for (const auto& [bound, number] : best)
      if (static_cast<int64_t>(read.size()) < settings.blocks) read.insert(number);
    for (int64_t s = 0; s < S; ++s)
      if (read.contains(page_of(s))) allowed.data<bool>()[row * S + s] = true;
  }
  return {.right = 0, .allowed = allowed};
}

Tensor QuestScope::picture(const Places& m) {
  Generator unused(1);
  QuestScope scope(chosen<QuestScope>({.block = 1, .blocks = 3, .dense = 0}), unused);
  Tensor keys = cos(mul(Tensor::arange(m.keys, DType::f64), 2)).reshape({1, m.keys, 1});
  StageContext context{.places = m};
  Variable query(Tensor::ones({1, m.queries, 1}, DType::f64));
  return scope(query, Variable(keys), context).allowed.to(DType::f64).reshape({m.queries, m.keys});
}

}  // namespace heed::nn
