// What is 2.4? Every table of a lesson, on its page and on the terminal, says it: by a unit in the cell or in the head
// of the column, by its title, or in its text.
#include <doctest/doctest.h>

#include <filesystem>
#include <regex>

#include "nn/io/file.h"
#include "nn/io/json.h"
#include "tests/source_dir.h"
#include "tutorials/common/show.h"

namespace fs = std::filesystem;
using namespace heed;
using io::Json;

namespace {

// Units, and quantities that have none or whose unit is their name.
const std::regex kSaid(
    "%|points|\\bnats|\\bMB|\\bkB|\\bKiB|\\bGFLOP|\\bms\\b|\\bus\\b|millions?|times\\b|bytes|bits|seconds|number of|"
    "numbers|how "
    "many|steps?\\b|words\\b|symbols|examples|units|parameters|operations|accesses|jumps|evaluations|visits|"
    "positions|patches|layers|heads?\\b|hops?\\b|draws|cases|bugs|elements|count|width|offset|length|distance|lag|"
    "epoch|"
    "seed|rank|order\\b|weights?\\b|probabilit|loss|log p|perplexity|entropy|BLEU|MRR|cosine|cos\\(|tau|norm|gradient|"
    "derivative|d[a-z]/d|error|difference|differs|variance|factor|ratio|share|sum|mean\\b|scores?\\b|logits|value|"
    "precision|p_n|penalty|temperature|\\bt\\b|\\bd\\b|slope|divergence|clipped|rate\\b|stretch|bound|result|"
    "position|stored|numbers?|labels|pairs|captions|stages|sizes?|keys|edges",
    std::regex::icase);

bool is_number(const std::string& cell) {
  static const std::regex form("\\s*[-+]?\\d[\\d,]*(\\.\\d+)?(e[-+]?\\d+)?\\s*");
  return std::regex_match(cell, form);
}

bool said(const std::string& words) { return std::regex_search(words, kSaid); }

// The columns of numbers of which neither the head, nor the title says what they are, and which the text does not name.
std::vector<std::string> silent_columns(const Json& panel) {
  std::vector<std::string> out;
  const std::vector<Json>&header = panel.list("header"), &rows = panel.list("rows");
  const std::string &title = panel.text("title"), &text = panel.text("text");
  for (std::size_t c = 0; c < header.size(); ++c) {
    bool numbers = false;
    for (const Json& row : rows)
      numbers = numbers || (row.elements()[c].is_string() && is_number(row.elements()[c].as_string()));
    if (!numbers || said(header[c].as_string()) || said(title)) continue;
    if (!said(text)) out.push_back(title + ": " + header[c].as_string());
  }
  return out;
}

}  // namespace

TEST_CASE("every table of a lesson says what its numbers are") {
  int tables = 0;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/tutorials")) {
    const std::string path = entry.path().string() + "/figures.json";
    if (!fs::exists(path)) continue;
    const Json figures = io::parse(io::read_file(path), path);
    for (const Json& panel : figures.list("panels")) {
      CAPTURE(entry.path().filename().string());
      CAPTURE(panel.text("title"));
      if (panel.text("kind") == "bars") CHECK((said(panel.text("y_label")) || said(panel.text("title"))));
      if (panel.text("kind") != "table") continue;
      ++tables;
      for (const std::string& column : silent_columns(panel)) FAIL_CHECK(column);
    }
  }
  CHECK(tables > 120);
  const Json silent =
      io::parse(R"({"title": "One layer", "text": "", "header": ["n", "GRU"], "rows": [["a", "2.4"]]})", "");
  CHECK(silent_columns(silent).size() == 1);
}

TEST_CASE("a terminal shows a table with its title and its text") {
  const report::TablePanel panel{.title = "Multiply-adds of one layer, in millions",
                                 .text = "Forward pass, 8 sentences, `D = 64`.",
                                 .header = {"words", "GRU"},
                                 .rows = {{"16", "2.4"}}};
  io::Console narrow;
  narrow.width = 44, narrow.unicode = false;
  const report::Lines lines = app::lines_of(panel, narrow);
  CHECK(lines.at(0) == "Multiply-adds of one layer, in millions");
  CHECK(lines.at(1) == "Forward pass, 8 sentences, D = 64.");
  CHECK(lines.at(2).empty());
  CHECK(lines.at(3) == "words  GRU");
  CHECK(lines.at(5) == "16     2.4");
}

// A table that is printed without its panel would be a table without its title.
TEST_CASE("lessons print tables by show, not by their cells") {
  for (const auto& entry : fs::recursive_directory_iterator(source_dir() + "/tutorials")) {
    const std::string path = entry.path().string();
    const std::string folder = entry.path().parent_path().filename().string();
    if (folder.size() < 3 || folder[2] != '_' || !(path.ends_with(".cpp") || path.ends_with(".h"))) continue;
    const std::string text = io::read_file(path);
    for (std::size_t at = text.find("report::table("); at != std::string::npos;
         at = text.find("report::table(", at + 1)) {
      const bool names_its_units = text.compare(at + 14, 2, "{\"") == 0;  // a header that is written out here
      CHECK_MESSAGE(names_its_units, path << ": " << text.substr(at, 60));
    }
  }
}
