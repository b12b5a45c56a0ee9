// The sentence encoder as a whole: it learns to guess words and to find sentences, is saved, loaded and refused, and
// always gives the same vectors.
#include "nn/sentence/sentence_encoder.h"

#include "nn/sentence/retrieval.h"
#include "nn/sentence/training.h"
#include "tensor/thread_pool.h"
#include "tests/nn/io/support.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn;
using namespace heed::nn_test;
using heed::io_test::Folder;
using Words = std::vector<std::string>;
using heed::bad_input::refuses;

namespace {

// A language in which the second half of a sentence says the first half in capitals: what is hidden can be known.
std::vector<text::TokenPair> echoes(int n, uint64_t seed) {
  Generator rng(seed);
  std::vector<text::TokenPair> pairs;
  for (int i = 0; i < n; ++i) {
    text::TokenPair p;
    for (int64_t k = 2 + rng.below(4); k > 0; --k) {
      p.source.push_back(std::string(1, static_cast<char>('a' + rng.below(8))));
      p.target.push_back(std::string(1, static_cast<char>(p.source.back()[0] - 32)));
    }
    pairs.push_back(std::move(p));
  }
  return pairs;
}

SentenceEncoder small_encoder(const std::string& positions = "learned", uint64_t seed = 1) {
  text::WordCounts words;
  for (const auto& p : echoes(200, 1)) words.add(p.source), words.add(p.target);
  TransformerOptions o{.model = 32,
                       .heads = 2,
                       .inner = 64,
                       .encoder_layers = 2,
                       .activation = "gelu",
                       .norm_first = true,
                       .dropout = 0,
                       .positions = positions,
                       .max_positions = 16};
  text::Vocabulary vocabulary(words, {.more_specials = text::masked_specials});
  return SentenceEncoder({.tokenizer = {text::Tokenizer::Kind::space}, .vocabulary = vocabulary}, o, seed);
}

std::vector<data::EncodedPair> texts_of(const SentenceEncoder& e, const std::vector<text::TokenPair>& pairs) {
  std::vector<data::EncodedPair> texts;
  for (const auto& p : pairs) texts.push_back({data::marked(e.marks(), e.pieces(p.source), e.pieces(p.target)), {}});
  return texts;
}

std::vector<Words> sentences() {
  std::vector<Words> out{{"a"}, {}, {"b", "unheard", "c"}};
  for (const auto& p : echoes(40, 9)) out.push_back(p.source);
  return out;
}

}  // namespace

TEST_CASE("masked words: what the other half says is guessed, and without it is not") {
  SentenceEncoder e = small_encoder();
  auto train = texts_of(e, echoes(1500, 1)), valid = texts_of(e, echoes(200, 2));
  double before = masked_word_accuracy(e, valid, e.masking());
  FitResult result = fit(fit_masked_words(e, e.masking()), train, valid,
                         {.epochs = 12, .batch_size = 32, .learning_rate = 4e-3, .warmup = 50});
  CHECK(before < 0.2);
  CHECK(masked_word_accuracy(e, valid, e.masking()) > 0.75);
  CHECK(result.history.back().valid_loss < 0.5 * result.history.front().valid_loss);
  std::vector<data::EncodedPair> halves;
  for (const auto& p : echoes(200, 2)) halves.push_back({e.encode(p.source), {}});
  CHECK(masked_word_accuracy(e, halves, e.masking()) < 0.35);
}

