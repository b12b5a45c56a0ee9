// Luong's encoder-decoder (nn/models/luong.h) writes an entry from a notice, alone or wrapped by an output that copies
// (nn/models/copying.h), and the share of names that it gets right.
#pragma once

#include <fmt/format.h>

#include <numeric>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops_softmax.h"
#include "nn/models/copying.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/output_heads/pointer_generator.h"
#include "nn/train/progress.h"
#include "tutorials/18_copy_and_point/notices.h"

namespace copying {

namespace nn = heed::nn;
using heed::Generator, heed::Tensor, heed::Variable;

using CopyingWriter = nn::Copying<nn::Luong>;

// All writers are the same but for the output and, in the controls, the normaliser of attention. Luong's, because the
// weights of a step have seen the word before it.
inline std::unique_ptr<nn::EncoderDecoder> make_writer(int64_t words, const std::string& output,
                                                       const std::string& normaliser, Generator& rng) {
  nn::Luong::Options o;
  o.source = o.target = {words, 32};
  o.encoder.hidden = o.decoder.hidden = 48, o.dropout = 0;
  o.attention = {.score = {.name = "additive"}, .normaliser = {.name = normaliser}};
  if (output == "softmax") return std::make_unique<nn::Luong>(o, rng);
  return std::make_unique<CopyingWriter>(CopyingWriter::Options{o, output}, rng);
}

struct WriterTraining {
  int64_t steps = 500, batch = 32;
  double rate = 5e-3, unknown = 0.5;
  uint64_t seed = 1;
};

inline std::vector<heed::data::EncodedPair> encoded(const heed::text::Vocabulary& v, const std::vector<Notice>& notices,
                                                    bool extended) {
  std::vector<heed::data::EncodedPair> pairs;
  for (const Notice& n : notices) pairs.push_back(encode(v, n, extended));
  return pairs;
}
inline bool copies(const nn::EncoderDecoder& m) { return dynamic_cast<const CopyingWriter*>(&m); }

inline std::vector<double> learn_to_write(nn::EncoderDecoder& m, const std::string& name,
                                          const heed::text::Vocabulary& v, const WriterTraining& t) {
  Generator rng(t.seed, 1ull << 40);
  auto pairs = encoded(v, make_notices(t.steps * t.batch, false, t.unknown, rng), copies(m));
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = name, .unit = "words"});
  std::vector<double> losses;
  for (const auto& members : heed::data::epoch_batches(pairs, t.batch, t.seed, 1)) {
    heed::data::Batch b = heed::data::make_batch(pairs, members);
    adam.learning_rate = t.rate * (1 - static_cast<double>(losses.size()) / static_cast<double>(t.steps));
    adam.zero_grad();
    Variable loss = cross_entropy(m(b.source, b.lengths, b.target_in), b.target_out, {.ignore_index = 0});
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    losses.push_back(loss.item());
    progress.step({.loss = loss.item(), .items = b.tokens});
  }
  progress.finish();
  nn::set_training(m, false);
  return losses;
}

struct Written {
  Words words;
  std::vector<std::vector<float>> weights;  // for each word, over the source and its </s>
};
// Greedy decoding. `replace`: a written <unk> becomes the source word with the largest weight of its step.
inline std::vector<Written> write(const nn::EncoderDecoder& m, const heed::text::Vocabulary& v,
                                  const std::vector<Notice>& notices, bool replace = false) {
  heed::NoGrad guard;
  auto pairs = encoded(v, notices, copies(m));
  std::vector<Written> all;
  for (size_t first = 0; first < notices.size(); first += 100) {
    std::vector<int64_t> members, limits, lengths;
    for (size_t i = first; i < std::min(first + 100, notices.size()); ++i) members.push_back(static_cast<int64_t>(i));
    limits.assign(members.size(), 10);
    for (int64_t i : members) lengths.push_back(std::ssize(pairs[static_cast<size_t>(i)].source));
    heed::data::Batch b = heed::data::make_batch(pairs, members);
    for (const nn::Hypothesis& found :
         nn::greedy(*m.search(b.source, b.lengths), {.max_lengths = limits, .source_lengths = lengths})) {
      const Notice& notice = notices[all.size()];
      heed::text::SentenceWords words(v, notice.source);
      Written w{{}, found.weights};
      for (size_t t = 0; t < found.tokens.size(); ++t) {
        w.words.push_back(words.token(found.tokens[t]));
        const auto& row = found.weights[t];
        const auto best = static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
        if (replace && w.words.back() == words.token(heed::text::Vocabulary::unk) && best < notice.source.size())
          w.words.back() = notice.source[best];
      }
      all.push_back(w);
    }
  }
  return all;
}

struct Names {
  double unknown = 0, known = 0;  // in %: names that the vocabulary lacks, and that it has, at the right position
  double rest = 0, entries = 0;   // other words; whole entries
};
inline Names judge(const std::vector<Written>& written, const heed::text::Vocabulary& v,
                   const std::vector<Notice>& notices) {
  Names right, all;
  for (size_t i = 0; i < notices.size(); ++i) {
    const Words& wanted = notices[i].target;
    for (size_t t = 0; t < wanted.size(); ++t) {
      const bool same = t < written[i].words.size() && written[i].words[t] == wanted[t];
      const bool is_name = t == 0 || t == 5 || t == 7;
      double Names::*kind = !is_name ? &Names::rest : v.contains(wanted[t]) ? &Names::known : &Names::unknown;
      right.*kind += same, all.*kind += 1;
    }
    right.entries += written[i].words == wanted, all.entries += 1;
  }
  return {100 * right.unknown / all.unknown, 100 * right.known / all.known, 100 * right.rest / all.rest,
          100 * right.entries / all.entries};
}

// The probability of copying, 1 - g, of a pointer-generator, by the kind of word that is to be written, in %.
struct Gates {
  double unknown = 0, known = 0, object = 0, rest = 0;
};
inline Gates gates_of(const CopyingWriter& m, const heed::text::Vocabulary& v, const std::vector<Notice>& notices) {
  heed::NoGrad guard;
  const auto& head = dynamic_cast<const nn::PointerGenerator&>(*m.head);
  auto pairs = encoded(v, notices, true);
  std::vector<int64_t> members(pairs.size());
  std::iota(members.begin(), members.end(), 0);
  heed::data::Batch b = heed::data::make_batch(pairs, members);
  auto [source, state] = m.encode(b.source, b.lengths);
  nn::Decoded d = m.decode(b.target_in, source, state, true);
  Tensor g = sigmoid(head.gate(m.model.hidden(d.features))).value();  // [B, T, 1]
  Gates total, count;
  for (size_t t = 0; t < notices[0].target.size(); ++t)
    for (size_t i = 0; i < notices.size(); ++i) {
      const bool is_name = t == 0 || t == 5 || t == 7;
      double Gates::*kind = t == 2                             ? &Gates::object
                            : !is_name                         ? &Gates::rest
                            : v.contains(notices[i].target[t]) ? &Gates::known
                                                               : &Gates::unknown;
      total.*kind += 100 * (1 - g.at({static_cast<int64_t>(i), static_cast<int64_t>(t), 0})), count.*kind += 1;
    }
  return {total.unknown / count.unknown, total.known / count.known, total.object / count.object,
          total.rest / count.rest};
}

}  // namespace copying
