#include "tutorials/app/look_published.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/tokenizers/published_tokenizer.h"
#include "tutorials/common/output.h"

namespace heed::app {

namespace published = nn::published;

namespace {

constexpr int64_t kWritten = 32;  // tokens that an encoder-decoder writes by itself

// The token as a reader can read it, without the marks of spaces that vocabularies have and with control characters
// escaped.
std::string readable(const tokenizers::PublishedTokenizer& tokenizer, int64_t id, bool special = false) {
  const std::string name = legible(tokenizer.token(id));
  if (special) return name;
  std::string text = tokenizer.decode(std::vector<int64_t>{id}, {.skip_special = false, .clean_up = false});
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return text.find('\n') != std::string::npos ? "⏎" : text.empty() ? name : "␣";
  text = text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
  return text.find("\uFFFD") != std::string::npos ? name : legible(text);  // U+FFFD: a part of a character
}

void add_words(const tokenizers::PublishedTokenizer& tokenizer, const tokenizers::Encoding& encoding,
               LookWords& words) {
  for (const tokenizers::Token& token : encoding.tokens)
    words.add(token.id, readable(tokenizer, token.id, token.from_template), token.from_template, token.type_id);
}

void require_words(const tokenizers::Encoding& encoding, const char* which) {
  if (std::none_of(encoding.tokens.begin(), encoding.tokens.end(), [](const auto& t) { return t.sequence >= 0; }))
    refuse_empty(which);
}

int64_t places_of(const published::Tower& tower) {
  const published::TowerOptions& o = tower.options;
  return o.positions > 0 ? o.positions - o.first_place : 0;
}

// A token by its number in config.json, else by its role in the tokenizer's files; -1: neither has it.
int64_t single_id(const published::Config& config, const char* key, const tokenizers::PublishedTokenizer& tokenizer,
                  const char* role) {
  const io::Json* id = config.find(key);
  return id && id->is_integer() ? id->as_integer() : tokenizer.special(role).value_or(-1);
}

class PublishedLook final : public LookModel {
 public:
  explicit PublishedLook(const LookOptions& o)
      : tokenizer_(tokenizers::PublishedTokenizer::open(o.folder)), model_(published::open(o.folder)) {
    family = model_->config.family();
    fills_masks = model_->head("masked_words") != nullptr;
    if (model_->encoder) encoder_heads = model_->encoder->options.block().heads;
    if (model_->decoder) decoder_heads = model_->decoder->options.block().heads;
    tokenize(o);
  }

  std::string attention_of(const std::string& module) const override {
    return module.find(".cross") != std::string::npos ? "cross" : module.starts_with("encoder") ? "encoder" : "decoder";
  }

  published::Answer read(const published::Inputs& given, const published::Wanted& wanted) const override {
    published::Inputs in = given;
    const published::TowerOptions& tower = (model_->encoder ? model_->encoder : model_->decoder)->options;
    if (tower.kinds == 0) in.kinds = {};
    if (tower.places == "mask" && in.mask.defined()) {  // a hidden word keeps its place
      std::vector<int64_t> places(static_cast<size_t>(in.ids.size(1)));
      std::iota(places.begin(), places.end(), 0);
      in.places = same_rows(places, in.ids.size(0));
    }
    return model_->read(in, wanted);
  }

  Variable logits(const published::Answer& answer) const override {
    if (kind == "classes") return model_->logits(kind, answer);
    return (*model_->head(kind))(select(answer.of_heads().last(), 1, asking));
  }

  std::string label(int64_t number) const override {
    if (kind != "classes") return readable(target_tokenizer_ ? *target_tokenizer_ : tokenizer_, number);
    const io::Json* names = model_->config.find("id2label");
    const io::Json* name = names ? names->find(std::to_string(number)) : nullptr;
    return name && name->is_string() ? name->as_string() : fmt::format("class {}", number);
  }

  Variable words_of(const Variable& given, bool normed) const override {
    const bool decodes = target.size() > 0;
    const published::Head* head = model_->head(decodes ? "next_word" : "masked_words");
    if (!head) return {};
    const published::Tower& tower = decodes ? *model_->decoder : *model_->encoder;
    Variable x = given;
    if (!normed && tower.final_norm) x = (*tower.final_norm)(x);
    if (!normed && tower.output_projection) x = (*tower.output_projection)(x);
    return (*head)(x);
  }

