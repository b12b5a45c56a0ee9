// Encoder-decoders whose output copies: an unknown word of the source comes out as itself, which no softmax over a
// vocabulary can do; teacher forcing is stepping by hand; greedy search is a beam of one.
#include <cmath>

#include "nn/models/copying.h"
#include "nn/models/translator.h"
#include "nn/optim/adam.h"
#include "nn/text/sentence_words.h"
#include "nn/train/fit.h"
#include "nn/train/scheduled_sampling.h"
#include "tests/nn/io/support.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

constexpr int64_t V = 10;  // words 4 .. 9; a sentence's unknown words are 10, 11
using Ids = std::vector<int64_t>;

using Model = std::unique_ptr<nn::EncoderDecoder>;

nn::AnyPaper paper(const std::string& output, const std::string& name) {
  nn::AnyPaper p = nn::paper_called(name);
  auto set = [&](const char* field, const std::string& text) { nn::set_called(p.fields(), field, text); };
  set("embedding", "12"), set("hidden", "20"), set("dropout", "0"), set("output", output);
  if (name == "luong") set("score", "general");
  return p;
}
Model model(const std::string& output, const std::string& name, uint64_t seed = 1) {
  Generator rng(seed);
  return paper(output, name).make({V, V}, rng);
}

// Three words and one or two that the vocabulary lacks, to be copied in order.
std::vector<data::EncodedPair> pairs(int64_t count, uint64_t seed) {
  Generator rng(seed);
  std::vector<data::EncodedPair> out;
  for (int64_t i = 0; i < count; ++i) {
    Ids words;
    int64_t next = V;
    for (int64_t k = 0; k < 4; ++k) words.push_back(next < V + 2 && rng.below(5 - k) < 2 ? next++ : 4 + rng.below(6));
    if (next == V) words[static_cast<size_t>(rng.below(4))] = next;
    out.push_back({words, words});
    out.back().source.push_back(text::Vocabulary::stop);
  }
  return out;
}
std::vector<data::EncodedPair> without_unknown(std::vector<data::EncodedPair> p) {  // <unk> instead
  for (data::EncodedPair& pair : p)
    for (Ids* ids : {&pair.source, &pair.target})
      for (int64_t& id : *ids) id = id >= V ? text::Vocabulary::unk : id;
  return p;
}
Ids all_of(size_t n) {
  Ids members(n);
  for (size_t i = 0; i < n; ++i) members[i] = static_cast<int64_t>(i);
  return members;
}
double right(const nn::EncoderDecoder& m, const std::vector<data::EncodedPair>& asked,
             const std::vector<data::EncodedPair>& wanted) {
  nn::Evaluating evaluating;
  data::Batch b = data::make_batch(asked, all_of(asked.size()));
  nn::SearchOptions limits{.max_lengths = Ids(asked.size(), 8)};
  auto found = nn::greedy(*m.search(b.source, b.lengths), limits);
  auto beam = nn::beam_search_all(*m.search(b.source, b.lengths), 1, limits);
  int64_t count = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].tokens == beam[i].at(0).tokens);
    count += found[i].tokens == wanted[i].target;
  }
  return static_cast<double>(count) / static_cast<double>(found.size());
}

Tensor source() { return Tensor::from(Ids{4, 10, 5, 11, 3, 10, 6, 3, 0, 0}, {2, 5}); }
Tensor lengths() { return Tensor::from(Ids{5, 3}, {2}); }

}  // namespace

// A small model learns to copy unknown words, which a softmax over the vocabulary cannot write.
TEST_CASE("a pointer-generator learns to copy unknown words, which a softmax over the vocabulary cannot write" *
          holds("copies_unknown_words")) {
  auto train = pairs(256, 1), valid = pairs(40, 2);
  nn::FitOptions how{.epochs = 20, .batch_size = 16, .learning_rate = 0.01, .warmup = 10};
  Model copier = model("pointer_generator", "luong", 1);
  nn::fit(nn::fit_model(*copier), train, valid, how);
  CHECK(right(*copier, valid, valid) >= 0.9);
  Model plain = model("softmax", "luong", 1);
  nn::fit(nn::fit_model(*plain), without_unknown(train), without_unknown(valid), how);
  CHECK(right(*plain, without_unknown(valid), valid) == 0);  // it has no id for them
}

