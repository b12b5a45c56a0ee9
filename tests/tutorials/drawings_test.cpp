// The drawings of the course: each file is what the code makes, can be read, and says in words what it shows.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "nn/attention/catalogue.h"
#include "nn/io/file.h"
#include "tests/source_dir.h"
#include "tutorials/course/drawings/drawings.h"
#include "tutorials/course/drawings/writing.h"

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

TEST_SUITE("unit") {
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
    CHECK(joined(c.faults()) ==
          "\"small\" is smaller than 20 units\n\"wide\" is 52 wide, its box 20\n\"one\" and \"two\" overlap\n"
          "\"out\" leaves the picture\na line runs through \"crossed\"\n");
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
}
