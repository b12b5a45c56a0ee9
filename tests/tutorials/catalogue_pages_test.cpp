// The catalogue's pages: formulas as mathematics, properties as sentences, a list that leads to a page for each entry.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "nn/catalogue/catalogue.h"
#include "tutorials/course/formula.h"
#include "tutorials/course/properties.h"
#include "tutorials/course/site.h"

using namespace heed;
using namespace heed::course;

TEST_CASE("formulas of the catalogue: letters, indices, functions and words of a keyboard become LaTeX") {
  CHECK(latex_of("e_ts = q_t . k_s / sqrt(K)") == "e_{ts} = q_{t} \\cdot k_{s} / \\sqrt{K}");
  CHECK(latex_of("u~ <- k^T x^(-1/2) K^^T") == "\\tilde{u} \\leftarrow  k^{\\top} x^{-1/2} \\hat{K}^{\\top}");
  CHECK(latex_of("sum_(r >= s) w_r', they sum to 1") == "\\sum _{r \\ge  s} w_{r'}, \\text{ they sum to } 1");
  CHECK(latex_of("one_hot(argmax e), W_o,h") == "\\operatorname{one-hot}(\\argmax  e), W_{o,h}");
  CHECK(latex_of("alpha_t in {0, 1}, for a word") == "\\alpha _{t} \\in  \\{0, 1\\}, \\text{ for a word }");
  for (const nn::CatalogueEntry& e : nn::catalogue()) {
    CAPTURE(e.id);
    const std::string html = formula_html(e.formula);
    for (const char* left : {"_t", ">sqrt", "&lt;-", ">&lt;="})
      CHECK_MESSAGE(html.find(left) == std::string::npos, left);
    for (const std::string& property : nn::properties_of(e)) CHECK(sentence_of(property).back() == '.');
  }
}

TEST_CASE("every property of the catalogue has a sentence that says what it means, and no two have the same") {
  std::map<std::string, std::string> said_of;  // the sentence, and whose it is
  for (const nn::CatalogueEntry& e : nn::catalogue())
    for (const std::string& property : nn::properties_of(e)) {
      const std::string text = sentence_of(property);
      CAPTURE(property);
      CAPTURE(text);
      CHECK(said_of.try_emplace(text, property).first->second == property);
      std::string name = property;
      std::replace(name.begin(), name.end(), '_', ' ');
      CHECK(text.substr(1) != name.substr(1) + ".");  // what is left where a test has no sentence
      std::istringstream words(text);
      CHECK(std::distance(std::istream_iterator<std::string>(words), {}) <= 30);
    }
  CHECK(sentence_of("no_rate_is_linear_attention").starts_with("With decay rates of zero the sums are plain linear"));
  CHECK(sentence_of("values_are_not_turned") == "Values are never turned, only queries and keys.");
  CHECK(sentence_of("some_name") == "Some name.");
}

namespace {
std::set<std::string> links_in(const std::string& html) {
  static const std::regex link("href=\"(entry_[^\"]+)\"");
  std::set<std::string> found;
  for (std::sregex_iterator at(html.begin(), html.end(), link), end; at != end; ++at) found.insert((*at)[1].str());
  return found;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE("the catalogue is a list, and a page for each entry, none of more than 2,000 words") {
  const std::vector<SitePage> pages = catalogue_pages(Tree::of_source());
  REQUIRE(pages.size() == nn::catalogue().size() + 1);
  CHECK(pages[0].file == "catalogue.html");
  const std::set<std::string> linked = links_in(pages[0].html);
  for (size_t i = 1; i < pages.size(); ++i) {
    CAPTURE(pages[i].file);
    CHECK(linked.contains(pages[i].file));
    const std::string body = pages[i].html.substr(pages[i].html.find("<main"));
    const std::string text = std::regex_replace(body.substr(0, body.find("</main>")), std::regex("<[^>]+>"), " ");
    std::istringstream words(text);
    CHECK(std::distance(std::istream_iterator<std::string>(words), {}) < 2000);
  }
  const auto additive =
      std::find_if(pages.begin(), pages.end(), [](const SitePage& p) { return p.file == "entry_A5.html"; });
  CHECK(has(additive->html, "<math display=\"block\""));
  CHECK(has(additive->html, "<tr aria-current=\"true\"><th scope=\"row\"><a href=\"entry_A5.html\">additive"));
  CHECK(has(additive->html, "href=\"entry_Z1.html\">even"));  // the control
  // From the list to the curves of the family on the page of the league, which has them.
  CHECK(has(pages[0].html, "<a href=\"league.html#family-scores\" title=\"curves of the family\">yes</a>"));
  const std::string league = league_page(Tree::of_source()).html;
  static const std::regex to_curves("league\\.html#(family-[^\"]+)\"");
  std::set<std::string> families;
  for (std::sregex_iterator at(pages[0].html.begin(), pages[0].html.end(), to_curves), end; at != end; ++at)
    families.insert((*at)[1].str());
  CHECK(families.size() > 3);
  for (const std::string& family : families) CHECK_MESSAGE(has(league, " id=\"" + family + "\" data-panel"), family);
  CHECK(has(additive->html, "What is at a padded place, even NaN or infinity, does not change the result."));
}
