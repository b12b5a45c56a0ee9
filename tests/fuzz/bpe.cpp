// Feeds merges to Bpe::from_lines, and words to its encoding and learning (nn/text/bpe.h). An input is lines of merges,
// an empty line, and lines of words, whatever their bytes. A file of merges is kept as it is, join(segment(words)) are
// the words, and what was learned is a file of merges that segments alike.
#include "nn/text/bpe.h"

#include "tests/fuzz/target.h"

using namespace heed;
using fuzz::accepted, fuzz::must;
using text::Bpe;

namespace {

using Words = std::vector<std::string>;

void check(const Bpe& bpe, const Words& words) {
  Words pieces = bpe.segment(words);
  must(bpe.join(pieces) == words, "join(segment(words)) are the words");
  must(bpe.segment(words) == pieces, "the cache gives the same pieces");
  for (const std::string& piece : pieces) must(!piece.empty(), "no piece is empty");
  Words joined = bpe.join(words);  // words taken for pieces: any text may be one
  must(bpe.join(bpe.segment(joined)) == joined, "what was joined is made of words");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > fuzz::kMaxBytes) return 0;
  const std::string input = fuzz::text_of(data, size);
  size_t gap = std::min(input.find("\n\n"), input.size());
  Words lines = fuzz::split(input.substr(0, gap), "\n"), words;
  for (const std::string& line : fuzz::split(input.substr(std::min(gap + 2, input.size())), "\n"))
    for (const std::string& word : fuzz::split(line, " "))
      if (!word.empty()) words.push_back(word);
  Bpe read;
  if (accepted<IoError>([&] { read = Bpe::from_lines(lines); })) {
    must(read.to_lines() == lines, "a file of merges is kept as it is");
    check(read, words);
  }
  text::WordCounts counts;
  counts.add(words);
  for (text::BpeStyle style : {text::BpeStyle::end_of_word, text::BpeStyle::begin_of_word}) {
    Bpe learned;
    if (!accepted<InputError>([&] { learned = Bpe::learn(counts, {.merges = 30, .style = style}); })) return 0;
    check(learned, words);
    Bpe again = Bpe::from_lines(learned.to_lines());
    must(again.to_lines() == learned.to_lines() && again.segment(words) == learned.segment(words),
         "what was learned can be written and read");
  }
  return 0;
}
