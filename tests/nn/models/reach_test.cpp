// What a model says about its reach is true: a source of as many words as it takes, and an output as long as it may
// get, are translated, whatever the stage; one word more is refused with the number. The position is xPos, whose
// factors leave the range of f32 after 49 words, because every stage with a limit of its own then has two.
#include <doctest/doctest.h>

#include "nn/attention/registry.h"
#include "nn/models/bahdanau.h"
#include "nn/models/translator.h"
#include "nn/sentence/sentence_encoder.h"
#include "tensor/error.h"

using namespace heed;
using namespace heed::nn;

namespace {

constexpr int64_t kFar = 75;  // words, where a model says that it takes any number

text::Vocabulary letters() {
  text::WordCounts counts;
  counts.add({"a", "b", "c"});
  return text::Vocabulary(counts);
}

// A recurrent paper and the transformer with this stage; those of them that can be built.
std::vector<AnyPaper> models_with(Kind kind, const std::string& stage) {
  TransformerOptions t{.model = 8, .heads = 2, .inner = 8, .encoder_layers = 1, .decoder_layers = 1, .dropout = 0};
  t.positions = "xpos:decay=1";
  Bahdanau::Options s{
      .source = {.width = 4}, .target = {.width = 4}, .encoder = {.hidden = 6}, .decoder = {.hidden = 6}};
  s.attention.position = stage_from(Kind::position, "xpos:decay=1");
  auto choose = [&](std::string& of_transformer, StageOptions& of_recurrent) {
    of_transformer = stage;
    of_recurrent = joins(stage) ? StageOptions{.name = stage} : stage_from(kind, stage);
  };
  std::vector<AnyPaper> all;
  if (kind == Kind::score) choose(t.score, s.attention.score);
  if (kind == Kind::normaliser) choose(t.normaliser, s.attention.normaliser);
  if (kind == Kind::scope) choose(t.scope, s.attention.scope);
  if (kind == Kind::evaluator) choose(t.evaluator, s.attention.evaluator);
  if (kind == Kind::mixer) t.mixers = "attention," + stage, t.encoder_layers = t.decoder_layers = 2;
  all.push_back(paper_of<Transformer>(t));
  if (kind == Kind::mixer)
    t.encoder_mixers = t.mixers, t.mixers = "", all.push_back(paper_of<Transformer>(t));  // some are for encoders only
  for (const char* score : {"", "scaled_dot"}) {
    if (kind == Kind::mixer) break;
    if (kind != Kind::score && *score) s.attention.score.name = score;
    for (bool bidirectional : {true, false})
      s.encoder.bidirectional = bidirectional, all.push_back(paper_of<Bahdanau>(s));
  }
  std::erase_if(all, [](const AnyPaper& o) {
    try {
      try_out(o);
    } catch (const Error&) { return true; }
    return false;
  });
  return all;
}

int64_t check_reach(const AnyPaper& options) {
  Translator t({{}, letters(), letters()}, options, 1);
  const int64_t most = t.model.max_positions();
  CAPTURE(most);
  std::vector<std::string> words(static_cast<size_t>(most > 0 ? most - 1 : kFar), "b");
  CHECK(t.too_long(words).empty());
  TranslateOptions how{.min_length = std::ssize(words)};
  std::vector<std::vector<std::string>> both{{"a"}, words};
  CHECK_NOTHROW(CHECK(std::ssize(t.translate(both, how)[0].target) == std::ssize(words)));
  CHECK_NOTHROW(sentence_vectors(t, {words}, {}));
  if (most == 0) return most;
  words.push_back("b");
  CHECK_FALSE(t.too_long(words).empty());
  both[1] = words;
  CHECK_THROWS_AS(t.translate(both), InputError);
  how.min_length = most;
  CHECK_THROWS_AS(t.translate("a", how), InputError);
  return most;
}

}  // namespace

TEST_CASE("a model translates what is within the reach that it names, with every stage beside xPos") {
  int64_t built = 0, limited = 0;
  auto check = [&](Kind kind, const std::string& stage) {
    CAPTURE(stage);
    for (const AnyPaper& options : models_with(kind, stage)) {
      CAPTURE(to_json(options).dump());
      ++built, limited += check_reach(options) > 0;
    }
  };
  for (Kind kind : {Kind::score, Kind::normaliser, Kind::scope, Kind::evaluator, Kind::mixer})
    for (const std::string& name : stage_names(kind)) check(kind, name);
  for (const char* scope : {"window:3", "window:63", "window:64", "dilated:40,gap=2", "adaptive_span:20",
                            "causal&window:4", "window:2|dilated:8,gap=12", "global&adaptive_span:70"})
    check(Kind::scope, scope);
  for (const char* score : {"location:max_source=20", "location:max_source=60"}) check(Kind::score, score);
  CHECK(built > 100);
  CHECK(limited > 50);
  CHECK(built > limited);
}