// A small model learns to copy words that it does not know.
TEST_CASE("CopyNet learns to copy unknown words" * holds("copynet_copies_unknown_words")) {
  auto train = pairs(256, 1), valid = pairs(40, 2);
  nn::FitOptions how{.epochs = 12, .batch_size = 16, .learning_rate = 0.01, .warmup = 10};
  Model copier = model("copynet", "luong", 1);
  nn::fit(nn::fit_model(*copier), train, valid, how);
  CHECK(right(*copier, valid, valid) >= 0.8);
}

// A pass with teacher forcing gives what single steps give, bit by bit.
TEST_CASE("outputs that copy: a teacher-forced pass is stepping by hand, to the bit, in both orders" *
          holds("steps_are_the_parallel_pass")) {
  for (const char* output : {"pointer_generator", "pointer", "copynet"})
    for (const char* order : {"bahdanau", "luong"}) {
      CAPTURE(output);
      CAPTURE(order);
      Model m = model(output, order, 1);
      nn::set_training(*m, false);
      bool points = output == std::string("pointer");
      Tensor in = Tensor::from(points ? Ids{2, 5, 4, 2, 4, 0} : Ids{2, 10, 11, 2, 10, 0}, {2, 3});
      Variable alignment, all = (*m)(source(), lengths(), in, &alignment);
      REQUIRE(all.shape() == Shape{2, 3, points ? 9 : 12});
      auto search = m->search(source(), lengths());
      for (int64_t t = 0; t < 3; ++t) {
        Tensor log_p = search->next(in.select(1, t).contiguous());
        CHECK(bit_equal(log_p, log_softmax_rows(all.value().select(1, t).contiguous())));
        CHECK(bit_equal(search->weights(), alignment.value().select(1, t).contiguous()));
      }
      Generator rng(1);
      auto scheduled = [&]<class M>() {
        return nn::scheduled_logits(dynamic_cast<const nn::Copying<M>&>(*m), source(), lengths(), in, 1, rng).value();
      };
      CHECK(bit_equal(
          order == std::string("luong") ? scheduled.operator()<nn::Luong>() : scheduled.operator()<nn::Bahdanau>(),
          all.value()));
    }
}

TEST_CASE("outputs that copy: the loss of a copied word reaches the attention, in both orders") {
  for (const char* output : {"pointer_generator", "pointer"})
    for (const char* order : {"bahdanau", "luong"}) {
      CAPTURE(output);
      CAPTURE(order);
      Model m = model(output, order, 1);
      Tensor in = Tensor::full({2, 1}, 2, DType::i64),
             out = Tensor::from(Ids{output == std::string("pointer") ? 5 : 10, 4}, {2, 1});
      backward(cross_entropy((*m)(source(), lengths(), in), out));
      for (auto& p : nn::named_parameters(*m)) {
        if (p.name.starts_with("attention.")) CHECK(!all_zero(p.variable.grad()));
        if (p.variable.grad().defined())
          for (double d : p.variable.grad().to_vector()) REQUIRE(std::isfinite(d));
      }
    }
}

TEST_CASE("outputs that copy: label smoothing spreads over what a sentence can write") {
  auto can_write = [](const char* output) {
    Tensor can = model(output, "luong")->writable(source(), lengths());
    std::vector<Ids> rows(2);
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t v = 0; v < can.size(1); ++v)
        if (can.at({b, v}) != 0) rows[static_cast<size_t>(b)].push_back(v);
    return rows;
  };
  for (const char* output : {"pointer_generator", "copynet"})  // the second sentence has no word 11
    CHECK(can_write(output) == std::vector<Ids>{all_of(12), all_of(11)});
  CHECK(can_write("pointer") == std::vector<Ids>{{3, 4, 5, 6, 7}, {3, 4, 5}});  // </s> for its own position
  CHECK_FALSE(model("softmax", "luong")->writable(source(), lengths()).defined());
  // Sentence 0 can write 0 and 2, sentence 1 all three; e = 0.3.
  Tensor q = nn::smoothed_words(Tensor::from(Ids{2, 0, 1, 2}, {2, 2}), Tensor::from_bools({1, 0, 1, 1, 1, 1}, {2, 3}),
                                0.3, DType::f64);
  std::vector<double> wanted{.15, 0, .85, 0, 0, 0, .1, .8, .1, .1, .1, .8}, got = q.to_vector();
  for (size_t i = 0; i < wanted.size(); ++i) CHECK(got[i] == doctest::Approx(wanted[i]).epsilon(1e-12));
}

