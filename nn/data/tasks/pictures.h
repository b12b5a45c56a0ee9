// Coloured shapes on a grid of 8 x 8 patches and captions that describe them, for attention over a picture (a small
// version of Xu et al., "Show, attend and tell", ICML 2015):
//
//   . . . . . . . .
//   . R R . . . . .        red square above blue cross
//   . R R . . . . .
//   . . . . . B . .
//   . . . . B B B .
//   . . . . . B . .
//
// The patches are used as encoder outputs. Each has a channel for its colour and one for its form; in an empty patch
// all channels are 0. There is a free patch between the boxes of any two shapes. The caption names the shapes in
// reading order (upper first, then left). Each is joined to the next by "above" if all of it is higher, otherwise by
// "left of" or "right of", so each picture has exactly one caption.
//
// Links: a colour or form word to each patch of its shape; "above", "left", "right" and "of" to the patches of both
// shapes. All links are possible and none is sure, because any patch of the shape is a right answer.
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

constexpr int64_t kPictureSide = 8;

const std::vector<std::string>& picture_colours();  // red blue green yellow
const std::vector<std::string>& picture_forms();    // square cross bar post ring: each covers at most 3 x 3 patches

struct PlacedShape {
  int colour = 0, form = 0;  // indices into picture_colours() and picture_forms()
  int row = 0, column = 0;   // the upper left corner of its box
};
std::vector<int> patches(const PlacedShape& shape);  // row * 8 + column, rising; for a shape inside the grid

struct Picture {
  std::vector<PlacedShape> shapes;  // in the order of the caption
  AlignedPair caption;              // source: 64 patches, each "." or a colour; target: the words
  Tensor grid() const;              // [8, 8, C] f32, C colours and forms, each 0 or 1
};
// Sorts the shapes and writes their caption. ValueError for a shape outside the grid, or for two whose boxes touch.
Picture make_picture(std::vector<PlacedShape> shapes);

struct PictureOptions {
  Range shapes{1, 3};       // number of shapes, drawn uniformly
  Range held_out_shapes{};  // for validation and test; default: as in training
  TaskParts parts = {};
};

struct PictureTask {
  std::string name;
  Symbols words;
  std::vector<Picture> train, validation, test;  // no picture is in two parts
};
PictureTask picture_task(const PictureOptions& options = {});

struct PictureBatch {
  Tensor patches;                // [B, 64, C] f32, the grid row by row
  Tensor target_in, target_out;  // [B, T] i64: <s> y_1 .. y_n and y_1 .. y_n </s>, padded with <pad>
  int64_t tokens = 0;            // number of target words in the loss, </s> included
  std::vector<int64_t> members;
};
PictureBatch picture_batch(const PictureTask& task, const std::vector<Picture>& pictures, std::vector<int64_t> members);

// One shape of a picture of any size, which has a colour of its own: what is it, and where? For mixers of pictures
// (nn/attention/grids). The patches say nothing about forms, so that a model has to look at neighbouring patches.
struct FindOptions {
  int64_t rows = 9, columns = 14, shapes = 3;  // one of them red, the others of any other colour
};
struct FindBatch {
  Tensor patches;  // [B, R C, 4] f32, row by row: 1 in the channel of the colour; an empty patch is 0
  Tensor form;     // [B] i64, index into picture_forms(): that of the red shape
  Tensor place;    // [B] i64, row * C + column of the upper left corner of its box
};
// ValueError where the shapes do not fit.
FindBatch find_batch(const FindOptions& options, int64_t count, Generator& rng);

}  // namespace heed::data
