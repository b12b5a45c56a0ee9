// The graph of y = tanh(ab + a) exp(b), the expression of lesson 02: values go to the right, gradients to the left.
//
// Boxes and arrows are those that autograd has recorded (autograd/picture.h); values and gradients are its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "autograd/picture.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

struct Spot {
  const char* operation;
  Variable variable;
  Point centre;
};

Variable leaf(double value) { return {Tensor::scalar(value, DType::f64), Variable::kRequiresGrad}; }
std::string shown(double value) { return fmt::format("{}{:.2f}", value < 0 ? "−" : "", std::abs(value)); }

// Where the way from the centre of a box in the direction d leaves the box.
Point edge_of(const Rect& box, Point from, Point d) {
  const double x = d.x > 0 ? box.x + box.width - from.x : box.x - from.x;
  const double y = d.y > 0 ? box.y + box.height - from.y : box.y - from.y;
  const double share = std::min(d.x == 0 ? 1e9 : x / d.x, d.y == 0 ? 1e9 : y / d.y);
  return {from.x + share * d.x, from.y + share * d.y};
}

// The way between two boxes, beside the line of their centres; back along the other side of it.
void way(Canvas& c, const Rect& from, const Rect& to, const LineStyle& style) {
  const Point a = from.centre(), b = to.centre(), d{b.x - a.x, b.y - a.y};
  const double length = std::hypot(d.x, d.y);
  const Point side{d.y / length * 7, -d.x / length * 7};
  c.arrow(edge_of(from, {a.x + side.x, a.y + side.y}, d), edge_of(to, {b.x + side.x, b.y + side.y}, {-d.x, -d.y}),
          style);
}

}  // namespace

Canvas draw_graph() {
  Variable a = leaf(0.5), b = leaf(-1.5);
  Variable ab = a * b, inner = ab + a, t = tanh(inner), e = exp(b), y = t * e;
  const double x[] = {66, 213, 360, 507, 654};
  std::vector<Spot> spots = {{"a", a, {x[0], 84}},    {"b", b, {x[0], 344}},      {"mul", ab, {x[1], 214}},
                             {"exp", e, {x[1], 344}}, {"add", inner, {x[2], 84}}, {"tanh", t, {x[3], 84}},
                             {"mul", y, {x[4], 214}}};
  for (Spot& spot : spots)
    if (!spot.variable.is_leaf()) spot.variable.retain_grad();
  const GraphPicture recorded = picture(y, {{"a", a}, {"b", b}});
  backward(y);

  Canvas c(478);
  std::vector<Rect> places;  // of the recorded boxes, in their order
  for (const GraphPicture::Box& box : recorded.boxes) {
    const std::string name = box.is_leaf ? box.name : box.operation;
    const auto spot = std::find_if(spots.begin(), spots.end(), [&](const Spot& s) { return s.operation == name; });
    if (spot == spots.end()) throw ValueError("graph: the recorded operation " + name + " has no place in the drawing");
    const Rect place = c.box(around(spot->centre, 104, 98), "",
                             {.fill = box.is_leaf ? Ink::faint : Ink::card, .thickness = box.is_leaf ? 1.6 : 2.2});
    c.text({place.centre().x, place.y + 20}, name, {.bold = true, .code = true});
    c.text({place.centre().x, place.y + 49}, shown(spot->variable.item()), {.ink = Ink::accent, .weight = false});
    c.text({place.centre().x, place.y + 77}, shown(spot->variable.grad().item()), {.ink = Ink::gold, .weight = false});
    places.push_back(place);
    spots.erase(spot);
  }
  for (auto [from, to] : recorded.arrows) {
    const Rect &p = places[static_cast<size_t>(from)], &q = places[static_cast<size_t>(to)];
    way(c, p, q, {.ink = Ink::accent});
    way(c, q, p, {.ink = Ink::gold, .dashed = true});
  }
  c.text({540, 360}, "y = tanh(a b + a) exp(b)", {.size = 22, .math = true});
  c.arrow({60, 447}, {130, 447}, {.ink = Ink::accent});
  c.text({142, 447}, "values, forward", {.ink = Ink::accent, .anchor = Anchor::start});
  c.arrow({490, 447}, {420, 447}, {.ink = Ink::gold, .dashed = true});
  c.text({502, 447}, "gradients of y", {.ink = Ink::gold, .anchor = Anchor::start, .math = true});
  c.legend({"a, b: leaves", "y: result"});
  return c;
}

}  // namespace heed::course
