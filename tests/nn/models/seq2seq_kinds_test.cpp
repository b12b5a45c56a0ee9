// Every kind of encoder-decoder: whatever is chosen, teacher forcing is stepping by hand, padding changes no bit, and
// the model reads its source.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "autograd/modes.h"
#include "nn/models/seq2seq.h"
#include "nn/models/seq2seq_search.h"
#include "nn/observe.h"
#include "nn/pooling/pooler.h"
#include "nn/train/scheduled_sampling.h"
#include "tensor/indexing.h"
#include "tests/nn/models/kinds.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using namespace heed::nn_test::two_sentences;
using namespace heed::nn_test::seq2seq;

namespace {

Tensor stepped(const nn::Seq2Seq& m, const Tensor& from, const Tensor& sizes, const Tensor& target, Tensor* weights) {
  auto [memory, state] = m.encode(from, sizes);
  std::vector<Variable> logits;
  std::vector<Tensor> rows;
  for (int64_t t = 0; t < target.size(1); ++t) {
    nn::Seq2Seq::Step s = m.step(m.embed_target(target.select(1, t)), state, memory);
    state = s.state;
    logits.push_back(m.logits(s.features));
    if (m.attends()) rows.push_back(state.alignment.weights.value());
  }
  if (m.attends()) *weights = heed::stack(rows, 1);
  return stack(logits, 1).value();
}

}  // namespace

TEST_CASE("every encoder-decoder: a teacher-forced pass is stepping by hand") {
  for (const Kind& k : kinds()) {
    CAPTURE(k.name);
    nn::Seq2Seq m = make<nn::Seq2Seq>(k.options, 1);
    Tensor alignment, by_hand;
    Variable logits = m(source(), lengths(), target_in(), &alignment);
    REQUIRE(logits.shape() == Shape{2, 4, 8});
    Tensor want = stepped(m, source(), lengths(), target_in(), &by_hand);
    CHECK(relative_error(logits.value(), want) <= 1e-6);
    CHECK(alignment.defined() == m.attends());
    if (m.attends()) CHECK(max_abs_difference(alignment, by_hand) <= 1e-6);
  }
}

TEST_CASE("every encoder-decoder: a sentence in a padded batch gives what it gives alone") {
  for (const Kind& k : kinds()) {
    CAPTURE(k.name);
    nn::Seq2Seq m = make<nn::Seq2Seq>(k.options, 1);
    Tensor batch = m(source(), lengths(), target_in()).value();
    Tensor alone = m(source().slice(0, 1, 2).slice(1, 0, 3), ids({3}, {1}), target_in().slice(0, 1, 2)).value();
    CHECK(relative_error(alone, batch.slice(0, 1, 2).contiguous()) <= 1e-6);
  }
}

TEST_CASE("every encoder-decoder: all parameters learn, and the output depends on each source word") {
  for (const Kind& k : kinds()) {
    CAPTURE(k.name);
    nn::Seq2Seq m = make<nn::Seq2Seq>(k.options, 1);
    Variable logits = m(source(), lengths(), target_in());
    backward(weighted_sum(logits));
    for (auto& p : nn::named_parameters(m)) {
      CAPTURE(p.name);
      REQUIRE(p.variable.grad().defined());
      CHECK(all_finite(p.variable.grad()));
      CHECK_FALSE(all_zero(p.variable.grad()));
    }
    for (int64_t s = 0; s < 3; ++s) {
      Tensor other = source().clone();
      other.set({0, s}, 8);
      CHECK(max_abs_difference(m(other, lengths(), target_in()).value().select(0, 0), logits.value().select(0, 0)) > 0);
    }
  }
}

TEST_CASE("every encoder-decoder: greedy search over a batch writes what each sentence gets alone; beam 1 is greedy") {
  for (const Kind& k : kinds()) {
    CAPTURE(k.name);
    nn::Seq2Seq m = make<nn::Seq2Seq>(k.options, 3);
    nn::set_training(m, false);
    nn::SearchOptions limits{.max_lengths = {4, 9}, .length_penalty = 0};
    nn::Seq2SeqSearch both(m, source(), lengths());
    auto together = nn::greedy(both, limits);
    for (int64_t b = 0; b < 2; ++b) {
      int64_t S = b == 0 ? 5 : 3;
      nn::Seq2SeqSearch one(m, source().slice(0, b, b + 1).slice(1, 0, S), ids({S}, {1}));
      limits.max_lengths = {b == 0 ? 4 : 9};
      auto alone = nn::greedy(one, limits)[0];
      CHECK(alone.tokens == together[static_cast<size_t>(b)].tokens);
      CHECK(alone.weights.size() == together[static_cast<size_t>(b)].weights.size());
      CHECK(alone.weights.at(0).size() == (m.attends() ? static_cast<size_t>(S) : 0));
      if (!alone.finished) continue;
      nn::Seq2SeqSearch again(m, source().slice(0, b, b + 1).slice(1, 0, S), ids({S}, {1}));
      CHECK(nn::beam_search(again, 1, limits)[0].tokens == alone.tokens);
    }
  }
}

