#include "tutorials/museum/page.h"

#include <fmt/format.h>

#include <cmath>

namespace heed::museum {

namespace {

io::Json stored(const report::Matrix& m) {  // a number that is not finite becomes null
  io::Json list = io::Json::array();
  for (double value : m.values) list.push(std::isfinite(value) ? report::stored_number(value) : io::Json());
  return list;
}

}  // namespace

report::Report page_of(const std::vector<Exhibit>& exhibits, bool blind) {
  report::Report report("The museum of bugs",
                        fmt::format("{} mistakes in attention that were published or shipped", exhibits.size()));
  report.text(
      "How to read this page",
      "Each exhibit shows the same numbers twice: computed with the mistake, and as they should be. Most of these "
      "programs ran without an error and many of them learned something, which is why the mistakes lasted. All "
      "numbers were computed when this page was written; `./heed museum NAME` prints one exhibit.\n\n" +
          std::string(blind ? "The answers are hidden: look at the wrong numbers first, and choose the suspect."
                            : "To test yourself, press \"Guess first\": it hides the answer of an exhibit."));
  std::size_t number = 0;
  for (const Exhibit& e : exhibits) {
    const Shown s = e.show();
    const std::string neutral = fmt::format("Exhibit {}", ++number);  // the title would tell
    report.add("exhibit", blind ? neutral : e.title, e.setting,
               io::Json::object({{"name", e.name},
                                 {"blind", blind},
                                 {"full_title", e.title},
                                 {"neutral_title", neutral},
                                 {"what", s.what},
                                 {"rows", s.rows},
                                 {"columns", s.columns},
                                 {"wrong", stored(s.wrong)},
                                 {"right", stored(s.right)},
                                 {"wrong_code", e.wrong_code},
                                 {"right_code", e.right_code},
                                 {"suspects", e.suspects},
                                 {"culprit", e.culprit},
                                 {"verdict", s.verdict + " " + difference_of(s).text()},
                                 {"hidden", e.hidden},
                                 {"happened", e.happened},
                                 {"lesson", e.lesson}}));
  }
  return report;
}

}  // namespace heed::museum
