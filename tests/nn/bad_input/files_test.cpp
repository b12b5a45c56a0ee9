// Text and files: vocabularies, scores, bytes, JSON, safetensors, saved translators.
#include "tests/nn/bad_input/refuses.h"

#include <algorithm>

#include "nn/data/grammar/lexicon.h"
#include "nn/data/grammar/toy_corpus.h"
#include "nn/io/checksum.h"
#include "nn/io/json.h"
#include "nn/io/owned_folder.h"
#include "nn/models/bahdanau.h"
#include "nn/models/translator.h"
#include "nn/text/bleu.h"
#include "nn/text/chrf.h"
#include "nn/text/unicode.h"
#include "tests/nn/models/small.h"

using namespace heed;
using namespace heed::bad_input;

TEST_CASE("text: vocabularies, tokens, scores") {
  using Words = std::vector<std::vector<std::string>>;
  using Lines = std::vector<std::string>;
  refuses("vocabulary: min_frequency 1 0 got 0 0", [] { text::Vocabulary(Words{{"a"}}, {.min_frequency = 0}); });
  refuses("vocabulary: got a\\x0Ab", [] { text::Vocabulary(Words{{"a\nb"}}); });
  refuses<IndexError>("vocabulary: [0, 4) got 4", [] { text::Vocabulary().token(4); });
  refuses<IoError>("load vocabulary: got cat 5", [] {
    text::Vocabulary::from_lines({"0 <pad>", "0 <unk>", "0 <s>", "0 </s>", "cat"});
  });
  refuses<IoError>("load vocabulary: 1 pad got unk", [] {
    text::Vocabulary::from_lines({"0 <unk>", "0 <pad>", "0 <s>", "0 </s>"});
  });
  refuses<IoError>("load vocabulary: got a 6", [] {
    text::Vocabulary::from_lines({"0 <pad>", "0 <unk>", "0 <s>", "0 </s>", "1 a", "2 a"});
  });
  refuses<IoError>("load vocabulary: begin got 1", [] { text::Vocabulary::from_lines({"0 <pad>"}); });
  refuses<InputError>("tokenize: UTF-8 got 0xE9 3", [] { text::Tokenizer().split("caf\xE9"); });
  refuses<InputError>("tokenizer: got bytes", [] { text::Tokenizer::from_name("bytes"); });
  refuses<InputError>("nfc: UTF-8 got 0xE9 3", [] { text::nfc("caf\xE9"); });
  refuses<InputError>("bleu: tokenisation got 14a", [] { text::bleu_tokens_from_name("14a"); });
  refuses<InputError>("bleu: hypotheses got 2 1", [] { text::bleu(Lines{"a", "b"}, Lines{"a"}); });
  refuses<InputError>("chrf: got 0 0", [] { text::chrf(Lines{}, Lines{}); });
  auto filtered = [](std::vector<text::TokenPair> pairs, int64_t longest) { text::filter_by_length(pairs, longest); };
  const std::vector<text::TokenPair> pairs = {{{"a", "b", "c"}, {"x"}}}, bare = {{{}, {"x"}}};
  refuses<InputError>("length filter: sentence 1 got 0", [&] { filtered(pairs, 0); });
  refuses<InputError>("length filter: 2 tokens got 1 3", [&] { filtered(pairs, 2); });
  refuses<InputError>("length filter: sides got 1", [&] { filtered(bare, 2); });
  refuses<InputError>("split: negative got -1 0", [] { text::assign_sets({"a", "b"}, {.validation = -1}); });
  refuses<InputError>("split: sentence got 2 1 1", [] { text::assign_sets({"a", "b"}, {.validation = 1, .test = 1}); });
}

