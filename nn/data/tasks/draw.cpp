#include "nn/data/tasks/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tensor/error.h"

namespace heed::data::drawing {

// The FNV-1a hash, then one block of Philox to spread its bits: the same on every machine.
Part part_of(std::string_view key) {
  uint64_t hash = 14695981039346656037ull;
  for (char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  uint32_t tenth = philox(hash, 0)[0] % 10;
  return tenth == 0 ? Part::test : tenth == 1 ? Part::validation : Part::train;
}

void check_parts(const std::string& task, const TaskParts& p) {
  if (std::min({p.train, p.validation, p.test}) < 0)
    throw ValueError(fmt::format("{}: the parts must not be negative; got train {}, validation {}, test {}", task,
                                 p.train, p.validation, p.test));
}

void check_range(const std::string& task, const char* what, const Range& range, int64_t least) {
  if (range.least < least || range.most < range.least)
    throw ValueError(fmt::format("{}: {} must run upwards from at least {}; got {} to {}", task, what, least,
                                 range.least, range.most));
}

void check_least(const std::string& task, const char* what, int64_t value, int64_t least) {
  if (value < least) throw ValueError(fmt::format("{}: {} must be at least {}; got {}", task, what, least, value));
}

Range given(const Range& range, const Range& otherwise) { return range == Range{} ? otherwise : range; }

Generator stream(uint64_t seed, Part part) {
  std::array<uint32_t, 4> words = philox(seed, static_cast<uint64_t>(part));
  return Generator(static_cast<uint64_t>(words[0]) << 32 | words[1]);
}

Sizes::Sizes(const Range& range) : sizes_(static_cast<size_t>(range.most - range.least + 1)) {
  std::iota(sizes_.begin(), sizes_.end(), range.least);
}

int64_t Sizes::draw(Generator& rng) const {
  return sizes_[static_cast<size_t>(rng.below(static_cast<int64_t>(sizes_.size())))];
}

void Sizes::leave_out(int64_t size, const Plan& plan) {
  std::erase(sizes_, size);
  if (sizes_.empty())
    throw ValueError(fmt::format(
        "{}: there must be enough different examples to keep three parts apart; got sizes {} to {} in training and {} "
        "to {} held out; allow larger ones, or leave a part empty",
        plan.task, plan.sizes.least, plan.sizes.most, plan.held_out.least, plan.held_out.most));
}

std::string joined(const std::vector<std::string>& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += (text.empty() ? "" : " ") + token;
  return text;
}

AlignedPair aligned(std::string family, std::vector<std::string> source, std::vector<std::string> target,
                    std::vector<Link> links) {
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
    return a.target != b.target ? a.target < b.target : a.source < b.source;
  });
  AlignedPair pair;
  pair.source_content.assign(source.size(), true);
  pair.target_content.assign(target.size(), true);
  pair.source = std::move(source);
  pair.target = std::move(target);
  pair.links = std::move(links);
  pair.family = std::move(family);
  return pair;
}

std::vector<std::string> numerals(int64_t first, int64_t count) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i) names.push_back(std::to_string(first + i));
  return names;
}

Link sure(size_t source, size_t target) {
  return {.source = static_cast<int>(source), .target = static_cast<int>(target), .sure = true};
}
Link possible(size_t source, size_t target) {
  return {.source = static_cast<int>(source), .target = static_cast<int>(target), .sure = false};
}

}  // namespace heed::data::drawing
