// The report: the same bytes for the same run, hostile words that stay words, sizes, and layouts that do not overlap.
// The page itself is used in a browser by browser_test.sh, which asks this program to write the sample page.
#include "tutorials/report/report.h"

#include <unistd.h>

#include <cstdlib>

#include "nn/io/file.h"
#include "tests/refuses.h"
#include "tests/tutorials/sample_report.h"
#include "tutorials/report/graph_layout.h"

using namespace heed::report;
using heed::bad_input::refuses;

namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

heed::io::Json data_of(const std::string& page) {
  std::string open = "<script type=\"application/json\" id=\"heed-data\">";
  std::size_t from = page.find(open) + open.size();
  return heed::io::parse(page.substr(from, page.find("</script>", from) - from), "page");
}

}  // namespace

TEST_CASE("the same run gives the same bytes") {
  std::string page = sample_report().html();
  CHECK(page == sample_report().html());
  CHECK(page.size() < 220000);
  if (const char* wanted = std::getenv("HEED_SAMPLE_REPORT")) heed::io::atomic_write(wanted, page);
}

TEST_CASE("hostile words stay words") {
  Report report("<title> & \"quotes\" </script>", "</h1>");
  report.text("</script>", "<!-- <script> </script>");
  report.alignment(
      "a", "",
      {.source = {"</script><script>alert(1)</script>"}, .target = {"\"'\\\xff"}, .weights = Matrix(1, 1, {1})});
  std::string page = report.html();
  CHECK(page.find("<title>&lt;title&gt; &amp; &quot;quotes&quot; &lt;/script&gt;</title>") != std::string::npos);
  CHECK(occurrences(page, "alert(1)") == 2);  // in the words and in the name that the selector shows
  CHECK(page.find("</script><script>alert") == std::string::npos);
  CHECK(occurrences(page, "</script>") == 3);  // the page's own: core, data, panels
  CHECK(data_of(page).list("panels")[1].list("items")[0].list("source")[0].as_string() ==
        "</script><script>alert(1)</script>");
}

TEST_CASE("nothing outside the page is named") {
  std::string page = sample_report().html();
  for (std::string part : {"http://", "https://", "src=", "@import", "fetch(", "XMLHttpRequest", "import("}) {
    std::string without = page;
    for (std::string name : {"http://www.w3.org/2000/svg"}) {  // the name of SVG, not an address that is asked
      for (std::size_t at = without.find(name); at != std::string::npos; at = without.find(name))
        without.erase(at, name.size());
    }
    CAPTURE(part);
    CHECK(without.find(part) == std::string::npos);
  }
  CHECK(page.find("default-src 'none'") != std::string::npos);
}

TEST_CASE("only the scripts of the panels used are inside") {
  Report report("t");
  report.text("", "one\n\ntwo");
  CHECK(report.html().find("heed.panel(\"graph\"") == std::string::npos);
  CHECK(data_of(report.html()).list("panels")[0].list("paragraphs").size() == 2);
  CHECK(sample_report().html().find("heed.panel(\"graph\"") != std::string::npos);
}

