#include "nn/recurrent/sequence.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/recurrent/sequence_engine.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

std::string shape_of(const Variable& v) { return v.defined() ? to_string(v.shape()) : std::string("none"); }
bool fits(const Variable& v, const Shape& wanted) { return v.defined() && v.shape() == wanted; }

}  // namespace

Tensor kept_rows(const Tensor& x_, const Tensor& keep) {
  if (!keep.defined()) return x_.contiguous();
  Tensor x = x_.is_contiguous() ? x_.clone() : x_.contiguous();
  dispatch_float(x.dtype(), "kept_rows", [&](auto zero) {
    using T = decltype(zero);
    int64_t I = x.size(2);
    for (int64_t row = 0; row < keep.count(); ++row)
      if (!keep.data<bool>()[row]) std::fill_n(x.data<T>() + row * I, I, T{0});
  });
  return x;
}

void check_sequence(const char* name, const SequenceInputs& s, int64_t gates, size_t state_parts) {
  bool shaped = s.x.defined() && s.x.rank() == 3 && s.x.size(0) > 0 && s.weight_hh.defined() && s.weight_hh.rank() == 2;
  int64_t N = shaped ? s.weight_hh.size(1) : 0;
  shaped = shaped && fits(s.weight_hh, {gates * N, N}) && fits(s.weight_ih, {gates * N, s.x.size(2)}) &&
           s.state.size() == state_parts;
  for (const Variable* bias : {&s.bias_ih, &s.bias_hh})
    shaped = shaped && (!bias->defined() || fits(*bias, {gates * N}));
  std::string states;
  for (const Variable& part : s.state) {
    shaped = shaped && fits(part, {s.x.size(1), N});
    states += (states.empty() ? "" : ", ") + shape_of(part);
  }
  if (!shaped)
    throw ShapeError(
        fmt::format("{}: needs x [T, B, I] with T at least 1, weight_ih [{}N, I], weight_hh [{}N, N], biases [{}N] or "
                    "none and {} states [B, N]; got {}, {}, {}, {}, {} and {}",
                    name, gates, gates, gates, state_parts, shape_of(s.x), shape_of(s.weight_ih), shape_of(s.weight_hh),
                    shape_of(s.bias_ih), shape_of(s.bias_hh), states.empty() ? "no states" : states));
  if (s.keep.defined() && !(s.keep.shape() == Shape{s.x.size(0), s.x.size(1)} && s.keep.dtype() == DType::boolean &&
                            s.keep.is_contiguous()))
    throw ShapeError(fmt::format("{}: needs keep [T, B] bool, contiguous; got {} {} for x {}", name,
                                 name_of(s.keep.dtype()), to_string(s.keep.shape()), to_string(s.x.shape())));
  for (const Variable* v : {&s.weight_ih, &s.weight_hh, &s.bias_ih, &s.bias_hh})
    if (v->defined()) require_same_dtype(name, s.x.value(), v->value());
  for (const Variable& part : s.state) require_same_dtype(name, s.x.value(), part.value());
}

}  // namespace heed::nn
