// The translator as a whole: it learns a little language, is saved, loaded, refused, and always gives the same words.
#include "nn/models/translator.h"
#include "nn/models/bahdanau.h"
#include "tests/nn/models/small.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "nn/io/file.h"
#include "nn/train/fit.h"
#include "tensor/thread_pool.h"

using namespace heed;
using namespace heed::nn;

namespace {

// A language of digits: every word is translated by its capital letter, and the order is reversed.
std::vector<text::TokenPair> reversal(int n, uint64_t seed) {
  Generator rng(seed);
  std::vector<text::TokenPair> pairs;
  for (int i = 0; i < n; ++i) {
    text::TokenPair p;
    for (int64_t k = 1 + rng.below(5); k > 0; --k)
      p.source.push_back(std::string(1, static_cast<char>('a' + rng.below(8))));
    for (auto word = p.source.rbegin(); word != p.source.rend(); ++word)
      p.target.push_back(std::string(1, static_cast<char>((*word)[0] - 32)));
    pairs.push_back(std::move(p));
  }
  return pairs;
}

Translator small_translator(const std::vector<text::TokenPair>& pairs, uint64_t seed = 1) {
  text::WordCounts a, b;
  for (const auto& p : pairs) a.add(p.source), b.add(p.target);
  text::PairTokenizers plain{{text::Tokenizer::Kind::space}, {text::Tokenizer::Kind::space}};
  return Translator({plain, text::Vocabulary(a), text::Vocabulary(b)},
                    paper_of<Bahdanau>(nn_test::small_paper<Bahdanau>(0, 0, 16, 32)), seed);
}

Tensor output_bias(Translator& t) {  // a handle on the parameter's memory
  for (auto& p : named_parameters(t.model))
    if (p.name == "output.bias") return p.variable.value();
  FAIL("no output.bias");
  return {};
}

struct Trained {
  std::vector<text::TokenPair> pairs = reversal(1200, 1), valid = reversal(100, 2);
  Translator translator = small_translator(pairs);
  FitResult result;
  Trained() {
    result = fit(fit_model(translator.model), translator.encode(pairs), translator.encode(valid),
                 {.epochs = 6, .batch_size = 16, .learning_rate = 8e-3, .warmup = 20});
    translator.epochs = result.best_epoch;
  }
};
Trained& trained() {
  static Trained t;
  return t;
}

std::string scratch_folder() {
  auto folder = std::filesystem::temp_directory_path() / "heed_translator_test";
  std::filesystem::create_directories(folder);
  return folder.string();
}

}  // namespace

TEST_CASE("fit: a little language is learned, and the best epoch is kept") {
  auto& t = trained();
  CHECK(t.result.history.size() == 6);
  CHECK(t.result.history.back().valid_perplexity() < 1.6);
  CHECK(t.result.history.front().valid_loss > 2 * t.result.history.back().valid_loss);
  double best = t.result.history[static_cast<size_t>(t.result.best_epoch - 1)].valid_loss;
  for (const auto& r : t.result.history) CHECK(best <= r.valid_loss);
  CHECK(mean_loss(fit_model(t.translator.model), t.translator.encode(t.valid)) == doctest::Approx(best).epsilon(1e-6));
  CHECK(!t.translator.model.as<nn::Bahdanau>()->encoder.training);
}

TEST_CASE("translate: the same words for any batch size and any number of threads") {
  auto& t = trained();
  std::vector<std::vector<std::string>> sentences;
  for (const auto& p : t.valid) sentences.push_back(p.source);
  sentences.insert(sentences.begin() + 3, std::vector<std::string>{});
  auto a = t.translator.translate(sentences, {}, 64), b = t.translator.translate(sentences, {}, 1);
  int right = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].text == b[i].text);
    CHECK(a[i].weights == b[i].weights);
    CHECK(a[i].log_probability == b[i].log_probability);
    if (i != 3) right += a[i].target == t.valid[i < 3 ? i : i - 1].target;
  }
  CHECK(a[3].text.empty());
  CHECK(right >= 60);  // it does translate
  int threads = thread_count();
  set_thread_count(threads == 1 ? 2 : 1);
  auto c = t.translator.translate(sentences, {}, 64);
  set_thread_count(threads);
  for (size_t i = 0; i < a.size(); ++i) CHECK(a[i].weights == c[i].weights);
}

