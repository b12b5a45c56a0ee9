// The drawings of the course: each file is what the code makes, can be read, and says in words what it shows.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>

#include "nn/catalogue/catalogue.h"
#include "nn/io/file.h"
#include "tests/source_dir.h"
#include "tutorials/course/drawings/drawings.h"
#include "tutorials/course/drawings/writing.h"
#include "tutorials/report/shares.h"
#include "tutorials/report/terminal.h"

using namespace heed;
using namespace heed::course;

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("each drawing's file is what its code makes") {
  const std::string folder = source_dir() + "/tutorials/course/drawings/";
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".svg") files.insert(entry.path().stem().string());
  for (const Drawing& drawing : drawings()) {
    CAPTURE(drawing.name);
    REQUIRE_MESSAGE(files.erase(drawing.name) == 1, "./heed drawing --all tutorials/course/drawings writes it");
    CHECK_MESSAGE(io::read_file(folder + drawing.name + ".svg") == svg_of(drawing),
                  "./heed drawing --all tutorials/course/drawings brings it up to date");
  }
  CHECK_MESSAGE(files.empty(), "an SVG file that no code makes");
}

TEST_CASE("no text of a drawing overlaps another, leaves its box or the picture, or has a line through it") {
  for (const Drawing& drawing : drawings()) {
    CAPTURE(drawing.name);
    CHECK(joined(drawing.make().faults()) == "");
  }
}

TEST_CASE("the weights of a row sum to what is printed: 100 %, 1.00") {
  int rows = 0;
  for (const Drawing& drawing : drawings()) {
    CAPTURE(drawing.name);
    const Canvas canvas = drawing.make();
    for (const std::vector<std::string>& row : canvas.printed_shares()) {
      double sum = 0;
      for (const std::string& one : row) sum += std::stod(one);
      CAPTURE(fmt::format("{}", fmt::join(row, ", ")));
      const double whole = row[0].find('%') == std::string::npos ? 1 : 100;
      // What is copied and what is written are parts of one whole.
      const bool part = drawing.name == "copying" && sum < 0.9;
      CHECK(std::abs(sum - (part ? (sum < 0.5 ? 0.25 : 0.75) : whole)) < 1e-9);
      ++rows;
    }
  }
  CHECK(rows >= 10);
}

TEST_CASE("weights are rounded together, each by less than a unit") {
  Generator rng(11);
  for (int n = 1; n < 12; ++n)
    for (int digits : {0, 1, 2, 3}) {
      const Tensor x = Tensor::uniform({n}, rng, 0, 1);
      std::vector<double> weights = x.to(DType::f64).to_vector();
      double sum = 0, scale = std::pow(10, digits);
      for (double w : weights) sum += w;
      for (double& w : weights) w *= (digits == 0 ? 100 : 1) / sum;
      const std::vector<long long> units = report::share_units(weights, digits);
      long long total = 0;
      for (size_t i = 0; i < units.size(); ++i) {
        total += units[i];
        CHECK(std::abs(static_cast<double>(units[i]) - weights[i] * scale) < 1);
      }
      CHECK(total == std::llround((digits == 0 ? 100 : 1) * scale));
    }
  CHECK(report::rounded_shares({1.0 / 3, 1.0 / 3, 1.0 / 3}, 2) == std::vector<std::string>{"0.34", "0.33", "0.33"});
  CHECK(report::rounded_shares({0, 1, 0}, 1) == std::vector<std::string>{"0.0", "1.0", "0.0"});
  CHECK(report::rounded_shares({0.004, 0.5}, 2) == std::vector<std::string>{"0.00", "0.50"});
  CHECK(report::rounded_shares({-0.5, 0.256}, 2) == std::vector<std::string>{"-0.50", "0.26"});
  CHECK(report::rounded_shares({}, 2).empty());
}

