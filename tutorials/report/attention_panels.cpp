// How the panels of attention_panels.h become the page's data: checked, then packed. Vectors that are drawn as a strip
// of colours take 8 bits a number, weights 16 bits, scores and probabilities five digits.
#include "tutorials/report/attention_panels.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/error.h"
#include "tutorials/report/report.h"

namespace heed::report {

using io::Json;

namespace {

void require_size(const char* panel, const char* what, std::size_t got, std::size_t wanted) {
  if (got != wanted) throw ShapeError(fmt::format("{}: needs {}; got {} for {}", panel, what, got, wanted));
}

void require_any(const char* panel, const char* what, bool none) {
  if (none) throw ValueError(fmt::format("{}: needs at least one {}; got none", panel, what));
}

Json step_data(const StepperStep& step, const StepperModel& model) {
  require_size("stepper", "scores and weights of every head", step.heads.size(), model.heads.size());
  Json heads = Json::array(), best = Json::array();
  for (const StepperHead& head : step.heads) {
    require_size("stepper", "a weight for every source word", head.weights.size(), model.source.size());
    if (!head.scores.empty())
      require_size("stepper", "a score for every source word", head.scores.size(), model.source.size());
    heads.push(Json::object({{"scores", stored_numbers(head.scores)},
                             {"weights", stored_weights(head.weights)},
                             {"context", stored_strip(head.context)}}));
  }
  for (const Candidate& c : step.best) best.push(Json::array({c.word, stored_number(c.probability)}));
  Json data = Json::object({{"word", step.word},
                            {"state", stored_strip(step.state)},
                            {"context", stored_strip(step.context)},
                            {"heads", heads},
                            {"best", best}});
  if (step.key) {
    require_size("stepper", "a changed weight for every source word", step.changed.size(), model.source.size());
    data.set("key", static_cast<std::int64_t>(*step.key)).set("changed", stored_weights(step.changed));
  }
  return data;
}

Json model_data(const StepperModel& model) {
  Json steps = Json::array();
  for (const StepperStep& step : model.steps) steps.push(step_data(step, model));
  return Json::object({{"name", model.name},
                       {"state_name", model.state_name},
                       {"context_name", model.context_name},
                       {"state_last", model.state_last},
                       {"source", model.source},
                       {"heads", model.heads},
                       {"steps", steps}});
}

Json probabilities(const std::vector<double>& p, const AblationPanel& panel) {
  require_size("ablation", "a probability for every word", p.size(), panel.words.size());
  return stored_numbers(p);
}

Json probability_list(const char* what, const std::vector<std::vector<double>>& list, std::size_t wanted,
                      const AblationPanel& panel) {
  require_size("ablation", what, list.size(), wanted);
  Json result = Json::array();
  for (const auto& p : list) result.push(probabilities(p, panel));
  return result;
}

Json units(const std::vector<AblationUnit>& list) {
  Json result = Json::array();
  for (const AblationUnit& u : list)
    result.push(Json::object({{"attention", u.attention}, {"layer", u.layer}, {"head", u.head}}));
  return result;
}

}  // namespace

Json stored_strip(const std::vector<double>& values) {
  double largest = 0;
  for (double v : values) {
    if (!std::isfinite(v)) throw ValueError(fmt::format("strip: needs finite numbers; got {}", v));
    largest = std::max(largest, std::abs(v));
  }
  std::vector<unsigned char> bytes;
  for (double v : values)
    bytes.push_back(static_cast<unsigned char>(std::lround(128 + (largest > 0 ? v / largest : 0) * 127)));
  return Json::object({{"scale", stored_number(largest)}, {"base64", base64(bytes)}});
}

void Report::stepper(const StepperPanel& panel) {
  require_any("stepper", "model", panel.models.empty());
  Json models = Json::array();
  for (const StepperModel& model : panel.models) {
    require_any("stepper", "step of each model", model.steps.empty());
    models.push(model_data(model));
  }
  Json data = Json::object({{"models", models}});
  if (panel.question) {
    if (panel.question->right >= panel.models.size())
      throw IndexError(fmt::format("stepper: the right answer must be one of {} models; got {}", panel.models.size(),
                                   panel.question->right));
    data.set("question", Json::object({{"text", panel.question->text},
                                       {"right", panel.question->right},
                                       {"answer", panel.question->answer}}));
  }
  add("stepper", panel.title, panel.text, data);
}

void Report::arcs(const ArcsPanel& panel) {
  require_any("arcs", "sentence", panel.sentences.empty());
  Json sentences = Json::array();
  for (const ArcsSentence& sentence : panel.sentences) {
    require_any("arcs", "attention of each sentence", sentence.attentions.empty());
    Json attentions = Json::array();
    for (const ArcsAttention& a : sentence.attentions) {
      require_any("arcs", "head of each attention", a.heads.empty());
      if (a.focus && *a.focus >= a.queries.size())
        throw IndexError(
            fmt::format("arcs: the chosen query must be one of {} words; got {}", a.queries.size(), *a.focus));
      Json heads = Json::array();
      for (const ArcsHead& h : a.heads) {
        if (h.weights.rows != a.queries.size() || h.weights.columns != a.keys.size())
          throw ShapeError(fmt::format("arcs: weights must be [queries, keys]; got [{}, {}] for {} and {} words",
                                       h.weights.rows, h.weights.columns, a.queries.size(), a.keys.size()));
        heads.push(Json::object({{"layer", h.layer}, {"head", h.head}, {"weights", stored_weights(h.weights.values)}}));
      }
      Json one = Json::object(
          {{"name", a.name}, {"queries", a.queries}, {"keys", a.keys}, {"self", a.self}, {"heads", heads}});
      if (a.focus) one.set("focus", *a.focus);
      attentions.push(one);
    }
    sentences.push(Json::object({{"name", sentence.name}, {"attentions", attentions}}));
  }
  add("arcs", panel.title, panel.text, Json::object({{"sentences", sentences}}));
}

void Report::ablation(const AblationPanel& panel) {
  require_any("ablation", "case", panel.cases.empty());
  std::size_t heads = panel.heads.size();
  Json cases = Json::array();
  for (const AblationCase& c : panel.cases) {
    if (c.right >= panel.words.size())
      throw IndexError(fmt::format("ablation: the right word must be one of {}; got {}", panel.words.size(), c.right));
    cases.push(Json::object(
        {{"name", c.name},
         {"source", c.source},
         {"written", c.written},
         {"right", c.right},
         {"all", probabilities(c.all, panel)},
         {"heads", probability_list("probabilities without each head", c.heads, heads, panel)},
         {"layers", probability_list("probabilities without each layer", c.layers, panel.layers.size(), panel)},
         {"pairs", probability_list("probabilities without each pair of heads", c.pairs,
                                    c.pairs.empty() ? 0 : heads * (heads - 1) / 2, panel)}}));
  }
  add("ablation", panel.title, panel.text,
      Json::object(
          {{"words", panel.words}, {"heads", units(panel.heads)}, {"layers", units(panel.layers)}, {"cases", cases}}));
}

void Report::variants(const VariantsPanel& panel) {
  if (panel.variants.size() < 2)
    throw ValueError(fmt::format("variants: needs at least two models; got {}", panel.variants.size()));
  std::size_t count = panel.variants[0].snapshots.size();
  require_any("variants", "snapshot of each model", count == 0);
  require_size("variants", "a label for every snapshot", panel.labels.size(), count);
  Json variants = Json::array();
  for (const Variant& v : panel.variants) {
    require_size("variants", "as many snapshots of each model", v.snapshots.size(), count);
    Json snapshots = Json::array();
    for (const Matrix& m : v.snapshots) {
      if (m.rows != panel.target.size() || m.columns != panel.source.size())
        throw ShapeError(fmt::format("variants: weights must be [target, source]; got [{}, {}] for {} and {} words",
                                     m.rows, m.columns, panel.target.size(), panel.source.size()));
      snapshots.push(stored_weights(m.values));
    }
    variants.push(Json::object({{"name", v.name}, {"snapshots", snapshots}}));
  }
  add("variants", panel.title, panel.text,
      Json::object({{"row_title", panel.row_title},
                    {"column_title", panel.column_title},
                    {"source", panel.source},
                    {"target", panel.target},
                    {"labels", panel.labels},
                    {"variants", variants}}));
}

void Report::model(const ModelPanel& panel) {
  require_any("model", "parameter", panel.parameters.empty());
  Json lines = Json::array();
  for (const ParameterLine& p : panel.parameters) lines.push(Json::array({p.path, p.shape, p.count}));
  Json data = Json::object({{"parameters", lines}});
  if (panel.run) {
    Json steps = Json::array();
    for (const StepperStep& step : panel.run->steps) {
      std::vector<double> mean(panel.run->source.size());  // over the heads
      for (const StepperHead& h : step.heads)
        for (std::size_t s = 0; s < h.weights.size() && s < mean.size(); ++s)
          mean[s] += h.weights[s] / static_cast<double>(step.heads.size());
      steps.push(Json::object({{"word", step.word}, {"weights", stored_weights(mean)}}));
    }
    data.set("run", Json::object({{"source", panel.run->source},
                                  {"attends", !panel.run->heads.empty()},
                                  {"encoder", panel.encoder},
                                  {"decoder", panel.decoder},
                                  {"both_ways", panel.both_ways},
                                  {"recurrent", panel.recurrent},
                                  {"steps", steps}}));
  }
  add("model", panel.title, panel.text, data);
}

}  // namespace heed::report