TEST_CASE("load: no initial values are drawn, and no parameter is copied") {
  auto& t = trained();
  const std::string path = scratch_folder() + "/unset.safetensors";
  t.translator.save(path, {});
  const auto bytes = static_cast<uint64_t>(4 * count_parameters(t.translator.model));
  GeneratorLog log;
  const uint64_t before = allocator_stats().total_bytes;
  Translator back = Translator::load(path);
  // The parameters without values and those of the file, in blocks of the allocator's sizes; a copy would be a third.
  CHECK(allocator_stats().total_bytes - before < 7 * bytes / 2);
  for (const auto& draw : log.draws()) CHECK(draw.blocks == 1);  // the seeds of dropout
  CHECK(back.translate("a b c").text == t.translator.translate("a b c").text);
}

TEST_CASE("translate: weights are one row a word and </s>, rows sum to 1; a wider beam is at least as likely") {
  auto& t = trained();
  for (size_t i = 0; i < 20; ++i) {
    std::vector<std::vector<std::string>> one{t.valid[i].source};
    Translation g = t.translator.translate(one)[0],
                b = t.translator.translate(one, {.beam = 5, .length_penalty = 0})[0];
    CHECK(b.log_probability >= g.log_probability - 1e-6);
    CHECK(g.columns() == static_cast<int64_t>(one[0].size()) + 1);
    CHECK(g.rows() == static_cast<int64_t>(g.target.size()) + 1);
    for (int64_t r = 0; r < g.rows(); ++r) {
      double sum = 0;
      for (int64_t c = 0; c < g.columns(); ++c) sum += g.weights[static_cast<size_t>(r * g.columns() + c)];
      CHECK(sum == doctest::Approx(1).epsilon(1e-5));
    }
  }
}

TEST_CASE("translate: n best, prefixes, lengths, repeats and ensembles") {
  auto& t = trained();
  std::vector<std::vector<std::string>> sources;
  for (size_t i = 0; i < 6; ++i) sources.push_back(t.valid[i].source);
  sources.push_back({});
  auto best = t.translator.translate(sources, {.beam = 4});
  auto lists = t.translator.translate_n_best(sources, 4, {.beam = 4});
  for (size_t i = 0; i < sources.size(); ++i) {
    CHECK(lists[i].front().text == best[i].text);
    for (size_t k = 1; k < lists[i].size(); ++k) {
      CHECK(lists[i][k - 1].score >= lists[i][k].score);
      CHECK(lists[i][k - 1].target != lists[i][k].target);
    }
  }
  CHECK(lists[0].size() == 4);
  CHECK(lists.back().size() == 1);
  CHECK(lists.back()[0].text.empty());

  const std::string first = t.valid[0].target[0];
  for (int64_t beam : {1, 3})
    for (const Translation& one : t.translator.translate(
             {sources[0], sources[1]},
             {.beam = beam, .min_length = 4, .no_repeat_ngram = 1, .prefix = {first}, .groups = beam})) {
      CHECK(one.target.front() == first);
      CHECK((!one.finished || one.target.size() >= 4));
      std::set<std::string> once(one.target.begin(), one.target.end());
      CHECK(once.size() == one.target.size());
    }

  // With itself: the same words. With an untrained model: less likely, by log 2 a word at most.
  Translator fresh = small_translator(t.pairs, 9);
  auto twice = t.translator.translate(sources, {.beam = 4, .ensemble = {&t.translator}});
  auto mixed = t.translator.translate(sources, {.ensemble = {&fresh}});
  for (size_t i = 0; i + 1 < sources.size(); ++i) {
    CHECK(twice[i].text == best[i].text);
    CHECK(twice[i].log_probability == doctest::Approx(best[i].log_probability).epsilon(1e-4));
    CHECK(mixed[i].log_probability < best[i].log_probability);
  }
  // An untrained model does not stop by itself. The limit for S source tokens, with </s>, is 2 S + 10, or min_length.
  for (const Translation& one : fresh.translate(sources)) {
    const size_t limit = 2 * (one.source.size() + 1) + 10;  // 1: </s>
    CHECK(one.target.size() <= limit);
    if (!one.finished) CHECK(one.target.size() == limit);
  }
  const Translation longer = fresh.translate({sources[0]}, {.min_length = 50})[0];
  CHECK(longer.target.size() == 50);

  Translator other = small_translator({{{"x"}, {"y"}}});
  CHECK_THROWS_WITH_AS(t.translator.translate(sources, {.ensemble = {&other}}),
                       doctest::Contains("the models of an ensemble must have the same vocabularies"), ValueError);
  CHECK_THROWS_WITH_AS(t.translator.translate_n_best(sources, 5, {.beam = 4}),
                       doctest::Contains("at least as large as the number of translations; got 4 for 5"), ValueError);
}

