// What published models write: the texts and scores of their own library, texts that are written together or alone,
// the rules, draws, and what generation_config.json says.
#include "nn/published/generate.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "autograd/modes.h"
#include "nn/io/file.h"
#include "nn/published/word_rules.h"
#include "tests/nn/published/golden.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::published_test;
namespace published = heed::nn::published;
using published::GenerationOptions;
using Ids = std::vector<int64_t>;

namespace {

std::unique_ptr<published::Model> kept(const std::string& name) {
  return published::open(source_dir() + "/tests/golden/published/" + name, {.dtype = DType::f64});
}

// The tokens that are no padding.
std::vector<Ids> texts_of(const published::Inputs& in) {
  std::vector<Ids> texts;
  for (int64_t b = 0; b < in.ids.size(0); ++b) {
    Ids text;
    for (int64_t s = 0; s < in.ids.size(1); ++s)
      if (!in.mask.defined() || in.mask.at({b, s}) != 0) text.push_back(static_cast<int64_t>(in.ids.at({b, s})));
    texts.push_back(text);
  }
  return texts;
}

// A case of the golden files: ids of every row, and scores where there are some.
void check_case(const published::Model& model, const io::Json& one) {
  GenerationOptions o = published::generation_options(model);
  const io::Json& with = one.inner("kwargs");
  o.max_new = with.integer("max_new_tokens"), o.beams = with.integer("num_beams");
  o.min_new = with.integer("min_new_tokens", 0), o.repetition_penalty = with.number("repetition_penalty", 1);
  o.length_penalty = with.number("length_penalty", 1);
  if (with.boolean("early_stopping", false)) o.early_stopping = "true";
  const published::Inputs in = inputs_of(one);
  const int64_t wanted = with.integer("num_return_sequences", 1);
  const auto all = published::generate(model, texts_of(in), o, {.wanted = wanted});
  const std::vector<io::Json>& theirs = one.list("sequences");
  const size_t given = model.encoder ? 1 : static_cast<size_t>(in.ids.size(1));
  REQUIRE(theirs.size() == all.size() * static_cast<size_t>(wanted));
  for (size_t r = 0; r < theirs.size(); ++r) {
    CAPTURE(r);
    const published::Written& ours = all[r / static_cast<size_t>(wanted)][r % static_cast<size_t>(wanted)];
    const std::vector<io::Json>& row = theirs[r].elements();
    Ids ids;
    bool ended = false;
    for (size_t i = given; i < row.size() && !ended; ++i) {
      ended = published::ends(o, row[i].as_integer());
      if (!ended) ids.push_back(row[i].as_integer());
    }
    CHECK(ours.ids == ids);
    CHECK(ours.ended == ended);
    if (one.contains("sequences_scores_f64"))  // their sums are in f32
      CHECK(std::fabs(ours.score - one.list("sequences_scores_f64")[r].as_number()) < 1e-5);
  }
}

// A folder with the weights of GPT-2 and this generation_config.json.
struct Configured {
  std::string path = (std::filesystem::temp_directory_path() / ("heed-generate-" + std::to_string(getpid()))).string();
  explicit Configured(const std::string& generation) {
    std::filesystem::create_directories(path);
    for (const char* one : {"/config.json", "/model.safetensors"})
      io::atomic_write(path + one, io::read_file(source_dir() + "/tests/golden/published/gpt2" + one));
    if (!generation.empty()) io::atomic_write(path + "/generation_config.json", generation);
  }
  ~Configured() { std::filesystem::remove_all(path); }
  GenerationOptions options() const { return published::generation_options(*published::open(path)); }
};

std::vector<double> after(const GenerationOptions& o, const published::TextSoFar& text, std::vector<double> scores) {
  published::apply_rules(o, text, scores);
  return scores;
}

}  // namespace

TEST_SUITE_BEGIN("parity");

