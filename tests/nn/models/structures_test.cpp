// The structures of 2015 to 2017 as parts of an encoder-decoder, by its options: each trains, is saved and loaded, and
// is what its own module computes. Teacher forcing against stepping, padding and JSON: papers_test.cpp.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "nn/attention/readers/hard.h"
#include "nn/attention/structures/lstmn_decoder.h"
#include "nn/catalogue/catalogue.h"
#include "nn/models/bahdanau.h"
#include "nn/models/deep_fusion.h"
#include "nn/models/luong.h"
#include "nn/models/translator.h"
#include "nn/penalties.h"
#include "nn/pooling/hierarchical_pooling.h"
#include "nn/pooling/pooling.h"
#include "nn/train/fit.h"
#include "tensor/indexing.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using namespace heed::nn_test::two_sentences;

namespace {

struct Choice {
  std::string id, paper, option, text;  // id: of the catalogue
};
const std::vector<Choice> kChoices = {
    {"E2", "bahdanau", "cell", "lstmn"},  // shallow fusion
    {"E2", "deep_fusion", "cell", "lstmn"},
    {"E3", "bahdanau", "memory", "key_value:parts=2"},
    {"E7", "cho", "pooling", "hierarchical:segment=2"},
    {"E8", "cho", "pooling", "structured:rows=2,penalty=0.01"},
    {"D1", "bahdanau", "reader", "hard:entropy=0.01"},
    {"D2", "bahdanau", "normaliser", "gumbel"},
};
nn::AnyPaper paper_with(const std::string& name, int64_t embedding, int64_t hidden, const std::string& option,
                        const std::string& text) {
  nn::AnyPaper p = nn::paper_called(name);
  auto set = [&](const std::string& field, const std::string& value) {
    CHECK(nn::set_called(p.fields(), field, value) > 0);
  };
  set("embedding", std::to_string(embedding)), set("hidden", std::to_string(hidden)), set("dropout", "0");
  set(option, text);
  return p;
}

// Every word is translated by its capital letter, in the same order.
std::vector<text::TokenPair> capitals(int n, uint64_t seed) {
  Generator rng(seed);
  std::vector<text::TokenPair> pairs;
  for (int i = 0; i < n; ++i) {
    text::TokenPair p;
    for (int64_t k = 1 + rng.below(3); k > 0; --k) {
      p.source.push_back(std::string(1, static_cast<char>('a' + rng.below(5))));
      p.target.push_back(std::string(1, static_cast<char>(p.source.back()[0] - 32)));
    }
    pairs.push_back(std::move(p));
  }
  return pairs;
}

}  // namespace