TEST_CASE("outputs that copy: a sentence in a batch gives the bits of the sentence alone, in a beam too") {
  for (const char* output : {"pointer_generator", "pointer"})
    for (const char* order : {"bahdanau", "luong"}) {
      Model m = model(output, order, 3);
      nn::set_training(*m, false);
      auto together = nn::beam_search_all(*m->search(source(), lengths()), 3, {.max_lengths = {6, 6}});
      for (int64_t b = 0; b < 2; ++b) {
        int64_t S = b == 0 ? 5 : 3;
        auto one = m->search(source().slice(0, b, b + 1).slice(1, 0, S), Tensor::from(Ids{S}, {1}));
        auto alone = nn::beam_search(*one, 3, {.max_lengths = {6}});
        CHECK(alone[0].tokens == together[static_cast<size_t>(b)][0].tokens);
      }
    }
}

// A small model learns to reverse its input.
TEST_CASE("a pointer network learns to reverse" * holds("a_pointer_network_reverses")) {
  auto reversals = [](int64_t count, int64_t least, int64_t most, uint64_t seed) {
    Generator rng(seed);
    std::vector<data::EncodedPair> out;
    for (int64_t i = 0; i < count; ++i) {
      data::EncodedPair p;
      int64_t S = least + rng.below(most - least + 1);
      for (int64_t s = 0; s < S; ++s) p.source.push_back(4 + rng.below(6)), p.target.push_back(4 + S - 1 - s);
      p.source.push_back(text::Vocabulary::stop);
      out.push_back(p);
    }
    return out;
  };
  Model m = model("pointer", "luong", 1);
  CHECK_FALSE(dynamic_cast<const nn::Copying<nn::Luong>&>(*m).model.readout.linear.has_value());
  auto valid = reversals(30, 2, 4, 2);
  nn::fit(nn::fit_model(*m), reversals(256, 2, 4, 1), valid,
          {.epochs = 20, .batch_size = 16, .learning_rate = 0.01, .warmup = 10});
  CHECK(right(*m, valid, valid) >= 0.9);
}

TEST_CASE("a translator prints the unknown words that its output copies, and comes back from its file") {
  std::vector<text::TokenPair> train, valid;
  Generator rng(4);
  const std::vector<std::string> words{"a", "b", "c", "d"};
  for (int64_t i = 0; i < 240; ++i) {
    std::vector<std::string> s;
    for (int64_t k = 0; k < 3; ++k) s.push_back(words[static_cast<size_t>(rng.below(4))]);
    s[static_cast<size_t>(rng.below(3))] = "name" + std::to_string(i);
    (i < 200 ? train : valid).push_back({s, s});
  }
  text::Vocabulary vocabulary({words});
  nn::Translator t({{}, vocabulary, vocabulary}, paper("pointer_generator", "luong"), 1);
  nn::fit(nn::fit_model(t.model), t.encode(train), t.encode(valid),
          {.epochs = 20, .batch_size = 16, .learning_rate = 0.01, .warmup = 10});
  int64_t names = 0;
  for (const text::TokenPair& p : valid)
    for (int64_t beam : {1, 3}) {
      nn::Translation found = t.translate({p.source}, {.beam = beam})[0];
      names += found.words == p.target;
      CHECK(t.align({p.source, found.target}).log_probability == doctest::Approx(found.log_probability).epsilon(1e-3));
    }
  CHECK(names >= 72);  // of 80
  io_test::Folder folder;
  t.epochs = 1;
  t.save(folder / "t", {});
  nn::Translator loaded = nn::Translator::load(folder / "t");
  CHECK(loaded.translate({valid[0].source})[0].words == t.translate({valid[0].source})[0].words);
}
