// The options of the league among those of `heed attention`: --compare trains, --league prints what comes with heed.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tutorials/common/options.h"
#include "tutorials/league/league.h"

namespace heed::league {

struct LeagueOptions {
  LeagueCommand usual = {};
  std::optional<std::string> task, variants, architecture, out;
  std::optional<int64_t> steps, seed, seeds, threads;
  std::optional<double> budget;
  bool compare = false, recorded = false, abilities = false, quick = false;

  void add_to(app::Options& options);
  int run() const;            // one of compare and recorded is set. Returns the exit code
  void require_none() const;  // InputError if an option was given without either

 private:
  int compare_abilities() const;
  std::vector<std::pair<const char*, bool>> of_training() const;  // name, and whether it was given
};

}  // namespace heed::league
