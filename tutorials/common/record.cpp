// Greedy decoding under an Observe, and the transformer's heads one by one. The legend of letters is in record.h.
#include "tutorials/common/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/decode/search_steps.h"
#include "nn/models/bahdanau.h"
#include "nn/models/fixed_vector.h"
#include "nn/observe.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tutorials/common/show.h"

namespace heed::app {

using text::Vocabulary;

namespace {

struct Source {
  Tensor ids, lengths;              // [1, S] i64, [1] i64
  std::vector<std::string> tokens;  // [S]
};
Source padded_source(const nn::Translator& t, const std::vector<std::string>& words, int64_t padding) {
  std::vector<int64_t> ids = t.encode({words, {}}).source;
  Source s;
  s.lengths = Tensor::from(std::vector<int64_t>{std::ssize(ids)}, {1});
  s.tokens = t.parts.bpe ? t.parts.bpe->segment(words) : words;
  s.tokens.emplace_back("</s>");
  for (int64_t i = 0; i < padding; ++i) ids.push_back(Vocabulary::pad), s.tokens.emplace_back("<pad>");
  s.ids = Tensor::from(ids, {1, std::ssize(ids)});
  return s;
}

std::vector<report::Candidate> likeliest(const std::vector<double>& log_p, int64_t how_many, const Vocabulary& words) {
  std::vector<int64_t> order(log_p.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  auto kept = std::min<std::ptrdiff_t>(how_many, std::ssize(order));
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), [&](int64_t a, int64_t b) {
    return log_p[static_cast<std::size_t>(a)] > log_p[static_cast<std::size_t>(b)];
  });
  std::vector<report::Candidate> out;
  for (std::ptrdiff_t i = 0; i < kept; ++i) {
    int64_t id = order[static_cast<std::size_t>(i)];
    out.push_back({words.token(id), std::exp(log_p[static_cast<std::size_t>(id)])});
  }
  return out;
}

// The numbers of a tensor; none if it is undefined.
std::vector<double> numbers_of(const Tensor& t) { return t.defined() ? t.to_vector() : std::vector<double>{}; }

// Writes words until </s>: `next` is given the last word's id, fills in a step and returns log p [V].
template <class Next>
void write_greedily(report::StepperModel& record, const Vocabulary& words, int64_t best, Next next) {
  constexpr int most_words = 60;
  int64_t last = Vocabulary::start;
  for (int t = 0; t < most_words && last != Vocabulary::stop; ++t) {
    report::StepperStep step;
    std::vector<double> log_p = next(last, step);
    log_p[Vocabulary::pad] = log_p[Vocabulary::start] = -INFINITY;  // never written
    step.best = likeliest(log_p, best, words);
    last = std::max_element(log_p.begin(), log_p.end()) - log_p.begin();
    step.word = words.token(last);
    record.steps.push_back(std::move(step));
  }
}

// Of a recurrent paper M whose steps begin with the state before the word. Returns false for any other model.
template <class M>
bool record_recurrent(const nn::Translator& t, const Source& source, const RecordOptions& options,
                      report::StepperModel& record) {
  if (!t.model.as<M>()) return false;
  const M& model = *t.model.as<M>();
  constexpr bool attends = requires { model.attention; };
  auto [memory, state] = model.encode(source.ids, source.lengths);
  record.state_name = attends ? "decoder state: the query" : "decoder state before the word";
  record.context_name = attends ? "context: mean of the encoder outputs" : "the one vector";
  if (attends) record.heads = {"attention"};
  auto next = [&, state = state, memory = memory](int64_t last, report::StepperStep& step) mutable {
    std::vector<nn::AttentionSeen> seen;
    nn::Step s;
    {
      nn::Observe observe([&](const nn::AttentionSeen& a) { seen.push_back(a); });
      s = model.step(model.embed(Tensor::from(std::vector<int64_t>{last}, {1})), state, memory);
    }
    step.state = model.decoder.top(state).value().to_vector();
    step.context = s.context.value().to_vector();
    if constexpr (attends) {
      if (seen.empty()) throw ValueError("record_decode: the attention must report its weights; got none");
      step.heads = {{.scores = numbers_of(seen[0].scores), .weights = seen[0].weights.to_vector()}};
      if (options.change_key) {
        const std::vector<double>& w = step.heads[0].weights;
        step.key = static_cast<std::size_t>(std::max_element(w.begin(), w.end()) - w.begin());
        std::vector<Variable> places = unstack(memory.values, 1);
        places[*step.key] = places[*step.key] + Variable(Tensor::scalar(1));
        Variable other = stack(places, 1), query = unsqueeze(model.decoder.top(state), 1);
        nn::AlignmentState alignment = state.alignment;
        const nn::Memory changed = model.attention.remember(other, other, source.lengths);
        step.changed = model.attention(query, changed, alignment).weights.value().to_vector();
      }
    }
    state = s.state;
    return log_softmax_rows(model.logits(s.features).value()).to_vector();
  };
  write_greedily(record, t.parts.target, options.best, next);
  return true;
}

void record_transformer(const nn::Transformer& model, const nn::Translator& t, const Source& source,
                        const RecordOptions& options, report::StepperModel& record) {
  auto encoded = model.encode(source.ids, source.lengths);
  record.state_name = "decoder output, after all heads and layers";
  record.state_last = true;
  record.context_name = "context of this head";
  const int64_t L = model.options.decoder_layers, H = model.options.heads;
  for (int64_t l = L - 1; l >= 0; --l)  // the last layer first: it is next to the output
    for (int64_t h = 0; h < H; ++h) record.heads.push_back(fmt::format("layer {}, head {}", l + 1, h + 1));
  std::vector<nn::LayerCache> caches;
  write_greedily(record, t.parts.target, options.best, [&](int64_t last, report::StepperStep& step) {
    std::vector<nn::AttentionSeen> seen;
    nn::Transformer::Decoded out;
    {
      nn::Observe observe([&](const nn::AttentionSeen& a) {
        if (a.module.ends_with("multihead_attn")) seen.push_back(a);
      });
      out =
          model.decode(Tensor::from(std::vector<int64_t>{last}, {1, 1}), encoded, {.caches = &caches, .weights = true});
    }
    step.state = out.features.value().to_vector();
    if (std::ssize(seen) != L)
      throw ValueError(fmt::format("record_decode: needs the weights of {} cross-attentions; got {}", L, seen.size()));
    for (int64_t l = L - 1; l >= 0; --l)
      for (int64_t h = 0; h < H; ++h) {
        const nn::AttentionSeen& a = seen[static_cast<std::size_t>(l)];
        auto head = [&](const Tensor& x) {
          return x.defined() ? x.select(0, 0).select(0, h).to_vector() : std::vector<double>{};
        };
        int64_t group = h * caches[static_cast<std::size_t>(l)].cross.values.size(1) / H;
        Tensor values =
            caches[static_cast<std::size_t>(l)].cross.values.value().select(0, 0).select(0, group);  // [S, D/H]
        report::StepperHead one{.scores = head(a.scores), .weights = head(a.weights)};
        one.context = matmul(a.weights.select(0, 0).select(0, h), values).to_vector();
        step.heads.push_back(std::move(one));
      }
    Variable features = reshape(out.features, {1, out.features.size(2)});
    return log_softmax_rows(model.logits(features).value()).to_vector();
  });
}

}  // namespace

