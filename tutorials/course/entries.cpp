#include "tutorials/course/entries.h"

#include <fmt/format.h>

#include <sstream>

#include "nn/io/file.h"
#include "tutorials/course/html_text.h"

namespace heed::course {
namespace {

// "file: x" is the value of one of the fields; nullptr for a line of the idea.
std::string* field_of(EntryNote& note, const std::string& line, std::size_t& value_at) {
  for (auto [name, place] :
       {std::pair("file: ", &note.file), std::pair("lesson: ", &note.lesson), std::pair("wrong: ", &note.wrong)}) {
    value_at = std::string(name).size();
    if (line.starts_with(name)) return place;
  }
  return nullptr;
}

}  // namespace

std::vector<EntryNote> read_entry_notes(const std::string& text, const std::string& file) {
  std::vector<EntryNote> notes;
  std::istringstream in(text);
  std::size_t number = 0, value_at = 0;
  std::string* open = nullptr;  // the text that a further line continues
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("## ")) {
      const std::size_t space = line.find(' ', 3);
      if (space == std::string::npos)
        refuse_at(file, number, "entries: a heading must be ## ID NAME; got \"" + line + "\"");
      notes.push_back({line.substr(3, space - 3), line.substr(space + 1), {}, {}, {}, {}});
      open = nullptr;
    } else if (notes.empty()) {
      continue;  // the introduction
    } else if (line.empty()) {
      open = nullptr;
    } else if (std::string* field = field_of(notes.back(), line, value_at)) {
      *field = line.substr(value_at);
      open = field;
    } else {
      if (!open) open = &notes.back().idea;
      *open += (open->empty() ? "" : " ") + line;
    }
  }
  for (EntryNote& note : notes) {
    for (const auto* field : {&note.file, &note.lesson, &note.wrong, &note.idea})
      if (field->empty())
        refuse_at(file, number,
                  fmt::format("entries: {} {} must have a file, a lesson, wrong and an idea", note.id, note.name));
    if (note.lesson == "-") note.lesson.clear();
  }
  return notes;
}

std::vector<EntryNote> entry_notes() {
  const std::string name = "tutorials/course/entries.md", path = source_root() + "/" + name;
  if (!io::exists(path)) return {};
  return read_entry_notes(io::read_file(path), name);
}

const EntryNote* note_of(const std::vector<EntryNote>& notes, const std::string& id) {
  for (const EntryNote& note : notes)
    if (note.id == id) return &note;
  return nullptr;
}

}  // namespace heed::course
