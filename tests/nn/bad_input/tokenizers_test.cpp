// What the tokenizers of published models refuse: files that are missing, damaged or of something else, and texts.
#include <functional>

#include "nn/text/regex.h"
#include "nn/tokenizers/published_tokenizer.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;
using tokenizers::PublishedTokenizer;

namespace {

const char* const words = R"({"model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1}}})";

PublishedTokenizer described(const std::string& json, const std::string& settings = "{}") {
  return PublishedTokenizer::described_by(io::parse(json, "tokenizer.json"),
                                          io::parse(settings, "tokenizer_config.json"));
}
std::function<void()> made(const std::string& json, const std::string& settings = "{}") {
  return [=] { described(json, settings); };
}
std::string with_stage(const std::string& stage) {
  return R"({"model": {"type": "WordLevel", "vocab": {"a": 0}}, )" + stage + "}";
}

// A file of a folder of its own; returns the folder.
std::string folder_of(const std::string& name, const std::string& contents) {
  static int number = 0;
  std::string folder = in_box("tokenizer") + std::to_string(++number);
  io::make_folder(folder);
  io::atomic_write(folder + "/" + name, contents);
  return folder;
}

std::string field(int number, const std::string& bytes) {  // of protocol buffers
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

}  // namespace

TEST_CASE("files: tokenizers of published models") {
  refuses<InputError>("open tokenizer: folder got nowhere", [] { PublishedTokenizer::open("nowhere"); });
  refuses<InputError>(
      "open tokenizer: tokenizer.json class bert mpnet gpt2 qwen2 roberta t5 albert xlmroberta llama marian got "
      "class byt5",
      [] { PublishedTokenizer::open(folder_of("tokenizer_config.json", R"({"tokenizer_class": "ByT5Tokenizer"})")); });
  refuses<InputError>("WordPiece: unknown [UNK] got 2",
                      [] { PublishedTokenizer::open(folder_of("vocab.txt", "a\nb\n")); });
  refuses<IoError>("merges: line got abc", [] {
    std::string folder = folder_of("merges.txt", "#version: 0.2\na b\nabc\n");
    io::atomic_write(folder + "/vocab.json", "{}");
    PublishedTokenizer::open(folder);
  });
  CHECK_THROWS_AS(PublishedTokenizer::open(folder_of("merges.txt", "a b\n")), IoError);  // no vocab.json
  CHECK_THROWS_AS(PublishedTokenizer::open(folder_of("tokenizer.json", std::string(words).substr(0, 40))), IoError);
  refuses<InputError>("tokenizer: special got [CLS]",
                      [] { PublishedTokenizer::open(folder_of("vocab.txt", "[UNK]\n")); });
  refuses<IoError>("vocabulary: id 1 got 9000000000000000000 a",
                   made(R"({"model": {"type": "BPE", "vocab": {"a": 9000000000000000000}, "merges": []}})"));
  refuses<InputError>("BPE: merge vocabulary got a b 1",
                      made(R"({"model": {"vocab": {"a": 0, "b": 1}, "merges": ["a b"]}})"));
  refuses<InputError>("BPE: merge vocabulary got a 1",
                      made(R"({"model": {"vocab": {"a": 0, "": 1}, "merges": [["", "a"]]}})"));
  refuses<InputError>("Unigram: unknown one of pieces got 7 1",
                      made(R"({"model": {"type": "Unigram", "vocab": [["a", 0.5]], "unk_id": 7}})"));
  refuses<InputError>("Unigram: characters got b", [] {
    described(R"({"model": {"type": "Unigram", "vocab": [["a", 0.5]], "unk_id": null}})").encode("ab");
  });
  refuses<InputError>("charsmap: 64 got !",
                      made(with_stage(R"("normalizer": {"type": "Precompiled", "precompiled_charsmap": "a!"})")));
  refuses<InputError>("charsmap: whole got 3 bytes",
                      made(with_stage(R"("normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"})")));
  refuses<IoError>("sentencepiece: whole got damaged ~/m",
                   [] { PublishedTokenizer::sentencepiece(file("m", "\x0A\x7F")); });
  refuses<IoError>("sentencepiece: unknown UTF-8 got 0 0 ~/m",
                   [] { PublishedTokenizer::sentencepiece(file("m", "")); });
  CHECK_THROWS_AS(PublishedTokenizer::sentencepiece(file("m", field(1, field(1, "\xFF")))), IoError);
  refuses<InputError>("regular expression: understands got parenthesis 1", [] { text::regex("("); });
  refuses<InputError>("regular expression: steps got (a+)+$ 31 bytes",
                      [] { text::regex("(a+)+$")("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"); });
}

TEST_CASE("text: tokenizers of published models") {
  auto tokenizer = described(words);
  refuses<InputError>("encode: UTF-8 got 0xE9 3", [&] { tokenizer.encode("caf\xE9"); });
  std::string doubled;
  for (int i = 0; i < 20; ++i) doubled += R"({"type": "Replace", "pattern": "a", "content": "aa"}, )";
  auto endless = described(
      with_stage(R"("normalizer": {"type": "Sequence", "normalizers": [)" + doubled + R"({"type": "NFC"}]})"));
  refuses<InputError>("normalize: 64 as long got 65536 bytes", [&] { endless.encode("a"); });
  refuses<InputError>("truncate: longer got 1 tokens 1 many", [&] {
    tokenizer.encode("a", "a a a", {.max_length = 1, .truncation = tokenizers::Truncation::only_first});
  });
  auto around =
      described(R"({"model": {"type": "WordPiece", "vocab": {"[UNK]": 0}}, "post_processor": {"type": "BertProcessing",
                             "sep": ["s", 1], "cls": ["c", 2]}})");
  refuses<InputError>("truncate: max_length room 3 got 2", [&] { around.encode("a", "b", {.max_length = 2}); });
}

// Every name that a stage does not have is refused by itself; and so are values of another kind.
TEST_CASE("files: stages of a tokenizer.json that heed does not know") {
  for (const char* stage : {"normalizer", "pre_tokenizer", "post_processor", "decoder"}) {
    try {
      described(with_stage(std::string("\"") + stage + R"(": {"type": "Novel"})"));
      FAIL(stage);
    } catch (const InputError& error) { CHECK(std::string(error.what()).find("got \"Novel\"") != std::string::npos); }
    CHECK_THROWS_AS(described(with_stage(std::string("\"") + stage + R"(": {"type": 3})")), IoError);
    CHECK_THROWS_AS(described(with_stage(std::string("\"") + stage + R"(": {})")), IoError);
  }
  for (const char* entry :
       {R"("pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Merged"})",
        R"("pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "last"})",
        R"("normalizer": {"type": "Replace", "pattern": {}, "content": ""})",
        R"("post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "B"}}], "pair": []})",
        R"("post_processor": {"type": "BertProcessing", "sep": ["a"], "cls": ["a", 0]})"})
    CHECK_THROWS_AS(described(with_stage(entry)), IoError);
  CHECK_THROWS_AS(described(R"({"model": {"type": "Characters", "vocab": {}}})"), IoError);
  CHECK_THROWS_AS(described(R"({"model": {"type": "BPE", "vocab": {}, "merges": [], "dropout": 0.1}})"), IoError);
  CHECK_THROWS_AS(described(words, R"({"added_tokens_decoder": {"x": {"content": "b"}}})"), IoError);
}
