// The smallest program that still fails as the given one does, and how it is written down.
//
// Greedy: of all ways to make the program a little simpler the first that still fails is taken, until none does
// (delta debugging: Zeller and Hildebrandt, IEEE TSE 28, 2002).
#include <fmt/format.h>

#include <set>

#include "tests/autograd/random_program/operations.h"

namespace random_program {
namespace {

using Numbers = std::vector<double>;
using Change = std::function<void(Program&)>;

// Operations and leaves that no output needs; and what speaks of values that are gone.
void drop_unused(Program& p) {
  std::set<int> needed, differentiable;
  for (const Output& y : p.outputs) needed.insert(y.value);
  auto makes_needed = [&](const Step& s) {
    for (int k = 0; k < s.count; ++k)
      if (needed.count(s.first + k)) return true;
    return false;
  };
  for (size_t i = p.steps.size(); i-- > 0;)
    if (p.steps[i].kind <= Step::operation && makes_needed(p.steps[i]))
      for (int input : p.steps[i].action.inputs) needed.insert(input);
  std::erase_if(p.steps, [&](const Step& s) { return !makes_needed(s); });
  for (const Step& s : p.steps)
    if (s.kind == Step::operation || s.requires_grad)
      for (int k = 0; k < s.count; ++k) differentiable.insert(s.first + k);
  std::erase_if(p.wrt, [&](int v) { return !needed.count(v) || !differentiable.count(v); });
}

// What must become smaller, the first that differs counts.
std::vector<size_t> cost(const Program& p) {
  size_t operations = 0, odd = 0, crooked = 0;
  auto count = [&](const Numbers& x) {
    for (double e : x) crooked += e == 1 ? 0 : e == std::round(10 * e) / 10 ? 1 : 2;
  };
  for (const Step& s : p.steps) {
    operations += s.kind == Step::operation;
    odd += (s.mode != Mode::plain) + (s.layout != Layout::contiguous) + s.requires_grad;
    count(s.values);
    count(s.direction);
  }
  for (const Output& y : p.outputs) count(y.seeds);
  return {operations, p.steps.size(), static_cast<size_t>(p.driver) + p.elsewhere, p.outputs.size() + p.wrt.size(),
          odd,        crooked};
}

std::vector<Change> changes(const Program& now) {
  std::vector<Change> all = {[](Program& p) { p.elsewhere = false; }};
  for (Driver d : {Driver::backward, Driver::grad}) all.push_back([=](Program& p) { p.driver = d; });
  SlowRun slow(now.values);
  if (now.extreme) slow.rounded = [type = now.type](Number x) { return rounded(x, type); };
  for (const Step& s : now.steps) slow.step(s);
  for (size_t i = now.steps.size(); i-- > 0;) {
    const Step& s = now.steps[i];
    auto at = static_cast<std::ptrdiff_t>(i);
    if (s.kind > Step::operation) all.push_back([=](Program& p) { p.steps.erase(p.steps.begin() + at); });
    if (s.kind == Step::operation && s.count == 1) {
      const Array& y = slow.made[static_cast<size_t>(s.first)];
      Step leaf{.kind = Step::leaf, .first = s.first, .shape = y.shape, .requires_grad = true};
      for (const Real& e : y.elements) leaf.values.push_back(static_cast<double>(slow.number(e)));
      leaf.direction = Numbers(leaf.values.size(), 1);
      Numbers ones(slow.now[static_cast<size_t>(s.first)].elements.size(), 1);
      Numbers zeros(ones.size(), 0);
      for (const Numbers& seeds : {ones, zeros})  // the program ends here
        all.push_back([=, v = s.first](Program& p) { p.outputs = {{v, seeds}}; });
      all.push_back([=](Program& p) { p.steps[i] = leaf; });  // or begins here
      for (int input : s.action.inputs)                       // or does without the operation
        all.push_back([=, out = s.first](Program& p) {
          p.steps.erase(p.steps.begin() + at);
          auto rename = [&](int& v) { v = v == out ? input : v; };
          for (Step& t : p.steps) {
            if (t.kind > Step::operation) rename(t.first);
            for (int& v : t.action.inputs) rename(v);
          }
          for (Output& o : p.outputs) rename(o.value);
          std::erase(p.wrt, out);
        });
    }
    all.push_back([=](Program& p) { p.steps[i].mode = Mode::plain; });
    all.push_back([=](Program& p) { p.steps[i].layout = Layout::contiguous; });
    all.push_back([=](Program& p) { p.steps[i].requires_grad = false; });
    all.push_back([=](Program& p) { std::fill(p.steps[i].direction.begin(), p.steps[i].direction.end(), 1.0); });
    all.push_back([=](Program& p) { std::fill(p.steps[i].values.begin(), p.steps[i].values.end(), 1.0); });
    all.push_back([=](Program& p) {
      for (double& x : p.steps[i].values) x = std::round(10 * x) / 10;
    });
    for (size_t k = 0; k < s.values.size() && now.extreme; ++k)
      all.push_back([=](Program& p) { p.steps[i].values[k] = 1; });
  }
  for (size_t i = 0; i < now.outputs.size(); ++i) {
    all.push_back([=](Program& p) { p.outputs.erase(p.outputs.begin() + static_cast<std::ptrdiff_t>(i)); });
    all.push_back([=](Program& p) { std::fill(p.outputs[i].seeds.begin(), p.outputs[i].seeds.end(), 1.0); });
  }
  for (size_t i = 0; i < now.wrt.size(); ++i)
    all.push_back([=](Program& p) { p.wrt.erase(p.wrt.begin() + static_cast<std::ptrdiff_t>(i)); });
  return all;
}

std::string list(const Numbers& x) {
  std::string s;
  for (double e : x) s += (s.empty() ? "" : ", ") + str(e);
  return "{" + s + "}";
}

}  // namespace

Program shrink(const Program& start) {
  Program best = start;
  std::string kind = run(start).kind;
  for (bool better = !kind.empty(); better;) {
    better = false;
    for (const Change& change : changes(best)) {
      Program p = best;
      change(p);
      drop_unused(p);
      if (p.outputs.empty() || cost(p) >= cost(best)) continue;
      Verdict v = run(p);
      if (v.ok || !v.usable || v.kind != kind) continue;
      best = std::move(p);
      better = true;
      break;
    }
  }
  return best;
}

std::string to_string(const Program& p) {
  constexpr const char* modes[] = {"", "   # inside checkpoint", "   # under NoGrad", "   # on another thread"};
  constexpr const char* layouts[] = {"", ", transposed", ", sliced", ", expanded"};
  constexpr const char* drivers[] = {"backward of ", "backward twice of ", "grad of ", "grad and its grad of "};
  auto name = [](int value) { return fmt::format("v{}", value); };
  auto names = [&](const std::vector<int>& values) {
    std::string s;
    for (int v : values) s += (s.empty() ? "" : ", ") + name(v);
    return s;
  };
  std::string text = fmt::format("# seed {}{}\n", p.seed,
                                 p.extreme ? std::string(", extreme, ") + heed::name_of(p.type) : ""),
              directions, outputs;
  for (const Step& s : p.steps) {
    std::vector<int> made;
    for (int k = 0; k < s.count; ++k) made.push_back(s.first + k);
    if (s.kind == Step::leaf)
      text += fmt::format("{} = {} {} {}{}", name(s.first), s.requires_grad ? "leaf" : "constant", str(s.shape),
                          list(s.values), layouts[static_cast<int>(s.layout)]);
    else if (s.kind == Step::operation)
      text += fmt::format("{} = {}({}{}{})", names(made), s.name, names(s.action.inputs),
                          s.action.text.empty() ? "" : "; ", s.action.text);
    else if (s.kind == Step::hook)
      text += fmt::format("{}.on_grad(times {})", name(s.first), s.factor);
    else if (s.kind == Step::retain)
      text += name(s.first) + ".retain_grad()";
    else
      text += fmt::format("mul_({}, {})   # under NoGrad", name(s.first), s.factor);
    text += std::string(modes[static_cast<int>(s.mode)]) + "\n";
    if (p.driver == Driver::second_order && s.requires_grad)
      directions += fmt::format("  direction of {}: {}\n", name(s.first), list(s.direction));
  }
  for (const Output& y : p.outputs)
    outputs += fmt::format("{}{} with seeds {}", outputs.empty() ? "" : ", ", name(y.value), list(y.seeds));
  text += drivers[static_cast<int>(p.driver)] + outputs;
  if (p.driver >= Driver::grad) text += " towards " + (p.wrt.empty() ? "the leaves" : names(p.wrt));
  return text + (p.elsewhere ? "   # on another thread\n" : "\n") + directions;
}

}  // namespace random_program
