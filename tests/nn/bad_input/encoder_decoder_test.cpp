// What the parts of encoder-decoders and their searches refuse; the papers themselves: papers_test.cpp.
#include "nn/attention/regularisers.h"
#include "nn/models/papers.h"
#include "nn/output_heads/output_head.h"

#include "nn/attention/coverage.h"
#include "nn/decode/sampling.h"
#include "nn/decode/search.h"
#include "nn/models/any_recurrent.h"
#include "nn/models/bahdanau.h"
#include "nn/penalties.h"
#include "nn/train/scheduled_sampling.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {
nn::Bahdanau small() { return {{.source = {5, 2}, .target = {5, 2}}, dice}; }
struct Silent final : nn::SearchModel {
  int64_t rows() const override { return 2; }
  Tensor next(const Tensor&) override { return zeros({2, 4}); }
  void keep(const Tensor&) override {}
};
}  // namespace

TEST_CASE("bad input: encoder-decoders") {
  refuses("CopyNet: states got", [] {
    nn::OutputHeadOptions o{.name = "copynet", .features = 2, .vocabulary = 5};
    (*nn::make_output_head(o, dice))(constant({1, 2}), constant({1, 1}), {});
  });
  refuses<ShapeError>("mean_entropy: [B, T, S] [B, T] got [2, 3] [2, 3]", [] {
    nn::mean_entropy(constant({2, 3}), Tensor::full({2, 3}, 1));
  });
  refuses("recurrent: got gruu rnn gru lstm lstmn",
          [] { nn::AnyRecurrent({.cell = "gruu", .input = 2, .hidden = 2}, dice); });
  refuses("attention: pooling got empty mean", [] {
    nn::Bahdanau::Options o;
    for (const nn::OptionField& f : nn::fields_of(o))
      if (f.name == "pooling") std::get<nn::TextPlace>(f.place).set("mean,");
  });
  refuses("output: got copy softmax pointer_generator pointer copynet",
          [] { nn::make_output_head({.name = "copy", .features = 2, .vocabulary = 3}, dice); });
  refuses<ShapeError>("output: [B, T, S] [B, S] [B, S] got none [2, 3]", [] { nn::copied({}, wholes({2, 3}), 4); });
  refuses("length_mask: [1, 2] got 0 0", [] { small()(wholes({1, 2}), ids({0}), wholes({1, 2})); });
}

TEST_CASE("bad input: a tape that is none, a reader that is none") {
  refuses("recurrent: gru got 3 lstmn", [] { nn::AnyRecurrent({.input = 2, .hidden = 2, .tape = 3}, dice); });
  refuses<IoError>("attention: reader got soft hard",
                   [] { nn::paper_from(nn::to_json(nn::paper_called("luong")).set("reader", "soft")); });
}

TEST_CASE("bad input: penalties") {
  refuses<ShapeError>("coverage_loss: [B, T, S] got [2, 3]", [] { nn::coverage_loss(constant({2, 3})); });
  refuses("penalty: 0 got -1", [] {
    nn::Penalties collected;
    nn::Penalties::add("a", constant({}), -1);
  });
  refuses<ShapeError>("penalty: [] got [2]", [] {
    nn::Penalties collected;
    nn::Penalties::add("a", constant({2}));
  });
}

TEST_CASE("bad input: sampling") {
  Silent model;
  refuses("sample: temperature got 0", [&] { nn::sample(model, {.temperature = 0}, dice); });
  refuses("sample: negative got -1", [&] { nn::sample(model, {.top_k = -1}, dice); });
  refuses("sample: top_p (0, 1] got 0", [&] { nn::sample(model, {.top_p = 0}, dice); });
  refuses("sample: top_p (0, 1] got nan", [&] { nn::sample(model, {.top_p = std::nan("")}, dice); });
  refuses("sample: min_p [0, 1] got 1.5", [&] { nn::sample(model, {.min_p = 1.5}, dice); });
  refuses("sample: length got 1 2", [&] { nn::sample(model, {.max_lengths = {3}}, dice); });
  refuses("beam_search: coverage got -0.5", [&] { nn::beam_search(model, 2, {.coverage_penalty = -0.5}); });
  refuses("scheduled sampling: [0, 1] got 1.5", [] {
    nn::scheduled_logits(small(), wholes({1, 2}), ids({2}), wholes({1, 2}), 1.5, dice);
  });
}
