// Hashing in training, after section 2.1 and table 2 of Kitaev et al., ICLR 2020: an encoder of one layer learns to
// complete a repeated sequence, with full attention or with n rounds of hashing. Then the same weights are evaluated
// with other numbers of rounds.
//
//   input     0 w_1 .. w_L 0 _ .. _     T = 2 L + 2 tokens, _ is a mask
//   answers   w_1 .. w_L at the masks   each must be read L + 1 places before
//
// In the paper a causal language model predicts the second half; the Reformer of the library is not causal, so the
// second half is masked instead. "Full" is the formula of reformer.h with one bucket and one chunk: queries and keys
// share a projection, and no word attends to itself. The directions R are drawn anew for every training step and every
// evaluation, so the weights cannot adapt to one hash; as a control, one model keeps those of the first step.
// B sequences, T tokens, L symbols of the repeated word, V symbols to choose from and 0.
#pragma once

#include <fmt/format.h>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "nn/attention/mixers/reformer.h"
#include "nn/init.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/train/progress.h"
#include "nn/transformer/transformer.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"
#include "tutorials/common/show.h"

namespace efficient {

namespace nn = heed::nn;
using heed::Generator, heed::Tensor, heed::Variable;

struct Repeats {
  int64_t length = 15, symbols = 16, width = 32, heads = 2, chunk = 4, directions = 4;
  int64_t steps = 400, batch = 16;
  double rate = 1e-2;
  uint64_t seed = 1;
  int64_t tokens() const { return 2 * length + 2; }
};

struct Sequences {
  Tensor tokens, answers;  // i64 [B, T]; answers: -1 where nothing is asked
};
inline Sequences draw_repeats(const Repeats& r, int64_t count, Generator& rng) {
  const auto length = static_cast<size_t>(r.length);
  std::vector<int64_t> tokens, answers;
  for (int64_t b = 0; b < count; ++b) {
    std::vector<int64_t> word;
    for (int64_t i = 0; i < r.length; ++i) word.push_back(1 + rng.below(r.symbols));
    tokens.push_back(0);
    tokens.insert(tokens.end(), word.begin(), word.end());
    tokens.push_back(0);
    tokens.insert(tokens.end(), length, r.symbols + 1);  // masks
    answers.insert(answers.end(), length + 2, -1);
    answers.insert(answers.end(), word.begin(), word.end());
  }
  return {Tensor::from(tokens, {count, r.tokens()}), Tensor::from(answers, {count, r.tokens()})};
}

struct Repeater : nn::Module {
  Repeater(const Repeats& options, Generator& rng)
      : r(options),
        symbols({.vocabulary = r.symbols + 2, .width = r.width}, rng),
        places({.vocabulary = r.tokens(), .width = r.width}, rng),
        layer({.model = r.width,
               .heads = r.heads,
               .inner = r.width,
               .mixer = nn::chosen<nn::ReformerMixer>({.directions = 0, .rounds = 1}),
               .activation = "gelu",
               .norm_first = true},
              rng),
        norm({.shape = {r.width}}, rng),
        output({.in = r.width, .out = r.symbols + 1}, rng) {}
  Variable operator()(const Tensor& tokens) const {  // i64 [B, T] -> logits [B, T, V + 1]
    Tensor at = Tensor::arange(r.tokens()).unsqueeze(0).expand(tokens.shape()).contiguous();
    return output(norm(layer(symbols(tokens) + places(at)).output));
  }
  // From now on n rounds with new directions; 0: full attention.
  void set_rounds(int64_t n, Generator& rng) {
    auto& mixer = dynamic_cast<nn::ReformerMixer&>(*layer.mixer);
    mixer.options.settings["rounds"] = static_cast<double>(std::max<int64_t>(n, 1));
    mixer.options.settings["chunk"] = static_cast<double>(n > 0 ? r.chunk : r.tokens());
    mixer.directions = n > 0 ? nn::init::normal({n, r.heads, r.width / r.heads, r.directions}, rng) : Tensor();
  }
  void visit(nn::Visitor& v) {
    v.child("symbols", symbols);
    v.child("places", places);
    v.child("layer", layer);
    v.child("norm", norm);
    v.child("output", output);
  }
  Repeats r;
  nn::Embedding symbols, places;
  nn::TransformerLayer layer;
  nn::LayerNorm norm;
  nn::Linear output;
};

// redraw: new directions for every step; otherwise those of the first.
inline void learn_repeats(Repeater& model, int64_t rounds, bool redraw, nn::Progress& progress) {
  heed::GradMode recording(true);
  const Repeats& r = model.r;
  Generator data(r.seed, 1ull << 30), hashes(r.seed, 1ull << 32);
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = r.rate});
  for (int64_t step = 0; step < r.steps; ++step) {
    if (redraw || step == 0) model.set_rounds(rounds, hashes);
    Sequences s = draw_repeats(r, r.batch, data);
    const double done = static_cast<double>(step) / static_cast<double>(r.steps);
    adam.learning_rate = r.rate * std::min(1.0, static_cast<double>(step + 1) / 30) * (1 - done);
    adam.zero_grad();
    Variable loss = cross_entropy(model(s.tokens), s.answers, {.ignore_index = -1});
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    progress.step({.loss = loss.item(), .items = r.batch * r.tokens()});
  }
}

