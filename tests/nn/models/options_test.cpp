// The options of models: one description makes JSON, checks and the options of heed train.
#include <fmt/format.h>

#include <set>

#include "nn/attention/registry.h"
#include "nn/catalogue/catalogue.h"
#include "nn/models/bahdanau.h"
#include "nn/models/translation_model.h"
#include "nn/train/fit_options.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::Kind;
using nn::OptionField;
using nn::TransformerOptions;

namespace {

template <class Options>
void described_once(Options o) {
  std::set<std::string> names;
  std::vector<OptionField> fields = nn::fields_of(o);
  io::Json json = nn::to_json(o);
  CHECK(json.size() == fields.size());
  for (const OptionField& f : fields) {
    CAPTURE(f.name);
    CHECK(names.insert(f.name).second);
    CHECK(json.contains(f.name));
    CHECK_FALSE(f.help.empty());
    bool number = std::holds_alternative<int64_t*>(f.place) || std::holds_alternative<double*>(f.place);
    CHECK((number ? f.range.least < f.range.most : std::holds_alternative<bool*>(f.place) || !f.names.empty()));
  }
}

}  // namespace

TEST_CASE("options: every field has one name, a help, and a range or names") {
  described_once(nn::completed(small_transformer()));
}

TEST_CASE("options: those of training are described once too") {
  nn::FitOptions fit;
  std::vector<OptionField> fields = nn::fields_of(fit);
  std::set<std::string> names;
  for (const OptionField& f : fields) {
    CAPTURE(f.name);
    CHECK(names.insert(f.name).second);
    CHECK_FALSE(f.help.empty());
    bool number = std::holds_alternative<int64_t*>(f.place) || std::holds_alternative<double*>(f.place);
    CHECK((number ? f.range.least < f.range.most : !f.names.empty()));
  }
  CHECK_NOTHROW(nn::require_known(fit));
  fit.learning_rate = 0.25, fit.schedule = "noam", fit.patience = 3;
  nn::FitOptions read;
  nn::read_option_fields(nn::fields_of(read), nn::json_of(fields));
  CHECK(read.learning_rate == 0.25);
  CHECK(read.schedule == "noam");
  CHECK(read.patience == 3);
}

TEST_CASE("stages: each kind has one row that is its default, and each place where another is") {
  using nn::Role;
  std::map<std::pair<Kind, Role>, int> marked;
  for (Kind kind : {Kind::score, Kind::scope, Kind::normaliser, Kind::position})
    for (const nn::CatalogueEntry& e : nn::stage_entries(kind))
      for (Role role : e.default_for) ++marked[{kind, role}];
  CHECK(marked.size() == 9);
  for (const auto& [place, rows] : marked) {
    CHECK(rows == 1);
    CHECK_FALSE(nn::default_stage(place.first, place.second).empty());
  }
  // What files and programs mean by no name.
  CHECK(nn::default_stage(Kind::score) == "additive");
  CHECK(nn::default_stage(Kind::score, Role::head) == "scaled_dot");
  CHECK(nn::default_stage(Kind::score, Role::unscaled_head) == "dot");
  CHECK(nn::default_stage(Kind::score, Role::learned_query) == "dot");
  CHECK(nn::default_stage(Kind::scope) == "global");
  CHECK(nn::default_stage(Kind::scope, Role::causal) == "causal");
  CHECK(nn::default_stage(Kind::normaliser) == "softmax");
  CHECK(nn::default_stage(Kind::position) == "none");
  CHECK(nn::default_stage(Kind::position, Role::embedding) == "sinusoidal");
  CHECK(nn::default_stage(Kind::evaluator) == "auto");
}

TEST_CASE("stages: no name, in a text or a file, is the default of its kind") {
  for (Kind kind : {Kind::score, Kind::scope, Kind::normaliser, Kind::position, Kind::evaluator}) {
    CHECK(nn::stage_from(kind, "").name == nn::default_stage(kind));
    nn::Bahdanau::Options o, plain;
    nn::read_option_fields(nn::fields_of(o), io::Json::object().set(nn::name_of(kind), ""));
    CHECK(nn::json_of(nn::fields_of(o)) == nn::json_of(nn::fields_of(plain)));
  }
}

TEST_CASE("options: the dropout of attention weights goes to the file and comes back") {
  const nn::AnyPaper p = nn::paper_of<nn::Bahdanau>({.attention = {.dropout = 0.25}});
  CHECK(nn::paper_from(nn::to_json(p)).as<nn::Bahdanau>()->attention.dropout == 0.25);
}

