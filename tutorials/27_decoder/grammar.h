// A grammar of English with known probabilities, so that the lowest possible loss of a language model can be computed.
//
//   A -> w B C ..     with probability p       a word, followed by symbols that still have to be expanded
//
// Each rule begins with a word, and no two rules of one A begin with the same word (the simple grammars of Korenjak and
// Hopcroft, 1966). So a sentence has at most one derivation, and after any prefix the symbols that still have to be
// expanded, a stack of As, are known. The true distribution of the next word is that of the rules of the top symbol.
// The following numbers need no sampling:
//
//   log p(sentence)  = sum over its words of log p(rule)
//   H(A)             = sum over the rules of p (-log p + H(B) + H(C) + ..)     entropy of the text of A, in nats
//   L(A)             = sum over the rules of p (1 + L(B) + L(C) + ..)          its mean length in words
//   entropy per word = H(S) / L(S)              S ends in </s>, which counts as a word
//
// Both equations are linear and are solved by iteration: a clause inside a clause has a probability below 1, so the
// remaining error shrinks geometrically.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "nn/data/tasks/tasks.h"
#include "nn/text/vocabulary.h"

namespace speaking {

namespace nn = heed::nn;
namespace data = heed::data;
using heed::Tensor, heed::Variable;

struct Rule {
  double p;
  std::string word;
  std::vector<std::string> rest = {};  // the symbols after the word
};

class Grammar {
 public:
  Grammar();
  // A sentence without <s>, with </s>.
  std::vector<int64_t> draw(heed::Generator& rng) const {
    std::vector<int64_t> out, stack{0};
    while (!stack.empty()) {
      const auto& rules = rules_[take(stack)];
      double dart = rng.uniform();
      size_t r = 0;
      while (r + 1 < rules.size() && (dart -= rules[r].p) >= 0) ++r;
      out.push_back(rules[r].word);
      push(stack, rules[r]);
    }
    return out;
  }
  // Log-probability of a whole sentence; -inf if the grammar cannot generate it.
  double log_p(const std::vector<int64_t>& sentence) const {
    double out = 0;
    std::vector<int64_t> stack{0};
    for (int64_t word : sentence) {
      const Inner* rule = stack.empty() ? nullptr : find(stack, word);
      if (!rule) return -INFINITY;
      out += std::log(rule->p);
      take(stack), push(stack, *rule);
    }
    return stack.empty() ? out : -INFINITY;
  }
  // The true distribution of the next word after the first `words` words of a sentence, [V], and the top symbol.
  struct Next {
    std::string what;
    std::vector<double> p;
  };
  Next next(const std::vector<int64_t>& sentence, size_t words) const {
    std::vector<int64_t> stack{0};
    for (size_t i = 0; i < words && !stack.empty(); ++i) {
      const Inner* rule = find(stack, sentence[i]);
      if (!rule) return {};
      take(stack), push(stack, *rule);
    }
    if (stack.empty()) return {};
    Next out{names_[static_cast<size_t>(stack.back())], std::vector<double>(static_cast<size_t>(words_.size()))};
    for (const Inner& r : rules_[static_cast<size_t>(stack.back())]) out.p[static_cast<size_t>(r.word)] = r.p;
    return out;
  }
  double entropy() const {
    return solve([](double p) { return -std::log(p); });
  }  // H(S), nats per sentence
  double length() const {
    return solve([](double) { return 1.0; });
  }  // L(S), with </s>
  const data::Symbols& words() const { return words_; }
  size_t rules() const {
    size_t n = 0;
    for (const auto& r : rules_) n += r.size();
    return n;
  }
  std::string text(const std::vector<int64_t>& sentence) const {
    std::string out;
    for (const std::string& w : words_.decode(sentence)) out += (out.empty() ? "" : " ") + w;
    return out;
  }

