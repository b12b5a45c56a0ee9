// Hints, common mistakes and checks of exercise 22.3.
#include "tutorials/22_self_attention/exercises/3_attention.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "nn/attention/structures/multi_head.h"
#include "tensor/indexing.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Head;
using mine::Projections;
using T = const Tensor&;

struct Answer {
  Head (*one_head)(T, T, T, T, T);
  Tensor (*several_heads)(T, const Projections&, int64_t, T);
};

// Attention of q, k, v [.., T, N] with one part exchanged.
struct Parts {
  enum Scale { root, none, width, root_of_model } scale = root;
  enum Mask { before, no_mask, after, inverted, zero, transposed } mask = before;
  enum Softmax { rows, columns, library, no_division, no_shift } softmax = rows;
  enum Scores { q_k, k_q, q_q } scores = q_k;
  enum Values { v, k, x } values = v;
};
// As the exercise asks for it: NaN where a whole row is masked. (softmax_rows gives 0 there.)
Tensor softmax(T e, int64_t axis) {
  const Tensor u = exp(sub(e, max(e, axis, true)));
  return div(u, sum(u, {axis}, true));
}
template <Parts parts>
Head attend(T q, T k, T v, T allowed, int64_t D) {
  const double N = static_cast<double>(q.size(-1));
  T left = parts.scores == Parts::k_q ? k : q;
  T right = parts.scores == Parts::q_k ? k : q;
  Tensor e = matmul(left, right.transpose(-1, -2));
  if (parts.scale != Parts::none)
    e = div(e, parts.scale == Parts::width           ? N
               : parts.scale == Parts::root_of_model ? std::sqrt(static_cast<double>(D))
                                                     : std::sqrt(N));
  Tensor blocked = logical_not(allowed);
  if (parts.mask == Parts::inverted) blocked = allowed;
  if (parts.mask == Parts::transposed) blocked = blocked.transpose(-1, -2);
  if (parts.mask != Parts::no_mask && parts.mask != Parts::after)
    e = masked_fill(e, blocked, parts.mask == Parts::zero ? 0 : -INFINITY);
  Tensor w = e;
  if (parts.softmax == Parts::rows) w = softmax(e, -1);
  if (parts.softmax == Parts::columns) w = softmax(e, -2);
  if (parts.softmax == Parts::library) w = softmax_rows(e);
  if (parts.softmax == Parts::no_division) w = exp(sub(e, max(e, -1, true)));
  if (parts.softmax == Parts::no_shift) w = div(exp(e), sum(exp(e), {-1}, true));
  if (parts.mask == Parts::after) w = masked_fill(w, blocked, 0);
  return {w, matmul(w, v)};
}
template <Parts parts>
Head head_with(T x, T W_q, T W_k, T W_v, T allowed) {
  const Tensor k = matmul(x, W_k);
  const Tensor values = parts.values == Parts::x ? x : parts.values == Parts::k ? k : matmul(x, W_v);
  return attend<parts>(matmul(x, W_q), k, values, allowed, x.size(1));
}

struct HeadsParts {
  enum Split { right, view_only, heads_inside } split = right;
  enum Merge { back, not_back } merge = back;
  enum Output { by_o, none, by_transposed } output = by_o;
  enum Masks { of_sentence, of_first } masks = of_sentence;
  bool one_head = false, same_projection = false;
};
template <HeadsParts parts, Parts of_head = Parts{}>
Tensor heads_with(T x, const Projections& w, int64_t H, T allowed) {
  const int64_t B = x.size(0), words = x.size(1), D = x.size(2), N = D / H;
  if (parts.one_head) H = 1;
  auto split = [&](T all) {
    if (parts.one_head) return all.unsqueeze(1);
    if (parts.split == HeadsParts::view_only) return all.view({B, H, words, N});
    if (parts.split == HeadsParts::heads_inside) return all.view({B, words, N, H}).permute({0, 3, 1, 2});
    return all.view({B, words, H, N}).transpose(1, 2);
  };
  const Tensor q = split(matmul(x, w.q));
  const Tensor k = split(matmul(x, parts.same_projection ? w.q : w.k));
  const Tensor v = split(matmul(x, parts.same_projection ? w.q : w.v));
  const Tensor mask = parts.masks == HeadsParts::of_first ? allowed.slice(0, 0, 1) : allowed;
  const Tensor z = attend<of_head>(q, k, v, mask.unsqueeze(1), D).context;  // [B, H, T, N]
  const Tensor merged = parts.merge == HeadsParts::not_back || parts.split == HeadsParts::view_only
                            ? z.reshape({B, words, D})
                            : z.transpose(1, 2).reshape({B, words, D});
  if (parts.output == HeadsParts::none) return merged;
  return matmul(merged, parts.output == HeadsParts::by_transposed ? w.o.transpose(0, 1) : w.o);
}