TEST_CASE("options: a key that a file lacks leaves the default, one that nothing is called is refused") {
  auto one_less = [](auto o) {
    decltype(o) plain;
    const io::Json all = nn::json_of(nn::fields_of(o)), defaults = nn::json_of(nn::fields_of(plain));
    for (const io::Member& left_out : all.items()) {
      CAPTURE(left_out.key);
      decltype(o) read;
      io::Json file = io::Json::object();
      for (const io::Member& m : all.items())
        if (m.key != left_out.key) file.set(m.key, m.value);
      nn::read_option_fields(nn::fields_of(read), file);
      CHECK(nn::json_of(nn::fields_of(read)) == io::Json(all).set(left_out.key, defaults.at(left_out.key)));
    }
  };
  nn::Bahdanau::Options s{.source = {.width = 5}, .encoder = {.cell = "lstm"}, .decoder = {.hidden = 6}};
  s.attention.scope = nn::stage_from(Kind::scope, "dilated:window=4,gap=3"), s.readout = 3;
  one_less(s);
  TransformerOptions t = small_transformer();
  t.scope = "window:window=2", t.kv_heads = 1, t.activation = "geglu", t.output_bias = false, t.mixers = "tiled";
  one_less(t);
  one_less(nn::FitOptions{.clip = 3, .precision = "bf16"});
  io::Json file = nn::to_json(nn::paper_of<nn::Transformer>(t)).set("tokenizer", "words");
  CHECK_NOTHROW(nn::paper_from(file, {"tokenizer"}));
  CHECK_THROWS_WITH_AS(nn::paper_from(file.set("dropuot", 0.5), {"tokenizer"}),
                       "json: key \"dropuot\" is no option; nearest: dropout", IoError);
}

TEST_CASE("stages in a list: commas between stages part them, those between settings do not") {
  CHECK(nn::stage_texts("local_m") == std::vector<std::string>{"local_m"});
  CHECK(nn::stage_texts("dilated:4,gap=3,tiled,window:2") ==
        std::vector<std::string>{"dilated:4,gap=3", "tiled", "window:2"});
  CHECK(nn::stage_texts("a,,b") == std::vector<std::string>{"a", "", "b"});
}

TEST_CASE("the catalogue: an entry by id, name, variant or other name, whatever the capitals") {
  for (const auto& row : {std::pair("A5", "A5"),
                          {"a5", "A5"},
                          {"additive", "A5"},
                          {"Bahdanau", "A5"},
                          {"bahdanau", "A5"},
                          {"LOCAL_M", "C2"},
                          {"flash attention", "G1"},
                          {"rope_interleaved", "F8"}}) {
    const char *text = row.first, *id = row.second;
    CAPTURE(text);
    const nn::CatalogueEntry* entry = nn::entry_called(text);
    REQUIRE(entry);
    CHECK(entry->id == id);
  }
  for (const nn::CatalogueEntry& e : nn::catalogue()) {  // also h3, beside the id H3
    CHECK(nn::entry_called(e.id) == &e);
    CHECK(nn::entry_called(e.name) == &e);
  }
  CHECK_FALSE(nn::entry_called("bahdanaw"));
  CHECK_FALSE(nn::entry_called(""));
  CHECK(nn::output_called("D8") == "pointer_generator");
  CHECK(nn::output_called("").empty());
}

TEST_CASE("a trial refuses what the stages cannot do together, and passes what they can") {
  nn::AnyPaper p = nn::paper_called("bahdanau");
  nn::AttentionOptions& o = p.as<nn::Bahdanau>()->attention;
  nn::try_out(p);
  o.evaluator.name = "tiled";
  CHECK_THROWS_AS(nn::try_out(p), ValueError);
  o.score.name = "general", o.evaluator.name = "auto";
  for (const std::string& output : nn::output_names()) {
    nn::set_called(p.fields(), "output", output);
    nn::try_out(p);
  }
  TransformerOptions t;
  for (const std::string& positions : position_schemes()) {
    t.positions = positions, t.mixers = "attention,window:1,dense";
    nn::try_out(nn::paper_of<nn::Transformer>(t));
  }
  t.mixers = "", t.score = "additive", t.positions = "none";
  nn::try_out(nn::paper_of<nn::Transformer>(t));
  t.evaluator = "tiled";
  CHECK_THROWS_AS(nn::try_out(nn::paper_of<nn::Transformer>(t)), ValueError);
  TransformerOptions pruned = small_transformer();
  pruned.encoder_layers = pruned.decoder_layers = 3,
  pruned.around["pruned_heads"].text = fmt::format("2.0,1.{}", pruned.heads - 1);
  nn::try_out(nn::paper_of<nn::Transformer>(pruned));  // the trial has fewer layers and heads
  // What is on or off has no text, and what has a text is not on or off: the model is that of its file.
  TransformerOptions texts = small_transformer();
  texts.around["score_residual"].text = "true", texts.around["pruned_heads"].on = true;
  CHECK(nn::arounds_of(texts).empty());
  pruned.around["pruned_heads"].text = "3.0";
  CHECK_THROWS_AS(nn::try_out(nn::paper_of<nn::Transformer>(pruned)), ValueError);
}

