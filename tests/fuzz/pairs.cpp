// Fuzzes the reader of sentence pairs (nn/text/reading.h) and the splitting, tokenising and filtering of its pairs
// (nn/text/pairs.h). Pairs that were read, written as a table or as two parallel files, and read again must be the
// same. No source sentence may be in two of the sets for training, validation and test.
#include "nn/text/pairs.h"

#include <set>

#include "nn/text/unicode.h"
#include "tests/fuzz/target.h"

using namespace heed;
using fuzz::accepted, fuzz::must, fuzz::Scratch;

namespace {

using Pairs = std::vector<text::SentencePair>;

bool same(const Pairs& a, const Pairs& b) {
  auto equal = [](const auto& x, const auto& y) { return x.source == y.source && x.target == y.target; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > fuzz::kMaxBytes) return 0;
  const std::string path = Scratch::written("in", fuzz::text_of(data, size));
  accepted<IoError>([&] { text::read_lines(path); });
  text::Pairs read;
  if (!accepted<IoError>([&] { read = text::read_pairs(path); })) return 0;
  must(!read.pairs.empty(), "a file without a pair is refused");
  // The reader removes one byte order mark and one carriage return per line. Writing them here lets a text that itself
  // begins or ends with one keep its own.
  std::string table = "\xEF\xBB\xBF", sources = table, targets = table;
  std::vector<std::string> keys;
  for (const auto& [source, target] : read.pairs) {
    must(!text::is_blank(source) && !text::is_blank(target), "no side of a pair is blank");
    table += source + '\t' + target + "\tignored\r\n", sources += source + "\r\n", targets += target + "\r\n";
    keys.push_back(source);
  }
  must(same(text::read_pairs(Scratch::written("table", table)).pairs, read.pairs), "what was written reads the same");
  must(same(text::read_parallel(Scratch::written("a", sources), Scratch::written("b", targets)).pairs, read.pairs),
       "parallel files have the same pairs");
  must(text::read_pairs(path, {.limit = 1}).pairs.size() == 1, "a limit is kept");
  accepted<InputError>([&] {
    auto sets = text::split_by_source(read.pairs, {.validation = 1, .test = 1, .seed = size});
    std::set<std::string> train;
    for (const auto& pair : sets.train) train.insert(pair.source);
    for (const auto* set : {&sets.validation, &sets.test})
      for (const auto& pair : *set) must(!train.contains(pair.source), "no source is in two sets");
  });
  std::vector<text::TokenPair> tokens = text::tokenize(read.pairs, {});
  const int64_t before = std::ssize(tokens);
  accepted<InputError>(
      [&] { must(text::filter_by_length(tokens, 8) + std::ssize(tokens) == before, "pairs are kept or counted"); });
  return 0;
}
