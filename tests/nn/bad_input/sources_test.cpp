// Every throw of tensor, autograd and nn has a row of this folder, and no row accepts the sentence of another rule of
// its operation.
#include <algorithm>
#include <array>

#include "tests/nn/bad_input/refuses.h"
#include "tests/nn/throw_sites.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::bad_input;

namespace {

bool could_say(const nn_test::ThrowSite& site, const std::string& sentence) {
  size_t at = 0;
  for (const std::string& piece : site.pieces) {
    size_t found = sentence.find(piece, at);
    if (found == std::string::npos) return false;
    at = found + piece.size();
  }
  return true;
}

// The row without its numbers and shapes, which differ from call to call.
std::string words_alone(const std::string& row) {
  size_t rule = row.find(": ") + 2;
  std::string out = row.substr(0, rule);
  for (const std::string& word : words_of(row.substr(rule)))
    if (word.find_first_of("0123456789[(") > (word[0] == '-' ? size_t{1} : size_t{0})) out += word + " ";
  return out;
}

}  // namespace

TEST_CASE("all rows: every throw in the sources has one, which accepts the sentence of no other") {
  const std::vector<Refusal> rows = refusals_of("tests/nn/bad_input/");
  std::vector<nn_test::ThrowSite> sites = nn_test::throw_sites(source_dir(), {"tensor", "autograd", "nn"});
  CHECK(rows.size() > 300);
  CHECK(sites.size() > 300);
  // No row, and why: file, what the sentence begins with, reason.
  const std::vector<std::array<std::string, 3>> exempt = {
      {"nn/data/grammar/families.cpp", "toy lexicon", "words of the grammar itself, in calls that find them"},
      {"nn/data/grammar/named_families.cpp", "toy lexicon", "the same"},
      {"nn/data/grammar/showcase.cpp", "toy lexicon", "the same"},
      {"nn/io/safetensors.cpp", ": ", "files damaged byte by byte: tests/nn/io has each sentence"},
      {"nn/io/safetensors_header.cpp", "", "the same"},
      {"nn/io/json_scanner.cpp", "", "the same"},
      {"nn/text/unicode.cpp", "nfc: composition failed", "libutf8proc fails only without memory"},
      {"nn/text/regex_absent.cpp", "regular expression: needs PCRE2", "on systems without it"},
  };
  size_t bare = 0;
  for (const nn_test::ThrowSite& site : sites) {
    bool covered =
        std::any_of(rows.begin(), rows.end(), [&](const Refusal& row) { return could_say(site, row.sentence); });
    for (const auto& [file, beginning, reason] : exempt)
      covered = covered || (site.file == file && site.pieces.front().starts_with(beginning));
    if (covered) continue;
    ++bare;
    ADD_FAIL_CHECK_AT(site.file.c_str(), site.line,
                      "no row for " << site.type << " \"" << fmt::format("{}", fmt::join(site.pieces, "{}")) << "\"");
  }
  MESSAGE(fmt::format("{} rows, {} places that throw, {} without a row", rows.size(), sites.size(), bare));

  // The rule of a row: the throw that has most of its sentence.
  auto rule_of = [&](const Refusal& row) {
    size_t most = 0;
    std::vector<std::string> rule{row.sentence};
    for (const nn_test::ThrowSite& site : sites) {
      size_t letters = 0;
      for (const std::string& piece : site.pieces) letters += piece.size();
      if (letters > most && could_say(site, row.sentence)) most = letters, rule = site.pieces;
    }
    return rule;
  };
  using Operation = std::pair<std::string, const std::type_info*>;
  std::map<Operation, std::vector<std::pair<const Refusal*, std::vector<std::string>>>> by_operation;
  for (const Refusal& row : rows)
    by_operation[{row.sentence.substr(0, row.sentence.find(": ")), row.type}].emplace_back(&row, rule_of(row));
  for (const auto& [operation, those] : by_operation)
    for (const auto& [row, rule] : those) {
      auto other = std::find_if(those.begin(), those.end(), [&, one = row, &its_rule = rule](const auto& its) {
        return its.second != its_rule && accepts(words_alone(one->row), its.first->sentence);
      });
      if (other != those.end())
        ADD_FAIL_CHECK_AT(
            row->file, row->line,
            "a word of the rule is missing: \"" << row->row << "\" would accept \"" << other->first->sentence << "\"");
    }
}
