// The merge loop of byte-pair encoding, for whoever has symbols with numbers and a table of merges.
//
//   repeat: of all neighbours (l, r) that the table has, take the pair with the lowest rank, leftmost first;
//           replace both by the symbol that the table has for them
//
// The symbols are a linked list, and a heap returns the next pair: O(n log n) for n characters. Sennrich, Haddow and
// Birch, ACL 2016. There are two readings of "the lowest rank" where a new symbol makes a pair of lower rank than the
// merge that made it (two merges can give the same symbol): `one_rank_at_a_time` first applies a merge at all its
// places (subword-nmt), `lowest_first` goes on with the new pair at once (sentencepiece, tokenizers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace heed::text {

struct Merge {
  int64_t rank, whole;  // `whole`: the symbol that replaces the two
};

struct MergedSymbol {
  int64_t id;          // -1: the symbol occurs in no merge
  size_t bytes;        // length of its text; 0: the symbol has been merged into its left neighbour
  size_t left, right;  // indices of the neighbours; past the end if there is none
};

inline uint64_t pair_key(int64_t left, int64_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint64_t>(right);
}

enum class MergeOrder { one_rank_at_a_time, lowest_first };

// merge_of(left id, right id) -> const Merge*, nullptr if these two are not merged.
template <class MergeOf>
void merge_symbols(std::vector<MergedSymbol>& symbols, MergeOrder order, const MergeOf& merge_of) {
  struct Candidate {
    int64_t rank;
    size_t left;  // index of the left symbol
    int64_t left_id, right_id, whole;
    bool operator>(const Candidate& other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
  };
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> heap;
  auto consider = [&](size_t i) {  // adds the pair of symbol i and its right neighbour to the heap
    if (i >= symbols.size() || symbols[i].right >= symbols.size()) return;
    int64_t left = symbols[i].id, right = symbols[symbols[i].right].id;
    if (left < 0 || right < 0) return;
    if (const Merge* merge = merge_of(left, right)) heap.push({merge->rank, i, left, right, merge->whole});
  };
  for (size_t i = 0; i < symbols.size(); ++i) consider(i);
  std::vector<size_t> made;
  while (!heap.empty()) {
    int64_t rank = heap.top().rank;
    made.clear();
    do {
      Candidate c = heap.top();
      heap.pop();
      MergedSymbol& left = symbols[c.left];
      if (left.bytes == 0 || left.right >= symbols.size()) continue;
      MergedSymbol& right = symbols[left.right];
      if (left.id != c.left_id || right.id != c.right_id) continue;  // the entry is out of date
      left.id = c.whole;
      left.bytes += right.bytes;
      right.bytes = 0;
      left.right = right.right;
      if (left.right < symbols.size()) symbols[left.right].left = c.left;
      made.push_back(c.left);
    } while (order == MergeOrder::one_rank_at_a_time && !heap.empty() && heap.top().rank == rank);
    for (size_t i : made) {
      if (symbols[i].bytes == 0) continue;
      consider(symbols[i].left);
      consider(i);
    }
  }
}

}  // namespace heed::text
