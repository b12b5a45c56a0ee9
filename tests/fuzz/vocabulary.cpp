// Fuzzes Vocabulary (nn/text/vocabulary.h): the lines of an input are a vocabulary file, and also sentences from which
// a vocabulary is counted. A vocabulary that was written and read must be the same; each word has its own id;
// decode(encode(words)) = words; and the searches by spelling find only words of the vocabulary.
#include "nn/text/vocabulary.h"

#include "nn/text/unicode.h"
#include "tests/fuzz/target.h"

using namespace heed;
using fuzz::accepted, fuzz::must;
using text::Vocabulary;

namespace {

void check(const Vocabulary& v, const std::string& asked) {
  std::vector<std::string> words;
  for (int64_t id = v.first_word(); id < v.size(); ++id) {
    words.push_back(v.token(id));
    must(v.id(v.token(id)) == id && v.contains(v.token(id)), "a word has its id");
    must(v.count(id) >= 0, "a count is not negative");
  }
  must(v.decode(v.encode(words, {.append_stop = true})) == words, "decode(encode(words)) = words");
  must(v.contains(asked) == (v.id(asked) != Vocabulary::unk), "only words that are missing are unknown");
  for (const auto& found : {v.nearest(asked, 3), v.matching(asked, 3), v.matching(asked + "*?", 3)}) {
    must(found.size() <= 3, "no more than asked for");
    for (const std::string& word : found) must(v.contains(word), "a search finds words of the vocabulary");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > fuzz::kMaxBytes) return 0;
  std::vector<std::string> lines = fuzz::split(fuzz::text_of(data, size), "\n");
  const std::string asked = lines.back();
  lines.pop_back();
  Vocabulary read;
  if (accepted<IoError>([&] { read = Vocabulary::from_lines(lines); })) {
    must(Vocabulary::from_lines(read.to_lines()).to_lines() == read.to_lines(), "what was written reads the same");
    check(read, asked);
  }
  text::WordCounts words;
  for (const std::string& line : lines) words.add(fuzz::split(line, " "));
  text::VocabularyOptions options{.min_frequency = 1 + static_cast<int64_t>(asked.size() % 2)};
  Vocabulary learned;
  if (!accepted<ValueError>([&] { learned = Vocabulary(words, options); })) return 0;
  check(learned, asked);
  for (const std::string& line : lines)
    if (text::invalid_utf8(line)) return 0;  // the readers of text refuse such words
  must(Vocabulary::from_lines(learned.to_lines()).to_lines() == learned.to_lines(), "what was learned reads the same");
  return 0;
}
