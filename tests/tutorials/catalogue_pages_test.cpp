// The catalogue's pages: formulas as mathematics, properties as sentences, a list that leads to a page for each entry.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
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

TEST_CASE("properties of one entry alone are sentences too, with what their tests say") {
  CHECK(sentence_of("no_rate_is_linear_attention") == "With no rate, it is linear attention.");
  CHECK(sentence_of("zero_beta_is_uniform") == "With a zero beta, it is uniform.");
  CHECK(sentence_of("pointers_by_hand").starts_with("It agrees with what was worked out by hand: pointers"));
  CHECK(sentence_of("values_are_not_turned") == "Values are not turned: values are never turned.");
  CHECK(sentence_of("index_heads_add_up").starts_with("Index heads add up. The index of two heads is the sum"));
  CHECK(sentence_of("stride_one_is_attention") == "With a stride of one, it is plain attention.");
  CHECK(sentence_of("nodes_permuted_permute_the_output").starts_with("If the nodes change their order, the output"));
  int explained = 0;
  for (const nn::CatalogueEntry& e : nn::catalogue())
    for (const std::string& property : nn::properties_of(e)) {
      const std::string text = sentence_of(property);
      CAPTURE(text);
      CHECK(text.find("---") == std::string::npos);
      for (const char* bare : {"Is ", "Looks ", "Bounded ", "Exactly "}) CHECK(!text.starts_with(bare));
      explained += text.find(": ") != std::string::npos || text.find(". ") != std::string::npos;
    }
  CHECK(explained > 180);
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
  CHECK(has(additive->html, "What is at a padded place, even NaN or infinity, does not change the result."));
}
