// Sentences and documents to classes, from labelled lines: one reader, one linear layer, cross-entropy.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/structures/hierarchical.h"
#include "nn/init.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/padding.h"
#include "nn/pool.h"
#include "nn/pooling/pooling.h"
#include "nn/text/reading.h"
#include "nn/text/vocabulary.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tests/published/published.h"
#include "tests/published/skip_gram.h"

namespace heed::published {
namespace {

using Sentence = std::vector<std::string>;
using Document = std::vector<Sentence>;  // of a question one sentence
struct Labelled {
  int64_t label = 0, fold = 0;
  Document text = {};
  std::vector<std::vector<int64_t>> ids = {};
};

std::vector<std::string> cut(const std::string& text, const std::string& at) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + at.size();
  }
  return out;
}

std::vector<Labelled> read_trec(const std::string& path) {
  std::map<std::string, int64_t> classes;
  std::vector<Labelled> out;
  for (const std::string& line : text::read_lines(path)) {
    auto fields = cut(line, "\t");
    if (fields.size() != 3) throw InputError(fmt::format("trec: a line must have three fields; got \"{}\"", line));
    int64_t label = classes.emplace(fields[0], static_cast<int64_t>(classes.size())).first->second;
    std::transform(fields[2].begin(), fields[2].end(), fields[2].begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    out.push_back({label, static_cast<int64_t>(out.size()) % 10, {cut(fields[2], " ")}});
  }
  return out;
}

constexpr size_t kLongest = 40;  // words of a sentence; a longer one is cut into several

std::vector<Labelled> read_reviews(const std::string& path) {
  std::vector<Labelled> out;
  for (const std::string& line : text::read_lines(path)) {
    auto fields = cut(line, "\t");
    if (fields.size() != 4)
      throw InputError(fmt::format("reviews: a line must have four fields; got {}", fields.size()));
    Labelled one{std::stoll(fields[0]), std::stoll(fields[1])};
    for (const std::string& sentence : cut(fields[3], " <s> ")) {
      Sentence words = cut(sentence, " ");
      for (size_t at = 0; at < words.size(); at += kLongest)  // a few are hundreds of words long
        one.text.emplace_back(words.begin() + static_cast<std::ptrdiff_t>(at),
                              words.begin() + static_cast<std::ptrdiff_t>(std::min(at + kLongest, words.size())));
    }
    out.push_back(one);
  }
  return out;
}

text::Vocabulary number(std::vector<Labelled>& all, const std::function<bool(const Labelled&)>& trained, int64_t rare) {
  text::WordCounts counts;
  for (const Labelled& one : all)
    if (trained(one))
      for (const Sentence& s : one.text) counts.add(s);
  text::Vocabulary vocabulary(counts, {.min_frequency = rare});
  for (Labelled& one : all) {
    one.ids.clear();
    for (const Sentence& s : one.text) one.ids.push_back(vocabulary.encode(s));
  }
  return vocabulary;
}

using Some = std::vector<const Labelled*>;
struct Ids {
  Tensor ids, lengths;  // flat: [B, S], [B]; by sentences: [B, M, L], [B, M]
};

Ids flat(const Some& some, bool distinct) {
  std::vector<std::vector<int64_t>> rows;
  size_t longest = 1;
  for (const Labelled* one : some) {
    std::vector<int64_t> row;
    for (const auto& s : one->ids) row.insert(row.end(), s.begin(), s.end());
    if (distinct) {
      std::set<int64_t> once(row.begin(), row.end());
      row.assign(once.begin(), once.end());
    }
    longest = std::max(longest, row.size());
    rows.push_back(row);
  }
  auto B = static_cast<int64_t>(some.size()), S = static_cast<int64_t>(longest);
  Ids out{Tensor::zeros({B, S}, DType::i64), Tensor::zeros({B}, DType::i64)};
  for (int64_t b = 0; b < B; ++b) {
    const auto& row = rows[static_cast<size_t>(b)];
    std::copy(row.begin(), row.end(), out.ids.data<int64_t>() + b * S);
    out.lengths.data<int64_t>()[b] = static_cast<int64_t>(row.size());
  }
  return out;
}

Ids by_sentences(const Some& some) {
  size_t most = 1, longest = 1;
  for (const Labelled* one : some) {
    most = std::max(most, one->ids.size());
    for (const auto& s : one->ids) longest = std::max(longest, s.size());
  }
  auto B = static_cast<int64_t>(some.size()), M = static_cast<int64_t>(most), L = static_cast<int64_t>(longest);
  Ids out{Tensor::zeros({B, M, L}, DType::i64), Tensor::zeros({B, M}, DType::i64)};
  for (int64_t b = 0; b < B; ++b) {
    const auto& sentences = some[static_cast<size_t>(b)]->ids;
    for (size_t m = 0; m < sentences.size(); ++m) {
      int64_t at = b * M + static_cast<int64_t>(m);
      std::copy(sentences[m].begin(), sentences[m].end(), out.ids.data<int64_t>() + at * L);
      out.lengths.data<int64_t>()[at] = static_cast<int64_t>(sentences[m].size());
    }
  }
  return out;
}

// Words -> bidirectional GRU -> one vector -> classes.
struct FlatReader : nn::Module {
  struct Options {
    int64_t vocabulary, embedding, hidden, attention, classes;
    std::string pooling;  // mean or attention
    double dropout;
  };
  FlatReader(const Options& o, Generator& rng)
      : embedding({.vocabulary = o.vocabulary, .width = o.embedding, .std = 0.1}, rng),
        encoder({.input = o.embedding, .hidden = o.hidden, .bidirectional = true}, rng),
        pooling({.modes = {o.pooling},
                 .width = 2 * o.hidden,
                 .score = {.name = "additive",
                           .query = o.attention,
                           .settings = {{"width", static_cast<double>(o.attention)}}}},
                rng),
        output({.in = 2 * o.hidden, .out = o.classes}, rng),
        dropout({.p = o.dropout}, rng) {}
  Variable operator()(const Some& some) const {
    Ids x = flat(some, false);
    Variable h = encoder(dropout(embedding(x.ids)), x.lengths).annotations;
    return output(dropout(pooling(h, nn::length_mask(x.lengths, x.ids.size(1)))));
  }
  void visit(nn::Visitor& v) {
    v.child("embedding", embedding), v.child("encoder", encoder), v.child("pooling", pooling);
    v.child("output", output), v.child("dropout", dropout);
  }
  nn::Embedding embedding;
  nn::GRU encoder;
  nn::Pooling pooling;
  nn::Linear output;
  nn::Dropout dropout;
};

struct HierarchicalReader : nn::Module {
  HierarchicalReader(const nn::HierarchicalOptions& o, int64_t classes, Generator& rng)
      : reader(o, rng), output({.in = 2 * o.hidden, .out = classes}, rng), dropout({.p = o.dropout}, rng) {}
  Variable operator()(const Some& some) const {
    Ids x = by_sentences(some);
    return output(dropout(reader(x.ids, x.lengths).document));
  }
  void visit(nn::Visitor& v) { v.child("reader", reader), v.child("output", output), v.child("dropout", dropout); }
  nn::HierarchicalAttention reader;
  nn::Linear output;
  nn::Dropout dropout;
};

// A weight for each word and class, summed over the distinct words: what reading buys nothing of.
struct BagOfWords : nn::Module {
  BagOfWords(int64_t vocabulary, int64_t classes, Generator& rng)
      : weight({.vocabulary = vocabulary, .width = classes, .padding = 0, .std = 1e-3}, rng) {}
  Variable operator()(const Some& some) const {
    Ids x = flat(some, true);
    return nn::pool("mean_sqrt_len_tokens", weight(x.ids), nn::length_mask(x.lengths, x.ids.size(1)));
  }
  void visit(nn::Visitor& v) { v.child("weight", weight); }
  nn::Embedding weight;
};

template <class M>
double accuracy(M& model, const Some& part) {
  NoGrad guard;
  nn::set_training(model, false);
  double right = 0;
  for (size_t begin = 0; begin < part.size(); begin += 32) {
    Some some(part.begin() + static_cast<std::ptrdiff_t>(begin),
              part.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 32, part.size())));
    Tensor said = argmax(model(some).value(), -1);
    for (size_t i = 0; i < some.size(); ++i)
      right += said.at({static_cast<int64_t>(i)}) == static_cast<double>(some[i]->label);
  }
  return 100 * right / static_cast<double>(part.size());
}

