#include "nn/tokenizers/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "nn/io/file.h"
#include "nn/text/bpe.h"
#include "nn/text/unicode.h"
#include "nn/tokenizers/byte_letters.h"
#include "nn/tokenizers/classes.h"
#include "tensor/error.h"

namespace heed::tokenizers {
namespace {

const std::string kBegin = "\u2581";  // before a word, while pieces are learned

text::WordCounts words_of(const std::vector<std::string>& lines, const io::Json& normalizer, const io::Json& splitter) {
  const Normalizer normalize = normalizer_of(normalizer);
  const Splitter split = splitter_of(splitter);
  text::WordCounts counts;
  for (const std::string& line : lines) {
    AlignedText one(line);
    normalize(one);
    std::vector<std::string> words;
    for (const AlignedText& word : split(std::move(one)))
      if (!word.text().empty()) words.push_back(word.text());
    counts.add(words);
  }
  if (counts.counts().empty()) throw InputError("learn tokenizer: the text must have words; got none");
  return counts;
}

struct Merged {
  std::string left, right;
  bool first;  // does the piece begin a word?
};
// The merges as they are learned, with the mark of the beginning of a word taken off.
std::vector<Merged> merges_of(const text::WordCounts& words, const LearnOptions& o) {
  const text::Bpe bpe = text::Bpe::learn(
      words, {.merges = 2 * o.vocabulary, .min_frequency = o.min_frequency, .style = text::BpeStyle::begin_of_word});
  std::vector<Merged> merges;
  const std::vector<std::string> lines = bpe.to_lines();
  for (size_t i = 1; i < lines.size(); ++i) {  // after the line of the style
    const size_t space = lines[i].find(' ');
    Merged m{lines[i].substr(0, space), lines[i].substr(space + 1), false};
    if ((m.first = m.left.starts_with(kBegin))) m.left = m.left.substr(kBegin.size());
    merges.push_back(std::move(m));
  }
  return merges;
}

// Characters that are frequent enough, the most frequent first: of the beginning of words, and ##c within them.
std::vector<std::string> characters_of(const text::WordCounts& words, const LearnOptions& o) {
  std::map<std::string, int64_t> counts;
  for (const auto& [word, n] : words.counts())
    for (size_t at = 0, begin = 0; at < word.size(); begin = at) {
      text::next(word, at);
      counts[(begin > 0 ? "##" : "") + word.substr(begin, at - begin)] += n;
    }
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [character, n] : counts)
    if (n >= o.min_frequency) order.emplace_back(-n, character);
  std::sort(order.begin(), order.end());
  std::vector<std::string> out;
  for (auto& one : order) out.push_back(std::move(one.second));
  return out;
}

// The names of tokens, in the order of their numbers.
class Names {
 public:
  Names(std::vector<std::string> specials, int64_t most) : specials_(std::move(specials)), most_(most) {
    for (const std::string& one : specials_) add(one);
  }
  bool full() const { return static_cast<int64_t>(ids_.size()) >= most_; }
  bool add(const std::string& name) {  // false if it is there already
    if (!ids_.emplace(name, static_cast<int64_t>(ids_.size())).second) return false;
    vocabulary_.set(name, ids_.at(name));
    return true;
  }
  const io::Json& vocabulary() const { return vocabulary_; }
  io::Json added() const {
    io::Json list = io::Json::array();
    for (const std::string& one : specials_)
      list.push(io::Json::object({{"id", ids_.at(one)},
                                  {"content", one},
                                  {"single_word", false},
                                  {"lstrip", false},
                                  {"rstrip", false},
                                  {"normalized", false},
                                  {"special", true}}));
    return list;
  }
  io::Json around(const std::string& single, const std::string& pair) const {
    return template_entry(single, pair, [this](const std::string& name) { return std::optional(ids_.at(name)); });
  }

 private:
  std::vector<std::string> specials_;
  int64_t most_;
  std::map<std::string, int64_t> ids_;
  io::Json vocabulary_ = io::Json::object();
};

void require_room(int64_t least, const LearnOptions& o) {
  if (o.vocabulary < least)
    throw InputError(
        fmt::format("learn tokenizer: the vocabulary must have room for special tokens and characters, at "
                    "least {}; got {}",
                    least, o.vocabulary));
}

io::Json described(const Names& names, io::Json normalizer, io::Json splitter, io::Json around, io::Json decoder,
                   io::Json model) {
  return io::Json::object({{"version", "1.0"},
                           {"truncation", nullptr},
                           {"padding", nullptr},
                           {"added_tokens", names.added()},
                           {"normalizer", std::move(normalizer)},
                           {"pre_tokenizer", std::move(splitter)},
                           {"post_processor", std::move(around)},
                           {"decoder", std::move(decoder)},
                           {"model", std::move(model)}});
}

}  // namespace

