// The table at the end of the page for teachers: minutes for each lesson without its exercises (from_zero.h), for each
// exercise (exercises.h), and its slides if they were made.
#include <fmt/format.h>

#include "nn/io/file.h"
#include "tutorials/course/exercises.h"
#include "tutorials/course/from_zero.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/site.h"

namespace heed::course {

std::string teaching_table(const Tree& tree, bool slides) {
  std::string rows;
  int study = 0, practice = 0;
  for (const LessonFile& lesson : tree.lessons) {
    const int minutes = study_minutes(io::read_file(tree.root + "/" + tree.readme(lesson))) - kFirstExercise;
    std::string exercises;
    study += minutes;
    for (const ExerciseFile& one : exercises_of(tree, lesson)) {
      practice += one.minutes();
      exercises += fmt::format("{}{}.{}: {}", exercises.empty() ? "" : ", ", lesson.number, one.number, one.minutes());
    }
    rows += fmt::format(
        "<tr><td><a href=\"{0}.html\">{1} · {2}</a></td><td class=\"number\">{3}</td><td>{4}</td>{5}</tr>\n",
        lesson.name, lesson.number, report::escaped(lesson.title), minutes, exercises,
        slides ? fmt::format("<td><a href=\"{}_slides.html\">slides</a></td>", lesson.name) : "");
  }
  return fmt::format(
      "<h2 id=\"minutes\">Minutes</h2>\n<p>All lessons without exercises: {} hours; all exercises: {} "
      "hours.</p>\n"
      "<div class=\"scroll\"><table class=\"minutes\"><thead><tr><th scope=\"col\">lesson</th><th scope=\"col\" "
      "class=\"number\">minutes</th><th scope=\"col\">exercises</th>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
      (study + 30) / 60, (practice + 30) / 60, slides ? "<th scope=\"col\"></th>" : "", rows);
}

}  // namespace heed::course
