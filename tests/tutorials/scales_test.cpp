// The colours of the recorded pictures: weights are drawn from 0 to 1, and pictures that a reader compares, those whose
// titles begin alike, have one scale.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "nn/io/file.h"
#include "nn/io/json.h"
#include "tests/source_dir.h"
#include "tutorials/report/report.h"
#include "tutorials/report/shares.h"

using namespace heed;

namespace {

using Scale = std::pair<double, double>;
Scale scale_of(const io::Json& panel) { return {panel.number("low"), panel.number("high")}; }

report::Matrix matrix_in(const io::Json& panel) {
  std::vector<double> values;
  for (const io::Json& value : panel.list("values")) values.push_back(value.is_number() ? value.as_number() : NAN);
  return {panel.list("rows").size(), panel.list("columns").size(), values};
}

}  // namespace

TEST_CASE("weights are drawn from 0 to 1, and pictures whose titles begin alike have one scale") {
  int weights = 0, pairs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/tutorials")) {
    const std::string path = entry.path().string() + "/figures.json";
    if (!std::filesystem::exists(path)) continue;
    const io::Json figures = io::parse(io::read_file(path), path);
    std::map<std::string, Scale> scales;
    for (const io::Json& panel : figures.list("panels")) {
      if (panel.text("kind") != "heat") continue;
      const std::string title = panel.text("title");
      CAPTURE(path);
      CAPTURE(title);
      if (report::are_weights(matrix_in(panel))) {
        CHECK(scale_of(panel) == Scale{0, 1});
        ++weights;
      }
      const auto [place, fresh] = scales.emplace(title.substr(0, title.find_first_of(":,")), scale_of(panel));
      CHECK(place->second == scale_of(panel));
      if (!fresh) ++pairs;
    }
  }
  CHECK(weights > 15);
  CHECK(pairs > 10);
}

TEST_CASE("a heat map of weights has the scale 0 to 1, and one of other numbers that of its values") {
  auto drawn = [](const report::Matrix& matrix) {
    report::Report report("scales", "");
    report.heat({.title = "h", .matrix = matrix});
    const std::string page = report.html(), begin = "<script type=\"application/json\" id=\"heed-data\">";
    const std::size_t from = page.find(begin) + begin.size();
    return scale_of(io::parse(page.substr(from, page.find("</script>", from) - from), "page").list("panels")[0]);
  };
  CHECK(drawn(report::Matrix({{0.5, 0.5}, {0.25, 0.75}})) == Scale{0, 1});
  CHECK(drawn(report::Matrix({{0.5, 0.5}, {0, 0}})) == Scale{0, 1});        // a row of padding
  CHECK(drawn(report::Matrix({{0.25, 0.5}, {0.75, 0.5}})) == Scale{0, 1});  // columns
  CHECK(drawn(report::Matrix({{0.5, 0.25}, {0.25, 0.5}})) == Scale{0, 0.5});
  CHECK(drawn(report::Matrix({{1.5, -0.5}, {0.5, 0.5}})) == Scale{-0.5, 1.5});
  CHECK(drawn(report::Matrix({{0, 0}, {0, 0}})) == Scale{0, 0});
}