template <Parts parts>  // the same mistake in both functions
constexpr Answer head{head_with<parts>, heads_with<HeadsParts{}, parts>};
template <HeadsParts parts, Parts of_head = Parts{}>
constexpr Answer heads{head_with<Parts{}>, heads_with<parts, of_head>};

Head open_head(T x, T, T, T W_v, T) {
  return {Tensor::zeros({x.size(0), x.size(0)}, x.dtype()), Tensor::zeros({x.size(0), W_v.size(1)}, x.dtype())};
}
Tensor open_heads(T x, const Projections&, int64_t, T) { return Tensor::zeros(x.shape(), x.dtype()); }

const std::vector<app::Mistake<Answer>> mistakes{
    {"one_head is still open: its weights and its context are 0. Fill it first", {open_head, open_heads}},
    {"one_head is right; several_heads is still open", {head_with<Parts{}>, open_heads}},
    {"The scores are not divided by the square root of N", head<Parts{.scale = Parts::none}>},
    {"You divide the scores by N: divide by its square root", head<Parts{.scale = Parts::width}>},
    {"You divide by the root of D, the width of the model: divide by the root of the width of a head, N",
     head<Parts{.scale = Parts::root_of_model}>},
    {"The mask is missing: words attend to words that they may not see", head<Parts{.mask = Parts::no_mask}>},
    {"The weights are masked after the softmax, so the rows do not sum to 1: mask the scores before it",
     head<Parts{.mask = Parts::after}>},
    {"Your mask is inverted: masked_fill writes where its mask is true, so give it logical_not(allowed)",
     head<Parts{.mask = Parts::inverted}>},
    {"Your mask is inverted: masked_fill writes where its mask is true, so give it logical_not(allowed)",
     head<Parts{.mask = Parts::inverted, .softmax = Parts::library}>},
    {"A masked score of 0 still gets weight: exp(0) is 1. Fill with -INFINITY", head<Parts{.mask = Parts::zero}>},
    {"Your mask is transposed: row t of it belongs to the query t", head<Parts{.mask = Parts::transposed}>},
    {"Your softmax is over the queries: the weights of one query, a row, sum to 1. Reduce the last axis",
     head<Parts{.softmax = Parts::columns}>},
    {"Your weights do not sum to 1: divide the exponentials by the sum of their row",
     head<Parts{.softmax = Parts::no_division}>},
    {"A large score overflows: subtract the largest score of the row before exp",
     head<Parts{.softmax = Parts::no_shift}>},
    {"Your scores are K Q^T: row t must belong to the query of word t, Q K^T", head<Parts{.scores = Parts::k_q}>},
    {"You compare queries with queries: the scores are Q K^T", head<Parts{.scores = Parts::q_q}>},
    {"The weights are right and the context is not: it is a sum of values, and not of keys",
     head<Parts{.values = Parts::k}>},
    {"The weights are right and the context is not: it is a sum of the values x W_v, and not of the words x",
     head<Parts{.values = Parts::x}>},
    {"one_head is right; the scores of several_heads are divided by the root of D: a head has the width D/H",
     heads<HeadsParts{}, Parts{.scale = Parts::root_of_model}>},
    {"one_head is right; several_heads has no mask", heads<HeadsParts{}, Parts{.mask = Parts::no_mask}>},
    {"Your heads mix up words: view as [B, T, H, D/H] first, then transpose axes 1 and 2. The same when you merge",
     heads<HeadsParts{.split = HeadsParts::view_only}>},
    {"Head h gets columns h, h + H, ..: view the width as [H, D/H], the heads are the outer part",
     heads<HeadsParts{.split = HeadsParts::heads_inside}>},
    {"The merge mixes up words: transpose axes 1 and 2 back before the reshape",
     heads<HeadsParts{.merge = HeadsParts::not_back}>},
    {"The output projection W^O is missing", heads<HeadsParts{.output = HeadsParts::none}>},
    {"You multiply by W^O transposed: the output is Z W^O", heads<HeadsParts{.output = HeadsParts::by_transposed}>},
    {"Every sentence has the mask of the first: make [B, 1, T, T] of it with unsqueeze(1)",
     heads<HeadsParts{.masks = HeadsParts::of_first}>},
    {"You compute one head of width D: split queries, keys and values into H heads before the scores",
     heads<HeadsParts{.one_head = true}>},
    {"Keys and values are projected with W^Q: each has its own matrix", heads<HeadsParts{.same_projection = true}>},
};

