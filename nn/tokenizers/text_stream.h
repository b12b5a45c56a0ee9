// Turns tokens into text as they arrive, and holds back what may still change.
//
// A token may end within a character: a byte token has one of the bytes of é, and their text is U+FFFD until the last
// one is there. A text that stops the stream may come piece by piece, too. So the end of the text is held back while it
// is U+FFFD, or may become a stop.
//
//   TextStream stream(tokenizer, prompt_ids, {"\n\n"});
//   std::cout << stream.add(id);          // for each token, until stream.stopped()
//   std::cout << stream.rest();
#pragma once

#include <string>
#include <vector>

#include "nn/tokenizers/published_tokenizer.h"

namespace heed::tokenizers {

class TextStream {
 public:
  // The text begins after that of `before`; `stop`: it ends before the first of these.
  TextStream(const PublishedTokenizer& tokenizer, std::vector<int64_t> before, std::vector<std::string> stop = {});

  std::string add(int64_t id);  // what has become certain
  std::string rest();           // at the end: what was held back
  bool stopped() const { return stopped_; }

 private:
  std::string decoded() const;
  std::string show(const std::string& text);  // what of it has not been shown

  const PublishedTokenizer& tokenizer_;
  std::vector<int64_t> ids_;
  std::vector<std::string> stop_;
  std::string before_, shown_;
  bool stopped_ = false;
};

}  // namespace heed::tokenizers
