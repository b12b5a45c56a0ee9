// Decoding with a cache: the numbers of the parallel pass, one word at a time.
#include "nn/transformer/language_model.h"

#include "autograd/modes.h"
#include "nn/decode/sampling.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::LanguageModel;
using nn::LanguageModelSearch;
using nn::Transformer;
using nn::TransformerOptions;

namespace {

double tolerance(DType dtype) { return dtype == DType::f64 ? 1e-10 : 1e-5; }
Tensor column(const Tensor& ids, int64_t t) { return ids.select(1, t).contiguous(); }
Tensor log_p(const Variable& logits, int64_t t) { return log_softmax_rows(logits.value().select(1, t)); }

struct Batch {
  Tensor source = ids({4, 5, 6, 7, 8, 5, 0, 0, 6, 6, 4, 0}, {3, 4}), lengths = ids({4, 2, 3}, {3});
  Tensor target = Tensor();
  Batch() {  // 20 words each: more than the cache has room for at first
    std::vector<int64_t> words;
    for (int64_t i = 0; i < 60; ++i) words.push_back(i % 20 == 0 ? 2 : 4 + (i * i + i / 20) % 5);
    target = ids(words, {3, 20});
  }
};

}  // namespace

TEST_CASE("cached decoding equals the parallel pass, for every scheme of positions, norm first and last") {
  Batch b;
  for (const std::string& positions : position_schemes())
    for (bool norm_first : {true, false})
      for (DType dtype : {DType::f64, DType::f32}) {
        CAPTURE(positions);
        TransformerOptions o = small_transformer();
        o.positions = positions, o.norm_first = norm_first;
        auto m = shaken<Transformer>(o, dtype);
        auto speaker = shaken<LanguageModel>(o, dtype);
        NoGrad guard;
        Variable weights;
        Variable logits = m(b.source, b.lengths, b.target, &weights), spoken = speaker(b.target);
        auto search = m.search(b.source, b.lengths);
        LanguageModelSearch speech(speaker, {{}, {}, {}});
        for (int64_t t = 0; t < 20; ++t) {
          CHECK(relative_error(search->next(column(b.target, t)), log_p(logits, t)) < tolerance(dtype));
          CHECK(relative_error(search->weights(), weights.value().select(1, t)) < tolerance(dtype));
          CHECK(relative_error(speech.next(column(b.target, t)), log_p(spoken, t)) < tolerance(dtype));
        }
      }
}

TEST_CASE("keep: rows reordered and doubled go on as if they had always stood so") {
  Batch b;
  auto m = shaken<Transformer>(small_transformer());
  NoGrad guard;
  Variable logits = m(b.source, b.lengths, b.target);
  auto search = m.search(b.source, b.lengths);
  for (int64_t t = 0; t < 5; ++t) search->next(column(b.target, t));
  search->keep(ids({2, 0, 2, 1}, {4}));
  CHECK(search->rows() == 4);
  CHECK(search->weights().shape() == Shape{4, 4});
  Tensor next = search->next(index_select(column(b.target, 5), ids({2, 0, 2, 1}, {4})));
  CHECK(relative_error(next, index_select(log_p(logits, 5), ids({2, 0, 2, 1}, {4}))) < 1e-10);
  // and rows that have parted
  Tensor parted = search->next(ids({4, 5, 6, 7}, {4}));
  CHECK(max_abs_difference(parted.select(0, 0), parted.select(0, 2)) > 1e-3);
}

TEST_CASE("greedy, beam and sampling write the same in any batch, and as without a cache") {
  Batch b;
  auto m = shaken<Transformer>(small_transformer(), DType::f32, 5);
  auto all = m.search(b.source, b.lengths);
  nn::SearchOptions limit{.max_lengths = {18, 18, 18}}, one_limit{.max_lengths = {18}};
  auto together = nn::greedy(*all, limit);
  for (int64_t r = 0; r < 3; ++r) {
    int64_t n = static_cast<int64_t>(b.lengths.at({r}));
    Tensor source = b.source.slice(0, r, r + 1).slice(1, 0, n).contiguous(), length = ids({n}, {1});
    auto one = m.search(source, length);
    auto alone = nn::greedy(*one, one_limit)[0];
    CHECK(alone.tokens == together[static_cast<size_t>(r)].tokens);
    CHECK(alone.log_probability == together[static_cast<size_t>(r)].log_probability);  // to the bit
    CHECK(alone.tokens.size() > 0);
    auto wide = m.search(source, length);
    auto best = nn::beam_search(*wide, 4, {.max_lengths = {18}, .length_penalty = 0})[0];
    std::vector<int64_t> in{2};
    in.insert(in.end(), best.tokens.begin(), best.tokens.end());
    NoGrad guard;
    Variable logits = m(source, length, row(in));
    double total = 0;
    for (size_t t = 0; t < in.size(); ++t) {
      int64_t word = t < best.tokens.size() ? best.tokens[t] : 3;
      total += log_p(logits, static_cast<int64_t>(t)).at({0, word});
    }
    CHECK(best.log_probability == doctest::Approx(total).epsilon(1e-4));
    CHECK(best.weights[0].size() == static_cast<size_t>(n));
  }
}

