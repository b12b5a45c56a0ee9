// Synthetic tasks: small problems with a known right answer and a known right alignment, on which encoders, decoders
// and attention can be measured. This header has what they share; each family has its own header:
//
// clang-format off
//   sequences.h   copy, reverse, sort, selective   numbers.h     number words to digits
//   recall.h      associative recall, key-value    pictures.h    coloured shapes and captions
//                 query, delayed recall            documents.h   one sentence in ten decides
//   dates.h       dates in many formats to ISO    abilities.h   one ability of a causal model each:
//                                                               recall, parity, permutations, ..
// clang-format on
//
// Links: a link is sure if its source position alone decides the symbol. It is possible if several positions would do
// equally well (the letters of a month's name, the cells of a shape), or if the position decides the symbol only in
// part. So an alignment from the heaviest position of each symbol can reach an error rate of 0. A symbol that no
// position decides has no link.
//
// The content of an example, not the draw, decides whether it belongs to training, validation or test: a hash sends one
// in ten to validation and one in ten to the test set. Whatever the seeds and sizes, no test example is trained on.
// Within a part the examples are drawn independently, so short ones occur more than once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nn/data/alignment.h"
#include "nn/data/batches.h"

namespace heed::data {

struct Range {
  int64_t least = 0, most = 0;  // both included
  bool operator==(const Range&) const = default;
};

struct TaskParts {
  int64_t train = 10000, validation = 500, test = 500;  // numbers of examples
  uint64_t seed = 1;         // each part has its own random stream: a larger training set leaves the test set unchanged
  bool independent = false;  // draw the parts independently, as some published tasks do; they may then overlap
};

// The symbols of one side and their ids: 0 <pad>, 1 <unk>, 2 <s>, 3 </s> as in text::Vocabulary, then the symbols in
// the given order, whether or not they occur in training.
class Symbols {
 public:
  static constexpr int64_t specials = 4;

  Symbols() : Symbols(std::vector<std::string>{}) {}
  explicit Symbols(const std::vector<std::string>& names);

  int64_t size() const { return static_cast<int64_t>(names_.size()); }  // the four special tokens included
  int64_t classes() const { return size() - specials; }                 // without them: id 4 is class 0
  int64_t id(std::string_view name) const;                              // ValueError for an unknown symbol
  const std::string& name(int64_t id) const;                            // IndexError outside [0, size)
  std::vector<int64_t> encode(const std::vector<std::string>& tokens) const;
  std::vector<std::string> decode(const std::vector<int64_t>& ids) const;  // up to the first </s>, without <pad>, <s>

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, int64_t> ids_;
};

// A task with a source sequence and a target sequence.
struct Task {
  std::string name;
  Symbols source, target;
  std::vector<AlignedPair> train, validation, test;

  struct EncodeOptions {
    bool append_stop = true;  // add </s> after each source
  };
  EncodedPair encode(const AlignedPair& pair, EncodeOptions options) const;
  std::vector<EncodedPair> encode(const std::vector<AlignedPair>& pairs, EncodeOptions options) const;
  std::vector<EncodedPair> encode(const std::vector<AlignedPair>& pairs) const { return encode(pairs, {}); }
};

// For a task whose answer is one symbol: the sequences as they are, and the answer as a class.
struct LabelBatch {
  Tensor source;                 // [B, S] i64, encoded and padded
  Tensor lengths;                // [B] i64
  Tensor labels;                 // [B] i64: the target's id, not counting the special tokens, in [0, target.classes())
  std::vector<int64_t> members;  // indices into the list of pairs
};
// ValueError if an answer does not consist of exactly one symbol.
LabelBatch label_batch(const std::vector<EncodedPair>& pairs, std::vector<int64_t> members);

}  // namespace heed::data
