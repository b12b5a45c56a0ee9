// The course as files: which lessons there are, in which part, and where the sources lie.
//
//   Tree tree = Tree::of_source();             // the source tree that this program was built from
//   tree.lesson("12_bahdanau")->title          // "Bahdanau: the decoder looks back"
#pragma once

#include <string>
#include <vector>

#include "tutorials/course/glossary.h"
#include "tutorials/course/source_root.h"

namespace heed::course {

struct LessonFile {
  std::string name = {};    // "12_bahdanau", its folder in tutorials/
  std::string number = {};  // "12"
  std::string title = {};   // of its README, without the number
  std::string question =
      {};                 // from the table of lessons in tutorials/README.md; else the first sentence of the chapter
  std::string time = {};  // of a run, from the same table
  std::size_t part = 0;   // index into part_names
};

struct Tree {
  std::string root = {};  // absolute
  std::vector<LessonFile> lessons = {};
  Glossary glossary = {};

  static Tree of_source();
  static Tree at(const std::string& root);
  const LessonFile* lesson(const std::string& name_or_number) const;  // nullptr if there is none
  std::string readme(const LessonFile& lesson) const;                 // relative to the root
};

// Documents that become pages beside the chapters: FILE, relative to the root, becomes NAME.html.
struct Note {
  const char *name, *file, *what;  // what: the rest of its line in the index, after the title
};
const std::vector<Note>& notes();

struct Part {
  const char* name;
  int first;  // number of its first lesson
};
const std::vector<Part>& parts();

}  // namespace heed::course