report::StepperModel record_decode(const nn::Translator& translator, const std::vector<std::string>& source,
                                   const RecordOptions& options) {
  NoGrad guard;
  nn::Evaluating evaluating;
  Source s = padded_source(translator, source, options.padding);
  report::StepperModel record{.name = options.name, .source = s.tokens};
  if (const auto* model = translator.model.as<nn::Transformer>())
    record_transformer(*model, translator, s, options, record);
  else if (!record_recurrent<nn::Cho>(translator, s, options, record) &&
           !record_recurrent<nn::Bahdanau>(translator, s, options, record))
    throw ValueError(fmt::format("record_decode: the paper must be cho, bahdanau or transformer; got {}",
                                 translator.model.options.name()));
  return record;
}

report::ArcsSentence record_heads(const nn::Translator& translator, const text::TokenPair& pair,
                                  const std::string& name) {
  NoGrad guard;
  nn::Evaluating evaluating;
  data::Batch b = data::make_batch({translator.encode(pair)}, {0});
  std::vector<nn::AttentionSeen> seen;
  {
    nn::Observe observe([&](const nn::AttentionSeen& a) { seen.push_back(a); });
    translator.model(b.source, b.lengths, b.target_in);
  }
  std::vector<std::string> source = pair.source, target{"<s>"};
  source.emplace_back("</s>");
  target.insert(target.end(), pair.target.begin(), pair.target.end());
  report::ArcsSentence out{.name = name};
  out.attentions = {{.name = "encoder self-attention", .queries = source, .keys = source, .self = true},
                    {.name = "decoder self-attention", .queries = target, .keys = target, .self = true},
                    {.name = "cross-attention", .queries = target, .keys = source}};
  for (const nn::AttentionSeen& a : seen) {
    report::ArcsAttention& into = out.attentions[a.module.ends_with("multihead_attn")            ? 2
                                                 : a.module.find("decoder") != std::string::npos ? 1
                                                                                                 : 0];
    std::size_t H = static_cast<std::size_t>(a.weights.size(1)), layer = into.heads.size() / H;
    for (std::size_t h = 0; h < H; ++h)
      into.heads.push_back({layer, h, matrix_of(a.weights.select(0, 0).select(0, static_cast<int64_t>(h)))});
  }
  return out;
}

