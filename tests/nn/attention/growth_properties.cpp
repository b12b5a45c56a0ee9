// How the work of each evaluator, scope and mixer grows with the number T of words: counted, not timed.
//
//   work(T) ~ T^p,  p = log(work(T2) / work(T1)) / log(T2 / T1)
//
// A row that declares a linear cost (nn/attention/growth.h) must have p <= 1.1 from 512 to 8192 words, for the
// multiply-adds and for the numbers written; each other row must have p >= 1.5 for the multiply-adds.
// The settings are those of the row, except that what bounds the length of a sentence becomes that length, and that
// windows are at most 64 words: 512 words must be many more than a window. Every count is of one forward pass of
// self-attention with two heads of width 4. `HEED_GROWTH=1 test_nn -tc='growth*'` prints the counts.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "autograd/modes.h"
#include "nn/attention/growth.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"
#include "tensor/profile.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

using nn::CatalogueEntry;

constexpr int64_t kModel = 8, kHeads = 2;

struct Work {
  double products = 0, elements = 0;  // multiply-adds of matrix products; numbers that everything else writes
};

nn::StageOptions for_words(const CatalogueEntry& e, int64_t T) {
  nn::StageOptions o{.name = e.name};
  for (const nn::OptionField& s : e.settings) {
    if (s.name == "max_source" || s.name == "longest") o.settings[s.name] = static_cast<double>(T);
    if (s.name == "window") o.settings[s.name] = std::min(number_of(s), 64.0);
  }
  return o;
}

Work counted(const std::function<void()>& call) {
  Profile profile;
  call();
  Work work;
  for (const ProfileRow& row : profile.rows()) (row.is_product ? work.products : work.elements) += row.work;
  return work;
}

Work work_of(const CatalogueEntry& e, int64_t T, bool causal) {
  NoGrad no_grad;
  Generator rng(3);
  const Variable x(random({1, T, kModel}, 7));
  nn::StageOptions stage = for_words(e, T);
  if (e.mixer) {
    stage.query = stage.key = kModel, stage.heads = kHeads, stage.causal = causal;
    std::unique_ptr<nn::Mixer> m = nn::make_mixer(stage, rng);
    nn::set_training(*m, false);
    return counted([&] { (*m)(x, {}); });
  }
  nn::MultiHeadOptions o{.model = kModel, .heads = kHeads, .scope = {.name = causal ? "causal" : "global"}};
  (e.scope ? o.scope : o.evaluator) = stage;
  nn::MultiHeadAttention m(o, rng);
  return counted([&] { m(x); });
}

// Can it be causal, in a decoder? A scope says itself which words are seen.
bool can_be_causal(const CatalogueEntry& e) {
  if (e.scope) return false;
  try {
    work_of(e, 8, true);
    return true;
  } catch (const ValueError&) { return false; }
}

Work slopes(const CatalogueEntry& e, int64_t from, int64_t to, bool causal) {
  const Work a = work_of(e, from, causal), b = work_of(e, to, causal);
  const double longer = std::log(static_cast<double>(to) / static_cast<double>(from));
  const Work p{std::log(b.products / a.products) / longer, std::log(b.elements / a.elements) / longer};
  if (std::getenv("HEED_GROWTH"))
    fmt::print("{:9} {:24} {:6} {:4} to {:4} words  {:8.2f} to {:8.2f} million multiply-adds  p {:.2f} ({:.2f})\n",
               nn::name_of(e.kind), e.name, causal ? "causal" : "", from, to, a.products / 1e6, b.products / 1e6,
               p.products, p.elements);
  return p;
}

// Once for each entry, though two test cases ask. Where a row says that it needs a mask of T S bytes, 2048 words are
// the longest: that mask is no multiply-add, and takes seconds at 8192.
PROPERTY(cost_is_linear_in_words) {  // nn::kLinearCost
  static std::set<std::string> done;
  if (!done.insert(entry.name).second) return;
  const int64_t longest = entry.cost.find("mask of T S bytes") == std::string::npos ? 8192 : 2048;
  for (bool causal : {false, true}) {
    if (causal && !can_be_causal(entry)) continue;
    const Work p = slopes(entry, 512, longest, causal);
    CAPTURE(causal);
    CHECK(p.products <= 1.1);
    CHECK(p.elements <= 1.1);
    CHECK(p.products > 0.2);  // every word counts; the landmarks of nystrom cost as much for few words as for many
  }
}

}  // namespace

TEST_CASE("growth: what declares no linear cost has none") {
  int linear = 0, others = 0;
  for (nn::Kind kind : {nn::Kind::evaluator, nn::Kind::scope, nn::Kind::mixer})
    for (const CatalogueEntry& e : nn::stage_entries(kind)) {
      if (!nn::cost_is_counted(e)) continue;
      CAPTURE(e.name);
      if (nn::cost_is_linear(e)) {
        ++linear;
        continue;
      }
      ++others;
      const bool cubic = e.name == "simplicial";  // T^3: 2048 words are too many
      for (bool causal : {false, true}) {
        if (causal && !can_be_causal(e)) continue;
        const Work p = cubic ? slopes(e, 32, 128, causal) : slopes(e, 128, 512, causal);
        CHECK(p.products >= (cubic ? 2.5 : 1.5));
      }
    }
  CHECK(linear >= 30);
  CHECK(others >= 30);
}

TEST_CASE("growth: what declares a linear cost has it, from 512 to 8192 words") {
  for (nn::Kind kind : {nn::Kind::evaluator, nn::Kind::scope, nn::Kind::mixer})
    for (const CatalogueEntry& e : nn::stage_entries(kind))
      if (nn::cost_is_counted(e) && nn::cost_is_linear(e)) {
        CAPTURE(e.name);
        cost_is_linear_in_words(e);
      }
}

TEST_CASE("growth: the cost that is shown says how it grows") {
  auto cost = [](const char* name) { return nn::cost_in_words(nn::catalogue_entry(name)); };
  CHECK(cost("linear").ends_with("grows in proportion to the number of words"));
  CHECK(cost("dense").ends_with("grows with the square of the number of words, or faster"));
  CHECK(cost("additive") == nn::catalogue_entry("additive").cost);
}

}  // namespace heed::nn_test