TEST_CASE("published models write what they write in their own library, greedily and by beams") {
  const std::string models = given_models();
  if (models.empty()) return;
  for (const char* name : {"gpt2", "llama", "mistral", "qwen2", "t5", "bart", "marian"})
    for (DType dtype : {DType::f64, DType::f32}) {
      CAPTURE(name);
      const auto model = published::open(models + "/" + name, {.dtype = dtype});
      const std::string inputs = models + "/" + name + "/reference/inputs.json";
      const io::Json golden = io::parse(io::read_file(inputs), inputs);
      CHECK(golden.list("generate").size() >= 5);
      for (const io::Json& one : golden.list("generate")) {
        const std::string which = one.text("case");
        CAPTURE(which);
        check_case(*model, one);
      }
    }
}

TEST_CASE("published models: stories260K writes its story") {
  const std::string models = given_models();
  if (models.empty()) return;
  const auto model = published::open(models + "/stories260K");
  const io::Json golden = io::parse(io::read_file(models + "/stories260K/reference/inputs.json"), "stories260K");
  Ids story, prompt;
  for (const io::Json& id : golden.list("ids")) story.push_back(id.as_integer());
  for (const io::Json& id : golden.list("prompt_ids")) prompt.push_back(id.as_integer());
  GenerationOptions o = published::generation_options(*model);
  o.max_new = std::ssize(story) - std::ssize(prompt);
  const auto written = published::generate(*model, {prompt}, o)[0][0];
  CHECK(written.ids == Ids(story.begin() + std::ssize(prompt), story.end()));
}

TEST_SUITE_END();

TEST_CASE("published models: texts of different lengths are written as each alone") {
  const std::vector<Ids> texts = {{5, 9, 3, 7, 10, 4}, {7}, {3, 8, 2, 10}};
  for (const char* name : {"gpt2", "gpt_neox", "opt", "qwen3", "llama3", "t5_gated"})
    for (int64_t beams : {1, 3}) {
      CAPTURE(name);
      CAPTURE(beams);
      const auto model = kept(name);
      GenerationOptions o{.end = {2, 11}, .start = 1, .max_new = 9, .min_new = 3, .beams = beams};
      const auto together = published::generate(*model, texts, o, {.wanted = beams});
      size_t tokens = 0;
      for (size_t i = 0; i < texts.size(); ++i) {
        const auto alone = published::generate(*model, {texts[i]}, o, {.wanted = beams})[0];
        REQUIRE(alone.size() == together[i].size());
        for (size_t k = 0; k < alone.size(); ++k) {
          CHECK(alone[k].ids == together[i][k].ids);
          CHECK(std::fabs(alone[k].score - together[i][k].score) < 1e-9);
          tokens += alone[k].ids.size();
        }
      }
      CHECK(tokens >= 9);
    }
}

TEST_CASE("published models: with as many beams as there are continuations the best text is found") {
  const auto model = kept("gpt2");
  const int64_t V = model->decoder->options.vocabulary;
  GenerationOptions o{.max_new = 2, .beams = 40};
  const auto best = published::generate(*model, {{5, 9}}, o)[0][0];
  // Of all texts of two tokens: for each first token, the most probable second one.
  double most = -INFINITY;
  Ids text;
  for (int64_t w = 0; w < V; ++w) {
    NoGrad guard;
    const auto after_two = model->logits(model->read({.ids = Tensor::from(Ids{5, 9, w}, {1, 3})})).value();
    std::vector<double> first = after_two.select(0, 0).select(0, 1).to_vector(),
                        second = after_two.select(0, 0).select(0, 2).to_vector();
    published::to_log_p(first), published::to_log_p(second);
    const auto next = std::max_element(second.begin(), second.end());
    if (const double p = first[static_cast<size_t>(w)] + *next; p > most) most = p, text = {w, next - second.begin()};
  }
  CHECK(best.ids == text);
  CHECK(std::fabs(best.log_probability - most) < 1e-9);
  CHECK(std::fabs(best.score - most / 2) < 1e-9);
}

// "never" goes on as long as a text could still be found that is better than the worst of those found.
TEST_CASE("published models: a beam search that never stops early finds as good texts, and better ones") {
  const auto model = kept("gpt2");
  GenerationOptions o{.max_new = 24, .beams = 2, .length_penalty = 1.3};  // long texts are worth waiting for
  o.end = {3, 7, 11, 15, 19, 23, 27, 31};
  auto best = [&](const char* early, int64_t first) {
    o.early_stopping = early;
    return published::generate(*model, {{first, 9}}, o)[0][0].score;
  };
  int64_t better = 0;
  for (int64_t first = 4; first < 16; ++first) {
    const double never = best("never", first), usual = best("false", first), at_once = best("true", first);
    CHECK(never >= usual);
    CHECK(usual >= at_once);
    better += never > usual;
  }
  CHECK(better > 0);
  o.length_penalty = -1;  // no text becomes better by its length
  for (int64_t first = 4; first < 8; ++first) CHECK(best("never", first) == best("false", first));
}

