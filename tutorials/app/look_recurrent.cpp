#include "tutorials/app/look_recurrent.h"

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/models/bahdanau.h"
#include "nn/models/deep_fusion.h"
#include "nn/models/luong.h"
#include "nn/observe.h"
#include "tutorials/app/look_translator.h"

namespace heed::app {

namespace published = nn::published;

namespace {

template <class M>
class RecurrentLook final : public TranslatorLook {
 public:
  RecurrentLook(nn::Translator translator, const LookOptions& o)
      : TranslatorLook(std::move(translator), o), model_(*translator_.model.as<M>()) {
    require_rows(model_.attention, "the attention");
    if (model_.attention.reader)
      throw InputError("look: the context must be the mean by the weights; got a reader, which chooses words");
    family = translator_.model.options.name() + " of heed", recurrent = true;
    decoder_heads = 1;
    model_.attention.output_hooks.push_back([this](std::string_view name, const Variable& c) -> Variable {
      if (name != "context" || !factors_.defined()) return {};
      return c.rank() == 2 ? c * factors_ : c * unsqueeze(factors_, 1);  // [B, A] or [B, T, A] by [B, 1]
    });
  }

  std::string attention_of(const std::string&) const override { return "cross"; }

  // Of hidden vectors the answer has the logits alone [B, T, V]. Steps report their rows one by one: the caller's
  // observer gets them all at once.
  published::Answer read(const published::Inputs& in, const published::Wanted& wanted) const override {
    nn::Evaluating evaluating;
    const int64_t B = in.ids.size(0), S = in.ids.size(1);
    published::Answer answer;
    answer.inputs = in;
    factors_ = wanted.cross.empty() ? Variable() : wanted.cross[0];
    std::vector<Tensor> weights, scores;
    const bool observed = nn::Observe::active();
    {
      nn::Observe observe([&](const nn::AttentionSeen& seen) {
        if (seen.module != path_name(model_.attention.path)) return;  // a cell that attends to its own past
        weights.push_back(seen.weights.contiguous().view({B, -1, S}));
        if (seen.scores.defined()) scores.push_back(seen.scores.contiguous().view({B, -1, S}));
      });
      answer.decoder.hidden = {or_refuse([&] {
        auto [memory, state] = model_.encode(in.ids, Tensor::full({B}, static_cast<double>(S), DType::i64));
        if (in.mask.defined()) memory.allowed = in.mask.unsqueeze(1), memory.clean = false;
        const nn::Decoded d = nn::decode(model_, in.target_ids, memory, state, true);
        return nn::logits_of(model_, d, memory);
      })};
    }
    factors_ = {};
    if (observed)
      nn::Observe::report(concat(weights, 1).unsqueeze(1),
                          scores.empty() ? Tensor() : concat(scores, 1).unsqueeze(1));  // [B, 1, T, S]
    return answer;
  }

  Variable logits(const published::Answer& answer) const override { return select(answer.decoder.last(), 1, asking); }
  Variable words_of(const Variable&, bool) const override { return {}; }
  LookCache cache(const published::Answer&, int64_t) const override { return {}; }

 private:
  M& model_;
  mutable Variable factors_;  // [B, 1] during a call
};

}  // namespace

std::unique_ptr<LookModel> recurrent_look(nn::Translator t, const LookOptions& o) {
  if (t.model.as<nn::Bahdanau>()) return std::make_unique<RecurrentLook<nn::Bahdanau>>(std::move(t), o);
  if (t.model.as<nn::Luong>()) return std::make_unique<RecurrentLook<nn::Luong>>(std::move(t), o);
  if (t.model.as<nn::DeepFusion>()) return std::make_unique<RecurrentLook<nn::DeepFusion>>(std::move(t), o);
  throw InputError(
      fmt::format("look: the page shows transformers and the papers bahdanau, luong and deep_fusion; got {}",
                  t.model.options.name()));
}

}  // namespace heed::app
