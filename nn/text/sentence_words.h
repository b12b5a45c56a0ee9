// A vocabulary extended by the words of one sentence that it lacks, so that an output that copies can name them
// (nn/output_heads/).
//
//   the vocabulary, V = 6     .. 4 went  5 to
//   source                    Mira went to Oslo from Mira
//   ids                       6    4    5  7    8    6        the first unknown word is V, the next one V + 1, ..
//
// The ids hold in this sentence alone. Target words get them too; a target word that is in neither is <unk>.
#pragma once

#include <string>
#include <vector>

#include "nn/text/vocabulary.h"

namespace heed::text {

class SentenceWords {
 public:
  SentenceWords(const Vocabulary& vocabulary, const std::vector<std::string>& source);  // refers to the vocabulary

  std::vector<int64_t> source() const;                                        // ids of the source, </s> at the end
  std::vector<int64_t> encode(const std::vector<std::string>& target) const;  // without </s>
  const std::string& token(int64_t id) const;                                 // <unk> for an id of no word
  const std::vector<std::string>& unknown() const { return unknown_; }        // the words of V, V + 1, ..

 private:
  const Vocabulary& vocabulary_;
  std::vector<std::string> source_, unknown_;
};

}  // namespace heed::text