TEST_CASE("a prompt is continued by what stands behind it") {
  auto m = shaken<LanguageModel>(small_transformer());
  for (size_t words : {size_t{1}, size_t{2}, size_t{5}}) {
    std::vector<std::vector<int64_t>> prompts{{2, 7, 6, 5, 4}, {2, 4, 4, 8, 5}};
    for (auto& p : prompts) p.resize(words);
    LanguageModelSearch search(m, prompts);
    auto written = nn::greedy(search, {.max_lengths = {8, 8}});
    for (size_t r = 0; r < 2; ++r) {
      std::vector<int64_t> text = prompts[r];
      for (int64_t word : written[r].tokens) {
        NoGrad guard;
        Tensor p = log_p(m(row(text)), static_cast<int64_t>(text.size()) - 1);
        for (int64_t other = 3; other < 9; ++other) CHECK(p.at({0, word}) >= p.at({0, other}));
        text.push_back(word);
      }
    }
  }
}

TEST_CASE("left padding: prompts of unequal length are continued as each is alone, for every scheme of positions") {
  const std::vector<std::vector<int64_t>> prompts{{2, 7, 6, 5, 4}, {2, 4}, {}, {2, 4, 8, 5, 5, 6, 7}, {2, 8, 8}};
  for (const std::string& positions : position_schemes())
    for (const char* scope : {"global", "window:3"})
      for (DType dtype : {DType::f32, DType::f64}) {
        CAPTURE(positions);
        CAPTURE(scope);
        TransformerOptions o = small_transformer();
        o.positions = positions, o.scope = scope;
        auto m = shaken<LanguageModel>(o, dtype, 3);
        Tensor bias = m.output.bias.value().to(DType::f64);
        bias.data<double>()[3] = -2;  // few sentences end early
        m.output.bias.set_value(bias.to(dtype));
        nn::SearchOptions limits{.max_lengths = {9, 9, 9, 9, 9}}, limit{.max_lengths = {9}};
        LanguageModelSearch together(m, prompts), wide(m, prompts);
        auto written = nn::greedy(together, limits);
        auto best = nn::beam_search_all(wide, 3, limits);
        size_t words = 0;
        for (size_t r = 0; r < prompts.size(); ++r) {
          LanguageModelSearch one(m, {prompts[r]}), one_wide(m, {prompts[r]});
          auto alone = nn::greedy(one, limit)[0];
          CHECK(written[r].tokens == alone.tokens);
          CHECK(std::abs(written[r].log_probability - alone.log_probability) < tolerance(dtype));
          auto best_alone = nn::beam_search(one_wide, 3, limit);
          REQUIRE(best[r].size() == best_alone.size());
          for (size_t i = 0; i < best_alone.size(); ++i) {
            CHECK(best[r][i].tokens == best_alone[i].tokens);
            CHECK(std::abs(best[r][i].log_probability - best_alone[i].log_probability) < tolerance(dtype));
          }
          words += alone.tokens.size();
        }
        CHECK(words > 20);
      }
}

TEST_CASE(
    "left padding beside mixers: layers whose memories keep all words, the last ones, or running sums; rows move") {
  const std::vector<std::vector<int64_t>> prompts{{2, 7}, {2, 4, 8, 5, 5, 6, 7}, {2, 8, 8, 4}};
  for (const char* mixers : {"attention,window:2", "window:2,attention", "window:1,window:3", "window:2,linear",
                             "linear,attention", "window:2"})
    for (const char* positions : {"learned", "t5", "none"}) {
      CAPTURE(mixers);
      CAPTURE(positions);
      TransformerOptions o = small_transformer();
      o.positions = positions, o.mixers = mixers;
      if (std::string(mixers).find("linear") != std::string::npos && o.positions == "t5") continue;  // refused
      auto m = shaken<LanguageModel>(o);
      NoGrad guard;
      LanguageModelSearch search(m, prompts);
      std::vector<std::vector<int64_t>> rows = prompts;
      Tensor p = search.next(ids({2, 2, 2}, {3}));
      for (int64_t step = 0; step < 8; ++step) {
        for (size_t r = 0; r < rows.size(); ++r) {
          Tensor whole = log_p(m(row(rows[r])), static_cast<int64_t>(rows[r].size()) - 1);
          CHECK(relative_error(p.slice(0, int64_t(r), int64_t(r) + 1), whole) < 1e-10);
        }
        if (step == 3) {
          search.keep(ids({2, 0, 2, 1}, {4}));
          rows = {rows[2], rows[0], rows[2], rows[1]};
          CHECK(search.rows() == 4);
        }
        std::vector<int64_t> next;
        for (size_t r = 0; r < rows.size(); ++r) {
          next.push_back(4 + (step + static_cast<int64_t>(r)) % 5);
          rows[r].push_back(next.back());
        }
        p = search.next(ids(next, {static_cast<int64_t>(rows.size())}));
      }
    }
}