struct Parts3 {
  Some train, valid, test;
};
struct Run {
  int64_t epochs;
  double learning_rate;
  size_t batch = 32;
  bool cosine = false;  // a tenth of the steps up to the rate, then down half a cosine to 0; else the rate throughout
};

double rate_at(const Run& run, double part_done) {
  if (!run.cosine) return run.learning_rate;
  return run.learning_rate * std::min(1.0, 10 * part_done) * 0.5 * (1 + std::cos(std::numbers::pi * part_done));
}

// Accuracy on the test part: after the epoch that is best on the validation part; with a cosine, after the last.
template <class M>
double learned(M& model, Parts3 parts, const Run& run, uint64_t seed) {
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = run.learning_rate});
  Generator rng(seed + 77);
  double best = -1, test = 0, steps_done = 0;
  auto words = [](const Labelled* one) {
    size_t n = 0;
    for (const auto& s : one->ids) n += s.size();
    return n;
  };
  for (int64_t epoch = 0; epoch < run.epochs; ++epoch) {
    nn::set_training(model, true);
    rng.shuffle(parts.train);
    std::vector<Some> batches;  // of like length: pools of twenty batches are sorted
    for (size_t begin = 0; begin < parts.train.size(); begin += 20 * run.batch) {
      size_t end = std::min(begin + 20 * run.batch, parts.train.size());
      std::sort(parts.train.begin() + static_cast<std::ptrdiff_t>(begin),
                parts.train.begin() + static_cast<std::ptrdiff_t>(end),
                [&](auto* a, auto* b) { return words(a) < words(b); });
      for (size_t at = begin; at < end; at += run.batch)
        batches.emplace_back(parts.train.begin() + static_cast<std::ptrdiff_t>(at),
                             parts.train.begin() + static_cast<std::ptrdiff_t>(std::min(at + run.batch, end)));
    }
    rng.shuffle(batches);
    for (const Some& some : batches) {
      std::vector<int64_t> labels;
      for (auto* one : some) labels.push_back(one->label);
      adam.zero_grad();
      backward(cross_entropy(model(some), Tensor::from(labels, {static_cast<int64_t>(labels.size())})));
      nn::clip_grad_norm(adam.parameters(), 5);
      adam.learning_rate = rate_at(run, steps_done++ / static_cast<double>(run.epochs * std::ssize(batches)));
      adam.step();
    }
    if (run.cosine) continue;
    double valid = accuracy(model, parts.valid);
    if (valid > best) best = valid, test = accuracy(model, parts.test);
  }
  return run.cosine ? accuracy(model, parts.test) : test;
}

