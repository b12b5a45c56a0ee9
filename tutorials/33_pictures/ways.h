// Which places does a place read, and what does it cost? Asked of the library's own mixers of pictures.
//
// A way is two layers, each a mixer with a residual path: y = x + mixer(x). Place t reads place s if the derivative of
// y_t by x_s is not 0. Each picture of a batch is the same one, and picture t is asked about place t, so that a single
// backward pass finds all pairs: [T, T, D], T = R C.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/attention/grids/grid.h"
#include "nn/attention/registry.h"
#include "tensor/profile.h"
#include "tutorials/report/matrix.h"

namespace pictures {

namespace nn = heed::nn;
using heed::DType, heed::Generator, heed::Tensor, heed::Variable;

struct Size {
  int64_t rows = 8, columns = 12, width = 16, heads = 2;
  int64_t places() const { return rows * columns; }
};

struct Way {
  std::string name;
  std::string first, second;  // the mixers of layers 0 and 1, with their settings
  bool shifted = true;        // false: layer 1 is told that it is layer 0, so that windows stay where they are
  bool positions = false;     // a learned vector for each place is added to the picture
};

// The options of one layer of a way.
inline nn::StageOptions layer_of(const Way& way, int64_t layer, const Size& size) {
  const std::string& text = layer == 0 ? way.first : way.second;
  nn::StageOptions o = nn::stage_from(nn::Kind::mixer, text);
  o.settings["columns"] = static_cast<double>(size.columns);
  o.query = o.key = size.width, o.heads = size.heads;
  o.layer = way.shifted ? layer : 0, o.layers = 2;
  return o;
}

// A mixer in f64. Where a gate or a norm begins at 0, so that the block is the identity at first, it is opened.
inline std::unique_ptr<nn::Mixer> open_mixer(const nn::StageOptions& options, Generator& rng) {
  std::unique_ptr<nn::Mixer> mixer = nn::make_mixer(options, rng);
  nn::convert(*mixer, DType::f64);
  nn::set_training(*mixer, false);
  for (const heed::NamedVariable& p : nn::named_parameters(*mixer))
    if (p.name == "gamma" || p.name == "norm.weight") {
      Variable gate = p.variable;
      gate.set_value(Tensor::ones(gate.shape(), DType::f64));
    } else if (p.name == "expand.weight") {
      Variable gate = p.variable;
      gate.set_value(Tensor::normal(gate.shape(), rng, 0, 1, DType::f64));
    }
  return mixer;
}

// reads[t][s]: does place t read place s after these layers?
using Reads = std::vector<std::vector<bool>>;
inline Reads reads_of(const std::vector<const nn::Mixer*>& layers, const Size& size) {
  Generator dice(7);
  const int64_t T = size.places(), D = size.width;
  const Tensor picture = Tensor::normal({1, T, D}, dice, 0, 1, DType::f64);
  Tensor asked = Tensor::zeros({T, T, D}, DType::f64);  // picture t is asked about all channels of place t
  const Tensor direction = Tensor::normal({D}, dice, 0, 1, DType::f64);
  for (int64_t t = 0; t < T; ++t)
    for (int64_t d = 0; d < D; ++d) asked.set({t, t, d}, direction.at({d}));
  Variable x(picture.expand({T, T, D}).contiguous(), Variable::kRequiresGrad), y = x;
  for (const nn::Mixer* mixer : layers) y = y + (*mixer)(y, {}).output;
  backward(sum(y * Variable(asked)));
  const std::vector<double> slopes = heed::amax(heed::abs(x.grad()), {2}).to_vector();  // [T, T]
  double most = 0;
  for (double slope : slopes) most = std::max(most, slope);
  Reads reads(static_cast<size_t>(T), std::vector<bool>(static_cast<size_t>(T)));
  for (size_t i = 0; i < slopes.size(); ++i)  // points of deformable attention are at whole places up to rounding
    reads[i / reads.size()][i % reads.size()] = slopes[i] > 1e-9 * most;
  return reads;
}
// After the first layer, and after both.
inline std::vector<Reads> reads_of(const Way& way, const Size& size) {
  Generator rng(1);
  const std::unique_ptr<nn::Mixer> first = open_mixer(layer_of(way, 0, size), rng),
                                   second = open_mixer(layer_of(way, 1, size), rng);
  return {reads_of({first.get()}, size), reads_of({first.get(), second.get()}, size)};
}

inline int64_t places_read(const std::vector<bool>& of_one) { return std::ranges::count(of_one, true); }
struct Extent {
  int64_t least = 0, most = 0;  // places that a place reads
};
inline Extent extent_of(const Reads& reads) {
  Extent e{std::ssize(reads), 0};
  for (const auto& row : reads)
    e.least = std::min(e.least, places_read(row)), e.most = std::max(e.most, places_read(row));
  return e;
}

// Multiply-adds of one layer, all its matrix products and convolutions, for a square picture.
inline double products_of(const std::string& mixer, int64_t side) {
  const Size size{side, side};
  Generator rng(1);
  const std::unique_ptr<nn::Mixer> layer = nn::make_mixer(layer_of({"", mixer, mixer}, 0, size), rng);
  const Variable x(Tensor::normal({1, size.places(), size.width}, rng));
  nn::set_training(*layer, false);
  heed::NoGrad guard;
  heed::Profile profile;
  (*layer)(x, {});
  double products = 0;
  for (const heed::ProfileRow& row : profile.rows())
    if (row.is_product) products += row.work;
  return products;
}

}  // namespace pictures