TEST_CASE("files: text") {
  refuses<IoError>("read: got ~/missing.txt", [] { text::read_lines(in_box("missing.txt")); });
  refuses<IoError>("read: needed got ~", [] { text::read_lines(box()); });
  refuses<IoError>("read: exist got", [] { text::read_lines(""); });
  refuses<IoError>("read: got ~/empty.txt", [] { text::read_lines(file("empty.txt", "")); });
  refuses<IoError>("read: got ~/blank.tsv 2", [] { text::read_pairs(file("blank.tsv", "\n \n")); });
  refuses<IoError>("read: got 2 ~/one.tsv only one", [] { text::read_pairs(file("one.tsv", "a\tb\nonly one\n")); });
  refuses<IoError>("read: got 1 ~/zero.txt 3", [] { text::read_lines(file("zero.txt", std::string("ab\0c", 4))); });
  refuses<IoError>("read: UTF-8 got 0xE9 2 ~/latin.txt 4", [] { text::read_lines(file("latin.txt", "a\ncaf\xE9\n")); });
  refuses<IoError>("read: got ~/wide.txt", [] {
    text::read_lines(file("wide.txt",
                          "\xFF\xFE"
                          "a"));
  });
  refuses<IoError>("read: got 2 ~/two.txt 1 ~/single.txt",
                   [] { text::read_parallel(file("two.txt", "a\nb\n"), file("single.txt", "x\n")); });
  // A stream that gives `letters` letters without a line end, and then breaks.
  struct Broken : std::streambuf {
    size_t letters;
    std::string chunk = std::string(1 << 16, 'a');
    explicit Broken(size_t n) : letters(n) {}
    int underflow() override {
      if (letters == 0) throw std::ios_base::failure("broken");
      const size_t some = std::min(letters, chunk.size());
      letters -= some;
      setg(chunk.data(), chunk.data(), chunk.data() + some);
      return 'a';
    }
  };
  auto read = [](size_t letters) {
    Broken buffer(letters);
    std::istream stream(&buffer);
    text::LineReader reader(stream, "standard input");
    std::string line;
    reader.next(line);
  };
  refuses<IoError>("read: stay got 1 standard input", [&] { read(5); });
  refuses<IoError>("read: 64 MiB got 1 standard input", [&] { read((size_t{64} << 20) + 1); });
}

TEST_CASE("files: folders that belong to others") {
  const io::FolderKind museum{.command = "museum", .owner = "heed museum", .files = {"report.html"}};
  refuses<IoError>("write: folder got", [&] { io::require_own("", museum); });
  refuses<IoError>("museum: got ~/owned heed train", [&] {
    io::OwnedFolder folder(in_box("owned"), {.command = "train", .owner = "heed train", .files = {}});
    io::require_own(folder.path(), museum);
  });
  io::make_folder(in_box("mine"));
  refuses<IoError>("museum: got ~/mine/report.html", [&] {
    file("mine/report.html", "my own");
    io::OwnedFolder folder(in_box("mine"), museum);
  });
  refuses<IoError>("museum: got ~/mine/lock folder", [&] {
    io::make_folder(in_box("mine/lock"));
    io::OwnedFolder folder(in_box("mine"), museum);
  });
  refuses<IoError>("museum: got ~/held", [&] {
    io::OwnedFolder folder(in_box("held"), museum);
    io::require_own(folder.path(), museum);
  });
}

TEST_CASE("files: bytes, folders, JSON") {
  refuses<IoError>("read: ~/missing", [] { io::read_file(in_box("missing")); });
  refuses<IoError>("read: ~ Is directory", [] { io::read_file(box()); });
  refuses<IoError>("read: got /dev/null", [] { io::read_file("/dev/null"); });
  refuses<IoError>("read: ~/turns", [] {
    std::filesystem::create_symlink("turns", in_box("turns"));
    io::exists(in_box("turns"));
  });
  refuses<IoError>("write: file got", [] { io::atomic_write("", "text"); });
  refuses<IoError>("write: ~ Is directory", [] { io::atomic_write(box(), "text"); });
  refuses<IoError>("write: ~/missing/file", [] { io::atomic_write(in_box("missing/file"), "text"); });
  refuses<IoError>("write: ~/plain/file Not directory",
                   [] { io::atomic_write(file("plain", "text") + "/file", "text"); });
  refuses<IoError>("write: /dev/full", [] { io::atomic_write("/dev/full", "text"); });
  refuses<IoError>("write: folder got", [] { io::make_folder(""); });
  refuses<IoError>("write: ~/plain", [] { io::make_folder(file("plain", "text")); });
  refuses<IoError>("write: /dev/null/folder Not directory", [] { io::make_folder("/dev/null/folder"); });
  CHECK_THROWS_AS(io::make_folder(in_box(std::string(300, 'x'))), IoError);  // File name too long
  refuses<IoError>("c.json: 1 column 7 [", [] { io::parse("{\"a\": }", "c.json"); });
  refuses<IoError>("c.json: 1 column 1 [", [] { io::parse("", "c.json"); });
  refuses<IoError>("c.json: appear got a", [] { io::parse("{\"a\": 1, \"a\": 2}", "c.json"); });
  refuses<IoError>("c.json: brackets 200 got", [] { io::parse(std::string(300, '['), "c.json"); });
  const io::Json json = io::parse("{\"a\": [1], \"n\": 1.5, \"t\": \"x\"}", "c.json");
  refuses<IoError>("c.json: b", [&] { json.at("b"); });
  refuses<IoError>("c.json: a false got an array", [&] { json.boolean("a"); });
  refuses<IoError>("c.json: n integer got number", [&] { json.integer("n"); });
  refuses<IoError>("c.json: t got string", [&] { json.number("t"); });
  refuses<IoError>("c.json: a string got an array", [&] { json.text("a"); });
  refuses<IoError>("c.json: n array got number", [&] { json.list("n"); });
  refuses<IoError>("c.json: a object got an array", [&] { json.inner("a"); });
  refuses<IoError>("json: false got an array", [&] { json.at("a").as_bool(); });
  refuses<IoError>("json: integer got number", [&] { json.at("n").as_integer(); });
  refuses<IoError>("json: number got an array", [&] { json.at("a").as_number(); });
  refuses<IoError>("json: string got an array", [&] { json.at("a").as_string(); });
  refuses<IoError>("json: got an object", [&] { json.elements(); });
  refuses<IoError>("json: object got an array", [&] { json.at("a").items(); });
  refuses<IoError>("json: object got an array", [&] { json.at("a").at("b"); });
  refuses<IoError>("c.json: be object got an array", [] { io::parse("[]", "c.json").integer("n"); });
  refuses<IoError>("c.json: object got string", [] { io::parse("\"x\"", "c.json").at("n"); });
  refuses<IoError>("json: object got an integer", [] { io::Json(1).set("a", 1); });
  refuses<IoError>("json: array got an integer", [] { io::Json(1).push(1); });
}

