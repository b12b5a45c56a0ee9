// The options of heed train as --help shows them, and which of them need another.
#include "tutorials/app/train_options.h"

#include <algorithm>

#include "nn/attention/registry.h"
#include "nn/pooling/pooler.h"
#include "tests/refuses.h"

using namespace heed;
using namespace heed::app;

TEST_CASE("heed train --help: every number has its range, and a default within it or in words") {
  const auto help = option_help();
  for (const std::string& paper : nn::paper_names()) {
    TrainOptions o;
    set_paper(o, paper);
    for (const nn::OptionField& f : nn::fields_of(o)) {
      if (!std::holds_alternative<int64_t*>(f.place) && !std::holds_alternative<double*>(f.place)) continue;
      CAPTURE(paper);
      CAPTURE(f.name);
      auto row = std::find_if(help.begin(), help.end(), [&](const auto& one) { return one.first == f.name; });
      REQUIRE(row != help.end());
      CAPTURE(row->second);
      CHECK(row->second.find(in_words(f.range)) != std::string::npos);
      CHECK(row->second.find("default") != std::string::npos);
      if (!f.range.holds(nn::number_of(f))) CHECK(f.usual != "");
      if (!f.usual.empty()) CHECK(row->second.find(f.usual) != std::string::npos);
    }
  }
}

TEST_CASE("heed train --help: the settings of every stage that has some, whatever its name") {
  const std::string help = settings_help();
  CHECK(help.find(" inf") == std::string::npos);
  for (const nn::Stages& stages : nn::all_stages())
    for (const std::string& name : nn::stage_names(stages)) {
      if (stages.kind == nn::Kind::evaluator && nn::chosen_by_call({.name = name})) continue;
      CAPTURE(name);
      CHECK((help.find("\n  " + name + ":") != std::string::npos) != nn::stage_entry(stages, name).settings.empty());
    }
}