TEST_CASE("the look-up's printed weights give the printed answer") {
  const Canvas c = drawing_called("soft_lookup")->make();
  const std::vector<std::string> row = c.printed_shares().at(0);
  const std::vector<double> values = {10, 30, 20, 50};
  double answer = 0;
  for (size_t i = 0; i < values.size(); ++i) answer += std::stod(row.at(i)) / 100 * values[i];
  CHECK(contains(svg_of(*drawing_called("soft_lookup")), fmt::format(">{:.1f}</text>", answer)));
}

TEST_CASE("a number that the words of a drawing give is printed in it") {
  for (const Drawing& drawing : drawings()) {
    CAPTURE(drawing.name);
    const std::string svg = svg_of(drawing), texts = svg.substr(svg.find("</style>")), &words = drawing.alternative;
    for (size_t at = words.find('.'); at != std::string::npos; at = words.find('.', at + 1)) {
      if (at == 0 || at + 1 >= words.size() || !std::isdigit(words[at - 1]) || !std::isdigit(words[at + 1])) continue;
      const size_t begin = words.find_last_not_of("0123456789", at - 1) + 1,
                   end = std::min(words.find_first_not_of("0123456789", at + 1), words.size());
      const std::string number = words.substr(begin, end - begin);
      CHECK_MESSAGE(contains(texts, number), number);
    }
  }
}

TEST_CASE("orange is above 0 and blue below: in drawings, on pages, in the terminal") {
  Canvas c(100);
  CHECK(c.signed_cell(0.5).ink == Ink::gold);
  CHECK(c.signed_cell(-0.5).ink == Ink::accent);
  CHECK(joined(c.faults()) == "colours of signs without a legend\n");
  c.sign_legend({100, 30}, {300, 30});
  CHECK(joined(c.faults()) == "");
  const std::string page = io::read_file(source_dir() + "/tutorials/report/page/matrix.js");
  CHECK(
      contains(page, "value < 0 ? heed.between(theme.cold, -value / reach) : heed.between(theme.warm, value / reach)"));
  CHECK(contains(page, "orange: above 0, blue: below"));
  // A field behind points has the colours of their classes, or none.
  const std::string scatter = io::read_file(source_dir() + "/tutorials/report/page/scatter.js");
  CHECK(contains(scatter, "!panel.of_classes ? heed.between([theme.card, theme.faint]"));
  const std::string core = io::read_file(source_dir() + "/tutorials/report/page/core.js");
  auto blue = [&](const char* ramp, size_t from) {  // is the fourth colour of the ramp more blue than red?
    const size_t at = core.find(ramp, from) + std::string(ramp).size() + 3 * 11 + 1;
    return std::stoi(core.substr(at + 5, 2), nullptr, 16) > std::stoi(core.substr(at + 1, 2), nullptr, 16);
  };
  for (size_t theme : {core.find("light: {"), core.find("dark: {")}) {
    CHECK(blue("cold: [", theme));
    CHECK_FALSE(blue("warm: [", theme));
  }
  CHECK(report::diverging_colour(-1) == 25);  // blue and orange of the 256 colours
  CHECK(report::diverging_colour(1) == 166);
  const std::string playground = io::read_file(source_dir() + "/tutorials/playground/playground.css");
  CHECK(contains(playground, ".bar { display: block; height: 10px; border-radius: 3px; background: var(--gold)"));
  CHECK(contains(playground, ".bar.minus { background: var(--accent); }"));
}

TEST_CASE("each drawing says in words what it shows") {
  for (const Drawing& drawing : drawings()) {
    CAPTURE(drawing.name);
    const std::string svg = svg_of(drawing);
    CHECK(contains(svg, "role=\"img\""));
    CHECK(contains(svg, "aria-labelledby=\"drawing-" + drawing.name + "-title drawing-" + drawing.name + "-desc\""));
    CHECK(contains(svg, "-title\">" + as_xml(drawing.title) + "</title>"));
    CHECK(contains(svg, "-desc\">" + as_xml(drawing.alternative) + "</desc>"));
    CHECK(contains(svg, "@media (prefers-color-scheme:dark)"));
    CHECK(drawing.alternative.size() > 100);
    CHECK(drawing_called(drawing.name) == &drawing);
  }
  CHECK(drawing_called("no such drawing") == nullptr);
}

