// The field by year: every entry of the catalogue of attention (nn/catalogue/catalogue.h) in the row of its year, in
// the colour of what it is for.
#include <algorithm>
#include <map>

#include "nn/catalogue/catalogue.h"
#include "tutorials/course/drawings/drawings.h"
#include "tutorials/course/drawings/writing.h"

namespace heed::course {
namespace {

enum class Role { match, where, structure, cheap, around };
struct Look {
  Role role;
  Ink ink;
  double strength;
  const char* words;
};
constexpr Look kLooks[] = {{Role::match, Ink::accent, 0.3, "scores"},
                           {Role::where, Ink::gold, 0.3, "scopes, positions"},
                           {Role::structure, Ink::good, 0.3, "structures, mixers"},
                           {Role::cheap, Ink::ink, 0.3, "evaluators"},
                           {Role::around, Ink::faint, 0, "other"}};

Role role_of(nn::Kind kind) {
  switch (kind) {
    case nn::Kind::score:
    case nn::Kind::normaliser:
      return Role::match;
    case nn::Kind::scope:
    case nn::Kind::position:
      return Role::where;
    case nn::Kind::structure:
    case nn::Kind::reader:
    case nn::Kind::pooling:
    case nn::Kind::mixer:
      return Role::structure;
    case nn::Kind::evaluator:
      return Role::cheap;
    default:
      return Role::around;
  }
}

constexpr int kMapFirst = 2014;
constexpr double kPitch = 33, kLeft = 96, kRight = 708;
const TextStyle kName{.size = 20, .code = true};

// Places the names of each year in rows; without a canvas it only measures. Returns the height.
double place(Canvas* c) {
  std::map<int, std::vector<const nn::CatalogueEntry*>> years;
  for (const nn::CatalogueEntry& entry : nn::catalogue())
    if (entry.year >= kMapFirst && entry.family != "controls") years[entry.year].push_back(&entry);
  double y = 92;
  for (auto& [year, entries] : years) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](auto* a, auto* b) { return role_of(a->kind) < role_of(b->kind); });
    if (c) c->text({20, y}, std::to_string(year), {.size = 22, .anchor = Anchor::start, .bold = true});
    double x = kLeft;
    for (const nn::CatalogueEntry* entry : entries) {
      std::string name = entry->name;
      std::replace(name.begin(), name.end(), '_', ' ');
      const double width = width_of(name, kName) + 14;
      if (x + width > kRight) {
        x = kLeft;
        y += kPitch;
      }
      const Look& look = kLooks[static_cast<int>(role_of(entry->kind))];
      if (c)
        c->box({x, y - 14, width, 28}, name,
               {.fill = look.ink, .stroke = look.ink, .strength = look.strength, .radius = 6, .text = kName});
      x += width + 7;
    }
    y += kPitch + 14;
    if (c && year != years.rbegin()->first)
      c->arrow({20, y - kPitch + 9}, {700, y - kPitch + 9},
               {.ink = Ink::line, .thickness = 1.4, .head = false, .gap = 0});
  }
  return y - 20;
}

}  // namespace

Canvas draw_map() {
  Canvas c(place(nullptr));
  double x = 20;
  for (const Look& look : kLooks) {
    const double width = width_of(look.words, kName) + 14;
    c.box({x, 18, width, 30}, look.words,
          {.fill = look.ink, .stroke = look.ink, .strength = look.strength, .radius = 6, .text = kName});
    x += width + 12;
  }
  place(&c);
  return c;
}

}  // namespace heed::course
