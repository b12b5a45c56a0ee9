// One layer of a transformer encoder, with the norm last (2017) and with the norm first: the same parts, whose names
// are those that nn::TransformerLayer lists in `visit`.
#include <fmt/format.h>

#include <algorithm>

#include "nn/transformer/transformer.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

struct Parts {
  std::string attention, norm1, feed_forward, norm2;
};

// The names of the layer's parts, in the order of `visit`.
Parts parts_of(const nn::TransformerLayer& layer) {
  std::vector<std::string> names;
  for (const NamedVariable& p : nn::named_parameters(const_cast<nn::TransformerLayer&>(layer))) {  // visit only lists
    const std::string name = p.name.substr(0, p.name.find('.'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.size() != 5) throw ValueError(fmt::format("block: expected 5 parts; got {}", fmt::join(names, ", ")));
  return {names[0], names[3], names[1] + ", " + names[2], names[4]};
}

const TextStyle kCode{.size = 20, .code = true};

Rect part(Canvas& c, double x, double y, const std::string& name, Ink ink) {
  return c.box(around({x, y}, 190, 46), name, {.fill = ink, .text = kCode});
}

// x + f(..): the way past a sub-layer, from `from` on the main way to the left side of the sum.
Rect sum(Canvas& c, double x, double y, double from, bool clear) {
  const Rect plus = c.circle({x, y}, 19, "+", {.fill = Ink::card, .text = {.size = 24}});
  c.route({{x, from}, {x - 128, from}, {x - 128, y}, plus.left()},
          {.ink = clear ? Ink::gold : Ink::soft, .thickness = clear ? 4 : 2.2, .gap = 2});
  return plus;
}

void rise(Canvas& c, const std::vector<Rect>& up) {
  for (size_t i = 0; i + 1 < up.size(); ++i) c.arrow(up[i].top(), up[i + 1].bottom());
}

}  // namespace

Canvas draw_block() {
  Generator rng(1);
  const Parts names = parts_of(nn::TransformerLayer({.model = 8, .heads = 2, .inner = 16}, rng));
  Canvas c(700);
  for (bool first : {false, true}) {
    const double x = first ? 556 : 190;
    c.text({x, 34}, first ? "norm first" : "norm last", {.size = 24, .bold = true});
    c.text({x, 66}, first ? "x + f(norm(x))" : "norm(x + f(x))", {.size = 20, .ink = Ink::soft, .math = true});
    const Rect in{x, 664, 0, 0}, out{x, 88, 0, 0};
    c.text({x, 680}, "x", {.size = 22, .math = true});
    const double lower = first ? 626 : 632, upper = first ? 338 : 356;  // where the ways past begin
    std::vector<Rect> up{in};
    if (first) {
      up.push_back(part(c, x, 560, names.norm1, Ink::good));
      up.push_back(part(c, x, 484, names.attention, Ink::accent));
      up.push_back(sum(c, x, 410, lower, true));
      up.push_back(part(c, x, 286, names.norm2, Ink::good));
      up.push_back(part(c, x, 210, names.feed_forward, Ink::accent));
      up.push_back(sum(c, x, 140, upper, true));
    } else {
      up.push_back(part(c, x, 560, names.attention, Ink::accent));
      up.push_back(sum(c, x, 486, lower, false));
      up.push_back(part(c, x, 410, names.norm1, Ink::good));
      up.push_back(part(c, x, 296, names.feed_forward, Ink::accent));
      up.push_back(sum(c, x, 226, upper, false));
      up.push_back(part(c, x, 156, names.norm2, Ink::good));
    }
    up.push_back(out);
    rise(c, up);
  }
  c.legend({"x: input of the layer", "f: attention, or the feed-forward network"});
  return c;
}

}  // namespace heed::course
