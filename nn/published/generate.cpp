#include "nn/published/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nn/published/generate_beams.h"
#include "nn/published/running_texts.h"
#include "tensor/error.h"

namespace heed::nn::published {
namespace {

// The next token of a text by its scores after the rules; -1: every token is forbidden.
int64_t chosen_token(const GenerationOptions& o, const std::vector<double>& scores, Generator* stream) {
  if (!stream) {
    const auto best = std::max_element(scores.begin(), scores.end());
    return *best == -INFINITY ? -1 : best - scores.begin();
  }
  std::vector<std::pair<double, int64_t>> words;
  for (size_t w = 0; w < scores.size(); ++w)
    if (scores[w] != -INFINITY) words.emplace_back(scores[w], static_cast<int64_t>(w));
  return words.empty() ? -1 : draw_word(words, o.sampling, *stream);
}

double log_p_of(std::vector<double> logits, int64_t token) {
  to_log_p(logits);
  return logits[static_cast<size_t>(token)];
}

void require_usable_options(const GenerationOptions& o, const GenerateCall& call) {
  if (o.sampled) require_sampling(o.sampling);
  if (o.sampled && !call.rng) throw ValueError("generate: draws need a generator of random numbers; got none");
  if (o.beams > 1 && (o.sampled || call.watcher))
    throw ValueError(
        fmt::format("generate: beam search neither draws nor shows a text that is not finished; got {} "
                    "beams",
                    o.beams));
  if (call.wanted < 1 || call.wanted > o.beams)
    throw ValueError(fmt::format("generate: as many texts can be wanted as there are beams; got {} of {} beams",
                                 call.wanted, o.beams));
}

}  // namespace

std::vector<std::vector<Written>> generate(const Model& model, const std::vector<std::vector<int64_t>>& texts,
                                           const GenerationOptions& o, const GenerateCall& call) {
  require_usable_options(o, call);
  RunningTexts running(model, texts, o);
  if (o.beams > 1) return beams(running, o, call.wanted);
  std::vector<TextSoFar> all = running.begun;
  std::vector<std::vector<Written>> out(texts.size(), std::vector<Written>(1));
  std::vector<size_t> live;  // the text of each row
  for (size_t i = 0; i < texts.size(); ++i) live.push_back(i);
  std::vector<Generator> streams;  // a text's draws do not depend on the others
  const uint64_t seed = o.sampled ? call.rng->next_u32() : 0;
  for (size_t i = 0; i < texts.size(); ++i) streams.emplace_back(philox(seed, i)[0]);

  for (std::vector<int64_t> last; !live.empty();) {
    std::vector<std::vector<double>> scores = running.next(last);
    std::vector<int64_t> rows;
    std::vector<size_t> still;
    last.clear();
    for (size_t r = 0; r < live.size(); ++r) {
      TextSoFar& text = all[live[r]];
      Written& w = out[live[r]][0];
      std::vector<double> allowed = scores[r];
      apply_rules(o, text, allowed);
      const int64_t token = chosen_token(o, allowed, o.sampled ? &streams[live[r]] : nullptr);
      if (token < 0) continue;
      w.log_probability += log_p_of(std::move(scores[r]), token);
      w.ended = ends(o, token);
      if (w.ended) continue;
      text.ids.push_back(token), w.ids.push_back(token);
      const bool more = !call.watcher || call.watcher(live[r], token);
      if (!more || text.written() == text.most) continue;
      rows.push_back(static_cast<int64_t>(r)), still.push_back(live[r]), last.push_back(token);
    }
    if (!rows.empty()) running.keep(rows);
    live = std::move(still);
  }
  for (auto& one : out) one[0].score = one[0].log_probability;
  return out;
}

}  // namespace heed::nn::published