TEST_CASE("every encoder-decoder: its options come back from JSON, and the file is the same model") {
  for (const Kind& k : kinds()) {
    CAPTURE(k.name);
    nn::Seq2Seq m = make<nn::Seq2Seq>(k.options, 1);
    nn::Seq2SeqOptions o = nn::seq2seq_options_from(io::parse(nn::to_json(m.options).dump(), "options"));
    CHECK(nn::to_json(o) == nn::to_json(m.options));
    o.source_vocabulary = 9, o.target_vocabulary = 8;
    nn::Seq2Seq other = make<nn::Seq2Seq>(o, 2);
    nn::load_state(other, nn::save_state(m), "file");
    CHECK(bit_equal(other(source(), lengths(), target_in()).value(), m(source(), lengths(), target_in()).value()));
  }
}

TEST_CASE("every attention reaches Observe, for every step of decoding") {
  for (const Kind& k : kinds()) {
    nn::Seq2Seq m = make<nn::Seq2Seq>(k.options, 1);
    if (!m.attends()) continue;
    CAPTURE(k.name);
    nn::assign_paths(m);
    int64_t rows = 0;
    nn::Observe observe([&](const nn::AttentionSeen& seen) {
      if (!seen.module.starts_with("attention")) return;  // attention within the encoder or the decoder
      CHECK(seen.module == "attention");
      CHECK(seen.weights.size(2) == 5);
      rows += seen.weights.size(1);
    });
    m(source(), lengths(), target_in());
    CHECK(rows == 4);
  }
}

TEST_CASE("input feeding with the fed columns at zero is the model without feeding" *
          holds("zero_fed_columns_are_no_feeding")) {
  nn::Seq2SeqOptions o = base();
  o.order = "luong", o.attention.score.name = "general";
  nn::Seq2Seq plain = make<nn::Seq2Seq>(o, 1);
  o.input_feeding = true;
  nn::Seq2Seq fed = make<nn::Seq2Seq>(o, 2);
  auto from = nn::save_state(plain);
  for (auto& p : nn::named_parameters(fed)) {
    if (p.name != "decoder.weight_ih_l0") {
      p.variable.set_value(from.find(p.name)->clone());
      continue;
    }
    Tensor wide = Tensor::zeros(p.variable.shape());  // [3N, E + R]
    Tensor part = wide.slice(1, 0, 5);
    copy_into(part, *from.find(p.name));
    p.variable.set_value(wide);
  }
  CHECK(relative_error(fed(source(), lengths(), target_in()).value(),
                       plain(source(), lengths(), target_in()).value()) <= 1e-6);
  Generator rng(5);
  for (auto& p : nn::named_parameters(fed))
    if (p.name == "decoder.weight_ih_l0") p.variable.set_value(Tensor::normal(p.variable.shape(), rng, 0, 0.5));
  CHECK(relative_error(fed(source(), lengths(), target_in()).value(), plain(source(), lengths(), target_in()).value()) >
        1e-3);
}

TEST_CASE("the fixed vector is one place, the same at every step; the first state alone leaves no other way") {
  nn::Seq2SeqOptions o = base();
  o.context = "every_step";
  nn::Seq2Seq every = make<nn::Seq2Seq>(o, 1);
  auto [memory, state] = every.encode(source(), lengths());
  CHECK(memory.values.shape() == Shape{2, 1, 12});
  nn::Seq2Seq::Step first = every.step(every.embed_target(ids({2, 2}, {2})), state, memory);
  nn::Seq2Seq::Step second = every.step(every.embed_target(ids({4, 4}, {2})), first.state, memory);
  CHECK(bit_equal(first.context.value(), second.context.value()));
  o.context = "initial_state";
  nn::Seq2Seq initial = make<nn::Seq2Seq>(o, 1);
  auto read = initial.encode(source(), lengths());
  nn::Seq2Seq::Step step = initial.step(initial.embed_target(ids({2, 2}, {2})), read.state, {});
  CHECK_FALSE(step.context.defined());
}

TEST_CASE("scheduled sampling: with true words only it is teacher forcing, with none it is greedy search" *
          holds("ends_are_teacher_forcing_and_greedy")) {
  nn::Seq2Seq m = make<nn::Seq2Seq>(base(), 4);
  Generator rng(1);
  Tensor forced = m(source(), lengths(), target_in()).value();
  CHECK(bit_equal(nn::scheduled_logits(m, source(), lengths(), target_in(), 1, rng).value(), forced));
  Tensor free = nn::scheduled_logits(m, source(), lengths(), target_in(), 0, rng).value();
  CHECK(bit_equal(free.select(1, 0).contiguous(), forced.select(1, 0).contiguous()));
  auto [memory, state] = m.encode(source(), lengths());
  Tensor words = ids({2, 2}, {2});
  for (int64_t t = 0; t < 4; ++t) {
    auto s = m.step(m.embed_target(words), state, memory);
    state = s.state;
    Tensor row = m.logits(s.features).value();
    CHECK(bit_equal(row, free.select(1, t).contiguous()));
    for (int64_t b = 0; b < 2; ++b) {
      int64_t best = 0;
      for (int64_t w = 0; w < 8; ++w)
        if (row.at({b, w}) > row.at({b, best})) best = w;
      words = words.clone();
      words.set({b}, static_cast<double>(best));
    }
  }
  CHECK(nn::linear_decay(0, 0.01) == 1);
  CHECK(nn::linear_decay(30, 0.01, 0.5) == doctest::Approx(0.7));
  CHECK(nn::linear_decay(300, 0.01, 0.5) == 0.5);
  CHECK(nn::inverse_sigmoid_decay(0, 10) == doctest::Approx(10.0 / 11));
  CHECK(nn::inverse_sigmoid_decay(1000, 10) < 1e-6);
}
