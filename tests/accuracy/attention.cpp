// Attention in four ways: composed (the weights are stored), tiled (in blocks whose size the kernel chooses), streaming
// (tiles of a single key, so that the running maximum and sum change as often as they can) and merged (parts of the
// keys that are put together, as in flash-decoding).
//
// A score is a sum of K products; its error, in the exponent, is a relative error of the weight. So a context is
// measured in epsilons of (1 + L) sum_s w_s |v_s|, where L is the largest sum of |q_k k_k| of the row, and a gradient
// in epsilons of (1 + L) times the largest number of its tensor, or for q and k of what the products add up to. The
// bound, 2, is far below K / 2, the worst case. The gradients of f32 are compared with those of the composed f64.
#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/evaluators/partial.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/table.h"

namespace heed::accuracy {
namespace {

constexpr int64_t kWidth = 16;

Variable merged_attention(const Variable& q, const Variable& k, const Variable& v, const AttentionTiles& o) {
  auto heads_first = [](const Variable& x) { return permute(x, {0, 2, 1, 3}); };
  Variable scores = matmul(heads_first(q), transpose(heads_first(k), -2, -1)) * o.scale, values = heads_first(v);
  int64_t S = k.size(1), half = (S + 1) / 2;
  nn::Partial all = nn::partial_attention(slice(scores, -1, 0, half), slice(values, -2, 0, half), {});
  for (int64_t begin = half; begin < S; begin += 7) {
    int64_t end = std::min(S, begin + 7);
    all = nn::merged(all, nn::partial_attention(slice(scores, -1, begin, end), slice(values, -2, begin, end), {}));
  }
  return heads_first(all.context);
}

struct Way {
  const char* name;
  Variable (*attend)(const Variable& q, const Variable& k, const Variable& v, const AttentionTiles& o);
};
const Way ways[] = {
    {"composed attention", [](auto& q, auto& k, auto& v, auto& o) { return tiled_attention_composed(q, k, v, o); }},
    {"tiled attention", [](auto& q, auto& k, auto& v, auto& o) { return tiled_attention(q, k, v, o); }},
    {"streaming attention",
     [](auto& q, auto& k, auto& v, auto& o) {
       AttentionTiles one = o;
       one.query_block = one.key_block = 1;
       return tiled_attention(q, k, v, one);
     }},
    {"merged attention", merged_attention}};

struct Exact {
  std::vector<long double> context, scale;
  long double largest = 0;  // L of all rows
};
template <class T>
Exact exact_of(const Values<T>& q, const Values<T>& k, const Values<T>& v, int64_t length, long double scale) {
  Exact out;
  auto at = [](const Values<T>& x, int64_t row, int64_t j) -> long double {
    return x[static_cast<size_t>(row * kWidth + j)];
  };
  auto n = static_cast<size_t>(length);
  for (int64_t t = 0; t < length; ++t) {
    std::vector<long double> scores(n);
    long double top = -std::numeric_limits<long double>::infinity(), total = 0, reach = 0;
    for (int64_t s = 0; s < length; ++s) {
      long double score = 0, size = 0;
      for (int64_t j = 0; j < kWidth; ++j) {
        long double product = at(q, t, j) * at(k, s, j) * scale;
        score += product, size += std::abs(product);
      }
      scores[static_cast<size_t>(s)] = score;
      top = std::max(top, score), reach = std::max(reach, size);
    }
    for (long double& score : scores) total += score = std::exp(score - top);
    for (int64_t j = 0; j < kWidth; ++j) {
      long double sum = 0, size = 0;
      for (int64_t s = 0; s < length; ++s) {
        long double term = scores[static_cast<size_t>(s)] / total * at(v, s, j);
        sum += term, size += std::abs(term);
      }
      out.context.push_back(sum);
      out.scale.push_back(size * (1 + reach));
    }
    out.largest = std::max(out.largest, reach);
  }
  return out;
}

struct Gradients {
  Tensor q, k, v;
};
Gradients gradients(const Way& way, const Tensor& q, const Tensor& k, const Tensor& v, const AttentionTiles& o) {
  Variable in[] = {{q, Variable::kRequiresGrad}, {k, Variable::kRequiresGrad}, {v, Variable::kRequiresGrad}};
  backward(sum(square(way.attend(in[0], in[1], in[2], o))));
  return {in[0].grad(), in[1].grad(), in[2].grad()};
}

template <class T>
double largest_of(const std::vector<T>& x) {
  double largest = 0;
  for (T v : x) largest = std::max(largest, static_cast<double>(std::abs(v)));
  return largest;
}

template <class T>
void add_length(Table& table, int64_t length) {
  Generator rng(17);
  AttentionTiles o{.scale = 0.25};
  int64_t n = length * kWidth;
  Values<T> loud = normal<T>(n, 0, 1, rng);
  for (int64_t j = 0; j < kWidth; ++j) loud[static_cast<size_t>(length / 2 * kWidth + j)] *= 1000;
  struct Input {
    const char* name;
    Values<T> q, k, v;
  };
  const std::vector<Input> inputs = {
      {"normal", normal<T>(n, 0, 1, rng), normal<T>(n, 0, 1, rng), normal<T>(n, 0, 1, rng)},
      {"logits to 1e4", normal<T>(n, 0, 50, rng), normal<T>(n, 0, 50, rng), normal<T>(n, 0, 1, rng)},
      {"equal logits", Values<T>(static_cast<size_t>(n), T{3}), Values<T>(static_cast<size_t>(n), T{7}),
       all_sizes<T>(n, -20, 20, rng)},
      {"one loud key", normal<T>(n, 0, 1, rng), loud, all_sizes<T>(n, -20, 20, rng)}};
  for (const Input& in : inputs) {
    Exact exact = exact_of(in.q, in.k, in.v, length, static_cast<long double>(o.scale));
    Shape shape{1, length, 1, kWidth};
    Tensor q = tensor_of(in.q).view(shape), k = tensor_of(in.k).view(shape), v = tensor_of(in.v).view(shape);
    std::string inputs_of = fmt::format("{} words, {}", length, in.name);
    for (const Way& way : ways) {
      NoGrad guard;
      Tensor context = way.attend(q, k, v, o).value().contiguous();
      table.row<T>("eps", way.name, inputs_of, 1, [&](Errors<T>& errors) {
        for (size_t i = 0; i < exact.context.size(); ++i)
          errors.eps(context.data<T>()[i], exact.context[i], exact.scale[i]);
      });
    }
    if constexpr (std::is_same_v<T, float>) {
      if (length > 300) continue;
      Gradients wanted = gradients(ways[0], q.to(DType::f64), k.to(DType::f64), v.to(DType::f64), o);
      for (const Way& way : ways) {
        Gradients got = gradients(way, q, k, v, o);
        table.row<T>("eps", std::string(way.name) + ", gradients", inputs_of, 1, [&](Errors<T>& errors) {
          for (auto [part, factor] :
               {std::pair{&Gradients::q, in.k}, {&Gradients::k, in.q}, {&Gradients::v, Values<T>()}}) {
            std::vector<double> a = (got.*part).to_vector(), b = (wanted.*part).to_vector();
            // dq = scale sum w (dw - D) k, with dw up to 2 sum |c v|
            double largest = std::max(largest_of(b), kWidth * largest_of(in.v) * largest_of(in.v) * largest_of(factor));
            for (size_t i = 0; i < a.size(); ++i)
              errors.eps(static_cast<float>(a[i]), b[i], static_cast<long double>(largest) * (1 + exact.largest));
          }
        });
      }
    }
  }
}

}  // namespace

void add_attention(Table& table) {
  for (int64_t length : {1, 2, 17, 64, 129, 300, 1024}) {
    if (length > 129 && table.sweep.quick) continue;
    add_length<float>(table, length);
    add_length<double>(table, length);
  }
}

}  // namespace heed::accuracy
