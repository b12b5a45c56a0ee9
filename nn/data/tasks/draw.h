// How every task draws its examples. It draws a size (a length, a number of pairs, a format) uniformly from its range,
// then examples of that size until the hash of one belongs to the part that is being filled.
//
// A part may have no example at all of a small size. We conclude this from 500 draws without success (if one example in
// ten belonged to the part, the probability of that would be 1e-23), and then draw no more of that size. If no size is
// left, the range is refused.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "nn/data/tasks/tasks.h"
#include "tensor/random.h"

namespace heed::data::drawing {

enum class Part { train, validation, test };
Part part_of(std::string_view key);

struct Plan {
  std::string task;
  Range sizes, held_out;  // sizes for training, and for validation and test
  TaskParts parts;
};

void check_parts(const std::string& task, const TaskParts& parts);  // none may be negative
// Requires least <= range.least <= range.most.
void check_range(const std::string& task, const char* what, const Range& range, int64_t least);
void check_least(const std::string& task, const char* what, int64_t value, int64_t least);
// `range`, or `otherwise` if the caller did not change it from {0, 0}.
Range given(const Range& range, const Range& otherwise);

Generator stream(uint64_t seed, Part part);

// The sizes that still have examples.
class Sizes {
 public:
  explicit Sizes(const Range& range);
  int64_t draw(Generator& rng) const;
  void leave_out(int64_t size, const Plan& plan);  // ValueError if no size is left

 private:
  std::vector<int64_t> sizes_;
};

// make(rng, size) returns an example; key(example) is the text whose hash decides to which part the example belongs.
template <class Example, class Make, class Key>
std::vector<Example> draw_part(const Plan& plan, Part part, const Make& make, const Key& key) {
  const TaskParts& p = plan.parts;
  int64_t count = part == Part::train ? p.train : part == Part::validation ? p.validation : p.test;
  Sizes sizes(part == Part::train ? plan.sizes : plan.held_out);
  Generator rng = stream(p.seed, part);
  std::vector<Example> examples;
  while (static_cast<int64_t>(examples.size()) < count) {
    int64_t size = sizes.draw(rng);
    bool found = false;
    for (int attempt = 0; attempt < 500 && !found; ++attempt) {
      Example example = make(rng, size);
      found = p.independent || part_of(key(example)) == part;
      if (found) examples.push_back(std::move(example));
    }
    if (!found) sizes.leave_out(size, plan);
  }
  return examples;
}

template <class Example>
struct Drawn {
  std::vector<Example> train, validation, test;
};
template <class Example, class Make, class Key>
Drawn<Example> draw(const Plan& plan, const Make& make, const Key& key) {
  return {draw_part<Example>(plan, Part::train, make, key), draw_part<Example>(plan, Part::validation, make, key),
          draw_part<Example>(plan, Part::test, make, key)};
}

std::string joined(const std::vector<std::string>& tokens);  // with spaces
// Adds flags as long as the tokens (all are content words) and sorts the links.
AlignedPair aligned(std::string family, std::vector<std::string> source, std::vector<std::string> target,
                    std::vector<Link> links);
std::vector<std::string> numerals(int64_t first, int64_t count);  // "0", "1", ..
Link sure(size_t source, size_t target);
Link possible(size_t source, size_t target);

// A task of sequence pairs in which the source decides to which part a pair belongs.
template <class Make>
Task sequence_task(const Plan& plan, Symbols source, Symbols target, const Make& make) {
  auto drawn = draw<AlignedPair>(plan, make, [](const AlignedPair& pair) { return joined(pair.source); });
  return {plan.task,
          std::move(source),
          std::move(target),
          std::move(drawn.train),
          std::move(drawn.validation),
          std::move(drawn.test)};
}

}  // namespace heed::data::drawing
