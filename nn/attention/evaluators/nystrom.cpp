#include "nn/attention/evaluators/nystrom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/attention/scopes/masks.h"
#include "nn/layers.h"
#include "nn/observe.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

// For each row of a batch (or one for all), which of n words belong to the sentence.
using Words = std::vector<std::vector<int64_t>>;

Words words_of(const Tensor& allowed, int64_t n) {  // allowed [.., 1, n], of one mask a sentence; undefined: all words
  Tensor mask = Tensor::ones({1, n}, DType::boolean);
  if (allowed.defined()) {
    Shape all = allowed.shape();
    all[all.rank() - 1] = n;
    mask = allowed.expand(all).contiguous();
  }
  Words all(size_t(mask.count() / std::max<int64_t>(n, 1)));
  for (size_t b = 0; b < all.size(); ++b)
    for (int64_t i = 0; i < n; ++i)
      if (mask.data<bool>()[int64_t(b) * n + i]) all[b].push_back(i);
  return all;
}

// [rows, L, n]: entry (i, j) is 1 / (words of segment i) for the words j of segment i; `counts` landmarks in each row.
Tensor segment_means(const Words& words, const std::vector<int64_t>& counts, int64_t L, int64_t n, DType dtype) {
  std::vector<double> means(size_t(int64_t(words.size()) * L * n), 0.0);
  for (size_t b = 0; b < words.size(); ++b) {
    auto count = int64_t(words[b].size());
    for (int64_t i = 0; i < counts[b]; ++i) {
      int64_t begin = i * count / counts[b], end = (i + 1) * count / counts[b];
      for (int64_t j = begin; j < end; ++j)
        means[size_t((int64_t(b) * L + i) * n + words[b][size_t(j)])] = 1 / double(end - begin);
    }
  }
  return Tensor::from(means, {int64_t(words.size()), L, n}).to(dtype);
}

// What the products with landmarks need, apart from the numbers: of each sentence, or one for all.
struct Landmarks {
  Tensor of_queries, of_keys;  // [B', L, T], [B', L, S]
  Tensor missing;              // bool [B', 1, L]: landmarks that a short sentence does not have; undefined: none
};

Landmarks landmarks_of(const AttentionCall& call, const Tensor& allowed, int64_t most) {
  int64_t T = call.queries.size(-2), S = call.keys.size(-2);
  Words keys = words_of(allowed, S), queries = call.self && T == S ? keys : Words(keys.size(), words_of({}, T)[0]);
  std::vector<int64_t> counts;
  int64_t L = 1;
  for (size_t b = 0; b < keys.size(); ++b) {
    counts.push_back(std::min({most, int64_t(queries[b].size()), int64_t(keys[b].size())}));
    L = std::max(L, counts.back());
  }
  DType dtype = call.queries.dtype();
  Landmarks out{segment_means(queries, counts, L, T, dtype), segment_means(keys, counts, L, S, dtype), {}};
  std::vector<int> missing;
  for (int64_t count : counts)
    for (int64_t i = 0; i < L; ++i) missing.push_back(i >= count);
  if (std::count(missing.begin(), missing.end(), 1))
    out.missing = Tensor::from_bools(missing, {int64_t(counts.size()), 1, L});
  if (call.queries.rank() == 4)  // the same for all heads
    for (Tensor* x : {&out.of_queries, &out.of_keys, &out.missing})
      if (x->defined()) *x = x->unsqueeze(1);
  return out;
}

struct Factors {
  Variable from_queries, inverse, to_keys;  // F [.., T, L], A^+ [.., L, L], B [.., L, S]
};

}  // namespace

Variable iterative_pinv(const Variable& a, int64_t iterations) {
  int64_t L = a.size(-1);
  Variable size = abs(a), columns = max(sum(size, {-2}, true), -1, true), rows = max(sum(size, {-1}, true), -2, true);
  Variable z = transpose(a, -2, -1) / (columns * rows), eye(Tensor::eye(L, a.dtype()));
  for (int64_t j = 0; j < iterations; ++j) {
    Variable az = matmul(a, z);
    z = matmul(z, eye * 13 - matmul(az, eye * 15 - matmul(az, eye * 7 - az))) / 4;
  }
  return z;
}