TEST_CASE("published models: the rules") {
  const std::vector<double> flat = {0.5, -0.5, 1, 2};
  const double no = -INFINITY;
  const published::TextSoFar text{.ids = {1, 0, 2, 1, 0}, .prompt = 2, .most = 9};
  CHECK(after({.repetition_penalty = 2}, text, flat) == std::vector<double>{0.25, -1, 0.5, 2});
  CHECK(after({.no_repeat_ngram = 3}, text, flat) == std::vector<double>{0.5, -0.5, no, 2});
  CHECK(after({.end = {3}, .forbidden = {{0}, {3}, {1, 0, 1}, {2, 2}}}, text, flat) ==
        std::vector<double>{no, no, 1, 2});
  CHECK(after({.suppressed = {2, 7}, .suppressed_first = {3}}, text, flat) == std::vector<double>{0.5, -0.5, no, 2});
  CHECK(after({.suppressed_first = {3}}, {.ids = {1, 0}, .prompt = 2, .most = 9}, flat)[3] == no);
  CHECK(after({.end = {3}, .min_length = 6}, text, flat)[3] == no);
  CHECK(after({.end = {3}, .min_length = 5}, text, flat)[3] == 2);
  CHECK(after({.end = {3}, .min_new = 4}, text, flat)[3] == no);
  CHECK(after({.end = {3}, .min_new = 3}, text, flat)[3] == 2);
  CHECK(after({.forced_first = 1}, {.ids = {2}, .prompt = 1, .most = 9}, flat) == std::vector<double>{no, 0, no, no});
  CHECK(after({.forced_first = 1}, text, flat) == flat);
  CHECK(after({.forced_last = {0, 3}}, {.ids = {2, 1}, .prompt = 1, .most = 2}, flat) ==
        std::vector<double>{0, no, no, 0});
  CHECK(after({.forced_last = {0}}, text, flat) == flat);
  double total = 0;
  for (double x : after({.suppressed = {3}, .renormalize = true}, text, flat)) total += std::exp(x);
  CHECK(std::fabs(total - 1) < 1e-12);
}

TEST_CASE("published models: draws") {
  const auto model = kept("gpt2");
  const std::vector<Ids> texts = {{5, 9, 31}, {17}};
  GenerationOptions o{.max_new = 12};
  const auto greedy = published::generate(*model, texts, o);
  o.sampled = true;
  auto drawn = [&](uint64_t seed, const std::vector<Ids>& of) {
    Generator rng(seed);
    return published::generate(*model, of, o, {.rng = &rng});
  };
  const auto first = drawn(1, texts);
  CHECK(first[0][0].ids == drawn(1, texts)[0][0].ids);
  CHECK(first[0][0].ids == drawn(1, {texts[0]})[0][0].ids);
  CHECK(first[0][0].ids != drawn(2, texts)[0][0].ids);
  CHECK(first[0][0].ids != greedy[0][0].ids);
  o.sampling = {.top_k = 1};
  CHECK(drawn(3, texts)[1][0].ids == greedy[1][0].ids);
  o.sampling = {.min_p = 1};
  CHECK(drawn(3, texts)[1][0].ids == greedy[1][0].ids);
  o.sampling = {.top_p = 1e-9};
  CHECK(drawn(3, texts)[0][0].ids == greedy[0][0].ids);
  CHECK(std::fabs(drawn(3, texts)[0][0].log_probability - greedy[0][0].log_probability) < 1e-12);
  // min_p: of two words with the odds 4 to 1, the second may be drawn if min_p is at most 1/4.
  std::vector<int64_t> counts(2);
  Generator rng(4);
  for (double least : {0.2, 0.3})
    for (int i = 0; i < 200; ++i) {
      std::vector<std::pair<double, int64_t>> words = {{std::log(0.2), 1}, {std::log(0.8), 0}};
      counts[least > 0.25] += nn::draw_word(words, {.min_p = least}, rng);
    }
  CHECK(counts[0] > 20);
  CHECK(counts[1] == 0);
}

