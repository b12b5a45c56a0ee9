// Tasks made in code: small problems whose right answer and right alignment are known, for encoders, decoders and
// attention to be measured on. This header has what they share; each family has its own:
//
//   sequences.h         copy, reverse, sort                 numbers.h          number words to digits
//   recall.h            associative recall, key-value       pictures.h         coloured shapes and captions
//                       query, delayed recall               documents.h        one sentence in ten decides
//   dates.h             dates in many formats to ISO
//
// Links: sure is the one place that decides a symbol. Possible is one of several places of which any will do (a letter
// of a month's name, a cell of a shape), or a place that says it in part. So the alignment that takes the heaviest
// place of each symbol can have an error rate of 0, and what no place decides has no link.
//
// An example belongs to training, validation or test by what it says, not by the draw: a hash sends one in ten to
// validation and one in ten to the test. Whatever the seeds and sizes, nothing that was trained on is tested on. Inside
// a part examples are drawn one by one, so those of short length come more than once.
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
  int64_t train = 10000, validation = 500, test = 500;  // examples
  uint64_t seed = 1;         // each part has a stream of its own: more training leaves the test as it is
  bool independent = false;  // draw the parts without regard to each other, as published tasks are; they may overlap
};

// The symbols of one side and their ids: 0 <pad>, 1 <unk>, 2 <s>, 3 </s> as in text::Vocabulary, then the symbols in
// the order given, seen in training or not.
class Symbols {
 public:
  static constexpr int64_t specials = 4;

  Symbols() : Symbols(std::vector<std::string>{}) {}
  explicit Symbols(const std::vector<std::string>& names);

  int64_t size() const { return static_cast<int64_t>(names_.size()); }  // with the four specials
  int64_t classes() const { return size() - specials; }                 // without: ids 4 .. are classes 0 ..
  int64_t id(std::string_view name) const;                              // ValueError for a symbol of no task
  const std::string& name(int64_t id) const;                            // IndexError outside [0, size)
  std::vector<int64_t> encode(const std::vector<std::string>& tokens) const;
  std::vector<std::string> decode(const std::vector<int64_t>& ids) const;  // up to the first </s>, without <pad>, <s>

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, int64_t> ids_;
};

// A task from a sequence to a sequence.
struct Task {
  std::string name;
  Symbols source, target;
  std::vector<AlignedPair> train, validation, test;

  struct EncodeOptions {
    bool append_stop = true;  // </s> behind each source
  };
  EncodedPair encode(const AlignedPair& pair, EncodeOptions options) const;
  std::vector<EncodedPair> encode(const std::vector<AlignedPair>& pairs, EncodeOptions options) const;
  std::vector<EncodedPair> encode(const std::vector<AlignedPair>& pairs) const { return encode(pairs, {}); }
};

// Of a task whose answer is one symbol: the sequences as they stand, and the answer as a class.
struct LabelBatch {
  Tensor source;                 // [B, S] i64, padded, as encoded
  Tensor lengths;                // [B] i64
  Tensor labels;                 // [B] i64: the target's id without the specials, in [0, target.classes())
  std::vector<int64_t> members;  // positions in the list of pairs
};
// ValueError for an answer of another length than 1.
LabelBatch label_batch(const std::vector<EncodedPair>& pairs, std::vector<int64_t> members);

}  // namespace heed::data
