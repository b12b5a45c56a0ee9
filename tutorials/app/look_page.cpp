#include "tutorials/app/look_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensor/tensor.h"

namespace heed::app {

using io::Json;

namespace {

constexpr int64_t kThumb = 32;              // rows and columns of a small picture, at most
constexpr int64_t kSteps = 64;              // of the growing cache
constexpr double kFine = 30, kCoarse = 12;  // the largest distances that are kept

Json candidates(const std::vector<report::Candidate>& list) {
  Json out = Json::array();
  for (const report::Candidate& one : list) out.push(Json::array({one.word, report::stored_number(one.probability)}));
  return out;
}

// Large matrices are shown by the largest weight of each cell.
Json thumb_of(const Tensor& weights) {  // [T, S]
  const int64_t T = weights.size(0), S = weights.size(1), R = std::min(T, kThumb), C = std::min(S, kThumb);
  const std::vector<double> all = weights.to_vector();
  const double most = std::max(1e-9, *std::max_element(all.begin(), all.end()));
  std::vector<unsigned char> cells(static_cast<size_t>(R * C));
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < S; ++s) {
      const auto share = static_cast<unsigned char>(std::lround(255.0 * all[static_cast<size_t>(t * S + s)] / most));
      unsigned char& cell = cells[static_cast<size_t>(t * R / T * C + s * C / S)];
      cell = std::max(cell, share);
    }
  return Json::object(
      {{"rows", R}, {"columns", C}, {"most", report::stored_number(most)}, {"base64", report::base64(cells)}});
}

size_t bytes_of(const LookAttention& one, bool fine) {  // of one head, as base64
  const int64_t T = one.scores[0].size(1), S = one.scores[0].size(2);
  return static_cast<size_t>((one.causal ? T * (T + 1) / 2 : T * S) * (fine ? 2 : 1) * 4 / 3 + T * 7);
}

Json detail_of(const LookAttention& one, const Tensor& logits, bool fine) {  // [T, S]
  const int64_t T = logits.size(0), S = logits.size(1);
  std::vector<unsigned char> bytes;
  std::vector<double> top;
  for (int64_t t = 0; t < T; ++t) {
    const float* row = logits.data<float>() + t * S;
    top.push_back(*std::max_element(row, row + S));
    for (unsigned code : packed_row(row, one.causal ? t + 1 : S, fine)) {
      bytes.push_back(static_cast<unsigned char>(code & 255u));
      if (fine) bytes.push_back(static_cast<unsigned char>(code >> 8));
    }
  }
  return Json::object({{"base64", report::base64(bytes)}, {"top", report::stored_numbers(top)}});
}

Json words_of(const LookWords& words) {
  Json special = Json::array();
  for (bool one : words.special) special.push(one);
  return Json::object({{"words", words.shown}, {"special", special}});
}

Json switched(const std::vector<Switched>& list) {
  Json out = Json::array();
  for (const Switched& one : list)
    out.push(Json::object(
        {{"word", one.word}, {"change", report::stored_number(one.change)}, {"best", candidates(one.best)}}));
  return out;
}

// The heads that are kept whole: all, or as many as there is room for, those first that change the answer most.
std::vector<bool> kept_whole(const LookSubject& subject, const Effects& effects, size_t room, bool& fine) {
  size_t all = 0;
  for (const Switched& one : effects.heads) all += bytes_of(subject.attention(one.head.attention), true);
  fine = all <= room;
  std::vector<size_t> order(effects.heads.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return effects.heads[a].change > effects.heads[b].change; });
  std::vector<bool> kept(order.size());
  for (size_t i : order) {
    const size_t bytes = bytes_of(subject.attention(effects.heads[i].head.attention), fine);
    if (bytes > room) break;
    room -= bytes, kept[i] = true;
  }
  return kept;
}

std::string count_of(int64_t n, const char* one, const char* several) {
  return fmt::format("{} {}", n, n == 1 ? one : several);
}

std::string unit_of(const LookSubject& subject) {
  return subject.kind() == "sentence_vector" ? "1 minus the cosine of the two vectors"
                                             : "the share of the probability that moves to other words";
}

