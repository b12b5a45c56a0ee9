// Formulas and excerpts of the course: what the LaTeX subset becomes, and what is refused, with its line.
#include <doctest/doctest.h>

#include "tests/source_dir.h"
#include "tutorials/course/excerpt.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/mathml.h"

using namespace heed;
using namespace heed::course;

namespace {

// The inside of <math>, which is one <mrow>.
std::string inside(const std::string& latex) {
  std::string html = mathml(latex, false);
  const std::string open = "<math display=\"inline\"><mrow>", close = "</mrow></math>";
  REQUIRE(html.substr(0, open.size()) == open);
  REQUIRE(html.substr(html.size() - close.size()) == close);
  return html.substr(open.size(), html.size() - open.size() - close.size());
}

std::string refused(const std::string& latex) {
  try {
    mathml(latex, true);
  } catch (const MathError& error) { return std::to_string(error.line) + " " + error.what(); }
  return "";
}

std::string excerpt_refused(const std::string& directive) {
  try {
    excerpt_of(directive, source_dir() + "/tests", "README.md", 7);
  } catch (const InputError& error) { return error.what(); }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("course: letters, numbers and signs") {
  CHECK(inside("a") == "<mi>a</mi>");
  CHECK(inside("12.5") == "<mn>12.5</mn>");
  CHECK(inside("a-1") == "<mi>a</mi><mo>−</mo><mn>1</mn>");
  CHECK(inside("a < b") == "<mi>a</mi><mo>&lt;</mo><mi>b</mi>");
  CHECK(inside("\\alpha \\leq \\infty") == "<mi>α</mi><mo stretchy=\"false\">≤</mo><mi>∞</mi>");
  CHECK(inside("\\{ \\}") == "<mo stretchy=\"false\">{</mo><mo stretchy=\"false\">}</mo>");
  CHECK(inside("\\mathbf{x}") == "<mi>𝐱</mi>");
  CHECK(inside("\\mathcal{L}") == "<mi>ℒ</mi>");
  CHECK(inside("\\mathbb{R}") == "<mi>ℝ</mi>");
  CHECK(inside("\\mathrm{GRU}") == "<mi mathvariant=\"normal\">GRU</mi>");
  CHECK(inside("\\text{ if }x") == "<mtext>\u00a0if\u00a0</mtext><mi>x</mi>");
  CHECK(has(mathml("x", true), "display=\"block\""));
}

TEST_CASE("course: scripts, fractions, roots, accents") {
  CHECK(inside("h_s") == "<msub><mi>h</mi><mrow><mi>s</mi></mrow></msub>");
  CHECK(inside("x^{2n}") == "<msup><mi>x</mi><mrow><mn>2</mn><mi>n</mi></mrow></msup>");
  CHECK(inside("w_t^2") == inside("w^2_t"));
  CHECK(inside("w_t^2") == "<msubsup><mi>w</mi><mrow><mi>t</mi></mrow><mrow><mn>2</mn></mrow></msubsup>");
  CHECK(inside("f'") == "<msup><mi>f</mi><mrow><mo>′</mo></mrow></msup>");
  CHECK(inside("\\frac{a}{b}") == "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>");
  CHECK(inside("\\sqrt{d}") == "<msqrt><mi>d</mi></msqrt>");
  CHECK(inside("\\sqrt[3]{d}") == "<mroot><mrow><mi>d</mi></mrow><mrow><mn>3</mn></mrow></mroot>");
  CHECK(inside("\\hat y") == "<mover accent=\"true\"><mrow><mi>y</mi></mrow><mo stretchy=\"false\">^</mo></mover>");
  CHECK(inside("\\sum_s w") == "<munder><mo>∑</mo><mrow><mi>s</mi></mrow></munder><mi>w</mi>");
  CHECK(has(inside("\\underbrace{a+b}_{c}"), "⏟"));
  CHECK(has(inside("\\underbrace{a+b}_{c}"), "<munder><munder accentunder=\"true\">"));
}

TEST_CASE("course: names keep their distance") {
  const std::string gap = "<mspace width=\"0.1667em\"></mspace>";
  CHECK(inside("\\log x") == "<mi mathvariant=\"normal\">log</mi>" + gap + "<mi>x</mi>");
  CHECK(inside("2\\log x") == "<mn>2</mn>" + gap + "<mi mathvariant=\"normal\">log</mi>" + gap + "<mi>x</mi>");
  CHECK_FALSE(has(inside("\\softmax(e)"), gap));
  CHECK(inside("\\operatorname{softmax}(e)") == inside("\\softmax(e)"));
}

TEST_CASE("course: brackets that grow, and matrices") {
  CHECK(inside("\\left( x \\right]") ==
        "<mrow><mo fence=\"true\" stretchy=\"true\" form=\"prefix\">(</mo><mi>x</mi>"
        "<mo fence=\"true\" stretchy=\"true\" form=\"postfix\">]</mo></mrow>");
  CHECK(inside("\\begin{matrix} a & b \\\\ c & d \\end{matrix}") ==
        "<mrow><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>"
        "<mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable></mrow>");
  std::string aligned = inside("\\begin{aligned} y &= x \\\\ z &= 1 \\\\ \\end{aligned}");
  CHECK(has(aligned, "<mtd class=\"right\">"));
  CHECK(has(aligned, "<mtd class=\"left\">"));
  std::size_t rows = 0;
  for (std::size_t at = aligned.find("<mtr>"); at != std::string::npos; at = aligned.find("<mtr>", at + 1)) ++rows;
  CHECK(rows == 2);  // \\ at the end opens no row
}

TEST_CASE("course: LaTeX that is wrong or outside the subset is refused with its line") {
  CHECK(refused("\\frac{a}") == "0 math: an argument must be in braces; got \"the end\"");
  CHECK(refused("a\n+ \\unknown{x}") ==
        "1 math: a command must be one of the subset in tutorials/course/mathml.h; got \"\\unknown\"");
  CHECK(refused("{a") == "0 math: { must be closed by }; got \"the end\"");
  CHECK(refused("a}") == "0 math: a formula must have a beginning for each end; got \"}\" without one");
  CHECK(refused("a & b") == "0 math: a formula must have a beginning for each end; got \"&\" without one");
  CHECK(refused("\\left( a") == "0 math: \\left must be closed by \\right; got \"the end\"");
  CHECK(refused("\\begin{cases} a \\end{matrix}") ==
        "0 math: \\begin{cases} must be closed by the same name; got \\end{matrix}");
  CHECK(has(refused("\\begin{table} a \\end{table}"), "an environment must be"));
  CHECK(refused("a_b_c") == "0 math: a sign must have one subscript at most; got two");
  CHECK(refused("a^b^c") == "0 math: a sign must have one superscript at most; got two");
  CHECK(has(refused("a·b"), "outside ASCII"));
  CHECK(refused("  ") == "0 math: a formula must hold something; got nothing");
}

TEST_CASE("course: an excerpt is what the source says now") {
  CodeExcerpt e = excerpt_of("source_dir.h \"std::string source_dir\" .. \"std::string source_dir\"",
                             source_dir() + "/tests", "README.md", 1);
  CHECK(e.first == e.last);
  CHECK(has(e.code, "std::string source_dir()"));
  CHECK(excerpt_refused("source_dir.h \"no such words\" .. \"x\"") ==
        "README.md:7: code: source_dir.h must have a line with the first words; got \"no such words\"");
  CHECK(has(excerpt_refused("source_dir.h \"std::string\" .. \"no such end\""),
            "must have the last words on or after line"));
  CHECK(excerpt_refused("gone.h \"a\" .. \"b\"") == "README.md:7: code: the file must exist; got \"gone.h\"");
  CHECK(has(excerpt_refused("source_dir.h words"), "must be FILE"));
}

TEST_CASE("course: what a line must not break is in one piece, an index is lowered, a power is raised") {
  auto piece = [](const std::string& text) { return "<span class=\"unbroken\">" + text + "</span>"; };
  CHECK(escaped_words("of 20.1 % <") == "of " + piece("20.1 %") + " &lt;");
  CHECK(escaped_words("100 / 98.5 / 7 %") == piece("100 / 98.5 / 7 %"));
  CHECK(escaped_words("2.3e-11 and 5") == piece("2.3e-11") + " and 5");
  CHECK(escaped_words("give --set x") == "give " + piece("--set") + " x");
  CHECK(escaped_words("W_hh, p_t, e^-2, 4^4, n^(3/4)") ==
        "W<sub>hh</sub>, p<sub>t</sub>, e<sup>-2</sup>, 4<sup>4</sup>, n<sup>3/4</sup>");
  CHECK(escaped_words("eps^(1 / (n + 1))") == "eps<sup>1 / (n + 1)</sup>");
  CHECK(escaped_words("self-attention, top_k, weight_hh, 2024-11, a - b, 3 words") ==
        "self-attention, top_k, weight_hh, 2024-11, a - b, 3 words");
  CHECK(escaped_whole("W_hh --set 4^4 1e-8") == "W_hh " + piece("--set") + " 4^4 " + piece("1e-8"));
  CHECK(escaped_whole("") == "");
}

TEST_CASE("course: colours of code") {
  CHECK(highlighted("return 1;  // <b>\n", "cpp") ==
        "<span class=\"k\">return</span> 1;  <span class=\"c\">// &lt;b&gt;</span>\n");
  CHECK(highlighted("x = \"a \\\" b\";", "cpp") == "x = <span class=\"s\">&quot;a \\&quot; b&quot;</span>;");
  CHECK(highlighted("# no\ndef f(): pass", "python") ==
        "<span class=\"c\"># no</span>\n<span class=\"k\">def</span> f(): <span class=\"k\">pass</span>");
  CHECK(highlighted("1'000 returned", "cpp") == "1'000 returned");
  CHECK(highlighted("a < b", "") == "a &lt; b");
}