std::string NystromEvaluator::refuses(const StageSet& stages) const {
  if (!stages.score.product_scale()) return "the score is not a product of query and key";
  if (!stages.normaliser.is_softmax()) return "it approximates a softmax, and the normaliser is not one";
  if (stages.scope.causal()) return "its landmarks are means over the whole sentence, later words too";
  if (!stages.scope.only_limits_order()) return "its landmarks stand for all words, whatever the scope";
  if (stages.position.has_bias()) return "the position adds to scores that are never made";
  if (stages.position.has_read()) return "the position adds to values by weights that are never stored";
  if (stages.dropout.options.p > 0)
    return "the dropout of attention weights would drop weights that are never stored; set it to 0 "
           "(--attention-dropout 0)";
  if (stages.sequential()) return "a stage reads the weights of the step before";
  return "";
}

namespace {

Factors factors_of(const NystromEvaluator& by, const StageSet& stages, const AttentionCall& call,
                   const Places& places) {
  if (call.bias.defined())
    throw ValueError(
        fmt::format("nystrom: scores are never made, so nothing can be added to them; got a bias {}; hint: "
                    "a mask, or the evaluator auto",
                    to_string(call.bias.shape())));
  Tensor allowed = allowed_by(call, places);
  if (allowed.defined() && (allowed.size(-2) != 1 || (allowed.rank() == 4 && allowed.size(1) != 1)))
    throw ValueError(
        fmt::format("nystrom: landmarks stand for all queries, so a mask must hide the same keys from each "
                    "of them; got a mask {}; hint: a key padding mask, or the evaluator auto",
                    to_string(allowed.shape())));
  Landmarks at = landmarks_of(call, allowed, by.settings.landmarks);
  Variable q = stages.score.prepare_query(call.queries) * *stages.score.product_scale(), k = call.keys;
  if (q.rank() == 4) k = for_heads(k, q.size(1));
  if (allowed.defined()) k = masked_fill(k, logical_not(allowed).transpose(-2, -1), 0);
  Variable of_q = matmul(Variable(at.of_queries), q), of_k = matmul(Variable(at.of_keys), k);
  auto softmax_of = [](const Variable& a, const Variable& b, const Tensor& hidden) {
    Variable e = matmul(a, transpose(b, -2, -1));
    return softmax(hidden.defined() ? masked_fill(e, hidden, -INFINITY) : e);
  };
  Variable a = softmax_of(of_q, of_k, at.missing);
  if (at.missing.defined()) {  // where there is no landmark, the identity: the inverse of the others is not changed
    Tensor rows = at.missing.transpose(-2, -1).to(a.dtype());
    a = masked_fill(a, at.missing.transpose(-2, -1), 0) + Variable(mul(rows, Tensor::eye(a.size(-1), a.dtype())));
  }
  return {softmax_of(q, of_k, at.missing), iterative_pinv(a, by.settings.iterations),
          softmax_of(of_q, k, allowed.defined() ? logical_not(allowed) : Tensor())};
}

}  // namespace

Attended NystromEvaluator::operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const {
  if (call.queries.size(-2) == 0 || call.values.size(-2) == 0) return DenseEvaluator()(stages, call, context);
  Factors f = factors_of(*this, stages, call, context.places);
  Variable v = call.queries.rank() == 4 ? for_heads(call.values, call.queries.size(1)) : call.values;
  Tensor allowed = allowed_by(call, context.places);
  if (allowed.defined()) v = masked_fill(v, logical_not(allowed).transpose(-2, -1), 0);
  Attended seen{matmul(f.from_queries, matmul(f.inverse, matmul(f.to_keys, v)))};
  if (!call.weights) return seen;
  seen.weights = matmul(f.from_queries, matmul(f.inverse, f.to_keys));
  if (call.report) Observe::report(seen.weights.value());
  return seen;
}

Variable NystromEvaluator::implied_weights(const StageSet& stages, const AttentionCall& call,
                                           StageContext& context) const {
  if (call.queries.size(-2) == 0 || call.values.size(-2) == 0) return Evaluator::implied_weights(stages, call, context);
  Factors f = factors_of(*this, stages, call, context.places);
  return matmul(f.from_queries, matmul(f.inverse, f.to_keys));
}

}  // namespace heed::nn
