// Coloured shapes on a grid of 8 x 8 patches, and what they are called, for attention over a picture (Xu et al., "Show,
// attend and tell", ICML 2015, in small):
//
//   . . . . . . . .
//   . R R . . . . .        red square above blue cross
//   . R R . . . . .
//   . . . . . B . .
//   . . . . B B B .
//   . . . . . B . .
//
// Patches stand as annotations: each has a channel for its colour and one for its form, and an empty patch none. Shapes
// leave a free patch between their boxes. They are named in reading order (upper first, then left), each joined to
// the next by "above" if all of it is higher, else by "left of" or "right of": one caption for each picture.
//
// Links: a colour or form word to each patch of its shape; "above", "left", "right" and "of" to the patches of both.
// All possible, none sure: any patch will do.
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

constexpr int64_t kPictureSide = 8;

const std::vector<std::string>& picture_colours();  // red blue green yellow
const std::vector<std::string>& picture_forms();    // square cross bar post ring: at most 3 x 3 patches

struct PlacedShape {
  int colour = 0, form = 0;  // positions in picture_colours() and picture_forms()
  int row = 0, column = 0;   // of the upper left corner of its box
};
std::vector<int> patches(const PlacedShape& shape);  // row * 8 + column, rising; of a shape inside the grid

struct Picture {
  std::vector<PlacedShape> shapes;  // in the order of the caption
  AlignedPair caption;              // source: 64 patches, "." or a colour; target: the words
  Tensor grid() const;              // [8, 8, C] f32, C colours and forms, each 0 or 1
};
// Puts the shapes in order and says them. ValueError for one outside the grid, or for two whose boxes touch.
Picture make_picture(std::vector<PlacedShape> shapes);

struct PictureOptions {
  Range shapes{1, 3};       // drawn evenly
  Range held_out_shapes{};  // of validation and test; left alone: as in training
  TaskParts parts = {};
};

struct PictureTask {
  std::string name;
  Symbols words;
  std::vector<Picture> train, validation, test;  // no picture is in two
};
PictureTask picture_task(const PictureOptions& options = {});

struct PictureBatch {
  Tensor patches;                // [B, 64, C] f32, the grid row by row
  Tensor target_in, target_out;  // [B, T] i64: <s> y_1 .. y_n and y_1 .. y_n </s>, padded with <pad>
  int64_t tokens = 0;            // target words that count, </s> included
  std::vector<int64_t> members;
};
PictureBatch picture_batch(const PictureTask& task, const std::vector<Picture>& pictures, std::vector<int64_t> members);

}  // namespace heed::data
