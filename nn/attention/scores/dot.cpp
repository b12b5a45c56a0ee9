#include "nn/attention/scores/dot.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"

namespace heed::nn {
namespace {
void require_equal_widths(const ScoreOptions& o) {
  if (o.query != o.key || o.key < 1)
    throw ShapeError(
        fmt::format("{}: queries and keys must have one width; got {} and {}; the score `general` joins unequal ones",
                    o.name, o.query, o.key));
}

double root_scale(int64_t width) { return 1 / std::sqrt(static_cast<double>(width)); }
}  // namespace

Variable inner_products(const Variable& query, const Variable& keys) { return matmul(query, transpose(keys, -2, -1)); }

DotScore::DotScore(const Options& o, Generator&) : options(o) { require_equal_widths(o); }

Variable DotScore::scores(const Variable& query, const Variable& keys, StageContext&) const {
  return inner_products(query, keys);
}

ScaledDotScore::ScaledDotScore(const Options& o, Generator&) : options(o) { require_equal_widths(o); }

std::optional<double> ScaledDotScore::product_scale() const { return root_scale(options.key / widened); }

Variable ScaledDotScore::scores(const Variable& query, const Variable& keys, StageContext&) const {
  return inner_products(query * root_scale(query.size(-1) / widened), keys);
}

}  // namespace heed::nn
