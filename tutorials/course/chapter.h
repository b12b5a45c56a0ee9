// A lesson's README as a chapter: sections, something to play with, measured figures, excerpts of the code.
//
// Directives of a README, each on a line of its own; GitHub does not show them:
//
//   <!-- play: soft_lookup -->                            tutorials/course/play/soft_lookup.js is put here
//   <!-- panel: TITLE OF A PANEL -->                      a measured figure, by its title
//   <!-- code: look.h "first words" .. "last words" -->   excerpt.h
//   <!-- walk: ../course/drawings/x.svg blocks.md -->     walk.h; a picture before it is for readers of the README
//
// Panels that no directive names come in order at the end, folded; if none is named, they are shown. Whatever is wrong
// is an InputError with the README's line.
#pragma once

#include <string>
#include <vector>

#include "tutorials/course/figures.h"
#include "tutorials/course/html.h"
#include "tutorials/course/tree.h"

namespace heed::course {

struct ChapterOptions {
  const Figures* figures = nullptr;  // absent: the chapter says how to get them
  bool linked = true;                // one page of the site, with links to the others; false: the page of a run
  bool shortened = false;            // of a run with --quick, which says so and may lack panels
  bool solutions = true;             // false: no answers of the quiz, no excerpt that solves an exercise
};

// A row of the table "Equation -> file:line": the equation, where it is computed, and the anchor of the row.
struct EquationRow {
  std::string words, source, anchor;
};

// A paragraph that begins in bold, **as this one**: these words, what follows them (shortened), and its anchor.
struct BoldPoint {
  std::string words, more, anchor;
};

// A block of the README and the HTML that it became.
struct Block {
  Node node;
  std::string html;
};

struct Chapter {
  std::string title = {}, body = {};    // HTML from the header to the last line
  std::string quiz = {};                // the section "Quiz" alone, "" where there is none
  std::vector<Heading> headings = {};   // of the second level and below
  std::vector<std::string> plays = {};  // names
  bool walks = false;                   // has it a drawing that can be walked?
  std::vector<EquationRow> equations = {};
  std::vector<BoldPoint> points = {};
  std::vector<Block> blocks = {};  // all but the title and what is added to the README (slides.h)
};

Chapter chapter_of(const Tree& tree, const LessonFile& lesson, const ChapterOptions& options);

}  // namespace heed::course
