// Reviews of films, written by a small grammar, whose reason is known: the strongest opinion decides.
//
//   the plot was slow , it runs two hours , the acting seems awful , we found the music pleasant        bad
//
// Opinions have three grades: mild (pleasant, slow), strong (clever, dull) and extreme (superb, awful). Each review has
// one strongest opinion and two or three weaker ones, whose directions are drawn independently. The class of the review
// is the direction of the strongest opinion, so that word is the reason, and the weaker opinions are distractors. If it
// is removed, the class is lost; no other word changes anything.
#pragma once

#include <algorithm>
#include <array>
#include <set>

#include "nn/data/tasks/tasks.h"
#include "tensor/random.h"

namespace explain {

namespace data = heed::data;
using heed::Generator, heed::Tensor;

struct Review {
  std::vector<std::string> words;
  int64_t label = 0;   // 1 good, 0 bad
  int64_t reason = 0;  // position of the strongest opinion
};

using Words = std::vector<std::string>;
// opinions()[grade][direction], from mild to extreme; direction 0 is bad, 1 is good.
inline const std::array<std::array<Words, 2>, 3>& opinions() {
  static const std::array<std::array<Words, 2>, 3> all{
      {{{{"slow", "plain", "long", "thin"}, {"fine", "nice", "pleasant", "decent"}}},
       {{{"bad", "dull", "weak", "silly"}, {"good", "clever", "strong", "moving"}}},
       {{{"awful", "dreadful", "terrible", "hopeless"}, {"superb", "brilliant", "perfect", "wonderful"}}}}};
  return all;
}
inline const Words& nouns() {
  static const Words all{"plot", "acting", "music", "script", "ending", "camera", "hero", "villain", "story", "cast"};
  return all;
}
inline const std::vector<Words>& neutral_clauses() {
  static const std::vector<Words> all{{"it", "runs", "two", "hours"},
                                      {"we", "saw", "it", "on", "monday"},
                                      {"my", "friends", "came", "along"},
                                      {"it", "opens", "in", "may"}};
  return all;
}

// <pad>, the other special symbols, then all words that a review may contain.
inline data::Symbols vocabulary() {
  Words all = nouns();
  for (const auto& grade : opinions())
    for (const Words& words : grade) all.insert(all.end(), words.begin(), words.end());
  std::set<std::string> rest{"the", "was", "seems", "we", "found", ","};
  for (const Words& clause : neutral_clauses()) rest.insert(clause.begin(), clause.end());
  all.insert(all.end(), rest.begin(), rest.end());
  return data::Symbols(all);
}

inline const std::string& one_of(const Words& words, Generator& rng) {
  return words[static_cast<size_t>(rng.below(std::ssize(words)))];
}

inline Review draw_review(Generator& rng) {
  Review out{.words = {}, .label = rng.below(2)};
  auto top = static_cast<size_t>(1 + rng.below(2));
  std::vector<Words> clauses;
  std::string reason;
  for (int64_t i = 0, weaker = 2 + rng.below(2); i <= weaker; ++i) {
    size_t grade = i == 0 ? top : static_cast<size_t>(rng.below(static_cast<int64_t>(top)));
    auto direction = static_cast<size_t>(i == 0 ? out.label : rng.below(2));
    const std::string &word = one_of(opinions()[grade][direction], rng), &noun = one_of(nouns(), rng);
    if (i == 0) reason = word;
    switch (rng.below(3)) {
      case 0:
        clauses.push_back({"the", noun, "was", word});
        break;
      case 1:
        clauses.push_back({"the", noun, "seems", word});
        break;
      default:
        clauses.push_back({"we", "found", "the", noun, word});
    }
  }
  clauses.push_back(neutral_clauses()[static_cast<size_t>(rng.below(std::ssize(neutral_clauses())))]);
  rng.shuffle(clauses);
  for (const Words& clause : clauses) {
    if (!out.words.empty()) out.words.emplace_back(",");
    out.words.insert(out.words.end(), clause.begin(), clause.end());
  }
  out.reason = std::find(out.words.begin(), out.words.end(), reason) - out.words.begin();
  return out;
}

struct Task {
  data::Symbols words;
  std::vector<Review> train, test;
};
// The reviews are different from one another.
inline Task make_task(int64_t train, int64_t test) {
  Task out{vocabulary(), {}, {}};
  Generator rng(7);
  std::set<Words> seen;
  while (std::cmp_less(seen.size(), train + test)) {
    Review r = draw_review(rng);
    if (!seen.insert(r.words).second) continue;
    (std::ssize(out.train) < train ? out.train : out.test).push_back(r);
  }
  return out;
}

struct Batch {
  Tensor ids, lengths;  // [B, T] i64, padded with 0; [B]
  Tensor labels;        // [B] f32
};
inline Batch batch_of(const data::Symbols& symbols, const std::vector<Review>& reviews) {
  size_t longest = 0;
  for (const Review& r : reviews) longest = std::max(longest, r.words.size());
  auto B = std::ssize(reviews), T = static_cast<std::ptrdiff_t>(longest);
  Batch out{Tensor::zeros({B, T}, heed::DType::i64), Tensor::zeros({B}, heed::DType::i64), Tensor::zeros({B})};
  for (int64_t b = 0; b < B; ++b) {
    const Review& r = reviews[static_cast<size_t>(b)];
    std::vector<int64_t> ids = symbols.encode(r.words);
    std::copy(ids.begin(), ids.end(), out.ids.data<int64_t>() + b * T);
    out.lengths.data<int64_t>()[b] = std::ssize(ids);
    out.labels.data<float>()[b] = static_cast<float>(r.label);
  }
  return out;
}

}  // namespace explain
