// The whole transformer (Vaswani et al., NeurIPS 2017): encoder on the left, decoder on the right. The names are those
// of a decoder layer's parts as nn::TransformerLayer lists them; the sums and norms of each part are in block.cpp.
#include <algorithm>

#include "nn/transformer/transformer.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

// A part of a layer with this name must exist; "sum, norm" around it is left to its own drawing.
std::string checked(nn::TransformerLayer& layer, const std::string& name) {
  const std::vector<NamedVariable> all = nn::named_parameters(layer);
  if (std::none_of(all.begin(), all.end(), [&](const NamedVariable& p) { return p.name.starts_with(name + "."); }))
    throw ValueError("encoder_decoder: a decoder layer has no part " + name);
  return name;
}

}  // namespace

Canvas draw_encoder_decoder() {
  Generator rng(1);
  nn::TransformerLayer decoder({.model = 8, .heads = 2, .inner = 16, .causal = true, .cross = true}, rng);
  const TextStyle code{.size = 20, .code = true}, soft{.size = 20, .ink = Ink::soft};
  Canvas c(720);
  const double left = 166, right = 526;
  const auto part = [&](double x, double y, const std::string& words, Ink ink) {
    return c.box(around({x, y}, 200, 64), words, {.fill = ink, .text = code});
  };
  c.box({28, 226, 276, 282}, "", {.fill = Ink::none, .stroke = Ink::faint, .radius = 14, .dashed = true});
  c.box({388, 130, 276, 378}, "", {.fill = Ink::none, .stroke = Ink::faint, .radius = 14, .dashed = true});
  c.text({34, 206}, "N layers", {.size = 20, .ink = Ink::soft, .anchor = Anchor::start, .math = true});
  c.text({658, 110}, "N layers", {.size = 20, .ink = Ink::soft, .anchor = Anchor::end, .math = true});

  const Rect source = c.box(around({left, 566}, 216, 56), "words + positions", {.text = {.size = 20}});
  const Rect target = c.box(around({right, 566}, 216, 56), "words + positions", {.text = {.size = 20}});
  c.text({left, 660}, "the agreement …", {.size = 22});
  c.text({right, 660}, "l' accord …", {.size = 22});
  c.text({left, 690}, "source", soft);
  c.text({right, 690}, "target so far", soft);
  c.arrow({left, 644}, source.bottom());
  c.arrow({right, 644}, target.bottom());

  const std::string feed = checked(decoder, "linear1") + ", " + checked(decoder, "linear2");
  const Rect self = part(left, 448, checked(decoder, "self_attn"), Ink::accent);
  const Rect wide = part(left, 288, feed, Ink::good);
  const Rect causal = part(right, 448, checked(decoder, "self_attn") + "\ncausal", Ink::accent);
  const Rect cross = part(right, 318, checked(decoder, "multihead_attn"), Ink::gold);
  const Rect thought = part(right, 188, feed, Ink::good);
  c.arrow(source.top(), self.bottom());
  c.arrow(self.top(), wide.bottom());
  c.arrow(target.top(), causal.bottom());
  c.arrow(causal.top(), cross.bottom());
  c.arrow(cross.top(), thought.bottom());
  c.route({wide.top(), {left, 170}, {346, 170}, {346, 318}, cross.left()}, {.ink = Ink::gold, .thickness = 4});
  c.text({left, 146}, "encoder outputs: keys, values", {.size = 20, .ink = Ink::gold});
  const Rect output = c.box(around({right, 60}, 240, 46), "Linear, softmax", {.text = {.size = 20}});
  c.route({thought.top(), output.bottom()});
  c.arrow(output.left(), {340, 60});
  c.text({240, 60}, "next word: sur", {.size = 22});
  c.legend({"N: number of layers"});
  return c;
}

}  // namespace heed::course