// Right answers in %: 4 times 50 new sequences, each time with new directions. The same sequences for every model.
inline double repeats_right(Repeater& model, int64_t rounds) {
  heed::NoGrad no_graph;
  constexpr int64_t kDraws = 4, kSequences = 50;
  Generator data(model.r.seed, 1ull << 40), hashes(model.r.seed, 1ull << 42);
  double right = 0;
  for (int64_t i = 0; i < kDraws; ++i) {
    model.set_rounds(rounds, hashes);
    Sequences s = draw_repeats(model.r, kSequences, data);
    Tensor found = argmax(model(s.tokens).value(), 2);
    right += heed::sum(heed::equal(found, s.answers).to(heed::DType::f64)).item();
  }
  return 100 * right / static_cast<double>(kDraws * kSequences * model.r.length);
}

struct RoundsMatrix {
  std::vector<int64_t> trained{0, 4, 2, 1}, evaluated{0, 8, 4, 2, 1};  // 0: full attention
  std::vector<std::vector<double>> right;                              // in %: [trained, evaluated]
  double fixed = 0;      // trained with one round of fixed directions, evaluated with 8 rounds
  double untrained = 0;  // evaluated with full attention

  double lost_by_fewer() const { return largest_step(1); }
  double lost_by_more() const { return largest_step(-1); }

 private:
  // The largest number of points lost from one column to the next, to the right (1) or to the left (-1).
  double largest_step(double sign) const {
    double most = 0;
    for (const auto& row : right)
      for (size_t i = 0; i + 1 < row.size(); ++i) most = std::max(most, sign * (row[i] - row[i + 1]));
    return most;
  }
};

inline RoundsMatrix the_rounds(heed::app::Lesson& lesson, Repeats r) {
  heed::app::heading("5  Hashing in training: trained with n rounds, evaluated with others");
  r.seed = lesson.seed();
  RoundsMatrix m;
  heed::report::TablePanel table{
      .title = "Trained with n rounds of hashing, evaluated with others",
      .text = fmt::format("Right symbols of the repeated half, in %; guessing gives {:.1f} %. A row is one set of "
                          "weights. Full: one bucket that contains all words.",
                          100.0 / static_cast<double>(r.symbols)),
      .header = {"trained with", "full", "8 rounds", "4 rounds", "2 rounds", "1 round"}};
  auto name = [](int64_t n) { return n == 0 ? std::string("full") : fmt::format("{} round{}", n, n == 1 ? "" : "s"); };
  auto evaluate = [&](Repeater& model, const std::string& label) {
    std::vector<double> right;
    table.rows.push_back({label});
    for (int64_t n : m.evaluated) {
      right.push_back(repeats_right(model, n));
      table.rows.back().push_back(fmt::format("{:.1f}", right.back()));
    }
    return right;
  };
  auto fresh = [&] {
    Generator rng(r.seed, 1ull << 20);
    return Repeater(r, rng);
  };
  nn::Progress progress(r.steps * (std::ssize(m.trained) + 1), {.label = "training", .unit = "tokens"});
  for (int64_t n : m.trained) {
    Repeater model = fresh();
    learn_repeats(model, n, true, progress);
    m.right.push_back(evaluate(model, name(n)));
  }
  Repeater fixed = fresh();
  learn_repeats(fixed, 1, false, progress);
  m.fixed = evaluate(fixed, "1 round, the same directions in every step")[1];
  progress.finish();
  Repeater untrained = fresh();
  m.untrained = evaluate(untrained, "untrained")[0];
  heed::app::show(lesson, table);
  return m;
}

}  // namespace efficient
