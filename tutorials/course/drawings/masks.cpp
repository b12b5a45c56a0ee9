// Three masks: which query (row) may attend to which key (column). They are what the masks of the library allow.
#include "nn/attention/scopes/masks.h"
#include "nn/padding.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr double kMasksSize = 33, kMasksTop = 112;

Rect mask(Canvas& c, double left, const std::string& name, const Tensor& allowed) {
  const auto rows = static_cast<int>(allowed.size(0)), columns = static_cast<int>(allowed.size(1));
  const Rect place = c.grid({left, kMasksTop}, rows, columns, kMasksSize, [&](int i, int j) {
    return allowed.at({i, j}) != 0 ? Cell{Ink::accent, 0.75, ""} : Cell{Ink::faint, 0.1, ""};
  });
  c.text({place.centre().x, 30}, name, {.size = 24, .bold = true});
  return place;
}

// The key padding mask of one sentence, for each of its queries.
Tensor padding(int64_t queries, int64_t keys, int64_t words) {
  return nn::length_mask(Tensor::from(std::vector<int64_t>{words}, {1}), keys).expand({queries, keys});
}

}  // namespace

Canvas draw_masks() {
  Canvas c(398);
  const TextStyle soft{.size = 20, .ink = Ink::soft};
  const Rect padded = mask(c, 100, "padding", padding(5, 5, 3));
  const Rect causal = mask(c, 306, "causal", nn::causal_mask({.queries = 5, .keys = 5}));
  const Rect cross = mask(c, 512, "cross", padding(4, 5, 4));
  c.bracket(padded.x + 3, padded.x + 3 * kMasksSize - 3, kMasksTop - 6, "words", 10, soft);
  c.bracket(padded.x + 3 * kMasksSize + 3, padded.x + 5 * kMasksSize - 3, kMasksTop - 6, "pad", 10, soft);
  c.bracket(causal.x + 3, causal.x + 5 * kMasksSize - 3, kMasksTop - 6, "target so far", 10, soft);
  c.bracket(cross.x + 3, cross.x + 4 * kMasksSize - 3, kMasksTop - 6, "source", 10, soft);
  c.bracket(cross.x + 4 * kMasksSize + 3, cross.x + 5 * kMasksSize - 3, kMasksTop - 6, "pad", 10, soft);
  c.arrow({54, kMasksTop}, {54, kMasksTop + 5 * kMasksSize}, {.ink = Ink::faint, .gap = 0});
  c.text({54, kMasksTop - 18}, "query", soft);
  c.text({padded.centre().x, 304}, "no query reads", {.size = 20});
  c.text({padded.centre().x, 330}, "a padded key", {.size = 20});
  c.text({causal.centre().x, 304}, "no query reads", {.size = 20});
  c.text({causal.centre().x, 330}, "a later key", {.size = 20});
  c.text({cross.centre().x, 304}, "target words", {.size = 20});
  c.text({cross.centre().x, 330}, "read the source", {.size = 20});
  c.box({230, 358, 22, 22}, "", {.fill = Ink::accent, .strength = 0.75, .thickness = 1, .radius = 0});
  c.text({262, 369}, "allowed", {.size = 20, .anchor = Anchor::start});
  c.box({390, 358, 22, 22}, "", {.fill = Ink::faint, .strength = 0.1, .thickness = 1, .radius = 0});
  c.text({422, 369}, "weight 0", {.size = 20, .anchor = Anchor::start});
  return c;
}

}  // namespace heed::course