LearnedTokenizer learn_wordpiece(const std::vector<std::string>& lines, const LearnOptions& o) {
  const io::Json normalizer = io::Json::object({{"type", "BertNormalizer"},
                                                {"clean_text", true},
                                                {"handle_chinese_chars", true},
                                                {"strip_accents", nullptr},
                                                {"lowercase", true}});
  const io::Json splitter = io::Json::object({{"type", "BertPreTokenizer"}});
  const text::WordCounts words = words_of(lines, normalizer, splitter);
  std::vector<std::string> characters = characters_of(words, o);
  require_room(16, o);
  characters.resize(std::min(characters.size(), static_cast<size_t>(o.vocabulary / 2)));
  Names names({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}, o.vocabulary);
  for (const std::string& one : characters) names.add(one);
  for (const Merged& m : merges_of(words, o))
    if (!names.full()) names.add((m.first ? "" : "##") + m.left + m.right);
  io::Json config = io::Json::object({{"tokenizer_class", "BertTokenizer"},
                                      {"cls_token", "[CLS]"},
                                      {"sep_token", "[SEP]"},
                                      {"pad_token", "[PAD]"},
                                      {"unk_token", "[UNK]"},
                                      {"mask_token", "[MASK]"},
                                      {"do_lower_case", true},
                                      {"model_max_length", o.max_length}});
  io::Json model = io::Json::object({{"type", "WordPiece"},
                                     {"unk_token", "[UNK]"},
                                     {"continuing_subword_prefix", "##"},
                                     {"max_input_chars_per_word", 100},
                                     {"vocab", names.vocabulary()}});
  return {
      described(names, normalizer, splitter, names.around("[CLS]:0 $A:0 [SEP]:0", "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"),
                io::Json::object({{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}), std::move(model)),
      std::move(config)};
}

LearnedTokenizer learn_byte_pairs(const std::vector<std::string>& lines, const LearnOptions& o) {
  auto split = [](const char* at, const char* behaviour) {
    return io::Json::object({{"type", "Split"},
                             {"pattern", io::Json::object({{"String", at}})},
                             {"behavior", behaviour},
                             {"invert", false}});
  };
  const io::Json letters = io::Json::object(
      {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}});
  const io::Json splitter = io::Json::object(
      {{"type", "Sequence"},
       {"pretokenizers",
        io::Json::array({split("\n", "Isolated"), split(" ", "MergedWithNext"),
                         io::Json::object({{"type", "Punctuation"}, {"behavior", "Isolated"}}), letters})}});
  const text::WordCounts words = words_of(lines, io::Json(), splitter);
  require_room(264, o);
  Names names({"<pad>", "<s>", "</s>"}, o.vocabulary);
  for (char32_t letter : byte_letters.letter) {
    std::string name;
    text::append(name, letter);
    names.add(name);
  }
  io::Json merges = io::Json::array();
  // A piece learned at the beginning of words and again within them is one merge. In the order of learning the parts
  // of a merge come before it, which "▁ a" only says of characters.
  for (const Merged& m : merges_of(words, o))
    if (!names.full() && !m.left.empty() && names.add(m.left + m.right)) merges.push(m.left + " " + m.right);
  io::Json config = io::Json::object({{"tokenizer_class", "PreTrainedTokenizerFast"},
                                      {"bos_token", "<s>"},
                                      {"eos_token", "</s>"},
                                      {"pad_token", "<pad>"},
                                      {"clean_up_tokenization_spaces", false},
                                      {"model_max_length", o.max_length}});
  io::Json model = io::Json::object({{"type", "BPE"},
                                     {"dropout", nullptr},
                                     {"unk_token", nullptr},
                                     {"continuing_subword_prefix", nullptr},
                                     {"end_of_word_suffix", nullptr},
                                     {"fuse_unk", false},
                                     {"byte_fallback", false},
                                     {"ignore_merges", false},
                                     {"vocab", names.vocabulary()},
                                     {"merges", merges}});
  return {described(names, nullptr, splitter, names.around("<s>:0 $A:0", "<s>:0 $A:0 <s>:1 $B:1"), letters,
                    std::move(model)),
          std::move(config)};
}

void save_tokenizer(const LearnedTokenizer& t, const std::string& folder) {
  io::make_folder(folder);
  io::atomic_write(folder + "/tokenizer_config.json", t.config.dump(2) + "\n");
  io::atomic_write(folder + "/tokenizer.json", t.tokenizer.dump(1) + "\n");
}

}  // namespace heed::tokenizers