TEST_CASE(
    "align leads the model through a given translation: what it would have written itself gives the same weights") {
  auto& t = trained();
  std::vector<std::vector<std::string>> one{t.valid[0].source};
  Translation g = t.translator.translate(one)[0];
  REQUIRE(g.finished);
  Translation a = t.translator.align({g.source, g.target});
  REQUIRE(a.weights.size() == g.weights.size());
  for (size_t i = 0; i < a.weights.size(); ++i) CHECK(a.weights[i] == doctest::Approx(g.weights[i]).epsilon(1e-4));
  CHECK(a.log_probability == doctest::Approx(g.log_probability).epsilon(1e-4));
}

TEST_CASE("an unknown word is named, and replaced through the alignment where the model writes <unk>") {
  auto& t = trained();
  std::vector<std::vector<std::string>> one{{"a", "zebra", "b"}};
  CHECK(t.translator.translate(one)[0].unknown == std::vector<std::string>{"zebra"});
  // A translator that can write nothing but <unk>: every word must be the source word it looked at most.
  Translator unknowing = small_translator(t.pairs);
  Tensor bias = output_bias(unknowing);
  bias.set({text::Vocabulary::unk}, 50.0);
  Translation plain = unknowing.translate(one)[0], replaced = unknowing.translate(one, {.replace_unknown = true})[0];
  REQUIRE(!plain.target.empty());
  for (const auto& word : plain.target) CHECK(word == "<unk>");
  for (size_t k = 0; k < replaced.target.size(); ++k) {
    size_t best = 0;
    for (size_t c = 0; c < 3; ++c)
      if (replaced.weights[k * 4 + c] > replaced.weights[k * 4 + best]) best = c;
    CHECK(replaced.target[k] == one[0][best]);
  }
}

TEST_CASE("save and load give the same translations to the bit, and keep what travelled along") {
  auto& t = trained();
  std::string path = scratch_folder() + "/model.safetensors";
  t.translator.save(path, {{"heed.signature", "abc"}});
  Translator back = Translator::load(path);
  CHECK(back.extra.at("heed.signature") == "abc");
  std::vector<std::vector<std::string>> sentences;
  for (size_t i = 0; i < 30; ++i) sentences.push_back(t.valid[i].source);
  auto a = t.translator.translate(sentences), b = back.translate(sentences);
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].text == b[i].text);
    CHECK(a[i].weights == b[i].weights);
  }
}

TEST_CASE("load: a foreign, truncated or bent checkpoint is refused in one sentence") {
  auto& t = trained();
  std::string folder = scratch_folder(), path = folder + "/model.safetensors", bad = folder + "/bad.safetensors";
  t.translator.save(path, {});
  auto refuse = [&](const std::string& what) {
    try {
      Translator::load(bad);
      FAIL("loaded: " << what);
    } catch (const IoError& error) {
      CHECK_MESSAGE(std::string(error.what()).find('\n') == std::string::npos, error.what());
      CHECK_MESSAGE(std::string(error.what()).find("load: ") == 0, what << ": " << error.what());
    }
  };
  std::string bytes = io::read_file(path);
  io::atomic_write(bad, bytes.substr(0, bytes.size() / 2));
  refuse("truncated");
  io::atomic_write(bad, "");
  refuse("empty");
  io::save_safetensors(bad, {.tensors = {{"x", Tensor::ones({2})}}, .metadata = {}});
  refuse("foreign");
  auto bend = [&](auto change, const char* what) {
    io::SafeTensors file = io::load_safetensors(path);
    change(file);
    io::save_safetensors(bad, file);
    refuse(what);
  };
  bend([](auto& f) { f.tensors.pop_back(); }, "a tensor missing");
  bend([](auto& f) { f.tensors.emplace_back("more", Tensor::ones({1})); }, "a tensor too many");
  bend([](auto& f) { f.metadata["heed.target_vocabulary"] += "1 extra\n"; }, "vocabulary and output layer differ");
  bend([](auto& f) { f.metadata["heed.options"] = "{}"; }, "options missing");
  bend([](auto& f) { f.metadata["heed.options"] = "{\"embedding\": 1e18"; }, "options broken");
  bend([](auto& f) { f.metadata["heed.kind"] = "something else"; }, "another kind");
  small_translator(t.pairs).save(bad, {});
  refuse("never trained");
  CHECK_NOTHROW(Translator::load(path));  // the good one is as it was
}