// What the picture of this head is worth as an explanation, in one sentence.
std::string verdict_of(const Trust& t, const std::string& name) {
  if (t.words < 4) return fmt::format("Too few words for a verdict on head {}: only {} can be hidden.", name, t.words);
  const std::string measured = fmt::format(
      "the rank correlation between its weights and what hiding each of {} words does to the answer is {:.2f}, and "
      "{:.1f} % of the shuffles of its weights reach as much",
      t.words, t.correlation, 100 * t.shuffled);
  if (t.shuffled <= 0.05)
    return fmt::format("Head {} reads more of the words that matter: {}. Its picture says something about this answer.",
                       name, measured);
  return fmt::format("Do not take the picture of head {} for the reason of this answer: {}.", name, measured);
}

Json attention_data(const LookSubject& subject, const LookAttention& a, const Effects& effects,
                    const std::vector<bool>& kept, bool fine, uint64_t seed, int64_t& passed, int64_t& judged,
                    report::TablePanel& table) {
  const LookWords &queries = a.targets ? subject.target() : subject.source(),
                  &keys = a.source_keys ? subject.source() : subject.target();
  const std::vector<Switched>& hidden = a.source_keys ? effects.source : effects.target;
  std::vector<double> on_answer;
  for (const Switched& one : hidden) on_answer.push_back(one.change);
  Json heads = Json::array();
  for (size_t i = 0; i < effects.heads.size(); ++i) {
    const LookHead& head = effects.heads[i].head;
    if (head.attention != a.name) continue;
    const auto layer = static_cast<size_t>(head.layer);
    const Tensor weights = a.weights[layer].select(0, head.head).contiguous(),
                 scores = a.scores[layer].select(0, head.head).contiguous(),
                 logits = a.logits[layer].select(0, head.head).contiguous();
    const HeadFigures figures = figures_of(a, weights, queries, keys, scores);
    const std::vector<double> on = weights_on(subject, a, head, hidden);
    const Trust trust = trust_of(on, on_answer, seed + i);
    judged += trust.words >= 4, passed += trust.words >= 4 && trust.shuffled <= 0.05;
    Json list = Json::array();
    std::vector<std::string> row = {subject.name_of(head), figures.role};
    for (const HeadFigure& one : figures.all) {
      list.push(Json::array({one.name, report::stored_number(one.value), report::stored_number(one.control)}));
      row.push_back(std::isnan(one.value) ? "" : fmt::format("{:.2f} / {:.2f}", one.value, one.control));
    }
    row.push_back(fmt::format("{:.3f}", effects.heads[i].change));
    table.rows.push_back(row);
    Json data = Json::object({{"layer", head.layer},
                              {"head", head.head},
                              {"name", subject.name_of(head)},
                              {"role", figures.role},
                              {"figures", list},
                              {"thumb", thumb_of(weights)},
                              {"on", report::stored_weights(on)},
                              {"verdict", verdict_of(trust, subject.name_of(head))},
                              {"change", report::stored_number(effects.heads[i].change)},
                              {"best", candidates(effects.heads[i].best)}});
    if (kept[i]) data.set("detail", detail_of(a, logits, fine));
    heads.push(data);
  }
  Json out = Json::object({{"name", a.name},
                           {"self", a.name != "cross"},
                           {"causal", a.causal},
                           {"queries", a.targets ? "target" : "source"},
                           {"keys", a.source_keys ? "source" : "target"},
                           {"layers", static_cast<int64_t>(a.weights.size())},
                           {"heads", heads}});
  if (subject.asking() >= 0 && subject.asks_target() == a.targets) out.set("asking", subject.asking());
  return out;
}

