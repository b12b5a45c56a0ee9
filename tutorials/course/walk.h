// A drawing whose blocks can be walked: a click or a key on a block shows what it is, its shape, its formula and its
// code.
//
//   <!-- walk: ../course/drawings/transformer.svg blocks.md -->
//
// The drawing's boxes have names (BoxStyle::part). The second file has a section for each of them:
//
//   ## NAME: Title        Shape: [B, T, D] -> [B, T, D]        a formula        <!-- code: .. -->
//
// All of it is in the page, so that it can be read without JavaScript, and printed; page/walk.js shows one block at a
// time.
#pragma once

#include <string>

#include "tutorials/course/tree.h"

namespace heed::course {

struct WalkDirective {
  std::string argument, file;  // the text after "walk:", and the README that contains it
  std::size_t line;
  bool linked;  // other pages of the site lie beside this one
};

// InputError where a block has no section, a section no block, or no shape, formula or code.
std::string walk_of(const Tree& tree, const LessonFile& lesson, const WalkDirective& directive);

}  // namespace heed::course
