#include "tutorials/app/translate_published.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "nn/published/generate.h"
#include "nn/tokenizers/published_tokenizer.h"
#include "tutorials/app/translate_data.h"
#include "tutorials/app/translate_prompt.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

namespace published = nn::published;

constexpr size_t kLinesInABatch = 32;

published::GenerationOptions search_of(DecodingOptions& d, const std::set<std::string>& given,
                                       const published::Model& model) {
  published::GenerationOptions o = published::generation_options(model);
  o.sampled = false;
  if (!o.stop.empty())
    throw InputError(
        fmt::format("translate: \"{}\": stop_strings of generation_config.json are for heed generate, "
                    "which shows a text word by word; got some",
                    model.folder));
  for (const char* other : {"--prefix", "--beam-groups", "--diversity", "--replace-unk"})
    if (given.count(other))
      throw InputError(
          fmt::format("translate: {} is for models that heed has trained; got it with the published model "
                      "\"{}\"",
                      other, model.folder));
  if (given.count("--beam")) o.beams = d.translate.beam;
  if (given.count("--length-penalty")) o.length_penalty = d.translate.length_penalty;
  if (given.count("--min-length")) o.min_new = d.translate.min_length;
  if (given.count("--no-repeat-ngram")) o.no_repeat_ngram = d.translate.no_repeat_ngram;
  d.translate.beam = o.beams;
  require_possible(d);
  if (o.beams == 1 && given.count("--length-penalty"))
    throw InputError("--length-penalty: has an effect only where --beam is 2 or more; got it without");
  return o;
}

void print(const std::vector<published::Written>& best, const tokenizers::PublishedTokenizer& tokenizer,
           int64_t n_best) {
  for (const published::Written& one : best) {
    std::string text = tokenizer.decode(one.ids);
    for (char& c : text)
      if (c == '\n' || c == '\r') c = ' ';  // one line is one translation
    if (n_best > 1) fmt::print("{:.4f}\t{:.4f}\t", one.score, one.log_probability);
    fmt::print("{}\n", text);
  }
  if (n_best > 1) fmt::print("\n");
}

}  // namespace

int translate_published(DecodingOptions d, const std::set<std::string>& given) {
  const std::string& folder = d.models[0];
  if (d.models.size() > 1)
    throw InputError(
        fmt::format("translate: an ensemble is made of models that heed has trained; got the published "
                    "model \"{}\" among {}",
                    folder, d.models.size()));
  const auto model = published::open(folder);
  if (!model->encoder || !model->decoder || !model->head("next_word"))
    throw InputError(fmt::format(
        "translate: the model must read a text and write another, as marian, t5 and bart do; "
        "got \"{}\", a {}{}",
        folder, model->config.family(), model->decoder && model->head("next_word") ? "; hint: heed generate" : ""));
  const published::GenerationOptions o = search_of(d, given, *model);
  const auto source = tokenizers::PublishedTokenizer::open(folder);
  const auto target = tokenizers::PublishedTokenizer::open(folder, {.target = true});
  const int64_t places = published::places_of(*model, *model->encoder), most = places > 0 ? places : kMaxTokens;

  std::vector<std::vector<int64_t>> waiting;  // empty: a line without words
  auto take = [&](const std::string& line, int64_t number) {
    std::string fault = line_too_long(line);
    std::vector<int64_t> ids;
    if (fault.empty() && line.find_first_not_of(" \t\r") != line.npos) ids = source.encode(line).ids();
    if (std::ssize(ids) > most)
      fault = fmt::format("the model reads texts of at most {} tokens; got one of {}", most, ids.size());
    if (!fault.empty()) throw InputError(fmt::format("translate: {} in line {}", fault, number));
    waiting.push_back(std::move(ids));
  };
  auto answer = [&] {
    std::vector<size_t> order(waiting.size());  // lines of one length meet in a batch
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return waiting[a].size() < waiting[b].size(); });
    std::vector<std::vector<published::Written>> all(waiting.size(), std::vector<published::Written>(1));
    std::erase_if(order, [&](size_t i) { return waiting[i].empty(); });
    for (size_t begin = 0; begin < order.size(); begin += kLinesInABatch) {
      std::vector<std::vector<int64_t>> texts;
      const size_t end = std::min(order.size(), begin + kLinesInABatch);
      for (size_t i = begin; i < end; ++i) texts.push_back(waiting[order[i]]);
      auto written = published::generate(*model, texts, o, {.wanted = d.n_best});
      for (size_t i = begin; i < end; ++i) all[order[i]] = std::move(written[i - begin]);
    }
    for (const auto& best : all) print(best, target, d.n_best);
    flush_output();
    waiting.clear();
  };
  for_ready_lines(take, answer);
  return 0;
}

}  // namespace heed::app