TEST_CASE("fit refuses empty sets, and says when the loss leaves the numbers") {
  auto& t = trained();
  auto pairs = t.translator.encode(t.valid);
  Translator fresh = small_translator(t.pairs);
  Tensor bias = output_bias(fresh);
  bias.set({5}, NAN);
  CHECK_THROWS_AS(fit(fit_model(fresh.model), pairs, pairs, {.epochs = 1}), Error);
}

TEST_CASE("fit: the same seed gives the same parameters to the bit") {
  auto pairs = reversal(64, 5);
  auto run = [&] {
    Translator t = small_translator(pairs, 9);
    fit(fit_model(t.model), t.encode(pairs), t.encode(pairs), {.epochs = 2, .batch_size = 8, .seed = 4});
    return save_state(t.model);
  };
  auto a = run(), b = run();
  for (size_t i = 0; i < a.tensors.size(); ++i)
    CHECK(a.tensors[i].second.to_vector() == b.tensors[i].second.to_vector());
}

TEST_CASE("pieces of words and a transformer: learned, saved, loaded; whole words come out, whatever the batch") {
  std::vector<text::TokenPair> pairs;  // the words are spelled: ab, cab, .. and AB, CAB, ..
  for (auto& p : reversal(600, 3)) {
    pairs.emplace_back();
    for (size_t i = 0; i < p.source.size(); ++i) {
      pairs.back().source.push_back(p.source[i] + "x");
      pairs.back().target.insert(pairs.back().target.begin(), p.source[i] + "y");
    }
  }
  text::WordCounts words;
  for (const auto& p : pairs) words.add(p.source), words.add(p.target);
  text::PairTokenizers plain{{text::Tokenizer::Kind::space}, {text::Tokenizer::Kind::space}};
  TranslatorParts parts{.tokenizers = plain, .source = {}, .target = {}, .bpe = text::Bpe::learn(words, {.merges = 3})};
  text::WordCounts pieces;
  for (const auto& p : pairs) pieces.add(parts.bpe->segment(p.source)), pieces.add(parts.bpe->segment(p.target));
  parts.source = parts.target = text::Vocabulary(pieces);
  TransformerOptions options{.model = 32, .heads = 2, .inner = 64, .encoder_layers = 1, .decoder_layers = 1};
  options.norm_first = true, options.dropout = 0, options.tie = "all", options.positions = "learned";
  options.max_positions = 24;
  Translator t(std::move(parts), paper_of<Transformer>(options), 1);
  t.epochs = fit(fit_model(t.model), t.encode(pairs), t.encode(pairs),
                 {.epochs = 24, .batch_size = 16, .learning_rate = 5e-3, .warmup = 100})
                 .best_epoch;
  std::vector<std::vector<std::string>> sources;
  for (const auto& p : pairs) sources.push_back(p.source);
  sources.push_back({});
  std::string path = scratch_folder() + "/pieces.safetensors";
  t.save(path, {});
  CHECK(io::load_safetensors(path).metadata.count("heed.target_vocabulary") == 0);  // a joint one
  Translator loaded = Translator::load(path);
  auto a = t.translate(sources), b = loaded.translate(sources, {}, 7), beam = loaded.translate(sources, {.beam = 3});
  int exact = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    CHECK(a[i].text == b[i].text);
    CHECK(a[i].target == b[i].target);
    for (const auto& word : a[i].words) CHECK(word.find("@@") == std::string::npos);
    exact += a[i].words == pairs[i].target;
    CHECK(beam[i].words.empty() == false);
  }
  CHECK(exact > 500);
  CHECK(a.back().text.empty());
  CHECK(a[0].source.size() > pairs[0].source.size());  // pieces
  CHECK(a[0].rows() == static_cast<int64_t>(a[0].target.size()) + 1);

  CHECK(t.too_long({"ax", "bx"}).empty());
  std::vector<std::vector<std::string>> one{std::vector<std::string>(30, "ax")};
  CHECK_THROWS_AS(t.translate(one), InputError);
  CHECK_THROWS_WITH_AS(
      t.translate(std::vector<std::vector<std::string>>{sources[0]}, {.min_length = 24}),
      doctest::Contains("must fit into 23 tokens, with </s> as many as the model has positions; got 24"), InputError);
  CHECK(t.too_long(one[0]).rfind("a sentence may have at most 23 tokens, with </s> as many as the model has "
                                 "positions; got ",
                                 0) == 0);
  io::SafeTensors file = io::load_safetensors(path);  // another vocabulary than the parameters are for
  file.metadata["heed.source_vocabulary"] += "1 extra\n";
  io::save_safetensors(path, file);
  CHECK_THROWS_AS(Translator::load(path), IoError);
}
