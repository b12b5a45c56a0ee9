// The published tokenizers give the same as the libraries that they come from. The goldens are read from the folder
// HEED_SHARED (default: `shared` beside the source tree); where they are absent, the test says so. Small ones of our
// own are in tests/golden/tokenizers and are tested everywhere (committed_test.cpp).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "nn/io/temporary.h"
#include "tensor/error.h"
#include "tests/nn/tokenizers/support.h"

using namespace heed;
using namespace heed::tokenizer_test;

namespace {

bool present(const std::string& folder) {
  bool there = std::filesystem::exists(folder);
  if (!there) MESSAGE("skipped: no " << folder << "; set HEED_SHARED to the folder that holds golden/ and data/");
  return there;
}

void report(const std::string& name, const Counts& counts) {
  MESSAGE(fmt::format("{:<40} {:>3} of {} equal", name, counts.equal, counts.of));
  CHECK_MESSAGE(counts.equal == counts.of, name << ": " << counts.first);
}

}  // namespace

TEST_SUITE("parity") {
  TEST_CASE("published tokenizers: every golden string, pair and truncation") {
    const std::string golden = shared("golden/tokenizers");
    if (!present(golden)) return;
    for (const char* name : {"albert-tiny", "bert-cased-tiny", "bert-uncased-tiny", "gpt2-tiny", "llama-tiny",
                             "mpnet-tiny", "roberta-tiny", "t5-tiny"}) {
      const std::string folder = golden + "/" + name;
      const json cases = read(folder + "/golden.json");
      REQUIRE(cases.at("cases").size() == 184);
      auto tokenizer = PublishedTokenizer::open(folder);
      CHECK(tokenizer.vocabulary_size() == cases.at("vocab_size").get<int64_t>());
      report(name, compare(tokenizer, cases));
      Changed older(folder, {"tokenizer.json"});
      report(std::string(name) + ", older files", compare(PublishedTokenizer::open(older.path), cases));
    }
    const std::string published = shared("data/models/tokenizers");
    if (!present(published)) return;
    for (const auto& [name, files] :
         {std::pair("real-bert-base-uncased", "bert-base-uncased"), {"real-gpt2", "gpt2"}}) {
      const std::string folder = golden + "/" + name;
      Changed both(folder, {}, published + "/" + files);
      report(name, compare(PublishedTokenizer::open(both.path), read(folder + "/golden.json")));
    }
  }

  TEST_CASE("published tokenizers: Marian's ids and text, for both sides") {
    const std::string folder = shared("golden/tokenizers/marian-tiny");
    if (!present(folder)) return;
    auto source = PublishedTokenizer::open(folder), target = PublishedTokenizer::open(folder, {.target = true});
    Counts counts;
    const json golden = read(folder + "/golden.json");
    for (const json& c : golden.at("cases")) {
      const std::string text = c.at("text");
      std::vector<int64_t> ids = source.encode(text).ids(), translated = target.encode(text).ids();
      bool same = json(ids) == c.at("hf_source_ids") && json(translated) == c.at("hf_target_ids") &&
                  json(target.decode(translated)) == c.at("hf_decoded");
      counts.add(same, json(text).dump() + json(ids).dump() + json(translated).dump() + target.decode(translated) +
                           "\n want " + c.dump());
    }
    report("marian-tiny", counts);
  }

  TEST_CASE("published tokenizers: files of sentencepiece by themselves") {
    struct File {
      const char *name, *file, *golden;
    };
    if (!present(shared("golden/tokenizers"))) return;
    for (const File& f : {File{"t5-tiny", "spiece.model", "golden_sentencepiece.json"},
                          {"llama-tiny", "tokenizer.model", "golden_sentencepiece.json"},
                          {"marian-tiny", "source.spm", "golden_sentencepiece_source.json"},
                          {"marian-tiny", "target.spm", "golden_sentencepiece_target.json"},
                          {"real-opus-mt-en-mg", "", "golden_sentencepiece.json"}}) {
      const std::string folder = shared("golden/tokenizers/") + f.name,
                        opus = shared("data/models/tokenizers/opus-mt-en-mg");
      bool is_opus = *f.file == 0;
      if (is_opus && !present(opus)) continue;
      auto tokenizer = PublishedTokenizer::sentencepiece(is_opus ? opus + "/source.spm" : folder + "/" + f.file);
      std::unique_ptr<PublishedTokenizer> marian;
      if (is_opus) marian = std::make_unique<PublishedTokenizer>(PublishedTokenizer::open(opus));
      Counts counts;
      const json golden = read(folder + "/" + f.golden);
      for (const json& c : golden.at("cases")) {
        const std::string text = c.at("text");
        tokenizers::Encoding encoding = tokenizer.encode(text);
        bool same = json(encoding.ids()) == c.at("ids") && names_of(encoding) == c.at("pieces");
        // Words that Marian calls special are tokens; the golden file has them as pieces.
        if (is_opus && text.find('<') == text.npos)
          same = same && json(marian->encode(text).ids()) == c.at("marian_ids");
        counts.add(same, c.at("text").dump() + json(encoding.ids()).dump() + names_of(encoding).dump() + "\n want " +
                             c.dump());
      }
      report(std::string(f.name) + " " + f.file, counts);
    }
  }

  TEST_CASE("published tokenizers: the strings of stories260K") {
    const std::string folder = shared("golden/models/stories260K");
    if (!present(folder)) return;
    auto tokenizer = PublishedTokenizer::open(folder);
    size_t equal = 0;
    const json expected = read(shared("data/models/stories260K/expected.json"));
    for (const json& c : expected.at("encode"))
      equal += json(tokenizer.encode(c.at("text").get<std::string>()).ids()) == c.at("ids");
    CHECK(equal >= 14);  // a text that spells a special token, or has U+2581, is read otherwise by a tokenizer.json
  }

  TEST_CASE("published tokenizers: the ids that the golden models were given") {
    const std::string models = shared("golden/models");
    if (!present(models)) return;
    size_t folders = 0;
    for (const auto& entry : std::filesystem::directory_iterator(models)) {
      const std::string inputs = entry.path().string() + "/reference/inputs.json";
      if (!std::filesystem::exists(inputs)) continue;
      const json given = read(inputs);
      if (!given.contains("cases")) continue;
      ++folders;
      auto tokenizer = PublishedTokenizer::open(entry.path().string());
      Counts counts;
      for (const json& c : given.at("cases")) {
        if (!c.contains("texts") || !c.at("inputs").contains("attention_mask")) continue;
        for (size_t row = 0; row < c.at("texts").size(); ++row) {
          const json& text = c.at("texts").at(row);
          const json &ids = c.at("inputs").at("input_ids").at(row), &mask = c.at("inputs").at("attention_mask").at(row);
          json wanted = json::array();
          for (size_t i = 0; i < ids.size(); ++i)
            if (mask.at(i) == 1) wanted.push_back(ids.at(i));
          // A long text was truncated, or its ids were cut off.
          auto encode = [&](const tokenizers::EncodeOptions& options) {
            return text.is_string()
                       ? tokenizer.encode(text.get<std::string>(), options).ids()
                       : tokenizer.encode(text.at(0).get<std::string>(), text.at(1).get<std::string>(), options).ids();
          };
          std::vector<int64_t> ours = encode({.max_length = static_cast<int64_t>(wanted.size())}), cut = encode({});
          cut.resize(std::min(cut.size(), wanted.size()));
          counts.add(json(ours) == wanted || json(cut) == wanted, text.dump() + json(ours).dump() + wanted.dump());
        }
      }
      report(entry.path().filename().string(), counts);
    }
    CHECK(folders >= 14);
  }
}
