// For a teacher: slides that are cut from the chapters and lose nothing that is shown, an edition without solutions,
// and the minutes of lessons and exercises. (In the browser: slides_test.mjs.)
#include "tutorials/course/slides.h"

#include <doctest/doctest.h>

#include <regex>
#include <utility>

#include "nn/io/file.h"
#include "tests/source_dir.h"
#include "tutorials/course/exercises.h"
#include "tutorials/course/from_zero.h"

using namespace heed;
using namespace heed::course;

namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::vector<std::string> cut(const std::string& paragraph) {
  std::vector<std::string> words;
  for (const course::Node& sentence : sentences_of(parse_markdown(paragraph).children.at(0)))
    words.push_back(plain_text(sentence));
  return words;
}

// The words of a page: without scripts, tags, and with the entities of code.
std::string words_of(std::string html) {
  html = std::regex_replace(html.substr(html.find("<body")), std::regex("<[^>]*>"), "");
  for (const auto& [entity, letter] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}}) {
    for (std::size_t at = html.find(entity); at != std::string::npos; at = html.find(entity, at + 1))
      html.replace(at, std::string(entity).size(), letter);
  }
  return html;
}

}  // namespace

TEST_CASE("slides: a paragraph is cut into its sentences") {
  using Words = std::vector<std::string>;
  CHECK(cut("One thing. Another? A third!") == Words{"One thing.", "Another?", "A third!"});
  CHECK(cut("**Heads.** One set, e.g. of weights. *Two* sets.") ==
        Words{"Heads. One set, e.g. of weights.", "Two sets."});
  CHECK(cut("As Cheng et al. (2016) say, it is 1.5 times $a. B$ as long.") ==
        Words{"As Cheng et al. (2016) say, it is 1.5 times a. B as long."});
  CHECK(cut("By M.-T. Luong and J.R. Firth (eq. 14 and eqs. 3). Next.") ==
        Words{"By M.-T. Luong and J.R. Firth (eq. 14 and eqs. 3).", "Next."});
  CHECK(cut("By J. Alammar in 2018.\nAnd then:") == Words{"By J. Alammar in 2018.", "And then:"});
}

TEST_CASE("slides: every chapter gives slides that show what it shows, with all of its prose in the notes") {
  const Tree tree = Tree::at(source_dir());
  for (const LessonFile& lesson : tree.lessons) {
    CAPTURE(lesson.name);
    const std::optional<Figures> figures = read_figures(tree.root + "/tutorials/" + lesson.name + "/figures.json");
    const Chapter chapter = chapter_of(tree, lesson, {.figures = figures ? &*figures : nullptr});
    const std::vector<Slide> slides = slides_of(tree, lesson, chapter, figures ? &*figures : nullptr);
    CHECK(slides.size() >= 12);
    std::string shown, notes;
    for (const Slide& slide : slides) {
      CHECK(slide.body.size() > 10);
      shown += slide.body, notes += slide.notes;
    }
    for (const char* part : {"data-play=", "<figure class=\"code\"", "<figure class=\"drawing", "data-walk"}) {
      CAPTURE(part);
      CHECK(count_of(shown + notes, part) == count_of(chapter.body, part));
      if (std::string(part) != "<figure class=\"code\"") CHECK(count_of(notes, part) == 0);
    }
    for (std::size_t k = 1; k < slides.size(); ++k) {  // no slide of a few words alone: two lines
      static const std::regex thing("<(?:table|figure|pre|svg|ul|ol|div|details|img|math display)"), tag("<[^>]*>");
      const std::string& body = slides[k].body;
      if (!std::regex_search(body, thing)) CHECK_MESSAGE(std::regex_replace(body, tag, "").size() > 136, body);
    }
    std::string section;
    for (const Block& block : chapter.blocks) {
      if (block.node.tag == "h2") section = plain_text(block.node);
      if (block.node.tag != "p" || section == "Quiz" || holds(block.html, "<figure") ||
          holds(block.html, "<math display=\"block\""))
        continue;
      CHECK_MESSAGE((holds(notes, block.html) || section == "Equation -> file:line"), block.html);
    }
    CHECK(count_of(shown, "<details><summary>") == count_of(chapter.quiz, "<details><summary>"));
    for (const std::string& whole : {shown, notes, chapter.body})  // boxes are not cut
      CHECK(count_of(whole, "<details") == count_of(whole, "</details>"));
  }
}

TEST_CASE(
    "course --no-solutions: no page shows an answer of the quiz, or a line that solves an exercise of its lesson") {
  const Tree tree = Tree::at(source_dir());
  std::size_t left_out = 0;
  for (const LessonFile& lesson : tree.lessons) {
    CAPTURE(lesson.name);
    const std::vector<ExerciseFile> exercises = exercises_of(tree, lesson);
    for (const bool solutions : {true, false}) {
      for (const SitePage& page : site_pages(tree, {.only = &lesson, .slides = true, .solutions = solutions})) {
        const std::string words = words_of(page.html);
        for (const ExerciseFile& one : exercises) {
          const bool solved = one.is_shown_by(words);
          left_out += solved ? 1 : 0;
          if (!solutions) CHECK_MESSAGE(!solved, page.file << " shows exercise " << one.number);
        }
        if (!solutions) CHECK(!holds(words_of(page.html), "None. Each head is an eighth as wide."));
      }
    }
    const Chapter with = chapter_of(tree, lesson, {}), without = chapter_of(tree, lesson, {.solutions = false});
    CHECK(count_of(without.quiz, "class=\"question\"") == count_of(with.quiz, "<summary>"));
    CHECK(!holds(without.quiz, "details"));
    CHECK(without.quiz.size() < with.quiz.size());
  }
  CHECK(left_out > 0);  // otherwise there was nothing to find
}

TEST_CASE("course: the page for teachers has the minutes of every lesson and exercise, by their rules") {
  const Tree tree = Tree::at(source_dir());
  CHECK(ExerciseFile{.filled = {"a", "b", "c"}}.minutes() == 15);
  CHECK(ExerciseFile{.filled = std::vector<std::string>(23, "x")}.minutes() == 55);
  CHECK_FALSE(ExerciseFile{.filled = {"return y;"}}.is_shown_by("{ return y; }"));
  const std::string table = teaching_table(tree, true);
  CHECK(count_of(table, "<tr>") == tree.lessons.size() + 1);
  const LessonFile& heads = *tree.lesson("22");
  const std::vector<ExerciseFile> exercises = exercises_of(tree, heads);
  REQUIRE(exercises.size() == 3);
  CHECK(exercises[0].title == "heads");
  CHECK(exercises[0].filled == std::vector<std::string>{"return x.view({B, T, H, D / H}).transpose(1, 2);"});
  CHECK(holds(table,
              "<td class=\"number\">" +
                  std::to_string(study_minutes(io::read_file(tree.root + "/" + tree.readme(heads))) - kFirstExercise) +
                  "</td><td>22.1: 10, 22.2: 15, 22.3: 50</td><td><a href=\"22_self_attention_slides.html\">"));
  CHECK(!holds(teaching_table(tree, false), "_slides.html"));
}
