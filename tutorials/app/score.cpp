// heed score: how near a translation comes to its reference, as one line of JSON. BLEU and chrF2 count the shared runs
// of words and of characters; nn/text/bleu.h and nn/text/chrf.h have their formulas.
//
//   {"bleu":31.2,"precisions":[62.1,38.0,25.1,16.9],"brevity_penalty":0.98,"chrf":55.4}
//
// All but the penalty are 0 to 100; a file against itself scores 100.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "nn/io/json.h"
#include "nn/text/bleu.h"
#include "nn/text/chrf.h"
#include "nn/text/reading.h"
#include "tutorials/common/options.h"

namespace heed::app {

int score_main(int argc, char** argv) {
  std::string hypothesis_file, reference_file, tokens = "13a";
  bool lowercase = false;
  Options options("heed score",
                  "Computes BLEU and chrF2 of a translation against its reference, one sentence per line.");
  options.add("--hyp", &hypothesis_file, "file with the translation").required().placeholder("F");
  options.add("--ref", &reference_file, "file with the reference, with the same number of lines")
      .required()
      .placeholder("F");
  options.add("--tokenize", &tokens, "how BLEU splits lines into words").one_of({"none", "13a"});
  options.flag("--lowercase", &lowercase, "BLEU ignores upper and lower case");
  options.parse(argc, argv);

  const std::vector<std::string> hypotheses = text::read_lines(hypothesis_file);
  const std::vector<std::string> references = text::read_lines(reference_file);
  const text::BleuScore score =
      text::bleu(hypotheses, references, {.tokens = text::bleu_tokens_from_name(tokens), .lowercase = lowercase});
  const std::vector<double> precisions(score.precisions.begin(), score.precisions.end());
  const io::Json line = io::Json::object({{"bleu", score.bleu},
                                          {"precisions", precisions},
                                          {"brevity_penalty", score.brevity_penalty},
                                          {"chrf", text::chrf(hypotheses, references)}});
  fmt::print("{}\n", line.dump());
  return 0;
}

}  // namespace heed::app