TEST_CASE("published models: a watcher sees every token and can end a text") {
  const auto model = kept("gpt2");
  Ids seen;
  const auto watched =
      published::generate(*model, {{5, 9}, {7}}, {.max_new = 8}, {.watcher = [&](size_t text, int64_t token) {
        if (text == 1) seen.push_back(token);
        return text == 1 || token < 0;
      }});
  CHECK(watched[0][0].ids.size() == 1);
  CHECK(watched[1][0].ids.size() == 8);
  CHECK(watched[1][0].ids == seen);
  CHECK_FALSE(watched[0][0].ended);
}

TEST_CASE("published models: how long a text becomes") {
  const auto model = kept("gpt2");
  const int64_t places = published::places_of(*model, *model->decoder);
  auto length = [&](const GenerationOptions& o, const Ids& text) {
    return std::ssize(published::generate(*model, {text}, o)[0][0].ids);
  };
  CHECK(length({.length = 5}, {4, 6}) == 3);
  CHECK(length({.length = 5, .max_new = 4}, {4, 6}) == 4);
  CHECK(length({.max_new = 1000}, {4, 6}) == places - 2);
  CHECK(length({.end = {7}, .forced_last = {7}, .max_new = 4}, {4, 6}) == 3);
}

TEST_CASE("published models: generation_config.json, and config.json of older folders") {
  const GenerationOptions all =
      Configured(R"({"eos_token_id": [3, 4], "bos_token_id": 1, "decoder_start_token_id": 5, "pad_token_id": 0,
                     "forced_bos_token_id": 6, "forced_eos_token_id": 3, "bad_words_ids": [[7], [8, 9]],
                     "suppress_tokens": [2], "begin_suppress_tokens": 1, "stop_strings": ["\n"], "max_length": 50,
                     "max_new_tokens": 20, "min_length": 4, "min_new_tokens": 2, "repetition_penalty": 1.2,
                     "no_repeat_ngram_size": 3, "renormalize_logits": true, "num_beams": 4, "length_penalty": 0.6,
                     "early_stopping": "never", "do_sample": true, "temperature": 0.6, "top_k": 40, "top_p": 0.9,
                     "min_p": 0.1, "typical_p": 1.0, "use_cache": true, "penalty_alpha": null})")
          .options();
  CHECK(all.end == Ids{3, 4});
  CHECK(std::vector{all.begin, all.start, all.forced_first} == Ids{1, 5, 6});
  CHECK(all.forced_last == Ids{3});
  CHECK(all.forbidden == std::vector<Ids>{{7}, {8, 9}});
  CHECK(all.suppressed == Ids{2});
  CHECK(all.suppressed_first == Ids{1});
  CHECK(all.stop == std::vector<std::string>{"\n"});
  CHECK(std::vector{all.length, all.max_new, all.min_length, all.min_new, all.no_repeat_ngram, all.beams,
                    all.sampling.top_k} == Ids{50, 20, 4, 2, 3, 4, 40});
  CHECK(std::vector{all.repetition_penalty, all.length_penalty, all.sampling.temperature, all.sampling.top_p,
                    all.sampling.min_p} == std::vector{1.2, 0.6, 0.6, 0.9, 0.1});
  CHECK((all.renormalize && all.sampled));
  CHECK(all.early_stopping == "never");
  Configured older("");
  io::Json config = io::parse(io::read_file(older.path + "/config.json"), "config.json");
  config.set("num_beams", 3), config.set("early_stopping", true), config.set("eos_token_id", 9);
  io::atomic_write(older.path + "/config.json", config.dump());
  CHECK(older.options().beams == 3);
  CHECK(older.options().early_stopping == "true");
  CHECK(older.options().end == Ids{9});
  io::atomic_write(older.path + "/generation_config.json", "{\"num_beams\": 2}");
  CHECK(older.options().beams == 2);
  CHECK(older.options().early_stopping == "false");
  CHECK(older.options().end == Ids{9});  // tokens may be in config.json
}
