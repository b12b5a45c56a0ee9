// Convolution in two dimensions over pictures with the channels last:
//
//   y_(r, c) = bias + sum over a < height, b < width of weight_(a, b) x_(r + a - up, c + b - left)
//   up = (height - 1) / 2,  left = (width - 1) / 2, rounded down
//
// Outside of the picture there are zeros, and y is as large as x: PyTorch's Conv2d with padding = "same". With `groups`
// the channels are cut into as many parts that do not mix; groups = in = out gives each channel a filter of its own
// (depthwise). B batch, R rows, C columns, I and O channels.
#pragma once

#include "nn/module.h"

namespace heed::nn {

// x [B, R, C, I], weight [O, I / groups, height, width], bias [O] or undefined -> [B, R, C, O].
// 2 B R C O (I / groups) height width FLOPs. ShapeError.
Variable convolution2d(const Variable& x, const Variable& weight, const Variable& bias = {}, int64_t groups = 1);
// The height x width neighbours of each place, zeros outside: [B, R, C, I] -> a view [B, R, C, I, height, width].
Variable neighbours(const Variable& x, int64_t height, int64_t width);

struct Convolution2d : Module {
  struct Options {
    int64_t in, out, height, width;
    int64_t groups = 1;
    bool bias = true;
  };
  Convolution2d(const Options& options, Generator& rng);  // U(-1/sqrt(n), 1/sqrt(n)), n = I / groups height width
  Variable operator()(const Variable& x) const;
  void visit(Visitor& v) { v.parameter("weight", weight), v.parameter("bias", bias); }
  Options options;
  Variable weight, bias;
};

}  // namespace heed::nn
