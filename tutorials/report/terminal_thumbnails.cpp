// Thumbnails: two columns of the terminal for each element, so that a picture is as wide as it is high.
#include <algorithm>

#include "tutorials/report/terminal.h"

namespace heed::report {
namespace {

std::string cell(double share, const io::Console& console) {
  if (share <= 0) return console.unicode ? "· " : ". ";
  if (console.colour) return on_colour(sequential_colour(share), "  ");
  if (!console.unicode) return share > 0.75 ? "##" : share > 0.5 ? "**" : share > 0.25 ? "++" : "--";
  return share > 0.75 ? "██" : share > 0.5 ? "▓▓" : share > 0.25 ? "▒▒" : "░░";
}

int width_of(const Thumbnail& picture) {
  return std::max(2 * static_cast<int>(picture.matrix.columns), display_width(picture.title));
}

}  // namespace

Lines thumbnails(const std::vector<Thumbnail>& pictures, const io::Console& console) {
  constexpr int gap = 3;
  Lines lines;
  for (std::size_t begin = 0, end = 0; begin < pictures.size(); begin = end) {
    int width = 0;
    std::size_t height = 0;
    for (; end < pictures.size() && (end == begin || width + width_of(pictures[end]) < console.width); ++end) {
      width += width_of(pictures[end]) + gap;
      height = std::max(height, pictures[end].matrix.rows);
    }
    if (begin > 0) lines.emplace_back();
    for (std::size_t line = 0; line <= height; ++line) {  // the titles, then row by row
      std::string text;
      int pending = 0;  // spaces before the next picture, none behind the last
      for (std::size_t k = begin; k < end; ++k) {
        const Matrix& m = pictures[k].matrix;
        text += std::string(static_cast<std::size_t>(pending), ' ');
        int drawn = 0;
        if (line == 0) {
          text += clean(pictures[k].title, console.unicode);
          drawn = display_width(pictures[k].title);
        } else if (line <= m.rows) {
          for (std::size_t j = 0; j < m.columns; ++j) text += cell(m.value(line - 1, j), console);
          drawn = 2 * static_cast<int>(m.columns);
        }
        pending = width_of(pictures[k]) - drawn + gap;
      }
      lines.push_back(text);
    }
  }
  return lines;
}

}  // namespace heed::report
