#include "tutorials/app/look_own.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/io/file.h"
#include "nn/models/translator.h"
#include "nn/sentence/sentence_encoder.h"
#include "nn/transformer/stack_call.h"
#include "tutorials/app/translate_prompt.h"
#include "tutorials/common/output.h"

namespace heed::app {

namespace published = nn::published;

namespace {

// InputError, with the reason, for an attention that has no rows of weights to show.
void require_rows(const nn::MultiHeadAttention& a, const std::string& where) {
  const nn::AttentionOptions& stages = a.stages;
  std::string what;
  if (!a.normaliser->row_wise() || !a.normaliser->rows_sum_to_one()) what = "normaliser " + stages.normaliser.name;
  if (!a.scope->rows_sum_to_one()) what = "scope " + stages.scope.name;
  if (a.evaluator && !a.evaluator->rows_sum_to_one()) what = "evaluator " + stages.evaluator.name;
  if (!what.empty())
    throw InputError(fmt::format(
        "look: the page needs rows of weights that sum to 1, each computed alone; got the {} in {}", what, where));
}

void require_attention(const nn::TransformerStack& stack, const char* part) {
  for (size_t i = 0; i < stack.layers.size(); ++i) {
    const nn::TransformerLayer& layer = stack.layers[i];
    const std::string where = fmt::format("layer {} of the {}", i, part);
    if (layer.mixer)
      throw InputError(fmt::format("look: the page needs attention in every layer; got the mixer {} in {}",
                                   layer.options.mixer.name, where));
    require_rows(*layer.self_attn, where);
    if (layer.multihead_attn) require_rows(*layer.multihead_attn, where);
  }
}

// Hides the words for which the mask [B, S] is false. A key padding mask suits every stage; but where a stage reads
// more than distances, places count from the first word that is no padding, and a hidden word must keep its place.
nn::HeadMasks hiding(const nn::TransformerStack& stack, const Tensor& mask) {
  const bool places = std::any_of(stack.layers.begin(), stack.layers.end(), [](const nn::TransformerLayer& layer) {
    return layer.self_attn->reads_places() || (layer.multihead_attn && layer.multihead_attn->reads_places());
  });
  if (!places || !mask.defined()) return {.words = mask};
  return {.allowed = mask.unsqueeze(1)};
}

// The layers one after another, as TransformerStack takes them, each with the factors of its heads. x [B, T, D]
published::Seen layer_by_layer(const nn::TransformerStack& stack, const Variable& x, const nn::LayerInput& in,
                               const published::HeadFactors& self, const published::HeadFactors& cross = {}) {
  published::Seen seen{.hidden = {x}, .attentions = {}, .cross = {}};
  nn::StackCall call(stack, x, in, nullptr);
  for (size_t i = 0; i < stack.layers.size(); ++i) {
    nn::LayerInput one = call.of_layer(i);
    if (!self.empty()) one.self.heads = self[i];
    if (!cross.empty()) one.cross.heads = cross[i];
    const Variable before = seen.last();
    seen.hidden.push_back(stack.layers[i](before, one).output);
  }
  if (stack.norm) seen.hidden.back() = (*stack.norm)(seen.last());
  return seen;
}

// What stages cannot do with hidden words is the model's own way, and no fault of the program.
template <class Work>
auto or_refuse(const Work& work) {
  try {
    return work();
  } catch (const ValueError& error) { throw InputError(fmt::format("look: {}", error.what())); }
}

struct OwnLook : LookModel {
  std::string attention_of(const std::string& module) const override {
    return module.find("multihead_attn") != std::string::npos ? "cross"
           : module.find("decoder.") != std::string::npos     ? "decoder"
                                                              : "encoder";
  }

