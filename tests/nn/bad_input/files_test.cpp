// Text and files: vocabularies, scores, bytes, JSON, safetensors, saved translators.
#include "tests/nn/bad_input/refuses.h"

#include <functional>

#include "nn/data/grammar/lexicon.h"
#include "nn/data/grammar/toy_corpus.h"
#include "nn/io/checksum.h"
#include "nn/io/file.h"
#include "nn/io/json.h"
#include "nn/io/owned_folder.h"
#include "nn/models/translator.h"
#include "nn/text/bleu.h"
#include "nn/text/chrf.h"
#include "nn/text/unicode.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("text: vocabularies, tokens, scores") {
    using Words = std::vector<std::vector<std::string>>;
    using Lines = std::vector<std::string>;
    refuses<ValueError>("vocabulary: min_frequency must be at least 1 and max_size at least 0; got 0 and 0",
                        [] { text::Vocabulary(Words{{"a"}}, {.min_frequency = 0}); });
    refuses<ValueError>("vocabulary: a token must be in UTF-8, not empty and of one line; got \"a\\x0Ab\"",
                        [] { text::Vocabulary(Words{{"a\nb"}}); });
    refuses<IndexError>("vocabulary: an id must lie in [0, 4); got 4", [] { text::Vocabulary().token(4); });
    refuses<IoError>("load vocabulary: each line must be a count, a space and a token in UTF-8; got \"cat\" in line 5",
                     [] {
                       text::Vocabulary::from_lines({"0 <pad>", "0 <unk>", "0 <s>", "0 </s>", "cat"});
                     });
    refuses<IoError>("load vocabulary: line 1 must hold <pad>; got \"<unk>\"", [] {
      text::Vocabulary::from_lines({"0 <unk>", "0 <pad>", "0 <s>", "0 </s>"});
    });
    refuses<IoError>("load vocabulary: tokens must be distinct; got \"a\" again in line 6", [] {
      text::Vocabulary::from_lines({"0 <pad>", "0 <unk>", "0 <s>", "0 </s>", "1 a", "2 a"});
    });
    refuses<IoError>("load vocabulary: it must begin with <pad> <unk> <s> </s>; got 1 line",
                     [] { text::Vocabulary::from_lines({"0 <pad>"}); });
    refuses<InputError>("tokenize: text must be UTF-8; got byte 0xE9 at offset 3",
                        [] { text::Tokenizer().split("caf\xE9"); });
    refuses<InputError>("tokenizer: the name must be space, words or words-spaced; got \"bytes\"",
                        [] { text::Tokenizer::from_name("bytes"); });
    refuses<InputError>("nfc: text must be UTF-8; got byte 0xE9 at offset 3", [] { text::nfc("caf\xE9"); });
    refuses<InputError>("bleu: the tokenisation must be none or 13a; got \"14a\"",
                        [] { text::bleu_tokens_from_name("14a"); });
    refuses<InputError>("bleu: hypotheses and references must be equal in number, and at least one; got 2 and 1", [] {
      text::bleu(Lines{"a", "b"}, Lines{"a"});
    });
    refuses<InputError>("chrf: hypotheses and references must be equal in number, and at least one; got 0 and 0",
                        [] { text::chrf(Lines{}, Lines{}); });
    auto filtered = [](std::vector<text::TokenPair> pairs, int64_t longest) { text::filter_by_length(pairs, longest); };
    const std::vector<text::TokenPair> pairs = {{{"a", "b", "c"}, {"x"}}}, bare = {{{}, {"x"}}};
    refuses<InputError>("length filter: the longest sentence must have at least 1 token; got 0",
                        [&] { filtered(pairs, 0); });
    refuses<InputError>(
        "length filter: a pair must have at most 2 tokens a side; got 1 pair, the shortest with 3 tokens; raise the "
        "maximum length",
        [&] { filtered(pairs, 2); });
    refuses<InputError>("length filter: a pair must have a token on both sides; got 1 pair without",
                        [&] { filtered(bare, 2); });
    refuses<InputError>("split: the sizes must not be negative; got validation -1 and test 0", [] {
      text::assign_sets({"a", "b"}, {.validation = -1});
    });
    refuses<InputError>(
        "split: a source sentence must be left to train on; got 2 distinct ones for validation 1 and test 1", [] {
          text::assign_sets({"a", "b"}, {.validation = 1, .test = 1});
        });
  }

  TEST_CASE("files: text") {
    refuses<IoError>("read: the file must exist and be readable; got \"~/missing.txt\" (No such file or directory)",
                     [] { text::read_lines(in_box("missing.txt")); });
    refuses<IoError>("read: a file is needed; got the folder \"~\"", [] { text::read_lines(box()); });
    refuses<IoError>("read: the file must exist and be readable; got \"\" (No such file or directory)",
                     [] { text::read_lines(""); });
    refuses<IoError>("read: the file must not be empty; got \"~/empty.txt\"",
                     [] { text::read_lines(file("empty.txt", "")); });
    refuses<IoError>("read: there must be a line with text on both sides; got \"~/blank.tsv\" with 2 blank lines",
                     [] { text::read_pairs(file("blank.tsv", "\n \n")); });
    refuses<IoError>(
        "read: every line must be source TAB target; got one column in line 2 of \"~/one.tsv\": \"only one\"",
        [] { text::read_pairs(file("one.tsv", "a\tb\nonly one\n")); });
    refuses<IoError>("read: a text file must not hold NUL bytes; got one in line 1 of \"~/zero.txt\", byte 3",
                     [] { text::read_lines(file("zero.txt", std::string("ab\0c", 4))); });
    refuses<IoError>(
        "read: text must be UTF-8; got byte 0xE9 in line 2 of \"~/latin.txt\", byte 4; if the file is Latin-1, convert "
        "it with iconv -f LATIN1 -t UTF-8",
        [] { text::read_lines(file("latin.txt", "a\ncaf\xE9\n")); });
    refuses<IoError>("read: text must be UTF-8; got UTF-16 in \"~/wide.txt\"; convert it with iconv -f UTF-16 -t UTF-8",
                     [] {
                       text::read_lines(file("wide.txt",
                                             "\xFF\xFE"
                                             "a"));
                     });
    refuses<IoError>(
        "read: parallel files must have the same number of lines; got 2 in \"~/two.txt\" and 1 in \"~/single.txt\"",
        [] { text::read_parallel(file("two.txt", "a\nb\n"), file("single.txt", "x\n")); });
    // A stream that gives `letters` letters without a line end, and then breaks.
    struct Broken : std::streambuf {
      size_t letters;
      char letter = 'a';
      explicit Broken(size_t n) : letters(n) {}
      int underflow() override {
        if (letters-- == 0) throw std::ios_base::failure("broken");
        setg(&letter, &letter, &letter + 1);
        return letter;
      }
    };
    auto read = [](size_t letters) {
      Broken buffer(letters);
      std::istream stream(&buffer);
      text::LineReader reader(stream, "standard input");
      std::string line;
      reader.next(line);
    };
    refuses<IoError>("read: the file must stay readable; got a read error after line 1 of standard input",
                     [&] { read(5); });
    refuses<IoError>("read: a line must be at most 64 MiB; got more in line 1 of standard input",
                     [&] { read((size_t{64} << 20) + 1); });
  }

  TEST_CASE("files: folders that belong to others") {
    const io::FolderKind museum{.command = "museum", .owner = "heed museum", .files = {"report.html"}};
    refuses<IoError>("write: a folder name must not be empty; got \"\"", [&] { io::require_own("", museum); });
    refuses<IoError>(
        "museum: a folder keeps the results of one command; got \"~/owned\", which belongs to heed train; hint: --out "
        "names another folder",
        [&] {
          io::OwnedFolder folder(in_box("owned"), {.command = "train", .owner = "heed train", .files = {}});
          io::require_own(folder.path(), museum);
        });
    io::make_folder(in_box("mine"));
    refuses<IoError>(
        "museum: a file that heed did not write is never replaced; got \"~/mine/report.html\"; hint: --out names "
        "another "
        "folder",
        [&] {
          file("mine/report.html", "my own");
          io::OwnedFolder folder(in_box("mine"), museum);
        });
    refuses<IoError>(
        "museum: a folder for results must hold regular files; got \"~/mine/lock\", a folder; hint: --out names "
        "another "
        "folder",
        [&] {
          io::make_folder(in_box("mine/lock"));
          io::OwnedFolder folder(in_box("mine"), museum);
        });
    refuses<IoError>(
        "museum: a folder takes one writer at a time; got \"~/held\", where another is at work; hint: --out names "
        "another "
        "folder",
        [&] {
          io::OwnedFolder folder(in_box("held"), museum);
          io::require_own(folder.path(), museum);
        });
  }

  TEST_CASE("files: bytes, folders, JSON") {
    refuses<IoError>("read: cannot read \"~/missing\": No such file or directory",
                     [] { io::read_file(in_box("missing")); });
    refuses<IoError>("read: cannot read \"~\": Is a directory", [] { io::read_file(box()); });
    refuses<IoError>("read: the file must be a regular one; got \"/dev/null\", a pipe or a device",
                     [] { io::read_file("/dev/null"); });
    refuses<IoError>("read: cannot read \"~/turns\": Too many levels of symbolic links", [] {
      std::filesystem::create_symlink("turns", in_box("turns"));
      io::exists(in_box("turns"));
    });
    refuses<IoError>("write: a file name must not be empty; got \"\"", [] { io::atomic_write("", "text"); });
    refuses<IoError>("write: cannot write \"~\": Is a directory", [] { io::atomic_write(box(), "text"); });
    refuses<IoError>("write: cannot write \"~/missing/file\": No such file or directory",
                     [] { io::atomic_write(in_box("missing/file"), "text"); });
    refuses<IoError>("write: cannot write \"~/plain/file\": Not a directory",
                     [] { io::atomic_write(file("plain", "text") + "/file", "text"); });
    refuses<IoError>("write: cannot write \"/dev/full\": No space left on device",
                     [] { io::atomic_write("/dev/full", "text"); });
    refuses<IoError>("write: a folder name must not be empty; got \"\"", [] { io::make_folder(""); });
    refuses<IoError>("write: cannot make the folder \"~/plain\": a file of that name is in the way",
                     [] { io::make_folder(file("plain", "text")); });
    refuses<IoError>("write: cannot make the folder \"/dev/null/folder\": Not a directory",
                     [] { io::make_folder("/dev/null/folder"); });
    CHECK_THROWS_AS(io::make_folder(in_box(std::string(300, 'x'))), IoError);  // File name too long
    refuses<IoError>(
        "c.json: must be valid JSON; line 1, column 7: value - unexpected '}'; expected '[', '{', or a literal",
        [] { io::parse("{\"a\": }", "c.json"); });
    refuses<IoError>(
        "c.json: must be valid JSON; line 1, column 1: value - unexpected end of input; expected '[', '{', or a "
        "literal",
        [] { io::parse("", "c.json"); });
    refuses<IoError>("c.json: a key must appear once in an object; got \"a\" twice",
                     [] { io::parse("{\"a\": 1, \"a\": 2}", "c.json"); });
    refuses<IoError>("c.json: brackets must not nest deeper than 200; got one more",
                     [] { io::parse(std::string(300, '['), "c.json"); });
    const io::Json json = io::parse("{\"a\": [1], \"n\": 1.5, \"t\": \"x\"}", "c.json");
    refuses<IoError>("c.json: key \"b\" is missing", [&] { json.at("b"); });
    refuses<IoError>("c.json: key \"a\" must be true or false; got an array", [&] { json.boolean("a"); });
    refuses<IoError>("c.json: key \"n\" must be an integer; got a number", [&] { json.integer("n"); });
    refuses<IoError>("c.json: key \"t\" must be a number; got a string", [&] { json.number("t"); });
    refuses<IoError>("c.json: key \"a\" must be a string; got an array", [&] { json.text("a"); });
    refuses<IoError>("c.json: key \"n\" must be an array; got a number", [&] { json.list("n"); });
    refuses<IoError>("json: must be true or false; got an array", [&] { json.at("a").as_bool(); });
    refuses<IoError>("json: must be an integer; got a number", [&] { json.at("n").as_integer(); });
    refuses<IoError>("json: must be a number; got an array", [&] { json.at("a").as_number(); });
    refuses<IoError>("json: must be a string; got an array", [&] { json.at("a").as_string(); });
    refuses<IoError>("json: must be an array; got an object", [&] { json.elements(); });
    refuses<IoError>("json: must be an object; got an array", [&] { json.at("a").items(); });
    refuses<IoError>("json: must be an object; got an array", [&] { json.at("a").at("b"); });
    refuses<IoError>("c.json: must be an object; got an array", [] { io::parse("[]", "c.json").integer("n"); });
    refuses<IoError>("c.json: must be an object; got a string", [] { io::parse("\"x\"", "c.json").at("n"); });
    refuses<IoError>("json: must be an object; got an integer", [] { io::Json(1).set("a", 1); });
    refuses<IoError>("json: must be an array; got an integer", [] { io::Json(1).push(1); });
  }

  TEST_CASE("files: safetensors") {
    auto saved = [](io::SafeTensors tensors) { io::save_safetensors(in_box("s"), tensors); };
    refuses<ValueError>("save: tensors must be defined; got w undefined", [&] { saved({{{"w", {}}}, {}}); });
    refuses<ValueError>("save: a name must be given once; got w twice", [&] {
      saved({{{"w", ones({1})}, {"w", ones({1})}}, {}});
    });
    refuses<ValueError>("save: the name __metadata__ is reserved; got a tensor of it", [&] {
      saved({{{"__metadata__", ones({1})}}, {}});
    });
    refuses<ValueError>("save: names and metadata must be UTF-8; got \"caf\xEF\xBF\xBD\"", [&] {
      saved({{{"caf\xE9", ones({1})}}, {}});
    });
    refuses<ValueError>("save: the header must have at most 100000000 bytes; got 100000032", [&] {
      saved({{}, {{"a", std::string(100'000'001, 'x')}}});
    });
    refuses<ValueError>("save: a file must have at most 100000 tensors and words of metadata; got 100001", [&] {
      io::SafeTensors many;
      for (int i = 0; i <= 100'000; ++i) many.metadata[std::to_string(i)] = "x";
      saved(many);
    });
    refuses<IoError>("load: \"~/missing\": must be a file that exists; got No such file or directory",
                     [] { io::load_safetensors(in_box("missing")); });
    refuses<IoError>("load: \"~\": must be a file; got a folder", [] { io::load_safetensors(box()); });
    refuses<IoError>("load: \"/dev/null\": must be a file; got a pipe or a device",
                     [] { io::load_safetensors("/dev/null"); });
    refuses<IoError>("load: \"~/s\": a safetensors file begins with 8 bytes of header length; got 5 bytes",
                     [] { io::load_safetensors(file("s", "short")); });
    refuses<IoError>(
        "load: \"~/s\": the header must have at most 100000000 bytes; got 7021991845529153390; is this a safetensors "
        "file?",
        [] { io::load_safetensors(file("s", "not a safetensors file")); });
    refuses<IoError>("load: \"~/s\": the header must lie inside the file; got 9 bytes of header in 10 bytes",
                     [] { io::load_safetensors(file("s", std::string("\x09\0\0\0\0\0\0\0{}", 10))); });
    refuses<IoError>("load: \"~/s\": the header must be a JSON object; got \"[\"",
                     [] { io::load_safetensors(file("s", std::string("\x02\0\0\0\0\0\0\0[]", 10))); });
  }

  TEST_CASE("files: a flipped bit") {
    io::save_safetensors(in_box("k"), {{{"a", Tensor::full({2}, 1)}}, {{"heed.kind", "x"}}});
    std::string bytes = io::read_file(in_box("k"));
    CHECK(io::load_safetensors(in_box("k")).metadata.size() == 1);
    refuses<IoError>(
        "load: \"~/k\": the contents must have the checksum that was saved with them, e7f2db9a50f4d852; got "
        "9af2db9a2df4d852; hint: the file is damaged; another program that changes it on purpose must leave out the "
        "metadata heed.checksum2",
        [&] {
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
      nn::Translator small(
          {{}, words, words},
          nn::Seq2SeqOptions{.source_vocabulary = 0, .target_vocabulary = 0, .embedding = 2, .hidden = 2}, 1);
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
    refuses<IoError>("load: \"~/t\": must be a translator saved by heed; got a file without heed.kind",
                     [&] { saved([](auto& s) { s.metadata.clear(); }); });
    refuses<IoError>("load: \"~/t\": must be a \"translator 3\"; got \"parrot\"",
                     [&] { saved([](auto& s) { s.metadata["heed.kind"] = "parrot"; }); });
    refuses<IoError>("load: \"~/t\": must hold a trained model; got one that saw \"0\" epochs",
                     [&] { saved([](auto& s) { s.metadata["heed.epochs"] = "0"; }); });
    refuses<IoError>("load: \"~/t\": is damaged: Seq2Seq: hidden must lie in [1, 16384]; got 0",
                     [&] { with_option("hidden", 0); });
    refuses<IoError>("load: \"~/t\": is damaged: Seq2Seq: dropout must lie in [0, 1); got 1",
                     [&] { with_option("dropout", 1); });
    refuses<IoError>("load: \"~/t\": is damaged: its options: key \"hidden\" must be an integer; got a string",
                     [&] { with_option("hidden", "two"); });
    refuses<IoError>(
        "load: \"~/t\": is damaged: tokenizer: the name must be space, words or words-spaced; got \"bytes\"",
        [&] { with_option("source_tokenizer", "bytes"); });
    refuses<IoError>("load: \"~/t\": is damaged: the architecture must be seq2seq or transformer; got \"parrot\"",
                     [&] { with_option("architecture", "parrot"); });
    refuses<IoError>("load: \"~/t\": the parameters must fit the sizes and vocabularies that the file names",
                     [&] { with_option("hidden", 3); });
    const char* positions = "the output must write words; got pointer, which writes positions of the source";
    refuses<IoError>(fmt::format("load: \"~/t\": is damaged: {}", positions).c_str(),
                     [&] { with_option("output", "pointer"); });
    refuses<ValueError>(
        "translator: the output pointer_generator copies words, so both sides need one vocabulary; got two", [] {
          auto of = [](const char* word) { return text::Vocabulary(std::vector<std::vector<std::string>>{{word}}); };
          nn::Seq2SeqOptions o{.source_vocabulary = 0, .target_vocabulary = 0, .embedding = 2, .hidden = 2};
          o.output = "pointer_generator";
          nn::Translator({{}, of("a"), of("b")}, o, 1);
        });
    refuses<IoError>(
        "load: \"~/t\": is damaged: its options: must be valid JSON; line 1, column 2: object key - unexpected end of "
        "input; expected string literal",
        [&] { saved([](auto& s) { s.metadata["heed.options"] = "{"; }); });
    refuses<IoError>(
        "load: \"~/t\": no tensor of the model may be missing; got no output.bias; hint: was it saved from another "
        "kind of model?",
        [&] { saved([](auto& s) { s.tensors.pop_back(); }); });
    refuses<ValueError>("translate: needs a beam of at least 1; got 0",
                        [&] { saved([](auto&) {}).translate("a", {.beam = 0}); });
    refuses<ValueError>("translate: the beam must be at least as large as the number of translations; got 1 for 2",
                        [&] { saved([](auto&) {}).translate_n_best({{"a"}}, 2); });
    refuses<ValueError>("translate: the groups must divide the beam; got 3 groups for 1",
                        [&] { saved([](auto&) {}).translate("a", {.groups = 3}); });
    refuses<InputError>(
        "translate: the prefix and the minimum length must fit into 5 tokens, with </s> as many as the model has "
        "positions; got 9",
        [] {
          nn::TransformerOptions o{.model = 4, .heads = 2, .inner = 4, .encoder_layers = 1, .decoder_layers = 1};
          o.positions = "learned", o.max_positions = 6;
          const text::Vocabulary words(std::vector<std::vector<std::string>>{{"a"}});
          nn::Translator({{}, words, words}, o, 1).translate("a", {.min_length = 9});
        });
    refuses<InputError>("translate: the prefix must be made of words that the model can write; got \"zzz\"",
                        [&] { saved([](auto&) {}).translate("a", {.prefix = {"zzz"}}); });
    refuses<ValueError>(
        "translate: the models of an ensemble must have the same vocabularies; got 6 and 4 source, 6 and 4 target "
        "words",
        [&] {
          nn::Translator one = saved([](auto&) {});
          nn::Translator other({one.parts.tokenizers, {}, {}}, one.model.options(), 1);
          one.translate("a", {.ensemble = {&other}});
        });
    refuses<IoError>("load: \"~/missing\": must be a file that exists; got No such file or directory",
                     [] { nn::Translator::load(in_box("missing")); });
  }
}
