// `heed train --attention NAME`: a stage of attention by any name of its entry in the catalogue.
//
//   --attention local_m,sparsemax        by name: the same as --scope local_m --normaliser sparsemax
//   --attention C2 --attention window:4  by id, with settings; given several times
//   --attention Bahdanau                 by another name of its entry
#pragma once

#include <string>
#include <vector>

namespace heed::app {

// An option of heed train ("scope") and the text for it ("local_m").
struct ChosenStage {
  std::string option, text;
};
// InputError for a name that the catalogue lacks, with the nearest one, and for an entry that is not a stage.
// `from`: the option in whose value the text is.
ChosenStage chosen_stage(const std::string& item, const std::string& from = "--attention");
std::vector<ChosenStage> chosen_stages(const std::vector<std::string>& lists);  // of each list, separated by commas
// The text of an option of a stage ("positions") in the names of the registry: F8:500 is rope:500. A text that the
// catalogue does not know, or that is a stage of another kind, is returned as it is.
std::string stage_text(const std::string& option, const std::string& text);

}  // namespace heed::app