TEST_CASE("masked-word and contrastive training go on to the same bits, with several batches a step") {
  Folder folder;
  const std::string path = folder / "run.safetensors";
  for (bool contrastive : {false, true}) {
    auto run_of = [&](SentenceEncoder& e) {
      return contrastive ? fit_contrastive(e, "mean") : fit_masked_words(e, e.masking());
    };
    auto texts = [&](const SentenceEncoder& e, int n) {
      auto out = texts_of(e, echoes(n, 1));
      for (auto& t : out) t.target = t.source;
      return out;
    };
    FitOptions o{.epochs = 2, .batch_size = 8, .accumulate = 2};
    SentenceEncoder straight = small_encoder(), first = small_encoder(), second = small_encoder("learned", 2);
    auto train = texts(straight, 50), valid = texts(straight, 10);
    fit(run_of(straight), train, valid, o);
    {
      FitRun run(run_of(first), train, valid, o);
      for (int i = 0; i < 5; ++i) run.step();
      run.save(path);
    }
    FitRun run(run_of(second), train, valid, o);
    run.load(path);
    while (!run.done()) run.step();
    run.finish();
    auto a = named_parameters(straight.model), b = named_parameters(second.model);
    for (size_t i = 0; i < a.size(); ++i) CHECK(bit_equal(a[i].variable.value(), b[i].variable.value()));
  }
}

TEST_CASE("contrastive training brings a sentence to the one that says the same") {
  SentenceEncoder e = small_encoder();
  auto pairs_of = [&](const std::vector<text::TokenPair>& pairs) {
    std::vector<data::EncodedPair> out;
    for (const auto& p : pairs) out.push_back({e.encode(p.source), e.encode(p.target)});
    return out;
  };
  auto test = echoes(60, 2);
  auto find = [&] {
    std::vector<Words> a, b;
    for (const auto& p : test) a.push_back(p.source), b.push_back(p.target);
    return retrieval(e.vectors(a, {}), e.vectors(b, {}));
  };
  Retrieval before = find();
  fit(fit_contrastive(e, "mean", {.symmetric = true}), pairs_of(echoes(800, 1)), pairs_of(test),
      {.epochs = 4, .batch_size = 32, .learning_rate = 2e-3, .warmup = 20});
  CHECK(before.accuracy < 0.3);
  CHECK(find().accuracy > 0.7);
}

TEST_CASE("vectors: the same bits for any batch size, threads and padding; a sentence without words is zeros") {
  for (const char* positions : {"learned", "sinusoidal"}) {
    SentenceEncoder e = small_encoder(positions);
    for (const std::string& pooling : sentence_poolings()) {
      CAPTURE(pooling);
      Tensor all = e.vectors(sentences(), {.pooling = pooling});
      CHECK(bit_equal(all, e.vectors(sentences(), {.pooling = pooling, .batch_size = 1})));
      CHECK(bit_equal(all, e.vectors(sentences(), {.pooling = pooling, .batch_size = 7})));
      int threads = thread_count();
      set_thread_count(threads == 1 ? 2 : 1);
      CHECK(bit_equal(all, e.vectors(sentences(), {.pooling = pooling})));
      set_thread_count(threads);
      CHECK(all_zero(all.slice(0, 1, 2)));
      CHECK(!all_zero(all.slice(0, 0, 1)));
      Tensor unit = e.vectors(sentences(), {.pooling = pooling, .normalize = true});
      CHECK(all_zero(unit.slice(0, 1, 2)));
      double square = 0;
      for (double v : unit.slice(0, 2, 3).to_vector()) square += v * v;
      CHECK(square == doctest::Approx(1).epsilon(1e-5));
    }
  }
}