TEST_CASE("files: safetensors") {
  auto saved = [](io::SafeTensors tensors) { io::save_safetensors(in_box("s"), tensors); };
  refuses("save: defined got w", [&] { saved({{{"w", {}}}, {}}); });
  refuses("save: given got w", [&] { saved({{{"w", ones({1})}, {"w", ones({1})}}, {}}); });
  refuses("save: __metadata__ got", [&] { saved({{{"__metadata__", ones({1})}}, {}}); });
  refuses("save: UTF-8 got caf", [&] { saved({{{"caf\xE9", ones({1})}}, {}}); });
  refuses("save: header 100000000 got 100000032", [&] { saved({{}, {{"a", std::string(100'000'001, 'x')}}}); });
  refuses("save: 100000 words got 100001", [&] {
    io::SafeTensors many;
    for (int i = 0; i <= 100'000; ++i) many.metadata[std::to_string(i)] = "x";
    saved(many);
  });
  refuses<IoError>("load: ~/missing got", [] { io::load_safetensors(in_box("missing")); });
  refuses<IoError>("load: ~ got folder", [] { io::load_safetensors(box()); });
  refuses<IoError>("load: /dev/null got", [] { io::load_safetensors("/dev/null"); });
  refuses<IoError>("load: ~/s begins 8 got 5", [] { io::load_safetensors(file("s", "short")); });
  refuses<IoError>("load: ~/s have 100000000 got 7021991845529153390",
                   [] { io::load_safetensors(file("s", "not a safetensors file")); });
  refuses<IoError>("load: ~/s inside got 9 10",
                   [] { io::load_safetensors(file("s", std::string("\x09\0\0\0\0\0\0\0{}", 10))); });
  refuses<IoError>("load: ~/s object got [",
                   [] { io::load_safetensors(file("s", std::string("\x02\0\0\0\0\0\0\0[]", 10))); });
}

TEST_CASE("files: a flipped bit") {
  io::save_safetensors(in_box("k"), {{{"a", Tensor::full({2}, 1)}}, {{"heed.kind", "x"}}});
  std::string bytes = io::read_file(in_box("k"));
  CHECK(io::load_safetensors(in_box("k")).metadata.size() == 1);
  refuses<IoError>("load: ~/k e7f2db9a50f4d852 got 9af2db9a2df4d852 heed.checksum2", [&] {
    bytes.back() ^= 1;
    io::load_safetensors(file("k", bytes));
  });
  bytes.back() ^= 1;
  for (size_t i = 8; i < bytes.size(); ++i) {  // every byte but the length of the header
    std::string other = bytes;
    other[i] ^= 1;
    if (other.find("heed.checksum2\":\"") == std::string::npos) continue;  // the key: a file without a checksum
    CHECK_THROWS_AS(io::load_safetensors(file("k", other)), IoError);
  }
}

TEST_CASE("files: a checksum does not depend on how its bytes are divided, and sees two high bits that change") {
  std::string text(100, 'x');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 37);
  auto digits = [&](size_t first, size_t second) {
    io::Checksum sum;
    sum.add(text.data(), first);
    sum.add(text.data() + first, second);
    sum.add(text.data() + first + second, text.size() - first - second);
    return sum.digits();
  };
  const std::string whole = digits(100, 0);
  for (size_t first = 0; first < 20; ++first)
    for (size_t second = 0; second < 20; ++second) CHECK(digits(first, second) == whole);
  for (size_t i : {size_t{7}, size_t{15}}) text[i] = static_cast<char>(text[i] ^ 0x80);
  CHECK(digits(100, 0) != whole);
}