constexpr int64_t kWidth = 64;

// Skip-gram vectors of the training text, scaled to a common size that the readers learn well from: the mean square of
// their elements is 0.2 squared.
Tensor first_vectors(const Some& train, int64_t vocabulary, uint64_t seed) {
  std::vector<const std::vector<int64_t>*> text;
  for (const Labelled* one : train)
    for (const auto& sentence : one->ids) text.push_back(&sentence);
  Generator rng(seed);
  Tensor vectors = learn_word_vectors(text, {.vocabulary = vocabulary, .width = kWidth}, rng);
  double squares = sum(square(vectors)).item();
  scale_into(vectors, 0.2 / std::sqrt(squares / static_cast<double>(vectors.count())));
  return vectors;
}

}  // namespace

void trec(uint64_t seed, const std::string& folder) {
  std::vector<Labelled> all = read_trec(folder + "/trec/train.tsv");
  Generator rng(seed);
  rng.shuffle(all);
  for (size_t i = 0; i < all.size(); ++i) all[i].fold = static_cast<int64_t>(i % 10);
  auto vocabulary = number(
      all, [](const Labelled& one) { return one.fold > 1; }, 2);
  Parts3 parts;
  for (const Labelled& one : all)
    (one.fold == 0 ? parts.test : one.fold == 1 ? parts.valid : parts.train).push_back(&one);
  for (const char* pooling : {"attention", "mean"}) {
    Generator weights(seed);
    FlatReader model({.vocabulary = vocabulary.size(),
                      .embedding = 128,
                      .hidden = 64,
                      .attention = 64,
                      .classes = 6,
                      .pooling = pooling,
                      .dropout = 0.5},
                     weights);
    fmt::print("trec seed {} {} pooling: {:.1f} % of {} held-out questions\n", seed, pooling,
               learned(model, parts, {.epochs = 15, .learning_rate = 2e-3}, seed), parts.test.size());
  }
}