 private:
  struct Inner {
    double p;
    int64_t word;
    std::vector<int64_t> rest;
  };
  static size_t take(std::vector<int64_t>& stack) {
    auto top = static_cast<size_t>(stack.back());
    stack.pop_back();
    return top;
  }
  static void push(std::vector<int64_t>& stack, const Inner& rule) {
    stack.insert(stack.end(), rule.rest.rbegin(), rule.rest.rend());
  }
  const Inner* find(const std::vector<int64_t>& stack, int64_t word) const {
    for (const Inner& r : rules_[static_cast<size_t>(stack.back())])
      if (r.word == word) return &r;
    return nullptr;
  }
  template <class Of>
  double solve(const Of& of_rule) const {
    std::vector<double> value(rules_.size());
    for (int pass = 0; pass < 500; ++pass)
      for (size_t a = rules_.size(); a-- > 0;) {
        double mean = 0;
        for (const Inner& r : rules_[a]) {
          double sum = of_rule(r.p);
          for (int64_t b : r.rest) sum += value[static_cast<size_t>(b)];
          mean += r.p * sum;
        }
        value[a] = mean;
      }
    return value[0];
  }
  data::Symbols words_;
  std::vector<std::string> names_;         // the name of each A; 0 is S
  std::vector<std::vector<Inner>> rules_;  // the rules of each A
};

// Divides a probability among words unevenly, as in real text: the share of the k-th word is proportional to 1/k.
inline void share(std::vector<Rule>& rules, double p, const std::vector<std::string>& words,
                  const std::vector<std::string>& rest) {
  double total = 0;
  for (size_t k = 1; k <= words.size(); ++k) total += 1 / static_cast<double>(k);
  for (size_t k = 1; k <= words.size(); ++k)
    rules.push_back({p / (static_cast<double>(k) * total), words[k - 1], rest});
}

// "the old dog that the cats see sleeps": a verb agrees with its noun, however many words are between them.
inline std::map<std::string, std::vector<Rule>> english() {
  const std::vector<std::string> nouns{"dog", "cat", "child", "teacher", "friend", "bird", "student", "horse"},
      adjectives{"old", "small", "red", "happy", "young", "quiet"}, sleeping{"sleep", "run", "laugh", "wait", "sing"},
      seeing{"see", "like", "know", "help", "follow"}, places{"near", "behind", "beside"},
      things{"apple", "letter", "book", "garden"}, reading{"want", "find"};
  auto many = [](std::string w) { return w == "child" ? std::string("children") : w + "s"; };
  auto one = [](std::string w) { return w + "s"; };  // he sleeps
  auto each = [](const std::vector<std::string>& words, auto f) {
    std::vector<std::string> out;
    for (const auto& w : words) out.push_back(f(w));
    return out;
  };
  auto same = [](std::string w) { return w; };
  std::map<std::string, std::vector<Rule>> g;
  g["S"] = {{0.8, "the", {"Subject"}}, {0.2, "today", {"The", "Subject"}}};
  g["The"] = {{1, "the", {}}};
  // The noun decides what can follow it: singular (One) or plural (Many).
  for (const std::string n : {"One", "Many"}) {
    bool single = n == "One";
    auto verbs = [&](const std::vector<std::string>& w) { return single ? each(w, one) : each(w, same); };
    auto& tail = g["Of" + n];  // after the subject: a clause or a place, or the verb at once
    tail = {
        {0.25, "that", {"Clause", "Verb" + n}},
    };
    share(tail, 0.15, places, {"The", "Object", "Verb" + n});
    share(tail, 0.25, verbs(sleeping), {"End"});
    share(tail, 0.25, verbs(seeing), {"The", "Object", "End"});
    share(tail, 0.10, verbs(reading), {"A", "Thing", "End"});
    auto& verb = g["Verb" + n];
    share(verb, 0.5, verbs(sleeping), {"End"});
    share(verb, 0.35, verbs(seeing), {"The", "Object", "End"});
    share(verb, 0.15, verbs(reading), {"A", "Thing", "End"});
    auto& inner = g["Inner" + n];  // the verb of a clause: "that the cats see"
    inner = {{0.15, "that", {"Clause", "Seen" + n}}};
    share(inner, 0.85, verbs(seeing), {});
    share(g["Seen" + n], 1, verbs(seeing), {});
  }
  for (auto [name, one_rest, many_rest] :
       {std::tuple{"Subject", "OfOne", "OfMany"}, {"ClauseSubject", "InnerOne", "InnerMany"}}) {
    share(g[name], 0.2, adjectives, {name});
    share(g[name], 0.48, nouns, {one_rest});
    share(g[name], 0.32, each(nouns, many), {many_rest});
  }
  g["Clause"] = {{1, "the", {"ClauseSubject"}}};
  share(g["Object"], 0.2, adjectives, {"Object"});
  share(g["Object"], 0.48, nouns, {});
  share(g["Object"], 0.32, each(nouns, many), {});
  g["A"] = {{0.7, "a", {}}, {0.3, "some", {}}};
  share(g["Thing"], 0.2, adjectives, {"Thing"});
  share(g["Thing"], 0.8, things, {});
  g["End"] = {{0.85, "</s>", {}}, {0.15, "and", {"S"}}};
  return g;
}

inline Grammar::Grammar() {
  auto g = english();
  std::map<std::string, int64_t> numbers{{"S", 0}};
  std::vector<std::string> words;
  for (const auto& [name, rules] : g) {
    numbers.emplace(name, std::ssize(numbers));
    for (const Rule& r : rules)
      if (r.word != "</s>" && !std::count(words.begin(), words.end(), r.word)) words.push_back(r.word);
  }
  words_ = data::Symbols(words);
  rules_.resize(g.size()), names_.resize(g.size());
  for (const auto& [name, number] : numbers) names_[static_cast<size_t>(number)] = name;
  for (const auto& [name, rules] : g)
    for (const Rule& r : rules) {
      std::vector<int64_t> rest;
      for (const std::string& b : r.rest) rest.push_back(numbers.at(b));
      int64_t word = r.word == "</s>" ? int64_t{heed::text::Vocabulary::stop} : words_.id(r.word);
      rules_[static_cast<size_t>(numbers.at(name))].push_back({r.p, word, rest});
    }
}

}  // namespace speaking
