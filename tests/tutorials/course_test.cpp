// The pages of the course: every lesson becomes one, every link leads somewhere, and a chapter's directives do what
// they say or are refused with the README's line.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "nn/io/file.h"
#include "tests/source_dir.h"
#include "tutorials/course/frame.h"
#include "tutorials/course/lesson_page.h"
#include "tutorials/course/site.h"
#include "tutorials/report/report.h"

using namespace heed;
using namespace heed::course;
namespace fs = std::filesystem;

namespace {

// A course of one lesson, gone when it goes out of scope.
struct SmallTree {
  std::string root = (fs::temp_directory_path() / ("heed_course_" + std::to_string(::getpid()))).string();
  explicit SmallTree(const std::string& readme) {
    fs::remove_all(root);
    fs::create_directories(root + "/tutorials/01_one");
    fs::create_directories(root + "/tutorials/course");
    write("tutorials/01_one/README.md", readme);
  }
  ~SmallTree() { fs::remove_all(root); }
  void write(const std::string& path, const std::string& text) const { std::ofstream(root + "/" + path) << text; }
  Chapter chapter(const Figures* figures = nullptr) const {
    Tree tree = Tree::at(root);
    return chapter_of(tree, tree.lessons.at(0), {.figures = figures});
  }
  std::string refused(const Figures* figures = nullptr) const {
    try {
      chapter(figures);
    } catch (const InputError& error) { return error.what(); }
    return "";
  }
};

// A course of one lesson, whose table of equations has one row.
struct EquationTree : SmallTree {
  explicit EquationTree(const std::string& row)
      : SmallTree("# 01: One\n\nLead.\n\n## Equation -> file:line\n\n| equation | where | the line |\n|---|---|---|\n" +
                  row + "\n") {
    write("tutorials/01_one/look.h", "a = 1;\nb = 2;\nb = 2;  // again\n");
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::set<std::string> all(const std::string& html, const std::string& pattern) {
  std::set<std::string> found;
  std::regex form(pattern);
  for (std::sregex_iterator at(html.begin(), html.end(), form), end; at != end; ++at) found.insert((*at)[1].str());
  return found;
}

// A page without its scripts and style sheets.
std::string markup(const std::string& page) {
  std::string text;
  std::size_t from = 0;
  for (;;) {
    std::size_t script = std::min(page.find("<script", from), page.find("<style", from));
    text += page.substr(from, script - from);
    if (script == std::string::npos) return text;
    from = std::min(page.find("</script>", script), page.find("</style>", script));
  }
}

Figures two_panels() {
  report::Report report("01 · one", "seed 1");
  report.curves({.title = "Loss", .series = {{.name = "a", .y = {1, 2}}}});
  report.bars({.title = "Bars", .labels = {"x"}, .series = {{.name = "b", .values = {1}}}});
  io::Json claim = io::Json::object({{"name", "it holds"},
                                     {"measured", 1.0},
                                     {"comparator", "<="},
                                     {"threshold", 2.0},
                                     {"control", nullptr},
                                     {"pass", true}});
  report.claims("Claims", io::Json::array({claim}));
  return figures_of(report.figures());
}

}  // namespace

// i times s, written as two symbols side by side, is read as the word "is".
TEST_CASE("course: no two symbols of a formula read as an English word") {
  const std::set<std::string> words = {"ad",  "ah",  "am",  "an",  "as",  "at",  "be", "by", "do",  "go",
                                       "he",  "hi",  "if",  "in",  "is",  "it",  "me", "my", "no",  "of",
                                       "oh",  "on",  "or",  "so",  "to",  "up",  "us", "we", "and", "for",
                                       "the", "not", "you", "out", "use", "too", "one"};
  const std::regex formulas("(?:<mi>[A-Za-z]</mi>){2,3}"), cells("(?:^|[^\\w'<&/])([a-z]) ([a-z])(?![\\w'])");
  int seen = 0;
  for (const SitePage& page : site_pages(Tree::at(source_dir()))) {
    CAPTURE(page.file);
    for (std::sregex_iterator at(page.html.begin(), page.html.end(), formulas), end; at != end; ++at, ++seen) {
      std::string letters;
      for (char c : std::regex_replace((*at)[0].str(), std::regex("</?mi>"), "")) letters += c;
      CHECK_MESSAGE(!words.contains(letters), letters);
    }
    for (const std::string& cell : all(page.html, "<td>([^<]*)</td>"))
      for (std::sregex_iterator at(cell.begin(), cell.end(), cells), end; at != end; ++at)
        CHECK_MESSAGE(!words.contains((*at)[1].str() + (*at)[2].str()), cell);
  }
  CHECK(seen > 100);
}

// "Lessons 22 to 24 built an encoder", says the beginning of lesson 26: a path that has 26 has them.
TEST_CASE("course: no path skips a lesson that a later one of it begins with") {
  const Tree tree = Tree::at(source_dir());
  std::string index;
  for (const SitePage& page : site_pages(tree))
    if (page.file == "index.html") index = page.html;
  const std::regex path("<div class=\"path\">([\\s\\S]*?)</div>"), step("<li value=\"(\\d+)\">");
  const std::regex stands_on("[Ll]essons? (\\d\\d)(?:\\s+to\\s+(\\d\\d)|\\s+and\\s+(\\d\\d))?");
  int paths = 0, seen = 0;
  for (std::sregex_iterator at(index.begin(), index.end(), path), end; at != end; ++at) {
    std::vector<int> steps;
    const std::string html = (*at)[1].str();
    for (std::sregex_iterator one(html.begin(), html.end(), step), last; one != last; ++one)
      steps.push_back(std::stoi((*one)[1].str()));
    if (steps.empty()) continue;  // the whole course
    ++paths;
    const std::set<int> in_path(steps.begin(), steps.end());
    for (int number : steps) {
      const LessonFile& lesson = tree.lessons.at(static_cast<std::size_t>(number));
      const std::string readme = io::read_file(tree.root + "/" + tree.readme(lesson)),
                        lead = readme.substr(0, readme.find("\n## "));
      for (std::sregex_iterator one(lead.begin(), lead.end(), stands_on), last; one != last; ++one) {
        const int from = std::stoi((*one)[1].str());
        const int to = (*one)[2].matched ? std::stoi((*one)[2].str()) : from;
        for (int needed = std::max(from, steps.front()); needed <= to; ++needed, ++seen) {
          if (needed == number) continue;
          CHECK_MESSAGE(in_path.contains(needed), "lesson " << number << " begins with lesson " << needed);
        }
      }
    }
  }
  CHECK(paths == 2);
  CHECK(seen >= 8);
}

TEST_CASE("course: the letters of an equation's row are marked as symbols") {
  EquationTree tree("| the fake: W s of a network's f_x = a b | [look.h](look.h) | `a = 1` |");
  CHECK(has(tree.chapter().body, "the fake: <em>W</em> <em>s</em> of a network's"));
}

TEST_CASE(
    "course: an equation's row gets the number of the one line with its words, and is refused if there is no such "
    "line") {
  Chapter chapter = EquationTree("| b | [look.h](look.h) | `b = 2;  //` |").chapter();
  CHECK(has(chapter.body, "title=\"tutorials/01_one/look.h\">look.h:3</code></td>"));
  CHECK(chapter.equations.at(0).source == "tutorials/01_one/look.h:3");
  auto refused = [](const std::string& row) { return EquationTree(row).refused(); };
  const std::string at = "tutorials/01_one/README.md:9: equation: ", one = at + "one line of look.h must contain ";
  CHECK(refused("| b | [look.h](look.h) | `b = 2` |") ==
        one + "\"b = 2\"; got lines 2, 3; write more words of the line");
  CHECK(refused("| b | [look.h](look.h) | `b = 3` |") ==
        one + "\"b = 3\"; got none; copy words of the line as it is now");
  CHECK(refused("| b | [gone.h](gone.h) | `b = 2` |") == at + "the file must exist; got \"gone.h\"");
  for (const char* row :
       {"[look.h:3](look.h) | `again`", "look.h | `again`", "[look.h](look.h) | again", "[look.h](look.h) |"})
    CHECK_MESSAGE(has(refused("| b | " + std::string(row) + " |"), at + "a row must be"), row);
}

TEST_CASE("course: every lesson becomes a page, every link leads somewhere, the same bytes twice") {
  Tree tree = Tree::at(source_dir());
  CHECK(tree.lessons.size() >= 24);
  std::vector<SitePage> pages = site_pages(tree), again = site_pages(tree);
  REQUIRE(pages.size() == again.size());
  std::map<std::string, std::set<std::string>> anchors;
  std::map<std::string, std::string> texts;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    CHECK(pages[i].html == again[i].html);
    texts[pages[i].file] = markup(pages[i].html);
    anchors[pages[i].file] = all(texts[pages[i].file], "\\sid=\"([^\"]*)\"");
    CHECK(has(pages[i].html, "default-src 'none'"));
  }
  for (const LessonFile& lesson : tree.lessons) CHECK(texts.count(lesson.name + ".html") == 1);
  CHECK(texts.count("index.html") == 1);
  CHECK(texts.count("glossary.html") == 1);
  for (const Note& note : notes()) CHECK(texts.count(std::string(note.name) + ".html") == 1);
  std::size_t links = 0;
  for (const auto& page : texts) {
    const std::string &file = page.first, &text = page.second;
    CAPTURE(file);
    for (const std::string& href : all(text, "\\shref=\"([^\"]*)\"")) {
      if (href.rfind("http", 0) == 0 || href.rfind("data:", 0) == 0) continue;
      CAPTURE(href);
      std::size_t hash = href.find('#');
      std::string target = href.substr(0, hash);
      if (target.empty()) target = file;
      CHECK(texts.count(target) == 1);
      if (hash != std::string::npos) CHECK(anchors[target].count(href.substr(hash + 1)) == 1);
      ++links;
    }
  }
  CHECK(links > 500);
  std::string index = texts.at("index.html");
  for (const LessonFile& lesson : tree.lessons) {
    CHECK(has(index, lesson.name + ".html"));
    CHECK(!lesson.question.empty());
    CHECK_MESSAGE(!lesson.time.empty(), lesson.name << ": no row in tutorials/README.md");
    CHECK(!lesson.time.empty());
  }
}

TEST_CASE("course: every entry of the search leads to a place in a page") {
  Tree tree = Tree::at(source_dir());
  std::string index;
  std::map<std::string, std::set<std::string>> anchors;
  for (const SitePage& page : site_pages(tree)) {
    anchors[page.file] = all(markup(page.html), "\\sid=\"([^\"]*)\"");
    if (page.file == "index.html") index = page.html;
  }
  const std::string open = "id=\"heed-search\">";
  std::size_t begin = index.find(open) + open.size();
  io::Json entries = io::parse(index.substr(begin, index.find("</script>", begin) - begin), "search");
  std::set<std::string> words;
  for (const io::Json& entry : entries.elements()) {
    words.insert(entry.elements()[0].as_string());
    std::string href = entry.elements()[2].as_string();
    CAPTURE(href);
    std::size_t hash = href.find('#');
    REQUIRE(anchors.count(href.substr(0, hash)) == 1);
    if (hash != std::string::npos) CHECK(anchors[href.substr(0, hash)].count(href.substr(hash + 1)) == 1);
  }
  CHECK(words.count("key padding mask") == 1);                           // the glossary
  CHECK(words.count("softmax, cross-entropy, fully masked rows") == 1);  // the map of concepts
  CHECK(words.count("gradient of softmax: p (dy - sum p dy)") == 1);     // a row of "Equation -> file:line"
  CHECK(entries.size() > 500);                                           // headings
}

TEST_CASE("course: the map of the source is a page that leads to the chapters, and says nothing twice") {
  const Tree tree = Tree::at(source_dir());
  std::set<std::string> files;
  for (const MapRow& row : map_rows(tree)) {
    CHECK_MESSAGE(files.insert(row.files).second, row.files << " has two rows");
    CHECK_MESSAGE(row.files.find("tutorials/" + row.lessons + "_") != 0, row.words << ": its chapter has this");
  }
  for (const SitePage& page : site_pages(tree)) {
    if (page.file != "map.html") continue;
    CHECK(has(page.html, "<td><a href=\"22_self_attention.html\">22</a>, <a href=\"24_encoder.html\">24</a>, "));
    CHECK(has(page.html, "<tr id=\"concept-1\">"));
    return;
  }
  FAIL("there is no map.html");
}

TEST_CASE("course: a cell with the numbers of three seeds shows the middle one, and unfolds to all") {
  SmallTree tree(
      "# 01 · One\n\nWhy?\n\n| a | b |\n|---|---|\n| 1,900 / 900 / 2,017 ms | 3.8e-7 / 2 / -1 |\n| 1 / 2 | a / b / c "
      "|\n");
  const std::string page = site_pages(Tree::at(tree.root))[0].html;
  CHECK(has(page, ">1,900 ms</summary><span>900 to 2,017 ms; in the order of the seeds: "));
  CHECK(has(page, ">3.8e-7</summary><span>-1 to 2; in"));
  const size_t second = page.find("class=\"seeds\"", page.find("class=\"seeds\"") + 1);
  CHECK(second != std::string::npos);
  CHECK(page.find("class=\"seeds\"", second + 1) == std::string::npos);
}

TEST_CASE("course: the quiz has at least ten questions for each part, each with an answer") {
  std::string quiz;
  for (const SitePage& page : site_pages(Tree::at(source_dir()))) {
    if (page.file == "quiz.html") quiz = markup(page.html);
  }
  for (std::size_t p = 0; p < parts().size(); ++p) {
    CAPTURE(parts()[p].name);
    std::size_t begin = quiz.find("<h2 id=\"part-" + std::to_string(p + 1) + "\"");
    REQUIRE(begin != std::string::npos);
    std::string part = quiz.substr(begin, quiz.find("<h2 id=", begin + 1) - begin);
    static const std::regex question("<details><summary>[^?]+[?][^?]*</summary>\\s*<p>"), any("<details>");
    auto count = [&](const std::regex& form) {
      return std::distance(std::sregex_iterator(part.begin(), part.end(), form), std::sregex_iterator());
    };
    CHECK(count(any) >= 10);
    CHECK(count(question) == count(any));
  }
}

TEST_CASE("course: the index links to the playground where its page is, and otherwise says how to build it") {
  SmallTree tree("# 01 · One\n\nWhy?\n");
  const std::string folder = tree.root + "/site";
  write_site(Tree::at(tree.root), folder);
  CHECK(has(io::read_file(folder + "/index.html"), "<code>./heed course --playground</code>"));
  CHECK(!has(io::read_file(folder + "/index.html"), "playground.html"));
  // The first screen is alive either way, and a frame is allowed where there is one.
  CHECK(has(io::read_file(folder + "/index.html"), "<div data-play=\"arrows\""));
  CHECK(has(io::read_file(folder + "/index.html"), "heed.play(\"arrows\""));
  CHECK(!has(io::read_file(folder + "/index.html"), "frame-src"));
  tree.write("site/playground.html", "its page");
  write_site(Tree::at(tree.root), folder);
  const std::string index = io::read_file(folder + "/index.html");
  CHECK(has(index, "<a href=\"playground.html\">"));
  CHECK(index.find("<iframe src=\"playground.html\"") < index.find("<form class=\"search\""));
  CHECK(has(index, "; frame-src 'self' file:\">"));
  CHECK(!has(index, "data-play"));
}

TEST_CASE("course: panels are placed by title, the others are folded, the claims are one line") {
  Figures figures = two_panels();
  SmallTree tree(
      "# 01 · One\n\nWhy?\n\n## What was measured\n\n<!-- panel: Bars -->\n\n**Point.** Words.\n\n## "
      "Quiz\n\n<details><summary>Is `f` $x^\\top$?</summary>\n\nA.\n\n</details>\n");
  Chapter chapter = tree.chapter(&figures);
  CHECK(has(chapter.body,
            "<div class=\"panels\">\n<div class=\"place\" data-panel=\"1\"></div>\n</div>\n<p "
            "id=\"point-1\"><strong>Point.</strong>"));
  CHECK(has(chapter.body, "More measurements (1)"));
  CHECK(chapter.body.find("data-panel=\"0\"") > chapter.body.find("More measurements"));
  CHECK(has(chapter.body, "✓ 1 claim holds"));
  CHECK(has(chapter.body, "<p class=\"lead\">Why?</p>"));
  CHECK(has(chapter.quiz, "<summary>Is <code>f</code> <math display=\"inline\"><mrow><msup><mi>x</mi>"));
  CHECK(has(tree.chapter().body, "this figure is measured by <code>./heed run 01</code>"));
  tree.write("tutorials/01_one/README.md", "# 01 · One\n\nWhy?\n\n<!-- panel: Bar -->\n");
  CHECK(tree.refused(&figures) ==
        "tutorials/01_one/README.md:5: panel: the title must be one of the lesson's figures.json; got \"Bar\"");
}

TEST_CASE("course: what a README may not hold is refused with its line") {
  auto refused = [](const std::string& text) { return SmallTree("# 01 · One\n\nWhy?\n\n" + text).refused(); };
  CHECK(refused("Words.\n") == "");
  CHECK(refused("<!-- play: none -->\n") ==
        "tutorials/01_one/README.md:5: play: tutorials/course/play/none.js must exist; got no such file");
  CHECK(refused("![A thing](gone.svg)\n") ==
        "tutorials/01_one/README.md:5: link: the file must exist; got \"gone.svg\"");
  CHECK(has(refused("![](../course)\n"), "picture: a drawing must have an alternative text"));
  CHECK(refused("[x](gone.h)\n") == "tutorials/01_one/README.md:5: link: the file must exist; got \"gone.h\"");
  CHECK(refused("```math\na\n\\nothing\n```\n") ==
        "tutorials/01_one/README.md:7: math: a command must be one of the subset in tutorials/course/mathml.h; got "
        "\"\\nothing\"");
  CHECK(has(refused("Say $\\nothing$.\n"), "README.md:5: math: a command"));
  CHECK(has(refused("With <blink>.\n"), "README.md:5: html: a tag must be"));
  CHECK(has(refused("<!-- code: gone.h \"a\" .. \"b\" -->\n"), "README.md:5: code: the file must exist"));
  CHECK(has(refused("<!-- play: none -->\n<details>\n"),
            "README.md:6: chapter: beside a directive this line would be lost"));
  CHECK(has(SmallTree("# 02 · Two\n").refused(), "must begin with the number 01"));
}

TEST_CASE("course: Markdown, formulas and definitions in a chapter") {
  SmallTree tree(
      "# 01 · One\n\nWhy?\n\n## Text\n\nA *key* and $h_s$, `code`; Masks and masks.\n\n| a | b |\n|---|--:|\n| $x$ | "
      "1 |\n\n## More\n\nA mask.\n");
  tree.write("tutorials/course/glossary.md", "# Glossary\n\n**mask**: says what *may* be read: $\\sum_s w_{ts}$.\n");
  std::string body = tree.chapter().body;
  CHECK(has(body, "<em>key</em>"));
  CHECK(has(body, "<msub><mi>h</mi>"));
  CHECK(has(body,
            "<a class=\"term\" href=\"glossary.html#mask\" data-tip=\"says what may be read: ∑_s w_ts.\">Masks</a> "
            "and masks"));
  CHECK(has(body, "A <a class=\"term\""));  // again in the next section
  CHECK(has(body, "<td class=\"number\">1</td>"));
  tree.write("tutorials/course/glossary.md", "**a**: b.\nnot a term\n");
  CHECK(has(tree.refused(), "tutorials/course/glossary.md:2: glossary: a line must be"));
}

TEST_CASE("course: a page holds the scripts that it needs and no other") {
  Page page{.title = "x"};
  CHECK(scripts_for(page).empty());
  page.plays = {"soft_lookup"};
  std::vector<std::string> scripts = scripts_for(page);
  auto place = [&](const std::string& name) {
    return std::find(scripts.begin(), scripts.end(), name) - scripts.begin();
  };
  CHECK(place("play.js") < place("play/play_parts.js"));
  CHECK(place("play/play_parts.js") < place("play/soft_lookup.js"));
  CHECK(place("play/soft_lookup.js") < std::ssize(scripts));
  CHECK(place("play/masks.js") == std::ssize(scripts));
  CHECK(place("graph.js") == std::ssize(scripts));
  std::string html = page_of(page);
  CHECK(has(html, "heed.play(\"soft_lookup\""));
}

TEST_CASE("course: the page of a run is its chapter, with the figures of the run") {
  io::Json figures = report::Report("02 · derivatives", "seed 7 · quick").figures();
  std::string page = run_page("02_derivatives", figures, true);
  CHECK(has(page, "<h1>Derivatives by machine: "));
  CHECK(has(page, "shortened run"));
  CHECK(has(page, "seed 7"));
  CHECK(all(markup(page), "\\shref=\"([^\"#]*\\.html[^\"]*)\"").empty());  // the other pages are not beside it
  CHECK(run_page("99_none", figures, false).empty());
}

TEST_CASE("course: names inside a drawing become its own") {
  std::string svg = inline_svg(
      "<?xml?><svg width=\"1\" role=\"img\" aria-labelledby=\"t\"><title id=\"t\">T</title><path id=\"a\"/><use "
      "href=\"#a\"/><g fill=\"url(#a)\"/></svg>",
      "What \"it\" shows", "d1-");
  CHECK(has(svg, "<svg role=\"img\" aria-label=\"What &quot;it&quot; shows\" width=\"1\">"));
  CHECK(has(svg, "id=\"d1-a\""));
  CHECK(has(svg, "href=\"#d1-a\""));
  CHECK(has(svg, "url(#d1-a)"));
  CHECK_FALSE(has(svg, "aria-labelledby"));
}