TEST_CASE("the palette is that of the report's pages") {
  const std::string core = io::read_file(source_dir() + "/tutorials/report/page/core.js");
  const std::string svg = Canvas(100).svg("empty", "", "");
  for (const char* name : {"ink", "soft", "faint", "line", "card", "accent", "gold", "good", "bad"}) {
    const std::string variable = fmt::format("var(--{},", name);
    size_t at = 0;
    for (const char* theme : {"light: {", "dark: {"}) {  // the first mention is light's
      const size_t begin = core.find(fmt::format(" {}: \"", name), core.find(theme));
      const std::string colour = core.substr(core.find('"', begin) + 1, 7);
      at = svg.find(variable, at) + variable.size();
      CHECK_MESSAGE(svg.substr(at, 7) == colour, theme << name);
    }
  }
}

TEST_CASE("faults are found") {
  Canvas c(100);
  c.text({100, 50}, "one");
  CHECK(c.faults().empty());
  c.text({120, 55}, "two");
  c.text({715, 50}, "out");
  c.text({400, 50}, "small", {.size = 12});
  c.text({300, 50}, "crossed");
  c.arrow({300, 20}, {300, 90});
  c.box({500, 30, 20, 20}, "wide");
  c.text({600, 20}, "g = 2");
  c.text({600, 80}, "33 %");
  c.text({40, 20}, "c_t");
  c.text({100, 84}, "context c_t");
  c.text({220, 84}, "h_t");
  CHECK(joined(c.faults()) ==
        "\"small\" is smaller than 20 units\n\"wide\" is 52 wide, its box 20\n"
        "\"g = 2\": its letters are symbols; .math\n\"h\" is not explained\n\"one\" and \"two\" overlap\n"
        "\"out\" leaves the picture\na line runs through \"crossed\"\n"
        "\"33 %\" is not one of the weights that were rounded together\n");
  const double before = c.height();
  c.legend({"h_t: encoder state", "x_t: word"});
  CHECK(c.height() == before + 30);
  CHECK(joined(c.faults()).find("not explained") == std::string::npos);
}

TEST_CASE("what is lowered, raised and italic") {
  const std::vector<Run> runs = runs_of("W_{max} x^2 tanh", {});
  REQUIRE(runs.size() == 6);
  CHECK((runs[0].words == "W" && runs[0].italic && runs[0].level == 0));
  CHECK((runs[1].words == "max" && !runs[1].italic && runs[1].level == -1));
  CHECK((runs[3].words == "x" && runs[3].italic));
  CHECK((runs[4].words == "2" && runs[4].level == 1));
  CHECK(runs[5].words == " tanh");
  CHECK(runs_of("w_{ts}", {})[1].italic);
  CHECK(runs_of("a = b", {}).size() == 1);
  CHECK(runs_of("a = b", {.math = true}).size() == 3);
  CHECK(runs_of("weight_ih", {.code = true}).size() == 1);
  CHECK(as_xml("a < b & \"c\"") == "a &lt; b &amp; &quot;c&quot;");
  CHECK(coordinate(-0.001) == "0");
  CHECK(coordinate(2.50) == "2.5");
}

TEST_CASE("every entry of the catalogue has a drawing") {
  for (const nn::CatalogueEntry& entry : nn::catalogue()) {
    CAPTURE(entry.id);
    CHECK(drawing_called(drawing_of_entry(entry.id).name) != nullptr);
  }
  CHECK(drawing_of_entry("C11").name == "masks");
  CHECK(drawing_of_entry("G1").name == "tiled");
  CHECK(drawing_of_entry("E5").name == "heads");
  CHECK_THROWS_AS(drawing_of_entry("Z99"), ValueError);
}
