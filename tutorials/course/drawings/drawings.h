// The drawings of the course: the table of all of them, and the functions that make them, one file each.
//
// A drawing is made from the library itself wherever it shows something of it: shapes and names are asked of modules,
// strides of tensors, masks and weights are computed. The SVG files beside this one are what the functions make:
//
//   ./heed drawing --all tutorials/course/drawings
//
// To add one: write NAME.cpp, declare it here, give it a row in table.cpp, and run that line.
#pragma once

#include <string>
#include <vector>

#include "tutorials/course/drawings/canvas.h"

namespace heed::course {

Canvas draw_strides();
Canvas draw_graph();
Canvas draw_rnn();
Canvas draw_lstm();
Canvas draw_gru();
Canvas draw_one_vector();
Canvas draw_attention();
Canvas draw_qkv();
Canvas draw_heads();
Canvas draw_block();
Canvas draw_masks();
Canvas draw_positions();
Canvas draw_cache();
Canvas draw_tiled();
Canvas draw_memory();
Canvas draw_map();
Canvas draw_encoder_decoder();
Canvas draw_transformer();
Canvas draw_soft_lookup();
Canvas draw_hierarchical();
Canvas draw_beam();
Canvas draw_segments();
Canvas draw_states();
Canvas draw_regions();
Canvas draw_tokens();
Canvas draw_simplex();
Canvas draw_copying();

struct Drawing {
  std::string name, title;
  std::string alternative;  // what the picture shows, for those who do not see it
  Canvas (*make)();
};
const std::vector<Drawing>& drawings();                  // in the order of the course
const Drawing* drawing_called(const std::string& name);  // nullptr if there is none
std::string svg_of(const Drawing& drawing);
// The drawing that shows an entry of the catalogue of attention best, by its id, its name or its kind.
const Drawing& drawing_of_entry(const std::string& id);

}  // namespace heed::course
