#include "tutorials/app/mine/gpt.h"

#include <algorithm>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/module.h"
#include "nn/text/vocabulary.h"
#include "tensor/indexing.h"
#include "tutorials/app/mine/transformer.h"

namespace heed::app {
namespace {

using text::Vocabulary;

// Which letter of a row may attend to which, [R, T, T]. Padding, which the loss leaves out, attends to itself, because
// a row of zeros has no softmax.
Tensor mask_of(const Pieces& pieces, const Tensor& segments) {
  const int64_t R = segments.size(0), T = segments.size(1);
  std::vector<int> mask;
  mask.reserve(static_cast<size_t>(R * T * T));
  for (int64_t r = 0; r < R; ++r) {
    Pieces::Ids row;
    for (double number : segments.select(0, r).to_vector()) row.push_back(static_cast<int64_t>(number));
    for (size_t t = 0; t < row.size(); ++t)
      for (size_t s = 0; s < row.size(); ++s) mask.push_back(row[t] == 0 ? t == s : pieces.packed_mask(row, t, s));
  }
  return Tensor::from_bools(mask, {R, T, T});
}

}  // namespace

nn::TransformerOptions gpt_options(int64_t vocabulary, int64_t model, int64_t heads, int64_t layers) {
  nn::TransformerOptions o = transformer_options(model, heads, 2 * model, layers);
  o.target_vocabulary = vocabulary;
  o.tie = "target";
  o.output_bias = false;
  return o;
}

AssembledGpt::AssembledGpt(const nn::LanguageModel::Options& o, Pieces p, Generator& rng)
    : model(o, rng), pieces(std::move(p)) {
  remove_attention_biases(nn::named_parameters(model));
}

Variable AssembledGpt::operator()(const nn::Packed& text) const {
  const int64_t T = text.ids.size(1), D = model.options.model;
  const DType dtype = model.embedding.words.weight.dtype();
  const Tensor allowed = mask_of(pieces, text.segments);
  const Tensor rows = index_select(pieces.positions(T, D).to(dtype), nn::segment_places(text.segments));  // [R, T, D]
  auto norm_of = [this](const nn::AnyNorm& n) {
    return [this, a = affine_of(n)](const Variable& x) { return pieces.norm(a, x); };
  };
  mine::Gpt g{.words = model.embedding.words.weight,
              .positions = Variable(rows),
              .layers = {},
              .norm = norm_of(*model.decoder.norm)};
  for (const nn::TransformerLayer& l : model.decoder.layers)
    g.layers.push_back(
        {.norm1 = norm_of(l.norm1),
         .attention = [this, allowed, w = weights_of(*l.self_attn)](
                          const Variable& x) { return pieces.multi_head(pieces, x, x, w, allowed); },
         .norm2 = norm_of(l.norm2),
         .feed_forward = [this, first = affine_of(l.feed_forward.linear1), second = affine_of(l.feed_forward.linear2)](
                             const Variable& x) { return pieces.feed_forward(pieces, first, second, x); }});
  return pieces.log_p(pieces.gpt(g, text.ids));
}

std::vector<NamedVariable> AssembledGpt::trained() const {
  return without_attention_biases(nn::named_parameters(const_cast<nn::LanguageModel&>(model)));  // changes nothing
}

std::vector<int64_t> AssembledGpt::write(std::vector<int64_t> text, int64_t limit, double top_p, Generator& rng,
                                         const std::function<void(int64_t)>& written) const {
  NoGrad guard;
  text.insert(text.begin(), Vocabulary::start);
  const size_t given = text.size();
  for (int64_t i = 0; i < limit; ++i) {
    const int64_t T = std::ssize(text);
    Variable scores =
        select(select((*this)({Tensor::from(text, {1, T}), Tensor::full({1, T}, 1, DType::i64)}), 0, 0), 0,
               T - 1);  // [V]
    std::vector<double> p = pieces.softmax(unsqueeze(scores, 0)).value().to_vector();
    for (int64_t never : {Vocabulary::pad, Vocabulary::unk, Vocabulary::start}) p[static_cast<size_t>(never)] = 0;
    double sum = 0;
    for (double one : p) sum += one;
    for (double& one : p) one /= sum;
    p = pieces.nucleus(p, top_p);
    double dart = rng.uniform();
    size_t id = 0;
    while (id + 1 < p.size() && (dart -= p[id]) >= 0) ++id;
    if (static_cast<int64_t>(id) == Vocabulary::stop) break;
    text.push_back(static_cast<int64_t>(id));
    if (written) written(text.back());
  }
  return {text.begin() + static_cast<int64_t>(given), text.end()};
}

void compare_gpts(const Pieces& pieces, Comparison& comparison) {
  const nn::TransformerOptions sizes = gpt_options(9, 8, 2, 2);
  Generator first(7), second(7);
  nn::LanguageModel library(sizes, first);
  AssembledGpt ours(sizes, pieces, second);
  remove_attention_biases(nn::named_parameters(library));
  nn::convert(library, DType::f64), nn::convert(ours.model, DType::f64);
  // Two rows of six letters: a text of 4 and one of 2, two of 3.
  const std::vector<std::vector<int64_t>> in{{2, 5, 8, 4}, {2, 6}, {2, 7, 5}, {2, 4, 4}},
      out{{5, 8, 4, 3}, {6, 3}, {7, 5, 3}, {4, 4, 3}};
  const std::vector<std::vector<size_t>> packed{{0, 1}, {2, 3}};
  const Tensor targets = nn::pack(out, packed).ids;
  Variable theirs = library(nn::pack(in, packed)), mine = ours(nn::pack(in, packed));
  comparison.value("log p", log_softmax(mine).value(), log_softmax(theirs).value());
  backward(library_pieces().loss(theirs, targets));
  backward(pieces.loss(mine, targets));
  std::vector<NamedVariable> expected = nn::named_parameters(library);
  for (const NamedVariable& p : ours.trained()) {
    auto same = std::ranges::find(expected, p.name, &NamedVariable::name);
    comparison.value("the gradient of " + p.name, p.variable.grad(), same->variable.grad());
  }
}

}  // namespace heed::app
