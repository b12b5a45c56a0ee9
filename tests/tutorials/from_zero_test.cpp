// The path from zero: its minutes follow its rule, and its chapters lead along it. (In the browser: course_test.mjs.)
#include "tutorials/course/from_zero.h"

#include <doctest/doctest.h>

#include "nn/io/file.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::course;

namespace {

bool leads_to(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("course: the path from zero states the minutes of its rule, and leads from lesson to lesson") {
  const Tree tree = Tree::at(source_dir());
  const std::vector<PathStep> path = path_from_zero(tree);
  REQUIRE(path.size() == 12);
  for (const PathStep& step : path) {
    CAPTURE(step.lesson->name);
    CHECK(step.minutes == study_minutes(io::read_file(tree.root + "/" + tree.readme(*step.lesson))));
    CHECK(step.then.size() > 20);
  }
  CHECK(study_minutes("# A\n\n<!-- play: x -->\n```\none two\n```\n" + std::string("\n## Exercises\n")) == 25);
  const std::string data = path_data(path, *tree.lesson("05"));
  CHECK(leads_to(data, "04_softmax_and_masks.html"));
  CHECK(leads_to(data, "07_embeddings.html"));
  CHECK(leads_to(path_data(path, *tree.lesson("02")), "\"previous\":{\"href\":\"from_zero.html\""));
  CHECK(leads_to(path_data(path, *tree.lesson("26")), "\"next\":{\"href\":\"from_zero.html\""));
  CHECK(path_data(path, *tree.lesson("06")) == "");
}