Json cache_of(const LookSubject& subject) {
  const LookCache cache = subject.model().cache(subject.seen(), (subject.target().size() + kSteps - 1) / kSteps);
  Json steps = Json::array();
  for (const LookCache::Step& one : cache.steps) {
    Json first = Json::array();
    for (int64_t word : one.first) first.push(word);
    steps.push(
        Json::object({{"words", one.words}, {"bytes", one.bytes}, {"source_bytes", one.of_source}, {"first", first}}));
  }
  return Json::object({{"steps", steps},
                       {"words", subject.target().shown},
                       {"layers", static_cast<int64_t>(cache.steps.front().first.size())},
                       {"groups", cache.groups},
                       {"heads", cache.heads},
                       {"width", cache.width}});
}

Json lens_data(const std::vector<std::vector<std::vector<report::Candidate>>>& lens, const LookWords& words) {
  Json layers = Json::array();
  for (const auto& layer : lens) {
    Json row = Json::array();
    for (const auto& best : layer) row.push(candidates(best));
    layers.push(row);
  }
  return Json::object({{"words", words.shown}, {"layers", layers}});
}

std::string about_of(const LookSubject& subject, const LookPage& page) {
  const LookModel& model = subject.model();
  std::string parts;
  for (const LookAttention& one : subject.attentions())
    parts += fmt::format("{}{} has {} with {} each", parts.empty() ? "" : ", ",
                         one.name == "cross" ? "the decoder's attention to the encoder (cross)" : "the " + one.name,
                         count_of(static_cast<int64_t>(one.weights.size()), "layer", "layers"),
                         count_of(one.heads, "head", "heads"));
  std::string text = fmt::format(
      "The model {} is of the family {}: {}. Layers, heads and words are counted from 0: head 1.0 is the first head of "
      "the second layer. Nothing on this page is loaded from anywhere.",
      page.model, model.family, parts);
  if (subject.kind() == "sentence_vector" && model.fills_masks)
    text +=
        "\n\nThe text has no masked word, so the answer of this page is the sentence vector. With a mask in the text, "
        "the answer is the word in its place.";
  if (model.written)
    text += model.written->empty() ? "\n\nIts translation of the text is empty."
                                   : fmt::format("\n\nIt translates the text as “{}”.", *model.written);
  if (subject.source().size() > 0 && subject.target().size() > 0)
    text +=
        "\n\nThe decoder's words begin with its start token. What follows is the second text or, if there was none, "
        "what the model writes itself, without the last word, which is the answer.";
  if (model.recurrent)
    text +=
        "\n\nEncoder and decoder are recurrent, and one attention lies between them: layer 0, head 0. With it switched "
        "off the context is 0. A hidden word is one that attention may not read; the encoder has read it, so its "
        "neighbours know of it. The decoder reads its own words one after another, so none of them is hidden.";
  return text;
}

}  // namespace

std::vector<unsigned> packed_row(const float* scores, int64_t count, bool fine) {
  const double range = fine ? kFine : kCoarse, most = fine ? 65535 : 255;
  const float top = *std::max_element(scores, scores + count);
  std::vector<unsigned> codes;
  for (int64_t s = 0; s < count; ++s) {
    const double below = std::min(range, static_cast<double>(top) - static_cast<double>(scores[s]));
    codes.push_back(std::isfinite(scores[s]) ? static_cast<unsigned>(std::lround(1 + (1 - below / range) * (most - 1)))
                                             : 0);
  }
  return codes;
}

