// The five formulas against the library: a mixer projects random words to queries, keys, values, decays and strengths;
// then its sums are computed in three forms, and by the loops of rules.h.
//
//   recurrent   word by word, as in decoding               T steps
//   chunkwise   a chunk of C words by matrix products      T / C steps: how it is trained
//   parallel    all words at once, a matrix [T, T]         one step
//
// The control is the classic fault: all words of a chunk are written at once under the delta rule, so each is corrected
// by what the state held before the chunk, and not by what the words before it have written.
#pragma once

#include <fmt/format.h>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/evaluators/kernel_sums.h"
#include "nn/attention/evaluators/linear.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/gated_delta.h"
#include "nn/attention/recurrences/gated_linear.h"
#include "nn/attention/recurrences/retention.h"
#include "nn/attention/registry.h"
#include "nn/init.h"
#include "tutorials/32_without_softmax/rules.h"
#include "tutorials/common/show.h"

namespace without_softmax {

struct Forms {
  std::string rule, mixer;
  double recurrent = 0, chunkwise = 0, parallel = 0;  // largest difference from the loops
};

inline double apart(const State& mine, const Variable& o) {  // o [1, 1, T, V]
  double worst = 0;
  for (size_t t = 0; t < mine.size(); ++t)
    for (size_t j = 0; j < mine[t].size(); ++j)
      worst = std::max(worst,
                       std::abs(mine[t][j] - o.value().at({0, 0, static_cast<int64_t>(t), static_cast<int64_t>(j)})));
  return worst;
}
inline Forms forms_of(const std::string& rule, const std::string& mixer, const nn::DecayedSums& w) {
  const State mine = by_hand(w);
  return {rule, mixer, apart(mine, nn::recurrent_sums(w).output), apart(mine, nn::chunkwise_sums(w, 8).output),
          apart(mine, nn::parallel_sums(w).output)};
}

// The delta rule with chunks of C words of which none sees what the others write. [T][V]
inline State careless_chunks(const nn::DecayedSums& w, int64_t C) {
  State outputs;
  Variable S;
  for (int64_t at = 0; at < w.q.size(2); at += C) {
    auto part = [&](const Variable& x) { return slice(x, 2, at, std::min(at + C, x.size(2))); };
    Variable k = part(w.k), u = part(w.strength) * part(w.v);
    if (S.defined()) u = part(w.strength) * (part(w.v) - matmul(k, S));
    const nn::SumsRead read = nn::parallel_sums({part(w.q), k, u}, S);
    S = read.state;
    for (int64_t t = 0; t < u.size(2); ++t) {
      Numbers o;
      for (int64_t j = 0; j < u.size(3); ++j) o.push_back(read.output.value().at({0, 0, t, j}));
      outputs.push_back(o);
    }
  }
  return outputs;
}

struct AllForms {
  std::vector<Forms> forms;
  double worst = 0, careless = 0;
};

inline AllForms all_forms(uint64_t seed) {
  constexpr int64_t T = 40, D = 12;
  heed::NoGrad no_graph;
  nn::ParameterDType exact(heed::DType::f64);
  heed::Generator rng(seed);
  const Variable x(nn::init::normal({1, T, D}, rng, {}, heed::DType::f64));
  auto options = [](const char* name) {
    return nn::completed_stage(nn::Kind::mixer, {.name = name, .query = D, .key = D, .heads = 1, .causal = true});
  };
  AllForms all;
  {
    // Linear attention has features in place of q and k, and a denominator, for which a value gets one number more: 1.
    auto drawn = [&](int64_t width) { return Variable(nn::init::normal({1, 1, T, width}, rng, {}, heed::DType::f64)); };
    const Variable q = drawn(D), k = drawn(D), ones = nn::with_ones(drawn(D));
    const nn::Features phi_q{nn::linear_log_features(q)}, phi_k{nn::linear_log_features(k)};
    State mine = by_hand({exp(phi_q.log), exp(phi_k.log), ones});
    for (Numbers& o : mine) {
      for (double& y : o) y /= o.back();
      o.pop_back();
    }
    auto in_chunks = [&](int64_t C) {
      return apart(mine, nn::read_causal(phi_q, phi_k, ones, nn::no_sums(phi_k, ones), 0, C));
    };
    all.forms.push_back({"sum", "linear attention", in_chunks(1), in_chunks(8), in_chunks(T)});
  }
  const nn::RetentionMixer retention(options("retention"), rng);
  all.forms.push_back(forms_of("decay", "retention", retention.words_of(x, 0)));
  const nn::GatedLinearMixer gated(options("gated_linear"), rng);
  all.forms.push_back(forms_of("gate", "gated_linear", gated.words_of(x)));
  const nn::GatedDeltaMixer both(options("gated_delta"), rng);
  all.forms.push_back(
      forms_of("delta rule", "gated_delta", both.words_of(both.convolution(both.projection(x), {}).output, x)));
  nn::DeltaRuleMixer delta(options("delta_rule"), rng);
  delta.settings.doubled = true;
  const nn::DecayedSums w = delta.words_of(delta.convolution(delta.projection(x), {}).output, x);
  all.forms.push_back(forms_of("reflection", "delta_rule:doubled=1", w));
  for (const Forms& f : all.forms) all.worst = std::max({all.worst, f.recurrent, f.chunkwise, f.parallel});
  const State careless = careless_chunks(w, 8);
  all.careless = apart(careless, nn::recurrent_sums(w).output);
  return all;
}

inline AllForms the_forms(heed::app::Lesson& lesson) {
  heed::app::heading("1  Five formulas, and five mixers of the library");
  const AllForms all = all_forms(lesson.seed());
  heed::report::TablePanel table{
      .title = "The five formulas and the library",
      .text = "Largest difference between plain loops and the library's mixer, for 40 words in 64-bit numbers (f64).",
      .header = {"rule", "mixer", "recurrent", "chunkwise", "parallel"}};
  for (const Forms& f : all.forms)
    table.rows.push_back({f.rule, f.mixer, fmt::format("{:.1e}", f.recurrent), fmt::format("{:.1e}", f.chunkwise),
                          fmt::format("{:.1e}", f.parallel)});
  heed::app::show(lesson, table);
  heed::app::tell("\n   the delta rule with all words of a chunk written at once: difference {:.2f}\n", all.careless);
  return all;
}

}  // namespace without_softmax