TEST_CASE("vectors: each pooling by hand from the annotations") {
  SentenceEncoder e = small_encoder();
  std::vector<int64_t> ids = e.encode({"a", "b", "c"});  // n = 5
  Tensor x = e.annotate(Tensor::from(ids, {1, 5}), Tensor::from(std::vector<int64_t>{5}, {1})).x.value();
  auto by_hand = [&](const std::string& name, int64_t d) {
    double sum = 0, weighted = 0, largest = -1e9;
    for (int64_t i = 0; i < 5; ++i) {
      double v = x.at({0, i, d});
      sum += v, weighted += v * static_cast<double>(i + 1), largest = std::max(largest, v);
    }
    return name == "cls"                    ? x.at({0, 0, d})
           : name == "lasttoken"            ? x.at({0, 4, d})
           : name == "max"                  ? largest
           : name == "mean"                 ? sum / 5
           : name == "mean_sqrt_len_tokens" ? sum / std::sqrt(5.0)
                                            : weighted / 15;
  };
  for (const std::string& name : sentence_poolings()) {
    Tensor v = e.vectors(std::vector<Words>{{"a", "b", "c"}}, {.pooling = name});
    for (int64_t d = 0; d < 32; ++d) CHECK(v.at({0, d}) == doctest::Approx(by_hand(name, d)).epsilon(1e-5));
  }
  e.pooling = "max";
  CHECK(bit_equal(e.vectors(Words{"a b c", ""}), e.vectors({{"a", "b", "c"}, {}}, {.pooling = "max"})));
}

TEST_CASE("one file holds the encoder") {
  Folder folder;
  std::string path = folder / "e.safetensors";
  SentenceEncoder e = small_encoder();
  e.pooling = "weightedmean";
  e.save(path, {{"note", "hello"}});
  SentenceEncoder back = SentenceEncoder::load(path);
  CHECK(back.pooling == "weightedmean");
  CHECK(back.extra.at("note") == "hello");
  CHECK(back.parts.vocabulary.to_lines() == e.parts.vocabulary.to_lines());
  CHECK(bit_equal(back.vectors(sentences(), {}), e.vectors(sentences(), {})));
  auto texts = texts_of(e, echoes(5, 3));
  data::Batch b = data::masked_batch(texts, {0, 1}, e.masking(), 0);
  auto guess = [&](const SentenceEncoder& m) { return m.model(b.source, b.lengths, {}, b.target_in).value(); };
  CHECK(bit_equal(guess(back), guess(e)));  // the head is there too
}

TEST_CASE("a sentence longer than the positions, and a vocabulary without the specials") {
  SentenceEncoder e = small_encoder();
  CHECK(e.too_long(Words(14, "a")).empty());
  CHECK(e.vectors(std::vector<Words>{Words(14, "a")}, {}).shape() == Shape{1, 32});
  refuses<InputError>("embed: 14 got 15", [&] { e.vectors(std::vector<Words>{Words(15, "a")}, {}); });
  CHECK(small_encoder("sinusoidal").too_long(Words(999, "a")).empty());
}

TEST_CASE("the encoder of a translator: annotations pooled; one fixed vector is every pooling") {
  auto pairs = echoes(50, 1);
  text::WordCounts a, b;
  for (const auto& p : pairs) a.add(p.source), b.add(p.target);
  text::PairTokenizers plain{{text::Tokenizer::Kind::space}, {text::Tokenizer::Kind::space}};
  TranslatorParts parts{plain, text::Vocabulary(a), text::Vocabulary(b)};
  TransformerOptions small{.model = 8, .heads = 2, .inner = 8, .encoder_layers = 1, .decoder_layers = 1};
  const AnyPaper transformer = paper_of<Transformer>(small);
  std::vector<AnyPaper> kinds{transformer, paper_called("bahdanau"), paper_called("sutskever")};
  for (AnyPaper& kind : kinds) set_called(kind.fields(), "hidden", "5");
  for (const auto& kind : kinds) {
    Translator t(parts, kind, 1);
    Tensor mean = sentence_vectors(t, sentences()), cls = sentence_vectors(t, sentences(), {.pooling = "cls"});
    CHECK(bit_equal(mean, sentence_vectors(t, sentences(), {.batch_size = 3})));
    CHECK(all_zero(mean.slice(0, 1, 2)));
    CHECK(mean.size(0) == std::ssize(sentences()));
    CHECK(bit_equal(mean, cls) == !t.model.attends());
  }
  Translator t(parts, transformer, 1);
  CHECK(sentence_vectors(t, {{}, {}}).shape() == Shape{2, 8});  // nothing but empty lines
}