void examine(app::Exercise& e, const Answer& answer) {
  constexpr int64_t words = 5, D = 6;
  Generator rng(22);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  const Tensor causal =
      Tensor::from_bools({1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1}, {words, words});
  const Tensor padded =
      Tensor::from_bools({1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0}, {words, words});
  struct Case {
    const char* name;
    Tensor allowed;
    int64_t N;
    double scale;
  };
  bool right = true;
  for (const Case& c : {Case{"a causal mask", causal, 3, 1}, Case{"a padded sentence", padded, D, 1},
                        Case{"large scores", causal, 2, 100}}) {
    const Tensor x = normal({words, D}), q = mul(normal({D, c.N}), c.scale), k = normal({D, c.N}), v = normal({D, c.N});
    const Tensor scores = matmul(matmul(x, q), matmul(x, k).transpose(0, 1));
    const Tensor masked =
        masked_fill(div(scores, std::sqrt(static_cast<double>(c.N))), logical_not(c.allowed), -INFINITY);
    const Tensor w = softmax_rows(masked);
    const Head ours = answer.one_head(x, q, k, v, c.allowed);
    right = e.check(fmt::format("the weights of one head with {}", c.name), ours.weights, w, 1e-10) && right;
    right =
        e.check(fmt::format("the context of one head with {}", c.name), ours.context, matmul(w, matmul(x, v)), 1e-10) &&
        right;
  }
  if (!right) return;  // several heads are checked once one head is right
  for (int64_t H : {1, 2, 3}) {
    nn::MultiHeadAttention layer({.model = D, .heads = H, .bias = false}, rng);
    nn::convert(layer, DType::f64);
    const Projections w{normal({D, D}), normal({D, D}), normal({D, D}), normal({D, D})};
    auto row_major = [](T m) { return m.transpose(0, 1).contiguous(); };  // the layer stores W^T
    layer.in_proj_weight.set_value(concat({row_major(w.q), row_major(w.k), row_major(w.v)}, 0));
    layer.out_proj.weight.set_value(row_major(w.o));
    const Tensor x = normal({2, words, D}), allowed = stack({causal, padded}, 0);
    e.check(fmt::format("the output of {} heads", H), answer.several_heads(x, w, H, allowed),
            layer(Variable(x), {.allowed = allowed}).output.value(), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("22", 3, "Self-attention in matrices");
  e.hint("matmul(q, k.transpose(0, 1)) is Q K^T: element [t, s] is the product of query t and key s.");
  e.hint("max(scores, 1, true) is [T, 1], the largest of each row; sum(e, {1}, true) is the sum of each row.");
  e.hint(
      "Split: matmul(x, w.q).view({B, T, H, N}).transpose(1, 2). matmul multiplies the last two axes of [B, H, ..].");
  e.hint("The mask: masked_fill(scores, logical_not(allowed).unsqueeze(1), -INFINITY).");
  e.hint("Merge: context.transpose(1, 2).reshape({B, T, D}), and not view(): transposing has changed the strides.");
  e.insight(
      "This is the whole layer: four products with parameters, two of activations, and a softmax. Several heads need\n"
      "no more parameters than one: they are the same columns, cut into parts that attend separately.",
      "./heed run 23");
  return e.run(argc, argv, Answer{mine::one_head, mine::several_heads}, examine, mistakes);
}
