#include "nn/models/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "autograd/modes.h"
#include "nn/decode/ensemble.h"
#include "nn/init.h"
#include "nn/io/json.h"
#include "nn/text/sentence_words.h"
#include "tensor/reduce.h"
#include "tensor/thread_pool.h"

namespace heed::nn {
namespace {

using text::Vocabulary;

TranslationModel make_model(const AnyPaper& options, const TranslatorParts& parts, uint64_t seed) {
  Generator rng(seed);
  TranslationModel model(options, {parts.source.size(), parts.target.size()}, rng);
  assign_paths(model, "translator");
  return model;
}

// Limits of one search. Its memory grows with the rows, of the vocabulary's width, and with their tokens.
constexpr int64_t rows_at_once = 320;       // hypotheses
constexpr int64_t tokens_at_once = 8192;    // padded source tokens, once for each hypothesis
constexpr int64_t sentences_a_thread = 16;  // fewer are not worth a search of their own

int64_t length_limit(int64_t source_length) { return 2 * source_length + 10; }

// The source word with the maximum attention weight of a step, </s> excepted.
size_t heaviest(const std::vector<float>& weights, size_t words) {
  auto end = weights.begin() + static_cast<std::ptrdiff_t>(std::min(words, weights.size()));
  return static_cast<size_t>(std::max_element(weights.begin(), end) - weights.begin());
}

// The reason why an output cannot write the words of a translation; "" if it can.
std::string no_words(const std::string& output, const TranslatorParts& parts) {
  if (!output_writes_words(output))
    return fmt::format("the output must write words; got {}, which writes positions of the source", output);
  if (!output_needs_alignment(output) || parts.source.to_lines() == parts.target.to_lines()) return "";
  return fmt::format("the output {} copies words, so both sides need one vocabulary; got two", output);
}

std::vector<int64_t> prefix_of(const Vocabulary& vocabulary, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (!vocabulary.contains(word))
      throw InputError(
          fmt::format("translate: the prefix must be made of words that the model can write; got \"{}\"", word));
  return vocabulary.encode(words);
}

void require_same_words(const TranslatorParts& a, const TranslatorParts& b) {
  bool same = a.source.to_lines() == b.source.to_lines() && a.target.to_lines() == b.target.to_lines() &&
              a.bpe.has_value() == b.bpe.has_value() && (!a.bpe || a.bpe->to_lines() == b.bpe->to_lines());
  if (!same)
    throw ValueError(fmt::format(
        "translate: the models of an ensemble must have the same vocabularies; got {} and {} source, {} and "
        "{} target words",
        a.source.size(), b.source.size(), a.target.size(), b.target.size()));
}

constexpr const char* kKind = "heed.kind";
constexpr const char* kKindValue = "translator 4";

}  // namespace

Translator::Translator(TranslatorParts p, const AnyPaper& options, uint64_t seed)
    : parts(std::move(p)), model(make_model(options, parts, seed)) {
  copies_ = output_needs_alignment(model.output());
  if (std::string rule = no_words(model.output(), parts); !rule.empty()) throw ValueError("translator: " + rule);
}

std::vector<std::string> Translator::pieces(const std::vector<std::string>& words) const {
  return parts.bpe ? parts.bpe->segment(words) : words;
}

std::string Translator::too_long(const std::vector<std::string>& words) const {
  const int64_t most = model.max_positions();
  if (most == 0) return "";
  int64_t tokens = std::ssize(pieces(words));
  if (tokens < most) return "";  // one position is for </s>
  return fmt::format("a sentence may have at most {} tokens, with </s> as many as the model has positions; got {}",
                     most - 1, tokens);
}

void Translator::finish(Translation& t) const {
  t.words = parts.bpe ? parts.bpe->join(t.target) : t.target;
  t.text = parts.tokenizers.target.join(t.words);
}

data::EncodedPair Translator::encode(const text::TokenPair& pair) const {
  std::vector<std::string> source = pieces(pair.source), target = pieces(pair.target);
  if (!copies_) return {parts.source.encode(source, {.append_stop = true}), parts.target.encode(target)};
  text::SentenceWords words(parts.source, source);
  return {words.source(), words.encode(target)};
}
std::vector<data::EncodedPair> Translator::encode(const std::vector<text::TokenPair>& pairs) const {
  std::vector<data::EncodedPair> out;
  for (const auto& p : pairs) out.push_back(encode(p));
  return out;
}

Translation Translator::translate(const std::string& sentence, const TranslateOptions& options) const {
  std::vector<std::vector<std::string>> one{parts.tokenizers.source.split(sentence)};
  return translate(one, options)[0];
}

std::vector<Translation> Translator::translate(const std::vector<std::vector<std::string>>& sentences,
                                               const TranslateOptions& options, int64_t batch_size) const {
  std::vector<Translation> best;
  for (auto& found : translate_n_best(sentences, 1, options, batch_size)) best.push_back(std::move(found.front()));
  return best;
}

std::unique_ptr<SearchModel> Translator::search(const data::Batch& batch, const TranslateOptions& options) const {
  std::unique_ptr<SearchModel> own = model.search(batch.source, batch.lengths);
  if (options.ensemble.empty()) return own;
  std::vector<std::unique_ptr<SearchModel>> all;
  all.push_back(std::move(own));
  for (const Translator* other : options.ensemble) all.push_back(other->model.search(batch.source, batch.lengths));
  return std::make_unique<Ensemble>(std::move(all));
}

std::vector<std::vector<Translation>> Translator::translate_n_best(
    const std::vector<std::vector<std::string>>& sentences, int64_t count, const TranslateOptions& options,
    int64_t batch_size) const {
  if (options.beam < 1) throw ValueError(fmt::format("translate: needs a beam of at least 1; got {}", options.beam));
  if (count < 1 || count > options.beam)
    throw ValueError(
        fmt::format("translate: the beam must be at least as large as the number of translations; got {} "
                    "for {}",
                    options.beam, count));
  if (options.groups < 1 || options.beam % options.groups != 0)
    throw ValueError(
        fmt::format("translate: the groups must divide the beam; got {} groups for {}", options.groups, options.beam));
  for (const Translator* other : options.ensemble) require_same_words(parts, other->parts);
  std::vector<std::vector<Translation>> out(sentences.size());
  std::vector<data::EncodedPair> encoded;
  std::vector<size_t> places;  // sentences with at least one word
  int64_t most = model.max_positions();
  for (const Translator* other : options.ensemble)
    if (int64_t limit = other->model.max_positions(); limit > 0) most = most > 0 ? std::min(most, limit) : limit;
  for (size_t i = 0; i < sentences.size(); ++i) {
    Translation none;
    none.source = pieces(sentences[i]);
    for (const auto& word : none.source)
      if (!parts.source.contains(word) &&
          std::find(none.unknown.begin(), none.unknown.end(), word) == none.unknown.end())
        none.unknown.push_back(word);
    out[i].push_back(std::move(none));
    if (sentences[i].empty()) continue;
    encoded.push_back(encode({sentences[i], {}}));
    places.push_back(i);
    if (std::string sentence = too_long(sentences[i]); !sentence.empty()) throw InputError("translate: " + sentence);
    for (const Translator* other : options.ensemble)
      if (std::string sentence = other->too_long(sentences[i]); !sentence.empty())
        throw InputError("translate: " + sentence);
  }
  const std::vector<int64_t> prefix = prefix_of(parts.target, pieces(options.prefix));
  if (const int64_t least = std::max(options.min_length, std::ssize(prefix)); most > 0 && least > most - 1)
    throw InputError(
        fmt::format("translate: the prefix and the minimum length must fit into {} tokens, with </s> as many as the "
                    "model has positions; got {}",
                    most - 1, least));
  auto limit = [&](int64_t m) {
    int64_t words = length_limit(std::ssize(encoded[static_cast<size_t>(m)].source));
    words = std::max({words, options.min_length, std::ssize(prefix)});
    return most > 0 ? std::min(words, most - 1) : words;  // one position is for <s>
  };
  auto written = [&](const std::vector<std::string>& source, const Hypothesis& h) {
    const text::SentenceWords words(parts.target, source);
    std::vector<std::string> target;
    for (size_t k = 0; k < h.tokens.size(); ++k) {
      std::string word = words.token(h.tokens[k]);
      if (h.tokens[k] == Vocabulary::unk && options.replace_unknown && !h.weights[k].empty())
        word = source[heaviest(h.weights[k], source.size())];
      target.push_back(std::move(word));
    }
    return target;
  };
  auto filled = [&](Translation t, const Hypothesis& h) {
    t.log_probability = h.log_probability;
    t.score = h.score;
    t.finished = h.finished;
    t.target = written(t.source, h);
    if (options.keep_weights)
      for (const auto& row : h.weights) t.weights.insert(t.weights.end(), row.begin(), row.end());
    finish(t);
    return t;
  };
  // Sentences of similar length share a batch. Each has its own length limit, so the others of the batch do not affect
  // it. With a beam each sentence has several rows, so a batch has fewer sentences.
  int64_t together = std::min(batch_size, std::max<int64_t>(1, rows_at_once / options.beam));
  if (const int64_t threads = options.several_at_once ? thread_count() : 1; threads > 1)
    together = std::min(together, std::max(sentences_a_thread, (std::ssize(encoded) + threads - 1) / threads));
  const auto batches = data::sorted_batches(encoded, together, std::max<int64_t>(1, tokens_at_once / options.beam));
  auto search_batch = [&](const std::vector<int64_t>& members) {
    data::Batch batch = data::make_batch(encoded, members);
    std::unique_ptr<SearchModel> model_rows = search(batch, options);
    SearchOptions how{.length_penalty = options.length_penalty,
                      .keep_weights = options.keep_weights || options.replace_unknown,
                      .constraints = {.min_length = options.min_length, .no_repeat_ngram = options.no_repeat_ngram},
                      .groups = options.groups,
                      .diversity = options.diversity,
                      .text =
                          [&](size_t row, const Hypothesis& h) {
                            Translation t;
                            t.target = written(out[places[static_cast<size_t>(members[row])]].front().source, h);
                            finish(t);
                            return t.text;
                          },
                      .wanted = count};
    if (!prefix.empty()) how.constraints.prefixes.assign(members.size(), prefix);
    for (int64_t m : members) {
      how.source_lengths.push_back(static_cast<int64_t>(encoded[static_cast<size_t>(m)].source.size()));
      how.max_lengths.push_back(limit(m));
    }
    std::vector<std::vector<Hypothesis>> found;
    if (options.beam > 1)
      found = beam_search_all(*model_rows, options.beam, how);
    else
      for (Hypothesis& h : greedy(*model_rows, how)) found.push_back({std::move(h)});
    for (size_t r = 0; r < members.size(); ++r) {
      std::vector<Translation>& place = out[places[static_cast<size_t>(members[r])]];
      const Translation none = std::move(place.front());
      place.clear();
      for (size_t k = 0; k < found[r].size() && std::cmp_less(k, count); ++k)
        place.push_back(filled(none, found[r][k]));
    }
  };
  // The longest sentences first, so that the threads end at nearly the same time. A piece of the loop is a thread that
  // takes batches until none is left; inside it, the kernels run on that thread alone.
  std::atomic<int64_t> left = std::ssize(batches);
  auto search_all = [&](int64_t, int64_t) {
    Evaluating evaluating;
    for (int64_t b; (b = --left) >= 0;) search_batch(batches[static_cast<size_t>(b)]);
  };
  if (options.several_at_once)
    parallel_for(0, std::min<int64_t>(thread_count(), std::ssize(batches)), 1, search_all);
  else
    search_all(0, 1);
  return out;
}

Translation Translator::align(const text::TokenPair& pair) const {
  NoGrad guard;
  Evaluating evaluating;
  data::Batch batch = data::make_batch({encode(pair)}, {0});
  Variable weights;
  Tensor log_p = log_softmax_rows(model(batch.source, batch.lengths, batch.target_in, &weights).value());
  Translation t{.source = pieces(pair.source),
                .target = pieces(pair.target),
                .words = {},
                .text = {},
                .unknown = {},
                .weights = {}};
  finish(t);
  for (int64_t k = 0; k < batch.target_out.size(1); ++k)
    t.log_probability += log_p.at({0, k, static_cast<int64_t>(batch.target_out.at({0, k}))});
  if (weights.defined())
    for (double w : weights.value().to_vector()) t.weights.push_back(static_cast<float>(w));
  return t;
}

void Translator::save(const std::string& path, const std::map<std::string, std::string>& more) const {
  io::SafeTensors file = save_state(model);
  file.metadata = more;
  file.metadata[kKind] = kKindValue;
  file.metadata["heed.epochs"] = std::to_string(epochs);
  io::Json described = to_json(model.options);
  described.set("source_tokenizer", parts.tokenizers.source.name());
  described.set("target_tokenizer", parts.tokenizers.target.name());
  file.metadata["heed.options"] = described.dump();
  file.metadata["heed.source_vocabulary"] = text::joined_lines(parts.source.to_lines());
  if (std::string target = text::joined_lines(parts.target.to_lines());
      target != file.metadata["heed.source_vocabulary"])
    file.metadata["heed.target_vocabulary"] = std::move(target);  // if absent, both languages share one vocabulary
  if (parts.bpe) file.metadata["heed.merges"] = text::joined_lines(parts.bpe->to_lines());
  io::save_safetensors(path, file);
}

Translator Translator::load(const std::string& path) {
  io::SafeTensors file = io::load_safetensors(path);
  auto meta = [&](const char* key) -> const std::string& {
    auto found = file.metadata.find(key);
    if (found == file.metadata.end())
      throw IoError(fmt::format("load: \"{}\": must be a translator saved by heed; got a file without {}", path, key));
    return found->second;
  };
  if (meta(kKind) != kKindValue)
    throw IoError(
        fmt::format("load: \"{}\": must be a \"{}\"; got \"{}\"{}", path, kKindValue, meta(kKind),
                    meta(kKind).starts_with("translator ") ? "; hint: train it again with this version" : ""));
  const std::string& epochs = meta("heed.epochs");
  if (epochs.empty() || epochs.size() > 9 || epochs.find_first_not_of("0123456789") != std::string::npos ||
      std::stoll(epochs) == 0)
    throw IoError(fmt::format("load: \"{}\": must hold a trained model; got one that saw \"{}\" epochs", path, epochs));
  std::optional<Translator> made;
  try {
    TranslatorParts parts;
    io::Json described = io::parse(meta("heed.options"), "its options");
    parts.tokenizers = {text::Tokenizer::from_name(described.text("source_tokenizer")),
                        text::Tokenizer::from_name(described.text("target_tokenizer"))};
    parts.source = Vocabulary::from_lines(text::lines_of(meta("heed.source_vocabulary")));
    bool joint = !file.metadata.count("heed.target_vocabulary");
    parts.target = joint ? parts.source : Vocabulary::from_lines(text::lines_of(meta("heed.target_vocabulary")));
    if (auto merges = file.metadata.find("heed.merges"); merges != file.metadata.end())
      parts.bpe = text::Bpe::from_lines(text::lines_of(merges->second));
    const AnyPaper paper = paper_from(described, {"source_tokenizer", "target_tokenizer"});
    if (std::string rule = no_words(paper.output(), parts); !rule.empty()) throw IoError(rule);
    // Before memory for the model is allocated, the largest parameters must have the sizes that the file has.
    if (paper.fits({parts.source.size(), parts.target.size()}, file)) {
      UnsetParameters guard;
      made.emplace(std::move(parts), paper, 0);
    }
  } catch (const Error& error) {  // the options and names are the file's, so whatever they break is its fault
    throw IoError(fmt::format("load: \"{}\": is damaged: {}", path, error.what()));
  }
  if (!made)
    throw IoError(
        fmt::format("load: \"{}\": the parameters must fit the sizes and vocabularies that the file names", path));
  Translator& t = *made;
  t.epochs = std::stoll(epochs);
  t.extra = std::move(file.metadata);
  load_state(t.model, std::move(file), path);
  set_training(t.model, false);
  return std::move(t);
}

}  // namespace heed::nn