report::AblationPanel record_ablation(nn::Translator& translator, const std::vector<AblationQuery>& queries,
                                      const std::vector<std::string>& words) {
  NoGrad guard;
  nn::Evaluating evaluating;
  auto& model = *translator.model.as<nn::Transformer>();
  report::AblationPanel panel{.title = "", .words = words};
  std::vector<std::pair<Variable, int64_t>> units;  // out_proj.weight, head
  auto list = [&](const char* name, nn::TransformerStack& stack, bool cross) {
    for (std::size_t l = 0; l < stack.layers.size(); ++l) {
      if (!cross && !stack.layers[l].self_attn) continue;  // a mixer in its place has no heads to switch off
      nn::MultiHeadAttention& a = cross ? *stack.layers[l].multihead_attn : *stack.layers[l].self_attn;
      panel.layers.push_back({name, l, 0});
      for (int64_t h = 0; h < model.options.heads; ++h) {
        panel.heads.push_back({name, l, static_cast<std::size_t>(h)});
        units.emplace_back(a.out_proj.weight, h);
      }
    }
  };
  list("encoder self-attention", model.encoder, false);
  list("decoder self-attention", model.decoder, false);
  list("cross-attention", model.decoder, true);

  std::vector<data::EncodedPair> pairs;
  std::vector<int64_t> members;
  for (const AblationQuery& q : queries) {
    members.push_back(std::ssize(pairs));
    pairs.push_back(translator.encode(q.pair));
    std::vector<std::string> source = q.pair.source;
    panel.cases.push_back(
        {.name = q.name,
         .source = source,
         .written = {q.pair.target.begin(), q.pair.target.begin() + static_cast<std::ptrdiff_t>(q.position)},
         .right = q.right});
  }
  data::Batch b = data::make_batch(pairs, members);
  auto predicted = [&](std::size_t q) { return static_cast<int64_t>(queries[q].position); };
  // The probabilities of the words for each query, without some heads: [query][word].
  auto without = [&](const std::vector<std::size_t>& off) {
    std::vector<std::pair<Variable, Tensor>> saved;
    for (std::size_t unit : off) {
      auto& [weight, head] = units[unit];
      saved.emplace_back(weight, weight.value());
      Tensor changed = weight.value().clone();
      int64_t width = changed.size(1) / model.options.heads;
      Tensor columns = changed.slice(1, head * width, (head + 1) * width);
      fill_into(columns, 0);
      weight.set_value(changed);
    }
    Tensor log_p = log_softmax_rows(model(b.source, b.lengths, b.target_in).value());  // [B, T, V]
    for (auto it = saved.rbegin(); it != saved.rend(); ++it) it->first.set_value(it->second);
    std::vector<std::vector<double>> p(queries.size());
    for (std::size_t q = 0; q < queries.size(); ++q)
      for (const std::string& word : words)
        p[q].push_back(std::exp(log_p.at({static_cast<int64_t>(q), predicted(q), translator.parts.target.id(word)})));
    return p;
  };
  auto all = without({});
  for (std::size_t q = 0; q < queries.size(); ++q) panel.cases[q].all = all[q];
  auto keep = [&](const std::vector<std::size_t>& off, std::vector<std::vector<double>> report::AblationCase::*into) {
    auto p = without(off);
    for (std::size_t q = 0; q < queries.size(); ++q) (panel.cases[q].*into).push_back(p[q]);
  };
  for (std::size_t i = 0; i < units.size(); ++i) keep({i}, &report::AblationCase::heads);
  auto H = static_cast<std::size_t>(model.options.heads);
  for (std::size_t l = 0; l < panel.layers.size(); ++l) {
    std::vector<std::size_t> off;
    for (std::size_t h = 0; h < H; ++h) off.push_back(l * H + h);
    keep(off, &report::AblationCase::layers);
  }
  for (std::size_t i = 0; i < units.size(); ++i)
    for (std::size_t j = i + 1; j < units.size(); ++j) keep({i, j}, &report::AblationCase::pairs);
  return panel;
}

std::vector<report::ParameterLine> parameter_lines(const nn::TranslationModel& model) {
  std::vector<report::ParameterLine> lines;
  for (const NamedVariable& p :
       nn::named_parameters(const_cast<nn::TranslationModel&>(model)))  // visit only lists them
    lines.push_back({p.name, to_string(p.variable.shape()), p.variable.count()});
  return lines;
}

}  // namespace heed::app