 protected:
  // Words of a text: pieces, with BPE. A word that the vocabulary lacks is <unk>.
  void add_text(const std::vector<std::string>& words, const std::optional<text::Bpe>& bpe,
                const text::Vocabulary& vocabulary, LookWords& to, int64_t side = 0) {
    for (const std::string& piece : bpe ? bpe->segment(words) : words) {
      const int64_t id = vocabulary.id(piece);
      if (id == text::Vocabulary::unk && std::find(unknown.begin(), unknown.end(), piece) == unknown.end())
        unknown.push_back(piece);
      to.add(id, legible(vocabulary.token(id)), false, side);
    }
  }
  static void require_short(const std::string& line) {
    if (const std::string fault = line_too_long(line); !fault.empty()) throw InputError("look: " + fault);
  }
};

// ---- a translator ---------------------------------------------------------------------------------------------------

const nn::Transformer& transformer_in(const nn::Translator& t, const std::string& folder) {
  const std::string paper = t.model.options.name(), report = folder + "/report.html";
  if (!t.model.attends())
    throw InputError(fmt::format(
        "look: the page shows attention; got a translator of the paper {}, which has none: one vector passes from its "
        "encoder to its decoder",
        paper));
  const auto* transformer = t.model.as<nn::Transformer>();
  if (!transformer)
    throw InputError(fmt::format(
        "look: the page shows the layers of a transformer; got a translator of the paper {}, a recurrent one; hint: {}",
        paper,
        io::exists(report) ? fmt::format("{} has the arcs of its attention", report)
                           : "./heed translate --out DIR draws the arcs of such a translator in DIR/report.html"));
  if (nn::output_needs_alignment(t.model.output()))
    throw InputError(fmt::format("look: the answer must be a word of the vocabulary; got the output {}, which copies",
                                 t.model.output()));
  require_attention(transformer->encoder, "encoder"), require_attention(transformer->decoder, "decoder");
  return *transformer;
}

class OwnTranslator final : public OwnLook {
 public:
  explicit OwnTranslator(const LookOptions& o)
      : translator_(nn::Translator::load(o.folder + "/model.safetensors")),
        model_(transformer_in(translator_, o.folder)) {
    family = "transformer of heed", kind = "next_word", asks_target = true;
    encoder_heads = decoder_heads = model_.options.heads;
    const nn::TranslatorParts& parts = translator_.parts;
    add_text(split(o.text, parts.tokenizers.source, "text"), parts.bpe, parts.source, source);
    source.add(text::Vocabulary::stop, "</s>", true);
    require_places(source, translator_.model.max_positions());
    target.add(text::Vocabulary::start, "<s>", true);
    if (o.second) {
      add_text(split(*o.second, parts.tokenizers.target, "second text"), parts.bpe, parts.target, target);
    } else {
      const nn::Translation greedy = or_refuse([&] { return translator_.translate(o.text); });
      written = greedy.text;
      for (size_t i = 0; i + 1 < greedy.target.size(); ++i) {
        const int64_t id = parts.target.id(greedy.target[i]);
        target.add(id, legible(parts.target.token(id)), false);
      }
    }
    require_places(target, translator_.model.max_positions());
    asking = target.size() - 1;
  }

  published::Answer read(const published::Inputs& in, const published::Wanted& wanted) const override {
    nn::Evaluating evaluating;
    published::Answer answer;
    answer.inputs = in;
    const nn::TransformerStack &encoder = model_.encoder, &decoder = model_.decoder;
    return or_refuse([&] {
      answer.encoder =
          layer_by_layer(encoder, model_.source_embedding(in.ids), {.self = hiding(encoder, in.mask)}, wanted.encoder);
      answer.decoder = layer_by_layer(
          decoder, model_.target_embedding(in.target_ids),
          {.self = hiding(decoder, in.target_mask), .memory = answer.encoder.last(), .cross = hiding(decoder, in.mask)},
          wanted.decoder, wanted.cross);
      return answer;
    });
  }

  Variable logits(const published::Answer& answer) const override {
    return model_.logits(select(answer.decoder.last(), 1, asking));
  }
  std::string label(int64_t number) const override { return legible(translator_.parts.target.token(number)); }
  Variable words_of(const Variable& x, bool normed) const override {
    return model_.logits(normed || !model_.decoder.norm ? x : (*model_.decoder.norm)(x));
  }

  LookCache cache(const published::Answer& from, int64_t step) const override {
    NoGrad guard;
    nn::Evaluating evaluating;
    const nn::TransformerOptions& o = model_.options;
    LookCache out{.groups = o.kv_heads > 0 ? o.kv_heads : o.heads, .heads = o.heads, .width = o.model / o.heads};
    std::vector<nn::LayerCache> caches;
    for (int64_t t = 0, T = target.size(); t < T; t += step) {
      const int64_t n = std::min(step, T - t);
      const Tensor some =
          Tensor::from(std::vector<int64_t>(target.ids.begin() + t, target.ids.begin() + t + n), {1, n});
      or_refuse([&] {
        return model_.decoder(model_.target_embedding(some, {.first = t}), {.memory = from.encoder.last()}, &caches);
      });
      LookCache::Step& now = out.steps.emplace_back(LookCache::Step{.words = t + n});
      for (const nn::LayerCache& one : caches) {
        now.bytes += one.self->bytes(), now.first.push_back(one.self->kept().first);
        if (one.cross.keys.defined()) now.of_source += (one.cross.keys.count() + one.cross.values.count()) * 4;
      }
    }
    return out;
  }