void reviews(uint64_t seed, const std::string& folder, int64_t folds) {
  std::vector<Labelled> all = read_reviews(folder + "/movie_reviews/all.tsv");
  std::map<std::string, double> total;
  for (int64_t fold = 0; fold < folds; ++fold) {
    int64_t next = (fold + 1) % 10;  // validation
    auto vocabulary = number(
        all, [&](const Labelled& one) { return one.fold != fold && one.fold != next; }, 3);
    Parts3 parts;
    for (const Labelled& one : all)
      (one.fold == fold ? parts.test : one.fold == next ? parts.valid : parts.train).push_back(&one);
    auto show = [&](const char* name, auto& model, const Run& run) {
      auto begin = std::chrono::steady_clock::now();
      double right = learned(model, parts, run, seed);
      total[name] += right;
      fmt::print("reviews seed {} fold {} {:<22} {:.1f} %  {} parameters  {:.0f} s\n", seed, fold, name, right,
                 nn::count_parameters(model),
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    };
    const Run run{.epochs = 14, .learning_rate = 2e-3, .cosine = true};
    int64_t V = vocabulary.size();
    Tensor first = first_vectors(parts.train, V, seed);  // 1,600 labels are too few to learn words from
    {
      Generator weights(seed);
      HierarchicalReader model({.vocabulary = V, .embedding = kWidth, .hidden = 50, .attention = 64, .dropout = 0.4}, 2,
                               weights);
      model.reader.embedding.weight.set_value(first.clone());
      show("hierarchical attention", model, run);
    }
    for (const char* pooling : {"mean", "attention"}) {
      Generator weights(seed);
      bool mean = pooling == std::string("mean");
      FlatReader model({.vocabulary = V,
                        .embedding = kWidth,
                        .hidden = mean ? 92 : 86,
                        .attention = 64,
                        .classes = 2,
                        .pooling = pooling,
                        .dropout = 0.4},
                       weights);
      model.embedding.weight.set_value(first.clone());
      show(mean ? "flat mean" : "flat attention", model, run);
    }
    Generator weights(seed);
    BagOfWords bag(V, 2, weights);
    show("bag of words, linear", bag, {.epochs = 30, .learning_rate = 1e-2});
  }
  for (const auto& [name, right] : total)
    fmt::print("reviews seed {} mean of {} folds {:<22} {:.1f} %\n", seed, folds, name,
               right / static_cast<double>(folds));
}

}  // namespace heed::published
