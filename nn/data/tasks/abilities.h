// Tasks that tell variants of attention apart. Each asks for one ability of a causal model that reads words one after
// the other: what it remembers, whether it finds a word by content, whether it follows a state.
//
// clang-format off
//   task          what is read, and the answers due      control: guessing         size
//   recall        a 3 c 1 b 7   c 1 a 3 b 7              a value of the text       pairs
//                               1   3   7
//   induction     x y # w z x .. y #       then w        1 in 16                   words
//   selective     _ 3 _ _ 1 _ 3 _ | | |                  1 in 16                   places
//                                 3 1 3
//   parity        1 0 1 1 0                              1 in 2                    bits
//                 1 1 0 1 1
//   permutations  g h k                                  1 in n!                   elements
//                 g hg khg
//   reverse       3 1 7 | 7 1                            1 in 16                   symbols
//                       7 1 3
//   copy          3 1 7 | 3 1                            1 in 16                   symbols
//                       3 1 7
//   grammar       the cat sleeps | le chat dort          the most frequent word    -
//                                le chat dort </s>
//   needle        .. # 3 1 4 .. .. .. # 3 1              a part not yet written    words
//                                     3 1 4
// clang-format on
//
// An answer is written at the place of the word after which it is due, as in a language model: there a model predicts
// it from the words up to that place. Answers that were due before may be read (teacher forcing), so a sequence whose
// answers are all right is what greedy decoding writes too.
//
// Sources. recall: multi-query associative recall, Arora et al., "Zoology", ICLR 2024, section 3 (whose queries stand
// at distances drawn from a power law; here they follow the pairs directly). induction and selective: Gu and Dao,
// "Mamba", COLM 2024, section 4.1. parity: Hahn, TACL 2020; Grazzi et al., ICLR 2025. permutations: Merrill, Petty and
// Sabharwal, ICML 2024, section 5: words over a group, S_3 or S_5. copy beyond the length of training: Jelassi et al.,
// ICML 2024. needle: the pass key of Mohtashami and Jaggi, "Landmark
// attention", NeurIPS 2023, section 4.2: a mark and four parts, once, among words of noise. (Eight pairs of a key and a
// value, in the manner of Kamradt, 2023, are not learned by softmax attention of this size in 3,000 steps.)
#pragma once

#include <functional>

#include "nn/data/tasks/tasks.h"
#include "tensor/random.h"

namespace heed::data {

struct AbilitySequence {
  std::vector<int64_t> words, answers;  // of one length; 0: nothing is asked at this place
};

struct AbilityTask {
  std::string name, size_name;  // "recall", "pairs"
  int64_t vocabulary;           // words and answers are 1 .. vocabulary - 1; 0 is padding
  Range trained;                // sizes, drawn for each batch by size_for_training
  std::vector<int64_t> tested;  // those above trained.most lie beyond training
  double chance;                // % of the answers that are right without the ability
  std::function<AbilitySequence(int64_t size, Generator& rng)> draw;
  bool by_octaves = false;  // sizes of training: 8 to 16 are as likely as 128 to 256
};

struct AbilitySizes {
  int64_t symbols = 16;    // of each kind: keys, values, words, noise
  int64_t longest = 16;    // the largest size of training of recall, reverse and copy; the others follow from it
  int64_t group = 3;       // n of the permutations of n things, 2 to 5
  int64_t haystack = 256;  // the most words of the needle in training
};

const std::vector<std::string>& ability_names();  // in the order above
// ValueError for another name, or sizes that cannot be.
AbilityTask ability(const std::string& name, const AbilitySizes& sizes = {});

int64_t size_for_training(const AbilityTask& task, Generator& rng);

struct AbilityBatch {
  Tensor words, answers;  // [B, T] i64, padded with 0 at the end
};
AbilityBatch ability_batch(const AbilityTask& task, int64_t size, int64_t batch, Generator& rng);

}  // namespace heed::data
