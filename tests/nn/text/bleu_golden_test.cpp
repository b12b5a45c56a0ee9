// sacreBLEU's own figures. The corpora come in part from Multi30k, which may not be redistributed: they are read from
// the folder HEED_SHARED (default: `shared` beside the source tree), and the test says so where they are absent.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "nn/text/bleu.h"
#include "nn/text/chrf.h"
#include "tests/source_dir.h"

using namespace heed::text;

TEST_SUITE("parity") {
  TEST_CASE("bleu and chrf: every golden corpus to 0.01") {
    const char* shared = std::getenv("HEED_SHARED");
    std::string path = std::string(shared ? shared : source_dir() + "/../shared") + "/golden/bleu_chrf.json";
    if (!std::filesystem::exists(path)) {
      MESSAGE("skipped: no " << path << "; set HEED_SHARED to the folder that holds golden/");
      return;
    }
    std::ifstream file(path);
    nlohmann::json corpora = nlohmann::json::parse(file);
    REQUIRE(corpora.size() >= 13);
    for (const auto& corpus : corpora) {
      CAPTURE(corpus.at("name").get<std::string>());
      auto hypotheses = corpus.at("hypotheses").get<std::vector<std::string>>();
      auto references = corpus.at("references").get<std::vector<std::string>>();
      REQUIRE(corpus.at("smoothing") == "exp");
      BleuScore score = bleu(hypotheses, references,
                             {.tokens = bleu_tokens_from_name(corpus.at("tokenize").get<std::string>()),
                              .lowercase = corpus.at("lowercase").get<bool>()});
      auto near = [](double ours, double theirs) { return std::abs(ours - theirs) <= 0.01; };
      CHECK(near(score.bleu, corpus.at("bleu").get<double>()));
      for (size_t n = 0; n < 4; ++n) CHECK(near(score.precisions[n], corpus.at("precisions").at(n).get<double>()));
      CHECK(std::abs(score.brevity_penalty - corpus.at("brevity_penalty").get<double>()) <= 1e-6);
      CHECK(score.hypothesis_length == corpus.at("sys_len").get<int64_t>());
      CHECK(score.reference_length == corpus.at("ref_len").get<int64_t>());
      CHECK(near(chrf(hypotheses, references), corpus.at("chrf").get<double>()));
    }
  }
}
