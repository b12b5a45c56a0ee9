// What each entry of the catalogue says of itself: an idea in three sentences, a pitfall, a file that holds it, and a
// lesson that exists.
#include <doctest/doctest.h>

#include "nn/catalogue/catalogue.h"
#include "nn/io/file.h"
#include "tutorials/course/entry_lessons.h"
#include "tutorials/course/tree.h"

using namespace heed;
using namespace heed::course;

namespace {

int sentences(const std::string& text) {
  int count = 0;
  for (size_t i = 0; i < text.size(); ++i)
    count += (text[i] == '.' || text[i] == '?') && (i + 1 == text.size() || text[i + 1] == ' ');
  return count;
}

}  // namespace

TEST_CASE("entries: idea, pitfall, file and lesson") {
  const Tree tree = Tree::of_source();
  for (const nn::CatalogueEntry& e : nn::catalogue()) {
    INFO(e.id, " ", e.name);
    CHECK(sentences(e.idea) == 3);
    CHECK(sentences(e.wrong) >= 1);
    CHECK_MESSAGE(io::read_file(tree.root + "/" + e.file).find(".names = {\"" + e.id + "\", \"" + e.name + "\"") !=
                      std::string::npos,
                  e.file);
    if (std::string lesson = lesson_of(e.id); !lesson.empty())
      CHECK_MESSAGE(tree.lesson(lesson), "no lesson " << lesson);
  }
}
