// What a textbook says of each entry of the catalogue of attention, beside what its row in the registry says:
// tutorials/course/entries.md.
//
//   ## A5 additive
//   file: nn/attention/scores/additive.h
//   lesson: 12
//   wrong: The query is the state before the word, s_{t-1}, and not s_t.
//
//   The idea in three plain sentences.
//
// `heed attention A5` prints it, and catalogue.html of the course shows it. `lesson: -` where no lesson uses the entry.
#pragma once

#include <string>
#include <vector>

#include "tutorials/course/tree.h"

namespace heed::course {

struct EntryNote {
  std::string id, name, file, lesson;  // lesson: its number, "" for none
  std::string wrong, idea;             // what people get wrong; the idea
};

// InputError, with the line, for a text that is not in this form. `file` is its name in the message.
std::vector<EntryNote> read_entry_notes(const std::string& text, const std::string& file);
// Of the source tree of this program; none if it is gone.
std::vector<EntryNote> entry_notes();
const EntryNote* note_of(const std::vector<EntryNote>& notes, const std::string& id);  // nullptr if there is none

}  // namespace heed::course
