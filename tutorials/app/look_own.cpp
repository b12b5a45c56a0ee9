#include "tutorials/app/look_own.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/sentence/sentence_encoder.h"
#include "nn/transformer/stack_call.h"
#include "tutorials/app/look_recurrent.h"
#include "tutorials/app/look_translator.h"
#include "tutorials/common/output.h"

namespace heed::app {

namespace published = nn::published;

namespace {

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

// ---- a translator ---------------------------------------------------------------------------------------------------

const nn::Transformer& transformer_in(const nn::Translator& t) {
  const auto* transformer = t.model.as<nn::Transformer>();
  require_attention(transformer->encoder, "encoder"), require_attention(transformer->decoder, "decoder");
  return *transformer;
}

class OwnTransformer final : public TranslatorLook {
 public:
  OwnTransformer(nn::Translator translator, const LookOptions& o)
      : TranslatorLook(std::move(translator), o), model_(transformer_in(translator_)) {
    family = "transformer of heed";
    encoder_heads = decoder_heads = model_.options.heads;
  }

  std::string attention_of(const std::string& module) const override {
    return module.find("multihead_attn") != std::string::npos ? "cross"
           : module.find("decoder.") != std::string::npos     ? "decoder"
                                                              : "encoder";
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
  const nn::Transformer& model_;
};

// ---- a sentence encoder ---------------------------------------------------------------------------------------------

class OwnEncoder final : public LookModel {
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

  std::string attention_of(const std::string&) const override { return "encoder"; }

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
               *this, source, side);
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
  nn::Translator translator = nn::Translator::load(path);
  const nn::TranslationModel& model = translator.model;
  if (!model.attends())
    throw InputError(fmt::format(
        "look: the page shows attention; got a translator of the paper {}, which has none: one vector passes from its "
        "encoder to its decoder",
        model.options.name()));
  if (nn::output_needs_alignment(model.output()))
    throw InputError(fmt::format("look: the answer must be a word of the vocabulary; got the output {}, which copies",
                                 model.output()));
  if (model.as<nn::Transformer>()) return std::make_unique<OwnTransformer>(std::move(translator), o);
  return recurrent_look(std::move(translator), o);
}

}  // namespace heed::app
