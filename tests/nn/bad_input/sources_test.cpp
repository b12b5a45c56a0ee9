// Every throw in the sources has a row of this folder.
#include "tests/nn/bad_input/refuses.h"

#include <algorithm>
#include <array>

#include "tests/nn/throw_sites.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("bad input: every throw in the sources has a row here") {
    std::vector<nn_test::TableRow> rows;
    for (const auto& part : std::filesystem::directory_iterator(source_dir() + "/tests/nn/bad_input"))
      for (nn_test::TableRow& row : nn_test::table_rows(part.path().string())) rows.push_back(std::move(row));
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
    };
    size_t bare = 0;
    for (const nn_test::ThrowSite& site : sites) {
      bool covered = std::any_of(rows.begin(), rows.end(), [&](const nn_test::TableRow& row) {
        size_t at = 0;
        for (const std::string& piece : site.pieces) {
          size_t found = row.sentence.find(piece, at);
          if (found == std::string::npos) return false;
          at = found + piece.size();
        }
        return true;
      });
      for (const auto& [file, beginning, reason] : exempt)
        covered = covered || (site.file == file && site.pieces.front().starts_with(beginning));
      if (covered) continue;
      ++bare;
      ADD_FAIL_CHECK_AT(site.file.c_str(), site.line,
                        "no row for " << site.type << " \"" << fmt::format("{}", fmt::join(site.pieces, "{}")) << "\"");
    }
    MESSAGE(fmt::format("{} rows, {} places that throw, {} without a row", rows.size(), sites.size(), bare));
  }
}
