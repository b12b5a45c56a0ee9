// Multi-head latent attention: two forms that are one, and the cache of narrow rows.
#include "nn/attention/mixers/latent.h"

#include "autograd/modes.h"
#include "nn/attention/structures/multi_head.h"
#include "tensor/indexing.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

constexpr int64_t D = 8, H = 2;

std::unique_ptr<nn::Mixer> built(const std::string& text, bool causal, DType dtype = DType::f64) {
  nn::MixerOptions o = nn::stage_from(nn::Kind::mixer, text);
  o.query = o.key = D, o.heads = H, o.causal = causal;
  Generator rng(7);
  auto m = nn::make_mixer(o, rng);
  nn::convert(*m, dtype);
  return m;
}

Tensor decoded(const nn::Mixer& m, const Tensor& x, const Tensor& words) {
  auto memory = m.memory();
  std::vector<Variable> all;
  for (int64_t from = 0, to = 0; from < x.size(1); from = to) {
    to = std::min<int64_t>(x.size(1), from == 2 ? 5 : from + 1);
    Tensor seen = words.defined() ? words.slice(1, 0, to) : words;
    all.push_back(m.extend(Variable(x.slice(1, from, to)), *memory, {.words = seen}).output);
  }
  return concat(all, 1).value();
}

}  // namespace

// Absorbed decoding, expanded decoding and the parallel pass give the same result.
TEST_CASE("latent: absorbed decoding is expanded decoding is the parallel pass" * holds("absorbed_is_expanded")) {
  NoGrad no_grad;
  for (DType dtype : {DType::f64, DType::f32})
    for (const char* text : {"latent:3,rope=2", "latent:5,rope=4,query_rank=3", "latent:4,rope=0"})
      for (const Tensor& words : {Tensor(), Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1}, {2, 7})}) {
        CAPTURE(text);
        Tensor x = random({2, 7, D}, 5, dtype);
        auto absorbed = built(text, true, dtype), expanded = built(std::string(text) + ",absorb=0", true, dtype);
        Tensor whole = (*absorbed)(Variable(x), {.words = words}).output.value();
        Tensor narrow = decoded(*absorbed, x, words), wide = decoded(*expanded, x, words);
        auto apart = [&](const Tensor& a, const Tensor& b) {  // what is computed at padding is nobody's
          double worst = max_abs_difference(a.select(0, 0), b.select(0, 0));
          return std::max(worst, max_abs_difference(a.select(0, 1).slice(0, 2, 7), b.select(0, 1).slice(0, 2, 7)));
        };
        CHECK(apart(narrow, wide) < (dtype == DType::f64 ? 1e-10 : 1e-5));
        CHECK(apart(narrow, whole) < (dtype == DType::f64 ? 1e-10 : 1e-5));
      }
}

// With a latent vector as wide as the model, identity matrices and no rotary key it is multi-head attention.
TEST_CASE("latent: with r = D, the identity and no rotary key it is multi-head attention" *
          holds("identity_is_multi_head_attention")) {
  for (bool causal : {true, false}) {
    auto made = built("latent:8,rope=0", causal);
    auto& m = dynamic_cast<nn::LatentMixer&>(*made);
    nn::MultiHeadOptions o{.model = D, .heads = H, .bias = false};
    if (causal) o.scope.name = "causal";
    auto heads = shaken<nn::MultiHeadAttention>(o);
    m.kv_down.weight.set_value(Tensor::eye(D, DType::f64));
    Tensor w = heads.in_proj_weight.value();
    m.q_up.weight.set_value(w.slice(0, 0, D).contiguous());
    m.up_keys.set_value(w.slice(0, D, 2 * D).transpose(0, 1).contiguous());
    m.up_values.set_value(w.slice(0, 2 * D, 3 * D).transpose(0, 1).contiguous());
    m.out_proj.weight.set_value(heads.out_proj.weight.value());
    Variable x(random({2, 6, D}, 5, DType::f64));
    Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {2, 6});
    nn::Mixed seen = m(x, {.words = words, .weights = true});
    nn::MultiHeadOutput wanted = heads(x, {.words = words, .weights = true});
    for (int64_t b : {0, 1}) {  // what is computed at padding is nobody's
      auto of_words = [&](const Variable& v) { return v.value().select(0, b).slice(-2, 0, b == 0 ? 6 : 4); };
      CHECK(max_abs_difference(of_words(seen.output), of_words(wanted.output)) < 1e-12);
      CHECK(max_abs_difference(of_words(seen.weights), of_words(wanted.weights)) < 1e-12);
    }
  }
}

// The cache holds a latent vector and a rotary key per word, whatever the number of heads.
TEST_CASE("latent: the cache holds r + R numbers a word, whatever the number of heads" *
          holds("latent_cache_holds_narrow_rows")) {
  NoGrad no_grad;
  auto m = built("latent:3,rope=2", true, DType::f32);
  auto memory = m->memory();
  for (int64_t t = 0; t < 9; ++t) m->extend(Variable(random({2, 1, D}, 5)), *memory, {});
  CHECK(memory->bytes() == 2 * 9 * (3 + 2) * 4);
  nn::HeadMemory wide = memory->view();
  CHECK(wide.keys.shape() == Shape{2, H, 9, D / H + 2});
  CHECK(wide.values.shape() == Shape{2, H, 9, D / H});
  // The last R entries are one key for all heads.
  CHECK(bit_equal(wide.keys.value().select(1, 0).slice(2, 4, 6).contiguous(),
                  wide.keys.value().select(1, 1).slice(2, 4, 6).contiguous()));
}

// The order of the words enters by the rotary key alone, and only as a distance.
TEST_CASE("latent: order enters by the rotary key alone, and only as a distance" *
          holds("order_enters_by_the_shared_key")) {
  Tensor x = random({1, 6, D}, 5, DType::f64), turned = Tensor::from(std::vector<int64_t>{3, 0, 5, 1, 4, 2}, {6});
  auto moves_along = [&](const char* text) {
    auto m = built(text, false);
    Tensor y = (*m)(Variable(x), {}).output.value(), z = (*m)(Variable(index_select(x, 1, turned)), {}).output.value();
    return max_abs_difference(index_select(y, 1, turned), z) < 1e-12;
  };
  CHECK(moves_along("latent:4,rope=0"));
  CHECK_FALSE(moves_along("latent:4,rope=2"));
  auto all = built("latent:4,rope=2", false);  // keys turn too: the first word notices the order of the others
  Tensor moved = index_select(x, 1, Tensor::from(std::vector<int64_t>{0, 3, 5, 1, 4, 2}, {6}));
  CHECK(max_abs_difference((*all)(Variable(moved), {}).output.value().slice(1, 0, 1),
                           (*all)(Variable(x), {}).output.value().slice(1, 0, 1)) > 1e-6);
  auto m = built("latent:4,rope=2", true);  // padding on the left moves every place by 3
  Tensor longer = concat({random({1, 3, D}, 9, DType::f64), x}, 1);
  Tensor words = Tensor::from_bools({0, 0, 0, 1, 1, 1, 1, 1, 1}, {1, 9});
  CHECK(max_abs_difference((*m)(Variable(longer), {.words = words}).output.value().slice(1, 3, 9),
                           (*m)(Variable(x), {}).output.value()) < 1e-12);
}
