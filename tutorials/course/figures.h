// The measured figures of a chapter: figures.json, which the report of a run writes beside report.html.
//
//   {"title": .., "subtitle": .., "kinds": [..], "panels": [{"kind": .., "title": .., ..}]}
//
// A lesson is shipped with the file of a full run, seed 1 (tutorials/NN_name/figures.json). The page of a run takes the
// figures of that run instead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nn/io/json.h"

namespace heed::course {

struct Figures {
  std::string subtitle = {};
  std::vector<std::string> kinds = {};  // of the panels that are drawn
  std::vector<io::Json> panels = {};    // to be drawn
  std::vector<io::Json> claims = {};    // the panels of claims and checks, which are no drawings

  // The panel of that title, or the end.
  std::size_t find(const std::string& title) const;
};

Figures figures_of(const io::Json& json);
std::optional<Figures> read_figures(const std::string& path);  // nothing if there is no such file

// "3 claims hold", green, to be unfolded; the page's last line.
std::string claims_html(const std::vector<io::Json>& claims);

}  // namespace heed::course