  LookCache cache(const published::Answer& of_source, int64_t step) const override {
    const published::Answer from = model_->encoder ? of_source : published::Answer();
    const published::BlockOptions& block = model_->decoder->options.block();
    LookCache out{.groups = block.kv_heads > 0 ? block.kv_heads : block.heads,
                  .heads = block.heads,
                  .width = block.head > 0 ? block.head : block.model / block.heads};
    published::TowerMemory memory;
    for (int64_t t = 0, T = target.size(); t < T; t += step) {
      const int64_t n = std::min(step, T - t);
      const Tensor some =
          Tensor::from(std::vector<int64_t>(target.ids.begin() + t, target.ids.begin() + t + n), {1, n});
      model_->extend(
          model_->encoder ? published::Inputs{.ids = {}, .target_ids = some} : published::Inputs{.ids = some}, memory,
          from);
      LookCache::Step& now = out.steps.emplace_back(LookCache::Step{.words = t + n});
      for (const auto& one : memory.self) now.bytes += one->bytes(), now.first.push_back(one->kept().first);
      for (const nn::HeadMemory& one : memory.source)
        if (one.keys.defined()) now.of_source += (one.keys.count() + one.values.count()) * 4;
    }
    return out;
  }

 private:
  void tokenize(const LookOptions& o) {
    const bool both = model_->encoder && model_->decoder, pair = o.second.has_value() && !both;
    const auto first = pair ? tokenizer_.encode(o.text, *o.second) : tokenizer_.encode(o.text);
    require_words(tokenizer_.encode(o.text), "text");
    if (o.second) require_words(tokenizer_.encode(*o.second), "second text");
    LookWords& words = model_->encoder ? source : target;
    add_words(tokenizer_, first, words);
    require_places(words, places_of(model_->encoder ? *model_->encoder : *model_->decoder));
    const auto mask = tokenizer_.special("mask_token");
    const auto masked = mask ? std::find(source.ids.begin(), source.ids.end(), *mask) : source.ids.end();
    const published::Head* classes = model_->head("classes");
    if (model_->decoder && model_->head("next_word")) {
      kind = "next_word", asks_target = true;
      if (both) translate(o);
      asking = target.size() - 1;
    } else if (fills_masks && masked != source.ids.end()) {
      kind = "masked_words", asking = masked - source.ids.begin();
    } else if (classes && !both && classes->options.out > 1) {
      kind = "classes", asks_target = !model_->encoder;
      const std::string& reads = classes->options.reads;
      asking = reads == "first" || reads == "pooled" ? 0 : reads == "mean" ? -1 : words.size() - 1;
    } else {
      kind = "sentence_vector";
    }
  }

  // The decoder's words begin with its start token.
  void translate(const LookOptions& o) {
    NoGrad guard;
    target_tokenizer_.emplace(tokenizers::PublishedTokenizer::open(o.folder, {.target = true}));
    const int64_t start = std::max<int64_t>(
                      0, single_id(model_->config, "decoder_start_token_id", tokenizer_, "pad_token")),
                  end = single_id(model_->config, "eos_token_id", tokenizer_, "eos_token");
    target.add(start, readable(*target_tokenizer_, start, true), true);
    if (o.second) {
      add_words(*target_tokenizer_, target_tokenizer_->encode(*o.second), target);
      if (target.ids.back() == end) target.drop_last();  // what comes next is asked
    }
    if (target.size() == 1) write(start, end);
    require_places(target, places_of(*model_->decoder));
  }

  void write(int64_t start, int64_t end) {
    const published::Answer from = model_->read({.ids = same_rows(source.ids, 1)});
    const int64_t places = model_->decoder->options.positions,
                  most = places > 0 ? std::min(kWritten, places - 1) : kWritten;
    published::TowerMemory memory;
    std::vector<int64_t> words;
    for (int64_t id = start; std::ssize(words) < most;) {
      const auto answer = model_->extend({.ids = {}, .target_ids = same_rows({id}, 1)}, memory, from);
      const std::vector<double> scores = model_->logits("next_word", answer).value().to_vector();
      id = std::max_element(scores.begin(), scores.end()) - scores.begin();
      if (id == end) break;
      words.push_back(id);
    }
    for (size_t i = 0; i + 1 < words.size(); ++i) target.add(words[i], readable(*target_tokenizer_, words[i]), false);
  }

  tokenizers::PublishedTokenizer tokenizer_;
  std::optional<tokenizers::PublishedTokenizer> target_tokenizer_;
  std::unique_ptr<published::Model> model_;
};

}  // namespace

std::unique_ptr<LookModel> published_look(const LookOptions& options) {
  return std::make_unique<PublishedLook>(options);
}

}  // namespace heed::app