TEST_CASE("files: translators") {
  auto saved = [](const std::function<void(io::SafeTensors&)>& edit) {
    text::Vocabulary words(std::vector<std::vector<std::string>>{{"a", "b"}});
    nn::Translator small({{}, words, words}, nn::paper_of<nn::Bahdanau>(nn_test::small_paper<nn::Bahdanau>(0, 0, 2, 2)),
                         1);
    small.epochs = 1;
    small.save(in_box("t"), {});
    io::SafeTensors state = io::load_safetensors(in_box("t"));
    edit(state);
    io::save_safetensors(in_box("t"), state);
    return nn::Translator::load(in_box("t"));
  };
  auto with_option = [&](const char* key, const io::Json& value) {
    saved([&](auto& s) {
      io::Json options = io::parse(s.metadata["heed.options"], "options");
      s.metadata["heed.options"] = options.set(key, value).dump();
    });
  };
  refuses<IoError>("load: ~/t got heed.kind", [&] { saved([](auto& s) { s.metadata.clear(); }); });
  refuses<IoError>("load: ~/t translator 4 got parrot",
                   [&] { saved([](auto& s) { s.metadata["heed.kind"] = "parrot"; }); });
  refuses<IoError>("load: ~/t trained got 0", [&] { saved([](auto& s) { s.metadata["heed.epochs"] = "0"; }); });
  refuses<IoError>("load: ~/t bahdanau decoder.hidden [1, 16384] got 0", [&] { with_option("decoder.hidden", 0); });
  refuses<IoError>("load: ~/t bahdanau dropout [0, 1) got 1", [&] { with_option("dropout", 1); });
  refuses<IoError>("load: ~/t decoder.hidden got string", [&] { with_option("decoder.hidden", "two"); });
  refuses<IoError>("load: ~/t is damaged got bytes", [&] { with_option("source_tokenizer", "bytes"); });
  refuses<IoError>("load: ~/t is damaged got parrot", [&] { with_option("paper", "parrot"); });
  refuses<IoError>("load: ~/t is damaged decoder.hiden option nearest decoder.hidden",
                   [&] { with_option("decoder.hiden", 3); });
  refuses<IoError>("load: ~/t vocabularies", [&] { with_option("decoder.hidden", 3); });
  refuses<IoError>("load: ~/t is damaged got pointer positions", [&] { with_option("output", "pointer"); });
  refuses("translator: pointer_generator vocabulary got two", [] {
    auto of = [](const char* word) { return text::Vocabulary(std::vector<std::vector<std::string>>{{word}}); };
    nn::AnyPaper copying = nn::paper_called("bahdanau");
    nn::set_called(copying.fields(), "output", "pointer_generator");
    nn::Translator({{}, of("a"), of("b")}, copying, 1);
  });
  refuses<IoError>("load: ~/t 1 column 2", [&] { saved([](auto& s) { s.metadata["heed.options"] = "{"; }); });
  refuses<IoError>("load: ~/t missing got", [&] { saved([](auto& s) { s.tensors.pop_back(); }); });
  refuses("translate: needs 1 got 0", [&] { saved([](auto&) {}).translate("a", {.beam = 0}); });
  refuses("translate: translations got 1 2", [&] { saved([](auto&) {}).translate_n_best({{"a"}}, 2); });
  refuses("translate: groups got 3 1", [&] { saved([](auto&) {}).translate("a", {.groups = 3}); });
  refuses<InputError>("translate: 5 positions got 9", [] {
    nn::TransformerOptions o{.model = 4, .heads = 2, .inner = 4, .encoder_layers = 1, .decoder_layers = 1};
    o.positions = "learned", o.max_positions = 6;
    const text::Vocabulary words(std::vector<std::vector<std::string>>{{"a"}});
    nn::Translator({{}, words, words}, nn::paper_of<nn::Transformer>(o), 1).translate("a", {.min_length = 9});
  });
  refuses<InputError>("translate: got zzz", [&] { saved([](auto&) {}).translate("a", {.prefix = {"zzz"}}); });
  refuses("translate: vocabularies got 6 4 6 4", [&] {
    nn::Translator one = saved([](auto&) {});
    nn::Translator other({one.parts.tokenizers, {}, {}}, one.model.options, 1);
    one.translate("a", {.ensemble = {&other}});
  });
  refuses<IoError>("load: ~/missing got", [] { nn::Translator::load(in_box("missing")); });
}