TEST_CASE("the limit of positions is that of the stage with the smallest table") {
  TransformerOptions o;
  CHECK(nn::position_limit(o) == 0);
  for (const char* score : {"location", "synthesizer_dense", "synthesizer_random"}) {
    o.score = score;
    CHECK(nn::position_limit(o) == 100);
  }
  o.score = "location:max_source=40", o.positions = "learned", o.max_positions = 30;
  CHECK(nn::position_limit(o) == 30);
  o.max_positions = 300;
  CHECK(nn::position_limit(o) == 40);
  o.score = "", o.positions = "none", o.evaluator = "cosformer:longest=20";
  CHECK(nn::position_limit(o) == 20);
  o.evaluator = "auto", o.mixers = "attention,cosformer:longest=19";
  CHECK(nn::position_limit(o) == 19);
}

TEST_CASE("mixers: each layer of a stack has the stages of its item, in turn") {
  TransformerOptions o = small_transformer();
  o.encoder_layers = 4, o.decoder_layers = 3, o.mixers = "attention,window:1,dense";
  auto m = make<nn::Transformer>(o, 1);
  auto scope = [](const nn::TransformerLayer& l) { return l.self_attn->options.scope.name; };
  auto evaluator = [](const nn::TransformerLayer& l) { return l.self_attn->options.evaluator.name; };
  auto& e = m.encoder.layers;
  CHECK((scope(e[0]) == "global" && scope(e[1]) == "window" && scope(e[2]) == "global" && scope(e[3]) == "global"));
  CHECK((evaluator(e[1]) == "auto" && evaluator(e[2]) == "dense" && evaluator(e[3]) == "auto"));
  auto& d = m.decoder.layers;
  CHECK(scope(d[0]) == "causal");
  CHECK(scope(d[1]).starts_with("causal&window"));
  CHECK(d[2].multihead_attn->options.evaluator.name == "auto");  // cross-attention is the same in all layers
  // The parameters of a scope belong to the layers that have it.
  o.mixers = "attention,adaptive_span:2";
  CHECK(nn::count_parameters(make<nn::Transformer>(o, 1)) == nn::transformer_parameters(o));
  int64_t plain = nn::transformer_parameters(o);
  o.mixers = "";
  CHECK(nn::transformer_parameters(o) < plain);
  CHECK(nn::count_parameters(make<nn::Transformer>(o, 1)) == nn::transformer_parameters(o));
}

TEST_CASE("mixers: in a window of one layer nothing far away counts; in the other layer all does") {
  TransformerOptions o = small_transformer();
  o.encoder_layers = 1, o.mixers = "window:1";
  auto first = [&](int64_t last) {
    auto m = shaken<nn::Transformer>(o);
    return m.encode(row({4, 5, 6, 7, last}), ids({5}, {1})).annotations.value().slice(1, 0, 3).contiguous();
  };
  CHECK(bit_equal(first(4), first(8)));
  o.encoder_layers = 2, o.mixers = "window:1,attention";
  CHECK_FALSE(bit_equal(first(4), first(8)));
}

TEST_CASE("mixers: word by word is teacher forcing, though the layers remember unequal numbers of words") {
  for (const std::string& positions : position_schemes()) {
    CAPTURE(positions);
    TransformerOptions o = small_transformer();
    o.positions = positions, o.decoder_layers = 3, o.mixers = "window:1,attention,window:2";
    auto m = shaken<nn::Transformer>(o);
    nn::set_training(m, false);
    Tensor source = row({4, 5, 6}), lengths = ids({3}, {1});
    std::vector<int64_t> words{2, 7, 6, 4, 4, 8, 5};
    Tensor together = log_softmax_rows(m(source, lengths, row(words)).value());  // [1, T, V]
    auto search = m.search(source, lengths);
    for (size_t t = 0; t < words.size(); ++t) {
      Tensor next = search->next(ids({words[t]}, {1}));  // [1, V]
      CHECK(relative_error(next, together.select(1, static_cast<int64_t>(t)).contiguous()) <= 1e-9);
    }
  }
}