 private:
  std::vector<std::string> split(const std::string& line, const text::Tokenizer& tokenizer, const char* which) {
    require_short(line);
    std::vector<std::string> words = tokenizer.split(line);
    if (words.empty()) refuse_empty(which);
    return words;
  }

  nn::Translator translator_;
  const nn::Transformer& model_;
};

// ---- a sentence encoder ---------------------------------------------------------------------------------------------

class OwnEncoder final : public OwnLook {
 public:
  explicit OwnEncoder(const LookOptions& o)
      : encoder_(nn::SentenceEncoder::load(o.folder + "/model.safetensors")), marks_(encoder_.marks()) {
    require_attention(encoder_.model.reader.encoder, "encoder");
    family = "sentence encoder of heed", fills_masks = true;
    encoder_heads = encoder_.model.options.heads;
    source.add(marks_.cls, "[CLS]", true);
    add_marked(o.text, "text", 0);
    if (o.second) add_marked(*o.second, "second text", 1);
    require_places(source, nn::position_limit(encoder_.model.options));
    const auto mask = std::find(source.ids.begin(), source.ids.end(), mask_id());
    kind = mask == source.ids.end() ? "sentence_vector" : "masked_words";
    if (mask != source.ids.end()) asking = mask - source.ids.begin();
  }

  published::Answer read(const published::Inputs& in, const published::Wanted& wanted) const override {
    nn::Evaluating evaluating;
    const nn::Bert& reader = encoder_.model.reader;
    published::Answer answer;
    answer.inputs = in;
    answer.encoder = or_refuse([&] {
      return layer_by_layer(reader.encoder, reader.embedding(in.ids, {.kinds = in.kinds}),
                            {.self = hiding(reader.encoder, in.mask)}, wanted.encoder);
    });
    return answer;
  }

  Variable logits(const published::Answer& answer) const override {
    return encoder_.model.head(select(answer.encoder.last(), 1, asking));
  }
  std::string label(int64_t number) const override { return legible(encoder_.parts.vocabulary.token(number)); }
  Variable words_of(const Variable& x, bool normed) const override {
    const auto& norm = encoder_.model.reader.encoder.norm;
    return encoder_.model.head(normed || !norm ? x : (*norm)(x));
  }
  LookCache cache(const published::Answer&, int64_t) const override { return {}; }  // an encoder keeps none

 private:
  int64_t mask_id() const { return encoder_.parts.vocabulary.special("[MASK]"); }

  // The words of a text and [SEP]. [MASK] is a word of its own, which no tokenizer would leave whole.
  void add_marked(const std::string& line, const char* which, int64_t side) {
    const std::string mark = "[MASK]";
    require_short(line);
    const int64_t before = source.size();
    for (size_t at = 0; at <= line.size();) {
      const size_t end = std::min(line.find(mark, at), line.size());
      add_text(encoder_.parts.tokenizer.split(line.substr(at, end - at)), encoder_.parts.bpe, encoder_.parts.vocabulary,
               source, side);
      if (end < line.size()) source.add(mask_id(), mark, false, side);
      at = end + (end < line.size() ? mark.size() : 1);
    }
    if (source.size() == before) refuse_empty(which);
    source.add(marks_.sep, "[SEP]", true, side);
  }

  nn::SentenceEncoder encoder_;
  data::TextMarks marks_;
};

}  // namespace

std::unique_ptr<LookModel> own_look(const LookOptions& o) {
  const std::string path = o.folder + "/model.safetensors";
  const io::SafeTensors file = io::load_safetensors(path);
  const auto of = file.metadata.find("heed.kind");
  if (of == file.metadata.end())
    throw InputError(
        fmt::format("look: --model needs a model that heed trained, or a config.json with a model_type beside it; got "
                    "\"{}\" without heed.kind",
                    path));
  if (of->second.starts_with("sentence encoder")) return std::make_unique<OwnEncoder>(o);
  return std::make_unique<OwnTranslator>(o);
}

}  // namespace heed::app