report::Report look_page(const LookSubject& subject, const Effects& effects, const LookPage& page) {
  report::Report report("Inside " + page.model, subject.question());
  report.text("", about_of(subject, page));
  bool fine = true;
  const std::vector<bool> kept = kept_whole(subject, effects, page.room, fine);
  const auto whole = std::count(kept.begin(), kept.end(), true), all = static_cast<std::ptrdiff_t>(kept.size());
  report::TablePanel table{
      .title = "What each head does",
      .text =
          "Means over the rows of weights. After the slash: the same for a control, a head whose rows are permuted "
          "among the places that they may read. A head is called after what takes most of its weight, if that is at "
          "least 0.4 and twice the control; else it is spread evenly (the entropy is over 0.9 of the largest "
          "possible) or mixed. The separator is any other word that the tokenizer adds, the distance is "
          "in words, the entropy in bits.",
      .header = {"head", "mostly"},
      .sortable = true};
  Json attentions = Json::array();
  int64_t passed = 0, judged = 0;
  for (const LookAttention& one : subject.attentions())
    attentions.push(attention_data(subject, one, effects, kept, fine, page.seed, passed, judged, table));
  for (const char* name :
       {"previous", "next", "first", "separator", "itself", "same word", "distance", "entropy", "change without it"})
    table.header.emplace_back(name);

  Json sides = Json::object();
  if (subject.source().size() > 0) sides.set("source", words_of(subject.source()));
  if (subject.target().size() > 0) sides.set("target", words_of(subject.target()));
  Json without = Json::array();
  for (const LookHead& one : page.without) without.push(subject.name_of(one));
  Json data = Json::object({{"sides", sides},
                            {"attentions", attentions},
                            {"fine", fine},
                            {"range", fine ? kFine : kCoarse},
                            {"without", without},
                            {"answer", Json::object({{"kind", subject.kind()},
                                                     {"question", subject.question()},
                                                     {"unit", unit_of(subject)},
                                                     {"best", candidates(effects.whole.best)},
                                                     {"source", switched(effects.source)},
                                                     {"target", switched(effects.target)}})}});
  std::string kept_text;
  if (!fine) kept_text = " The text is long, so scores are kept in steps of 0.05.";
  if (whole < all)
    kept_text += fmt::format(
        " There is room for the whole weights of {} of the {} heads, those that change the answer most; of the others "
        "the page has a small picture and their figures.",
        whole, all);
  report.add("look_heads", "All heads",
             "Each small picture is one head: a row for each word that reads, a column for each word that is read, and "
             "the darker the larger the weight; the darkest is the largest of its head. Choose a head." +
                 kept_text,
             data);
  report.add("look_head", "The chosen head", "Point at a word, or click it, to see what it reads.", Json::object());
  report.add("look_answer", "Switch off a head or hide a word",
             fmt::format("The answer was computed again without each head by itself, and with each word hidden from "
                         "{}. The change is {}.",
                         subject.model().recurrent ? "attention" : "all others", unit_of(subject)),
             Json::object());
  if (std::all_of(subject.attentions().begin(), subject.attentions().end(),
                  [](const auto& one) { return one.softmax; }))
    report.add(
        "look_key", "Change one key",
        "A word is read because its key fits the query. Give one word the key of another one, with its place, or "
        "scale its score, "
        "and see the row of weights that the softmax then gives. At most twelve words are shown, those of the "
        "largest weights.",
        Json::object());
  else
    report.text("Change one key",
                "The weights of this model are not the softmax of scores, so the page cannot compute what a row would "
                "be with another key.");
  report.add("look_trust", "Can you trust this picture?",
             fmt::format(
                 "A large weight does not prove that a word matters. So the weights of the word that asks (of all rows "
                 "where none does) are compared with the change of the answer when each word is hidden. {} of {} heads "
                 "agree better than 95 % of the shuffled ones; by chance it would be about {:.0f}.",
                 passed, judged, 0.05 * static_cast<double>(judged)),
             Json::object());
  const bool short_text = (subject.source().size() + subject.target().size()) * 16 < 4000;
  if (const auto lens = subject.lens(short_text ? 5 : 3); !lens.empty())
    report.add("look_lens", "The words after each layer",
               "The vector of a word after each layer, read as if it were the last one: the final norm, then the words "
               "head (the logit lens). The earlier layers were not trained to be read so. The first row is the input "
               "of the first layer.",
               lens_data(lens, subject.target().size() > 0 ? subject.target() : subject.source()));
  else if (!subject.model().recurrent)
    report.text("The words after each layer",
                "This folder has no weights of a words head, next_word or masked_words, so the layers cannot be read "
                "as words.");
  if (subject.target().size() > 0 && !subject.model().recurrent)
    report.add("look_cache", "The cache grows word by word",
               "A decoder keeps the keys and values of the words so far, so that the next word is the only one to be "
               "computed.",
               cache_of(subject));
  report.table(table);
  return report;
}

}  // namespace heed::app
