// Fuzzes byte-pair encoding (nn/text/bpe.h). An input is lines of merges, an empty line, and lines of words; they may
// contain any bytes. Merges that were read are written unchanged; join(segment(words)) = words; and merges that were
// learned, written and read again give the same pieces.
#include "nn/text/bpe.h"

#include "tests/fuzz/target.h"

using namespace heed;
using fuzz::accepted, fuzz::must;
using text::Bpe;

namespace {

using Words = std::vector<std::string>;

void check(const Bpe& bpe, const Words& words) {
  Words pieces = bpe.segment(words);
  must(bpe.join(pieces) == words, "join(segment(words)) = words");
  must(bpe.segment(words) == pieces, "the cache gives the same pieces");
  for (const std::string& piece : pieces) must(!piece.empty(), "no piece is empty");
  Words joined = bpe.join(words);  // join accepts any text as a piece
  must(bpe.join(bpe.segment(joined)) == joined, "join(segment(joined)) = joined");
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
    must(read.to_lines() == lines, "merges that were read are written unchanged");
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
         "merges that were learned can be written and read");
  }
  return 0;
}