TEST_CASE("each structure trains from its options, and a saved translator writes the same words") {
  std::vector<text::TokenPair> pairs = capitals(300, 1), valid = capitals(40, 2);
  text::WordCounts a, b;
  for (const auto& p : pairs) a.add(p.source), b.add(p.target);
  auto folder = std::filesystem::temp_directory_path() / "heed_structures_test";
  std::filesystem::create_directories(folder);
  for (const Choice& choice : kChoices) {
    CAPTURE(choice.id);
    const nn::AnyPaper o = paper_with(choice.paper, 12, 24, choice.option, choice.text);
    nn::try_out(o);
    text::PairTokenizers plain{{text::Tokenizer::Kind::space}, {text::Tokenizer::Kind::space}};
    nn::Translator t({plain, text::Vocabulary(a), text::Vocabulary(b)}, o, 1);
    nn::FitResult r = nn::fit(nn::fit_model(t.model), t.encode(pairs), t.encode(valid),
                              {.epochs = 8, .batch_size = 8, .learning_rate = 1e-2, .warmup = 10});
    CHECK(r.history.back().valid_loss < 0.7 * r.history.front().valid_loss);
    CHECK(r.history.back().valid_loss < 1.3);  // log 8 = 2.1 for a model that knows nothing
    CHECK(r.history.back().penalties.empty() == (choice.id != "D1" && choice.id != "E8"));
    t.epochs = r.best_epoch;
    std::string file = (folder / "model.safetensors").string();
    t.save(file, {});
    nn::Translator back = nn::Translator::load(file);
    CHECK(nn::to_json(back.model.options) == nn::to_json(t.model.options));
    nn::Evaluating evaluating;
    for (const auto& p : valid) {
      std::string line;
      for (const std::string& word : p.source) line += word + " ";
      nn::Translation one = t.translate(line, {.beam = 3}), two = back.translate(line, {.beam = 3});
      CHECK(one.target == two.target);
      CHECK(one.log_probability == two.log_probability);
      CHECK(one.weights == two.weights);
    }
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("the catalogue says how each structure and pooling is reached, and the model takes the text") {
  for (const nn::CatalogueEntry& entry : nn::catalogue()) {
    if (entry.kind != nn::Kind::structure && entry.kind != nn::Kind::pooling && entry.kind != nn::Kind::reader)
      continue;
    CAPTURE(entry.id);
    if (!entry.architecture.empty()) continue;
    CHECK_FALSE((entry.option.empty() && entry.more.empty()));  // what no option gives a model says what it is for
    if (entry.option.empty()) continue;
    nn::try_out(paper_with(entry.option == "pooling" ? "cho" : "bahdanau", 5, 6, entry.option, entry.text));
  }
}

TEST_CASE("deep fusion is what LSTMNDecoder computes from the same parameters") {
  nn::DeepFusion::Options o = small_paper<nn::DeepFusion>(9, 8);
  o.attention.score.settings["width"] = 6;  // that of LSTMNDecoder
  nn::DeepFusion m = make<nn::DeepFusion>(o, 1);
  nn::LSTMNDecoder alone = make<nn::LSTMNDecoder>({.input = 5, .hidden = 6}, 2);
  auto copy = [](auto& to, auto& from) { nn::load_state(to, nn::save_state(from), "copy"); };
  copy(alone.lstmn, std::get<nn::LSTMNLayers>(m.decoder.layers).sides[0]);
  copy(*alone.gate, m.gate);
  copy(*alone.attention, static_cast<nn::Attention&>(m.attention));
  auto [tape, first] = m.encode(source(), lengths());
  nn::LSTMN::Sequence read =
      std::get<nn::LSTMNLayers>(m.encoder.layers).sides[0](m.source_embedding(source()), lengths());
  nn::SourceTape given = alone.remember(read, lengths());
  nn::FusionState by_hand = alone.begin({first.cell[0], first.cell[1]});
  for (int64_t t = 0; t < 3; ++t) {
    Variable word = m.embed(target_in().select(1, t).contiguous());
    nn::Step s = m.step(word, first, tape);
    first = s.state;
    Variable h = alone.step(word, given, by_hand);
    CHECK(max_abs_difference(m.decoder.top(s.state).value(), h.value()) <= 1e-6);
    CHECK(max_abs_difference(s.state.alignment.weights.value(), by_hand.alignment.weights.value()) <= 1e-6);
  }
}

TEST_CASE("a cell lstmn with a tape of one entry, whose keys do not matter, is the model with an LSTM") {
  nn::Bahdanau::Options o = small_paper<nn::Bahdanau>(9, 8);
  o.encoder.cell = o.decoder.cell = "lstmn", o.encoder.tape = o.decoder.tape = 1;
  nn::Bahdanau tape = make<nn::Bahdanau>(o, 1);
  o.encoder.cell = o.decoder.cell = "lstm", o.encoder.tape = o.decoder.tape = 0;
  nn::Bahdanau plain = make<nn::Bahdanau>(o, 2);
  io::SafeTensors from = nn::save_state(tape), to;
  for (auto& p : nn::named_parameters(plain)) {
    std::string name = p.name;
    for (const char* part : {"encoder", "decoder"})
      for (const char* side : {"_l0_reverse", "_l0"})
        if (size_t at = name.find(side); name.starts_with(part) && at != std::string::npos && name.ends_with(side))
          name = std::string(part) + "." + std::string(side).substr(1) + ".cell." +
                 name.substr(std::string(part).size() + 1, at - std::string(part).size() - 1);
    CAPTURE(name);
    REQUIRE(from.find(name));
    p.variable.set_value(from.find(name)->clone());
  }
  CHECK(relative_error(tape(source(), lengths(), target_in()).value(),
                       plain(source(), lengths(), target_in()).value()) <= 1e-6);
}

TEST_CASE("hard attention in a model: one word is read, and the loss has the term of its choices") {
  nn::Luong::Options o = small_paper<nn::Luong>(9, 8);
  o.reader = "hard:soft=0,entropy=0.5", o.attention.score.name = "general";
  nn::Luong m = make<nn::Luong>(o, 1);
  Variable alignment;
  {
    nn::Penalties collected;
    m(source(), lengths(), target_in(), &alignment);
    CHECK(collected.values().contains("reader"));
    backward(collected.total());
  }
  Tensor weights = alignment.value();
  for (double w : weights.to_vector()) CHECK((w == 0 || w == 1));
  CHECK(relative_error(sum(weights, {2}), Tensor::full({2, 4}, 1.0)) <= 1e-6);
  bool score = false;
  for (auto& p : nn::named_parameters(m)) {
    if (p.name.starts_with("attention.")) {
      REQUIRE(p.variable.grad().defined());
      CHECK_FALSE(all_zero(p.variable.grad()));
      score = true;
    }
    if (p.name.starts_with("output.") && p.variable.grad().defined()) CHECK(all_zero(p.variable.grad()));
  }
  CHECK(score);
  // Evaluation draws nothing, adds nothing, and leaves the baseline where it is.
  nn::set_training(m, false);
  double before = dynamic_cast<const nn::HardAttention&>(*m.reader()).rule.baseline.item();
  CHECK(before < 0);  // the log-likelihood of the first call has moved it
  nn::Penalties none;
  Tensor once = m(source(), lengths(), target_in()).value(), twice = m(source(), lengths(), target_in()).value();
  CHECK(bit_equal(once, twice));
  CHECK(none.empty());
  CHECK(dynamic_cast<const nn::HardAttention&>(*m.reader()).rule.baseline.item() == before);
}

TEST_CASE("hierarchical pooling: segments count words, and one segment is one level above the words") {
  Generator rng(1);
  nn::Pooling m({.modes = {"hierarchical:segment=2,hidden=3"}, .width = 4}, rng);
  nn::convert(m, DType::f64);
  CHECK(m.width() == 6);
  Tensor x = random({1, 6, 4}, 3, DType::f64), words = Tensor::from_bools({1, 1, 0, 1, 0, 1}, {1, 6});
  Tensor real = index_select(x, 1, ids({0, 1, 3, 5}, {4}));
  CHECK(bit_equal(m(Variable(x), words).value(), m(Variable(real)).value()));
  auto& two = dynamic_cast<nn::HierarchicalPooling&>(*m.parts[0]);
  auto pool = [&](int64_t from, int64_t to) {
    return unsqueeze(two.level_words(slice(Variable(real), 1, from, to), ids({to - from}, {1})).context, 1);
  };
  Variable by_hand = two.level_segments(concat({pool(0, 2), pool(2, 4)}, 1), ids({2}, {1})).context;
  CHECK(max_abs_difference(m(Variable(real)).value(), by_hand.value()) < 1e-12);
  // A sentence without words beside one that has some.
  Tensor both = m(Variable(random({2, 3, 4}, 5, DType::f64)), Tensor::from_bools({0, 0, 0, 1, 1, 1}, {2, 3})).value();
  CHECK(all_zero(both.select(0, 0).contiguous()));
  CHECK_FALSE(all_zero(both.select(0, 1).contiguous()));
}
