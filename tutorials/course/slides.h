// The slides of a chapter, cut from its README by rule, with the whole prose as notes for the speaker:
//
//   a section, and each ### in it, begins a slide with its heading
//   a first paragraph, and each paragraph that begins in bold, gives its first sentence; two where the first is short
//   a paragraph that ends with a colon gives its last sentence, with what follows
//   a list (the first sentence of each item), a formula, a table, code, a drawing, a figure, something to play with
//       is shown; everything else, and each paragraph as a whole, is a note of its slide
//   each question of the quiz has a slide, with its answer folded
//   "Equation -> file:line" is for readers, and stays in the chapter
//
// A slide holds about twelve lines, or one thing that needs the room and two lines with it. What is more goes to a
// further slide with the same heading. Few words that would have a slide to themselves join the slide before or after
// it.
#pragma once

#include <string>
#include <vector>

#include "tutorials/course/chapter.h"
#include "tutorials/course/figures.h"
#include "tutorials/course/markdown.h"
#include "tutorials/course/site.h"

namespace heed::course {

struct Slide {
  std::string heading = {}, body = {}, notes = {};  // HTML
};
std::vector<Slide> slides_of(const Tree& tree, const LessonFile& lesson, const Chapter& chapter,
                             const Figures* figures);

// NN_name_slides.html: all slides in one file, which page/slides.js turns (keys, notes, paper).
SitePage slides_page(const Tree& tree, const LessonFile& lesson, const Chapter& chapter, const Figures* figures);

// The sentences of a paragraph, each as a paragraph. One ends at . ? or ! before a space and a capital, a number or
// anything that is no text; the words of a formula, of code and of emphasis are not looked into.
std::vector<Node> sentences_of(const Node& paragraph);

}  // namespace heed::course
