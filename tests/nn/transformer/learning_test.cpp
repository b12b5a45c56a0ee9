// A transformer learns: sentences reversed, from three hundred batches.
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

struct Reversal {
  Tensor source, lengths, target_in, target_out;
  std::vector<std::vector<int64_t>> answers;
};

// 32 sentences of 3 to 6 words, and the same backwards.
Reversal draw(Generator& rng) {
  constexpr int64_t B = 32, S = 6;
  std::vector<int64_t> source(B * S), lengths, in(B * (S + 1)), out(B * (S + 1));
  Reversal r;
  for (int64_t b = 0; b < B; ++b) {
    int64_t n = 3 + static_cast<int64_t>(rng.next_u32() % 4);
    lengths.push_back(n);
    r.answers.emplace_back();
    for (int64_t s = 0; s < n; ++s)
      source[static_cast<size_t>(b * S + s)] = 4 + static_cast<int64_t>(rng.next_u32() % 5);
    in[static_cast<size_t>(b * (S + 1))] = 2;
    for (int64_t t = 0; t < n; ++t) {
      int64_t word = source[static_cast<size_t>(b * S + n - 1 - t)];
      in[static_cast<size_t>(b * (S + 1) + t + 1)] = out[static_cast<size_t>(b * (S + 1) + t)] = word;
      r.answers.back().push_back(word);
    }
    out[static_cast<size_t>(b * (S + 1) + n)] = 3;
  }
  r.source = ids(source, {B, S}), r.lengths = ids(lengths, {B});
  r.target_in = ids(in, {B, S + 1}), r.target_out = ids(out, {B, S + 1});
  return r;
}

}  // namespace

TEST_CASE("a transformer learns to reverse sentences it has not seen, norm first and last") {
  for (bool norm_first : {true, false}) {
    nn::TransformerOptions o = small_transformer();
    o.model = 32, o.heads = 4, o.inner = 64, o.norm_first = norm_first, o.tie = "all";
    auto m = make<nn::Transformer>(o, 1);
    nn::Adam adam(nn::named_parameters(m), {.learning_rate = 3e-3});
    Generator rng(7);
    for (int step = 0; step < 300; ++step) {
      Reversal r = draw(rng);
      nn::zero_grad(m);
      backward(cross_entropy(m(r.source, r.lengths, r.target_in), r.target_out, {.ignore_index = 0}));
      nn::clip_grad_norm(nn::named_parameters(m), 1);
      adam.step();
    }
    nn::set_training(m, false);
    Reversal test = draw(rng);
    auto search = m.search(test.source, test.lengths);
    auto written = nn::greedy(*search, {.max_lengths = std::vector<int64_t>(32, 10)});
    int right = 0;
    for (size_t b = 0; b < 32; ++b) right += written[b].tokens == test.answers[b];
    CAPTURE(norm_first);
    CHECK(right >= 24);
  }
}