TEST_CASE("numbers are stored short, weights in 16 bits, and a small weight never becomes zero") {
  CHECK(stored_numbers({1.0 / 3, 2, 1e-9, std::nan(""), 123456.7}).dump() == "[0.33333,2,1e-09,null,123460]");
  CHECK(stored_weights({0, 1, 0.5, 1e-12}).dump() == R"({"scale":1,"base64":"AAD//wCAAQA="})");
  CHECK(stored_weights({-1, 0.5}).dump() == R"({"values":[-1,0.5]})");
  CHECK(stored_weights({4, 1}).integer("scale") == 4);
  CHECK(stored_weights({}).dump() == R"({"scale":1,"base64":""})");
  Report report("large");
  std::vector<std::string> words(40, "token");
  std::vector<Alignment> heads(48, Alignment{.source = words, .target = words, .weights = soft_alignment(40, 40, 0.3)});
  report.alignments("48 heads", "", heads);
  MESSAGE("48 matrices of 40 x 40: " << report.html().size() << " bytes");
  CHECK(report.html().size() < 300000);
  Report lines("lines");
  ArcsAttention attention{.name = "encoder", .queries = words, .keys = words, .self = true};
  for (std::size_t k = 0; k < 48; ++k) attention.heads.push_back({k / 8, k % 8, soft_alignment(40, 40, 0.3)});
  lines.arcs({.title = "48 heads", .sentences = {{"s", {attention}}}});
  MESSAGE("the same as lines: " << lines.html().size() << " bytes");
  CHECK(lines.html().size() < 300000);
  Report curves("long");
  curves.curves({.title = "loss", .series = {{.name = "a", .y = std::vector<double>(100000, 0.5)}}});
  CHECK(curves.html().size() < 60000);
}

TEST_CASE("at most eight snapshots, first and last among them") {
  Alignment alignment{.source = {"a"}, .target = {"b"}};
  for (int i = 0; i < 50; ++i) alignment.snapshots.push_back({std::to_string(i), Matrix(1, 1, {1})});
  Report report("t");
  report.alignment("a", "", alignment);
  heed::io::Json data = data_of(report.html());
  const auto& kept = data.list("panels")[0].list("items")[0].list("snapshots");
  REQUIRE(kept.size() == 8);
  CHECK(kept.front().text("label") == "0");
  CHECK(kept.back().text("label") == "49");
}

TEST_CASE("what does not fit is refused in a sentence") {
  Report report("t");
  refuses<heed::ShapeError>("report: [target, source] got [1, 2] 1 1", [&] {
    report.alignment("a", "", {.source = {"x"}, .target = {"y"}, .weights = Matrix({{1, 2}})});
  });
  CHECK_THROWS_AS(
      report.alignment("a", "", {.source = {"x"}, .target = {"y"}, .weights = Matrix(1, 1, {1}), .sure = {{0, 1}}}),
      heed::IndexError);
  CHECK_THROWS_AS(report.curves({.title = "c", .series = {{.name = "a", .y = {1, 2}, .x = {1}}}}), heed::ShapeError);
  CHECK_THROWS_AS(report.bars({.title = "b", .labels = {"one"}, .series = {{"a", {}}}}), heed::ShapeError);
  CHECK_THROWS_AS(report.table({.title = "t", .header = {"a"}, .rows = {{"1", "2"}}}), heed::ShapeError);
  CHECK_THROWS_AS(report.heat({.title = "h", .rows = {"a"}, .matrix = Matrix({{1}, {2}})}), heed::ShapeError);
  refuses<heed::ShapeError>("report: a y got 2 1", [&] {
    report.scatter({.title = "s", .points = {{"a", {1, 2}, {1}}}});
  });
  refuses<heed::ShapeError>("report: a labels got 1 2", [&] {
    report.scatter({.title = "s", .points = {{"a", {1, 2}, {1, 2}, {"one"}}}});
  });
  refuses("report: field [0, 1] got 1.5 step 1", [&] {
    report.scatter({.title = "s", .fields = {{"step 1", Matrix({{0.5, 1.5}})}}});
  });
  refuses("report: low high got 1 1 -1 1", [&] { report.scatter({.title = "s", .x_low = 1}); });
  refuses("graph: circle got one", [&] {
    report.graph({.title = "g", .nodes = {{"a", "a"}, {"b", "b"}}, .edges = {{"a", "b"}, {"b", "a"}}});
  });
  CHECK_THROWS_AS(report.graph({.title = "g", .nodes = {{"a", "a"}}, .edges = {{"a", "z"}}}), heed::ValueError);
  refuses("report: reading got none", [&] { report.picture({.title = "p"}); });
  refuses<heed::ShapeError>("report: rows 2 got 3 a", [&] {
    report.picture({.title = "p", .columns = 2, .readings = {{"a", {}, {"", "", ""}}}});
  });
  refuses<heed::ShapeError>("report: [words, cells] got [1, 1] 1 2", [&] {
    report.picture({.title = "p", .columns = 2, .readings = {{"a", {"w"}, {"", ""}, Matrix(1, 1, {1})}}});
  });
  refuses("report: text got none", [&] { report.running({.title = "r"}); });
  refuses<heed::ShapeError>("report: weight got 1 2 a", [&] {
    report.running({.title = "r", .texts = {{"a", {{{"w", "v"}, {1}}}}}});
  });
  CHECK_THROWS_AS(report.write("/proc/none/report.html"), heed::IoError);
}

TEST_CASE("running text stores the name of a measure, and nothing where there is none") {
  Report report("t");
  RunningSentence plain{.words = {"one", "two"}, .weights = {0.5, 1}}, named = plain;
  named.name = "leave-one-out";
  report.running({.title = "r", .texts = {{"a", {plain, named}}}});
  const heed::io::Json figures = report.figures();
  const auto& sentences = figures.list("panels")[0].list("texts")[0].list("sentences");
  CHECK_FALSE(sentences[0].contains("name"));
  CHECK(sentences[1].text("name") == "leave-one-out");
}

TEST_CASE("a panel of attention that does not fit is refused in a sentence") {
  Report report("t");
  StepperModel model = sample_model("attention", 1);
  refuses("stepper: model got none", [&] { report.stepper({.title = "s"}); });
  refuses<heed::IndexError>("stepper: answer 1 got 1", [&] {
    report.stepper({.title = "s", .models = {model}, .question = StepperQuestion{"which?", 1, ""}});
  });
  model.steps[1].heads[0].weights.pop_back();
  refuses<heed::ShapeError>("stepper: weight got 5 6", [&] { report.stepper({.title = "s", .models = {model}}); });
  model.steps[1].heads.clear();
  CHECK_THROWS_AS(report.stepper({.title = "s", .models = {model}}), heed::ShapeError);
  ArcsAttention attention{.name = "a", .queries = {"x"}, .keys = {"x"}, .heads = {{0, 0, Matrix({{0.5, 0.5}})}}};
  refuses<heed::ShapeError>("arcs: [queries, keys] got [1, 2] 1 1", [&] {
    report.arcs({.title = "a", .sentences = {{"s", {attention}}}});
  });
  attention.heads[0].weights = Matrix(1, 1, {1}), attention.focus = 1;
  refuses<heed::IndexError>("arcs: query 1 got 1", [&] {
    report.arcs({.title = "a", .sentences = {{"s", {attention}}}});
  });
  AblationPanel ablation{.title = "a", .words = {"il", "elle"}, .heads = {{"e", 0, 0}, {"e", 0, 1}}};
  ablation.cases = {{.name = "c", .all = {0.5, 0.5}, .heads = {{0.5, 0.5}}}};
  refuses<heed::ShapeError>("ablation: head got 1 2", [&] { report.ablation(ablation); });
  refuses("variants: two got 1", [&] { report.variants({.title = "v", .variants = {{"one", {Matrix(1, 1, {1})}}}}); });
  refuses<heed::ShapeError>("variants: snapshots got 0 1", [&] {
    report.variants({.title = "v",
                     .source = {"s"},
                     .target = {"t"},
                     .labels = {"1"},
                     .variants = {{"a", {Matrix(1, 1, {1})}}, {"b", {}}}});
  });
  refuses("model: parameter got", [&] { report.model({.title = "m"}); });
  refuses("strip: finite got nan", [&] { stored_strip({1, std::nan("")}); });
}

TEST_CASE("a strip takes 8 bits a number, and a masked score is no number") {
  CHECK(stored_strip({0, 2, -2, 1}).dump() == R"({"scale":2,"base64":"gP8BwA=="})");
  Report report("t");
  report.stepper({.title = "s", .models = {sample_model("attention", 2)}});
  const heed::io::Json data = data_of(report.html());
  const auto& step = data.list("panels")[0].list("models")[0].list("steps")[0];
  REQUIRE(step.list("heads").size() == 2);
  CHECK(step.list("heads")[0].list("scores")[5].is_null());
  CHECK(step.integer("key") == 0);
}

TEST_CASE("a laid-out graph has layers, and no two nodes overlap") {
  std::vector<double> widths;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t i = 0; i < 60; ++i) {
    widths.push_back(50 + static_cast<double>(i * 37 % 90));
    for (std::size_t k : {std::size_t{3}, std::size_t{7}}) {
      if (i >= k && i % k != 1) edges.emplace_back(i - k, i);
    }
  }
  GraphLayout layout = lay_out_graph(widths, edges);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    CHECK(layout.nodes[edges[k].first].y < layout.nodes[edges[k].second].y);
    CHECK(layout.edges[k].front().x == layout.nodes[edges[k].first].x);
    CHECK(layout.edges[k].back().x == layout.nodes[edges[k].second].x);
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    CHECK(layout.nodes[i].x - widths[i] / 2 >= -0.1);
    CHECK(layout.nodes[i].x + widths[i] / 2 <= layout.width + 0.1);
    for (std::size_t j = 0; j < i; ++j) {
      if (layout.nodes[i].y != layout.nodes[j].y) continue;
      CHECK(std::abs(layout.nodes[i].x - layout.nodes[j].x) >= (widths[i] + widths[j]) / 2);
    }
  }
  CHECK(lay_out_graph({}, {}).nodes.empty());
}
