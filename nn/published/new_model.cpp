#include "nn/published/new_model.h"

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "nn/init.h"
#include "nn/published/weights.h"

namespace heed::nn::published {
namespace {

constexpr const char* kOfClasses = "heads.classes.";
constexpr const char* kOfPooler = "heads.pooler.";

void draw(Model& model, uint64_t seed, DType dtype) {
  Generator rng(seed);
  const double std = model.config.number("initializer_range", 0.02);
  for (NamedVariable& p : named_parameters(model)) {
    if (p.name.ends_with(".bias")) p.variable.set_value(Tensor::zeros(p.variable.shape(), dtype));
    if (p.variable.rank() >= 2)
      p.variable.set_value(init::normal(p.variable.shape(), rng, {.mean = 0, .std = std}, dtype));
  }
}

std::unique_ptr<Model> drawn(const Config& config, const ModelOptions& options, uint64_t seed, DType dtype) {
  ParameterDType guard(dtype);
  Generator rng(seed);
  auto model = std::make_unique<Model>(config, family_of(config), options, rng);
  name_all(*model);
  draw(*model, seed, dtype);
  set_training(*model, false);
  assign_paths(*model);
  return model;
}

// The parameter that a tensor of this name would be: of all rows with the name, the first that `wanted` accepts.
template <class Wanted>
bool some_row(const Family& family, const std::string& name, const Wanted& wanted) {
  std::set<std::string> before;  // a head has the first of two layouts
  for (const Name& row : family.names) {
    const std::string ours = row.ours;
    const bool first = before.insert(ours).second;
    if (row.file + ".weight" == name && first && wanted(ours)) return true;
  }
  return false;
}

// BertModel and BertForMaskedLM -> Bert
std::string bare_architecture(const Config& config) {
  std::string name = config.architecture();
  for (const char* end : {"For", "Model", "LMHead"}) name = name.substr(0, name.find(end));
  if (!name.empty()) return name;
  name = config.family();
  if (!name.empty()) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

io::Json config_for(const Config& before, const std::vector<std::string>& labels) {
  io::Json config = before.json, names = io::Json::object(), numbers = io::Json::object();
  for (size_t i = 0; i < labels.size(); ++i) names.set(std::to_string(i), labels[i]), numbers.set(labels[i], i);
  config.set("architectures", io::Json::array({bare_architecture(before) + "ForSequenceClassification"}));
  config.set("id2label", names), config.set("label2id", numbers);
  config.set("problem_type", "single_label_classification");
  if (config.contains("num_labels")) config.set("num_labels", labels.size());
  return config;
}

}  // namespace

void NewModelOptions::fields(OptionFields& f) {
  f("vocabulary", vocabulary, "tokens of the tokenizer that is learned from the text, at most", {16, 1 << 20});
  f("width", width, "width of the model", {1, 1 << 16});
  f("layers", layers, "number of layers", {1, 1024});
  f("heads", heads, "number of heads of attention", {1, 1 << 16});
  f("inner", inner, "feed-forward width; 0: 4 times the width, with --new llama 8/3", {0, 1 << 18});
  f("dropout", dropout, "dropout, of --new bert", kFraction);
}

io::Json bert_config(const NewModelOptions& o) {
  return io::Json::object({{"architectures", io::Json::array({"BertForMaskedLM"})},
                           {"model_type", "bert"},
                           {"vocab_size", o.vocabulary},
                           {"hidden_size", o.width},
                           {"num_hidden_layers", o.layers},
                           {"num_attention_heads", o.heads},
                           {"intermediate_size", o.inner > 0 ? o.inner : 4 * o.width},
                           {"max_position_embeddings", o.longest},
                           {"type_vocab_size", 2},
                           {"hidden_act", "gelu"},
                           {"layer_norm_eps", 1e-12},
                           {"hidden_dropout_prob", o.dropout},
                           {"attention_probs_dropout_prob", o.dropout},
                           {"initializer_range", 0.02},
                           {"pad_token_id", 0},
                           {"tie_word_embeddings", true},
                           {"torch_dtype", "float32"}});
}

io::Json llama_config(const NewModelOptions& o) {
  return io::Json::object({{"architectures", io::Json::array({"LlamaForCausalLM"})},
                           {"model_type", "llama"},
                           {"vocab_size", o.vocabulary},
                           {"hidden_size", o.width},
                           {"num_hidden_layers", o.layers},
                           {"num_attention_heads", o.heads},
                           {"num_key_value_heads", o.heads},
                           {"intermediate_size", o.inner > 0 ? o.inner : (8 * o.width / 3 + 7) / 8 * 8},
                           {"max_position_embeddings", o.longest},
                           {"hidden_act", "silu"},
                           {"rms_norm_eps", 1e-5},
                           {"rope_theta", 10000.0},
                           {"initializer_range", 0.02},
                           {"pad_token_id", 0},
                           {"bos_token_id", 1},
                           {"eos_token_id", 2},
                           {"tie_word_embeddings", true},
                           {"torch_dtype", "float32"}});
}

io::Json llama_generation() {
  return io::Json::object({{"bos_token_id", 1},
                           {"eos_token_id", 2},
                           {"pad_token_id", 0},
                           {"do_sample", true},
                           {"temperature", 0.7},
                           {"max_new_tokens", 60}});
}

std::unique_ptr<Model> make(const io::Json& json, uint64_t seed, DType dtype) {
  const Config config(json, "config.json of a new model");
  const Family& family = family_of(config);
  const Has has = [&](const std::string& name) {
    return some_row(family, name, [](const std::string& ours) {
      return !ours.starts_with("heads.") || ours.starts_with("heads.masked_words.") ||
             ours.starts_with("heads.next_word.");
    });
  };
  config.ignore("tie_word_embeddings");
  const ModelOptions options = family.options(config, has);
  config.require_known();
  return drawn(config, options, seed, dtype);
}

std::unique_ptr<Model> open_for_classes(const std::string& folder, const ClassesOptions& o) {
  if (o.labels.size() < 2)
    throw ValueError(fmt::format("open_for_classes: needs at least two labels; got {}", o.labels.size()));
  std::unique_ptr<Model> base = open(folder, {.dtype = o.dtype, .trainable = true});
  if (!base->encoder || base->decoder)
    throw ValueError(fmt::format("open_for_classes: classes need an encoder; got a {}", base->config.family()));
  const bool same = base->head("classes") && labels_of(*base) == o.labels;
  const Config config(config_for(base->config, o.labels), folder + "/config.json");
  detail::Collector from = detail::collect(*base);
  std::map<std::string, Variable> given;
  for (const NamedVariable& p : from.parameters)
    if (!p.name.starts_with("heads.") || p.name.starts_with(kOfPooler) || (same && p.name.starts_with(kOfClasses)))
      given[p.name] = p.variable;
  auto options_with = [&](bool pooler) {
    return base->family.options(config, [&](const std::string& name) {
      return some_row(base->family, name, [&](const std::string& ours) {
        if (ours.starts_with(kOfPooler)) return pooler;
        return ours.starts_with(kOfClasses) || (!ours.starts_with("heads.") && given.contains(ours + ".weight"));
      });
    });
  };
  ModelOptions options = options_with(false);
  for (const HeadOptions& head : options.heads)
    if (head.reads == "pooled") {
      options = options_with(true);
      break;
    }
  std::unique_ptr<Model> model = drawn(config, options, o.seed, o.dtype);
  detail::Collector into = detail::collect(*model);
  for (size_t i = 0; i < into.parameters.size(); ++i) {
    auto found = given.find(into.parameters[i].name);
    if (found != given.end() && found->second.shape() == into.parameters[i].variable.shape())
      *into.members[i] = found->second;
  }
  model->folder = folder, model->files = base->files, model->unchecked = std::move(base->unchecked);
  return model;
}

std::vector<std::string> labels_of(const Model& model) {
  std::vector<std::string> labels;
  const io::Json* names = model.config.find("id2label");
  for (int64_t i = 0; i < model.config.labels(); ++i) {
    const io::Json* name = names ? names->find(std::to_string(i)) : nullptr;
    labels.push_back(name && name->is_string() ? name->as_string() : fmt::format("LABEL_{}", i));
  }
  return labels;
}

}  // namespace heed::nn::published
