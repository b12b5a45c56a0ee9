// Hints and checks of exercise 33.1.
#include "tutorials/33_pictures/exercises/1_windows.h"

#include <fmt/format.h>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  for (auto [R, C, M] : {std::tuple<int64_t, int64_t, int64_t>{4, 4, 2}, {3, 5, 2}, {7, 4, 3}, {2, 3, 4}}) {
    const std::string where = fmt::format("R = {}, C = {}, M = {}: ", R, C, M);
    const int64_t down = (R + M - 1) / M, across = (C + M - 1) / M;
    std::vector<std::vector<double>> expected(static_cast<size_t>(down * across),
                                              std::vector<double>(static_cast<size_t>(M * M), -1));
    for (int64_t t = 0; t < R * C; ++t) {
      const int64_t row = t / C, column = t % C;
      expected[static_cast<size_t>(row / M * across + column / M)][static_cast<size_t>(row % M * M + column % M)] =
          static_cast<double>(t);
    }
    const std::vector<std::vector<int64_t>> windows = mine::cut(R, C, M);
    e.check(where + "number of windows", static_cast<double>(windows.size()), static_cast<double>(down * across), 0);
    std::vector<double> places, wanted;
    for (const auto& window : windows)
      for (int64_t place : window) places.push_back(static_cast<double>(place));
    for (const auto& window : expected) wanted.insert(wanted.end(), window.begin(), window.end());
    e.check(where + "places", places, wanted, 0);
    // A number for each slot, which says where it is.
    std::vector<std::vector<double>> values = expected;
    for (auto& window : values)
      for (double& x : window) x = x < 0 ? 99 : x * x;
    std::vector<double> picture;
    for (int64_t t = 0; t < R * C; ++t) picture.push_back(static_cast<double>(t * t));
    if (places == wanted) e.check(where + "put together", mine::put_together(values, R, C, M), picture, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("33", 1, "Windows of a picture");
  e.hint("Four loops: the top row of a window, its left column, and inside the window its rows and columns.");
  e.hint("A slot has a place if its row is below R and its column is below C. Both can fail.");
  e.hint("To put the picture together, go through the same windows, and leave out the slots without a place.");
  e.insight(
      "Attention inside windows is this cut, a batch of small attentions, and the way back. The slots without a place\n"
      "must not be read: their scores become -inf.",
      "./heed exercise 33 2");
  return e.run(argc, argv, examine);
}
