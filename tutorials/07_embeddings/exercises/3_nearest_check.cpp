// Hints, common mistakes and checks of exercise 07.3.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tutorials/07_embeddings/exercises/3_nearest.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Vector;
using Rows = std::vector<std::size_t>;
using Table = std::vector<Vector>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
double cosine(const Vector& a, const Vector& b) { return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b)); }

Rows others(const Table& vectors, std::size_t word) {
  Rows rows(vectors.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::erase(rows, word);
  return rows;
}
Rows first(Rows rows, std::size_t count) {
  rows.resize(std::min(count, rows.size()));
  return rows;
}
// `rows` sorted by another similarity to row `word`, the largest first.
template <class Similarity>
Rows sorted(const Table& vectors, std::size_t word, Rows rows, Similarity similarity) {
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return similarity(vectors[word], vectors[a]) > similarity(vectors[word], vectors[b]);
  });
  return rows;
}
template <class Similarity>
Rows by(const Table& vectors, std::size_t word, std::size_t count, Similarity similarity) {
  return first(sorted(vectors, word, others(vectors, word), similarity), count);
}

using V = const Vector&;
const std::vector<app::Mistake<decltype(&mine::nearest)>> mistakes{
    {"The gap is still open: these are the first rows of the table",
     [](const Table& t, std::size_t, std::size_t n) { return first(others(t, t.size()), n); }},
    {"The word itself is removed, and the others are not sorted yet",
     [](const Table& t, std::size_t w, std::size_t n) { return first(others(t, w), n); }},
    {"The rows are sorted by the dot product, which prefers long vectors: divide it by both lengths",
     [](const Table& t, std::size_t w, std::size_t n) { return by(t, w, n, dot); }},
    {"The word is its own nearest neighbour: remove it before sorting",
     [](const Table& t, std::size_t w, std::size_t n) { return first(sorted(t, w, others(t, t.size()), cosine), n); }},
    {"The first row of the sorted list is dropped in place of the word: a parallel vector has the cosine 1, too, so "
     "remove `word` by its number",
     [](const Table& t, std::size_t w, std::size_t n) {
       Rows rows = sorted(t, w, others(t, t.size()), cosine);
       rows.erase(rows.begin());
       return first(rows, n);
     }},
    {"The order is reversed: the largest cosine comes first",
     [](const Table& t, std::size_t w, std::size_t n) { return by(t, w, n, [](V a, V b) { return -cosine(a, b); }); }},
    {"The product is divided by the squares of the lengths: the root is missing, |a| = sqrt(a . a)",
     [](const Table& t, std::size_t w, std::size_t n) {
       return by(t, w, n, [](V a, V b) { return dot(a, b) / (dot(a, a) * dot(b, b)); });
     }},
    {"The rows are sorted by the distance |a - b|, which depends on the lengths: sort them by the cosine",
     [](const Table& t, std::size_t w, std::size_t n) {
       return by(t, w, n, [](V a, V b) { return 2 * dot(a, b) - dot(a, a) - dot(b, b); });
     }},
    {"The absolute value of the cosine is used: an opposite vector, with the cosine -1, is the farthest",
     [](const Table& t, std::size_t w, std::size_t n) {
       return by(t, w, n, [](V a, V b) { return std::abs(cosine(a, b)); });
     }},
    {"Of rows with equal cosines the higher number comes first: sort with > and std::stable_sort",
     [](const Table& t, std::size_t w, std::size_t n) {
       Rows rows = others(t, w);
       std::reverse(rows.begin(), rows.end());
       return first(sorted(t, w, rows, cosine), n);
     }},
    {"The list is cut to `count` rows before it is sorted: sort all rows, then keep the first `count`",
     [](const Table& t, std::size_t w, std::size_t n) { return sorted(t, w, first(others(t, w), n), cosine); }},
};

void examine(app::Exercise& e, const decltype(&mine::nearest)& nearest) {
  // Lengths and cosines are exact: rows 2 and 6 are parallel.
  const Table table{{1, 0}, {5, 5}, {4, 3}, {-3, 0}, {0, 2}, {1, -7}, {8, 6}};
  auto rows = [&](std::size_t word, std::size_t count) {
    Vector found;
    for (std::size_t row : nearest(table, word, count)) found.push_back(static_cast<double>(row));
    return found;
  };
  e.check("the number of neighbours of row 0, asked for 3,", static_cast<double>(rows(0, 3).size()), 3, 0);
  e.check("the neighbours of row 0, asked for 3", rows(0, 3), {2, 6, 1}, 0);
  e.check("the neighbours of row 6, asked for 3", rows(6, 3), {2, 1, 0}, 0);
  e.check("the neighbours of row 3, asked for 2", rows(3, 2), {4, 5}, 0);
  e.check("the neighbours of row 1, asked for 100", rows(1, 100), {2, 6, 0, 4, 5, 3}, 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("07", 3, "The nearest words");
  e.hint("std::erase(rows, word) removes the word itself.");
  e.hint("The dot product alone prefers long vectors. std::inner_product gives it; divide by both lengths.");
  e.hint("std::stable_sort keeps the order of equal rows.");
  e.insight(
      "The length of a word vector depends much on how frequent the word is; the angle says which words it occurs "
      "with.\n"
      "Attention compares vectors by the dot product, where the length counts: a long key attracts more queries.",
      "./heed run 08");
  return e.run(argc, argv, mine::nearest, examine, mistakes);
}
