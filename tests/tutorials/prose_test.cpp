// A number is for a table: no sentence of a chapter holds five numbers, and no paragraph the numbers of two triples of
// seeds. What counts as one: "a / b / c" (seeds 1, 2 and 3), a shape [B, T], a size 6 × 64. What counts as none:
// formulas and code, and the numbers of seeds, lessons, layers and the like.
#include <doctest/doctest.h>

#include <regex>

#include "nn/io/file.h"
#include "tests/source_dir.h"
#include "tests/tutorials/measured.h"
#include "tutorials/course/slides.h"

using namespace heed;
using course::Node;

namespace {

std::string words_of(const Node& node) {
  if (node.tag == "code" || node.tag == "math" || node.tag == "display" || node.tag == "img") return "X";
  std::string words = node.tag == "softbreak" ? " " : node.text;
  for (const Node& child : node.children) words += words_of(child);
  return words;
}

const std::string kNumber = "[0-9][0-9,]*(?:\\.[0-9]+)?(?: %)?";
const std::regex kTriple(kNumber + "(?: / " + kNumber + ")+");

std::size_t numbers_in(const std::string& sentence) {
  static const std::regex label(
      "(?:[Ss]eeds?|[Ll]essons?|[Ee]xercises?|[Tt]ables?|[Pp]arts?|[Vv]ersions?|[Ll]ayers?|eqs?\\.) "
      "[0-9]+(?:(?:, and | and |, | to )[0-9]+(?![0-9]|\\.[0-9]))*");
  static const std::regex list("\\[[0-9]+(?:, [0-9]+)+\\]|[0-9]+(?: (?:×|x) [0-9]+)+");
  std::string words = std::regex_replace(sentence, label, "X");
  words = std::regex_replace(std::regex_replace(words, kTriple, "7"), list, "7");
  return measured::numbers_of(words).size();
}

// Every sentence with five numbers or more, and every paragraph with two triples or more.
void look(const Node& node, std::vector<std::string>& found) {
  Node paragraph{.tag = "p", .line = node.line};
  for (const Node& child : node.children) {
    const bool block =
        child.tag == "p" || child.tag == "ul" || child.tag == "ol" || child.tag == "li" || child.tag == "blockquote";
    if (block) look(child, found);
    if (!block && (node.tag == "p" || node.tag == "li")) paragraph.children.push_back(child);
  }
  for (const Node& sentence : course::sentences_of(paragraph))
    if (const std::string words = words_of(sentence); numbers_in(words) >= 5) found.push_back(words);
  const std::string all = words_of(paragraph);
  if (std::distance(std::sregex_iterator(all.begin(), all.end(), kTriple), {}) > 1)
    found.push_back("two triples: " + all);
}

std::vector<std::string> crowded(const std::string& markdown) {
  std::vector<std::string> found;
  look(course::parse_markdown(markdown), found);
  return found;
}

}  // namespace

TEST_CASE("chapters: no sentence has five numbers, and no paragraph two triples of seeds") {
  CHECK(crowded("It is 1 of 2 with 0.3 and 4e-5. Then 6 more.").empty());
  CHECK(crowded("- It is 1 of 2 with 0.3, 4e-5\n  and 6.").size() == 1);
  CHECK(crowded("Seeds 1, 2 and 3 give 91 / 92 / 93 % for [8, 12, 64] and $1 + 2$, `x = 3`, 4, 5.").empty());
  CHECK(crowded("It is 1 / 2 / 3 here. And 4 / 5 / 6 there.").size() == 1);
  std::vector<std::string> pages{"app", "league"};
  for (const course::LessonFile& lesson : course::Tree::at(source_dir()).lessons) pages.push_back(lesson.name);
  for (const std::string& page : pages)
    for (const std::string& words : crowded(io::read_file(source_dir() + "/tutorials/" + page + "/README.md")))
      FAIL_CHECK(page << "/README.md: " << words);
}
