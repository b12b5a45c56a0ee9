// A random program, step by step: each is tried on the slow interpreter, and kept if its values are fit to go on with.
#include "tests/autograd/random_program/operations.h"

namespace random_program {
namespace {

constexpr double kLargest = 50;  // beyond it products of many steps lose their digits

}  // namespace

bool Pick::operation(const Operation& drawn, Mode mode) {
  current = mode;
  size_t steps = p.steps.size(), entries = run.tape.entries.size();
  int values = p.values;
  inputs.clear();
  Step s{.kind = Step::operation, .first = 0, .count = 0, .mode = mode, .name = drawn.name};
  bool fits = true;
  try {
    s.action = drawn.make(*this);
    s.action.inputs = inputs;
    s.keeps_nothing = drawn.keeps_nothing, s.elementwise = drawn.elementwise, s.product = drawn.product,
    s.loss = drawn.loss;
    s.first = p.values;
    evaluate(s);
    fits = run.acceptable(s);
  } catch (const Unfit&) { fits = false; } catch (const std::out_of_range&) {
    fits = false;
  }
  if (fits) {
    p.steps.push_back(s);
  } else {
    p.steps.resize(steps);
    p.values = values;
    run.forget(entries);
    run.now.resize(static_cast<size_t>(values));
    run.made.resize(static_cast<size_t>(values));
    run.tape.corner = run.tape.pole = INFINITY;
  }
  return fits;
}

void Pick::other() {
  constexpr Step::Kind kinds[] = {Step::hook, Step::retain, Step::overwrite};
  Step s{.kind = kinds[below(3)], .first = static_cast<int>(below(p.values)), .factor = number(0.5, 1.5)};
  if (s.kind == Step::hook && p.driver == Driver::second_order) return;  // the second pass would meet it again
  if (s.kind == Step::overwrite && !writable(s.first)) return;
  if (s.kind != Step::overwrite && maker(s.first).mode == Mode::checkpoint) return;
  if (s.kind != Step::overwrite && !tracked(s.first)) return;
  run.step(s);
  p.steps.push_back(s);
}

const Step& Pick::maker(int value) const {
  for (const Step& s : p.steps)
    if (s.first <= value && value < s.first + s.count) return s;
  return p.steps.front();
}
void Pick::evaluate(Step& s) {
  slow::Recording recording(run.tape);
  Arrays in;
  for (int i : s.action.inputs) {
    in.push_back(run.now[static_cast<size_t>(i)]);
    s.action.ranks.push_back(in.back().shape.rank());
  }
  s.count = static_cast<int>(s.action.slow(in).size());  // only to learn how many values it makes
  run.now.resize(static_cast<size_t>(p.values + s.count));
  run.made.resize(run.now.size());
  run.step(s);
  p.values += s.count;
}

int Pick::existing(const Accepts& accepts, Range range) {
  if (p.extreme && range.high <= 1) return -1;  // heed refuses what is not quite a probability
  std::vector<int> fit;
  for (int v = 0; v < p.values; ++v) {
    const Array& a = run.now[static_cast<size_t>(v)];
    bool within = accepts(a.shape);
    bool any = p.extreme;
    for (const Real& e : a.elements)
      within = within && (any || (run.number(e) > range.low && run.number(e) < range.high));
    if (within) fit.push_back(v);
  }
  if (fit.empty()) return -1;
  auto n = static_cast<int64_t>(fit.size());
  return fit[static_cast<size_t>(coin() ? std::max(below(n), below(n)) : below(n))];  // rather the later ones
}
int Pick::leaf(const Shape& shape, Range range) {
  Step s{.kind = Step::leaf, .first = p.values, .shape = shape, .requires_grad = coin(0.75)};
  double low = std::max(range.low, -2.0), high = std::min(range.high, 2.0);
  for (int64_t n = heed::element_count(shape); n > 0; --n) {
    s.values.push_back(number(low, high) + (range.low > -1e8 ? 0.001 : 0));
    s.direction.push_back(number(-1, 1));
  }
  if (p.extreme) s.values = extremes(s.values.size(), range);
  if (current == Mode::thread && coin()) s.mode = Mode::thread;
  if (coin(0.3)) s.layout = static_cast<Layout>(below(4));
  if (s.layout == Layout::expanded)  // rows of an expanded leaf are one row
    for (size_t i = 0, rows = shape.rank() > 0 ? static_cast<size_t>(shape[0]) : 1, n = s.values.size(); i < n; ++i)
      s.values[i] = s.values[i % (n / rows)];
  run.now.emplace_back();
  run.made.emplace_back();
  run.step(s);
  p.steps.push_back(s);
  return p.values++;
}
// Has no step read the value in a way that its gradient remembers, and has no other value its memory?
bool Pick::writable(int value) const {
  const Step& m = maker(value);
  if (m.kind == Step::leaf ? m.layout == Layout::expanded : !m.keeps_nothing) return false;
  if (m.mode == Mode::checkpoint) return false;
  for (const Step& s : p.steps) {
    if (s.kind == Step::overwrite && s.first == value) return false;  // once
    bool reads = false;
    for (int i : s.action.inputs) reads = reads || i == value;
    if (reads && (!s.keeps_nothing || s.mode == Mode::checkpoint)) return false;
  }
  return true;
}

bool Pick::tracked(int value) const {
  for (const Step& s : p.steps) {
    if (value < s.first || value >= s.first + s.count || s.kind > Step::operation) continue;
    if (s.kind == Step::leaf) return s.requires_grad;
    if (s.mode == Mode::no_grad || s.name == "detach") return false;
    for (int i : s.action.inputs)
      if (tracked(i)) return true;
  }
  return false;
}

bool SlowRun::acceptable(const Step& s) const {
  if (rounded) return true;
  if (tape.corner < 1e-3L || tape.pole < 0.05L) return false;
  for (int k = 0; k < s.count; ++k)
    for (const Real& e : now[static_cast<size_t>(s.first + k)].elements)
      if (!(std::fabs(number(e)) < kLargest)) return false;
  return true;
}

namespace {

Program some_steps(Program p, const std::vector<Operation>& from) {
  heed::Generator rng(p.seed);
  Pick w(p, rng);
  p.driver = static_cast<Driver>(w.below(4));
  int64_t wanted = p.extreme ? w.between(1, 8) : w.between(3, w.coin(0.7) ? 10 : 30), done = 0;
  bool odd = !p.extreme && w.coin(0.5);  // anything but plain steps?
  Mode mode = Mode::plain;
  for (int64_t tries = 0; done < wanted && tries < 40 * wanted; ++tries) {
    if (odd && w.coin(0.15)) mode = w.coin() ? Mode::plain : static_cast<Mode>(w.between(1, 3));
    done += w.operation(from[static_cast<size_t>(w.below(static_cast<int64_t>(from.size())))], mode);
    if (odd && p.values > 0 && w.coin(0.15)) w.other();
  }
  if (w.coin())  // all leaves first: then neighbours share more of checkpoints and threads
    std::stable_partition(p.steps.begin(), p.steps.end(), [](const Step& s) { return s.kind == Step::leaf; });
  // Outputs: values that nothing reads, and some others. Wanted: leaves and some values.
  std::vector<bool> read(static_cast<size_t>(p.values));
  for (const Step& s : p.steps)
    for (int i : s.action.inputs) read[static_cast<size_t>(i)] = true;
  for (int v = 0; v < p.values; ++v) {
    bool leads = w.tracked(v);
    if (leads && (!read[static_cast<size_t>(v)] || w.coin(0.05))) {
      Output y{v, {}};
      for (size_t n = w.now(v).elements.size(); n > 0; --n) y.seeds.push_back(w.seed());
      p.outputs.push_back(y);
    }
    bool visible = w.maker(v).mode != Mode::checkpoint;  // what reads it inside the checkpoint has another value
    if (leads && visible && (w.maker(v).kind == Step::leaf || w.coin(0.1)) && w.coin(0.9)) p.wrt.push_back(v);
  }
  p.elsewhere = odd && w.coin(0.15);
  return p;
}

}  // namespace

Program generate(uint64_t seed, const std::vector<Operation>& from) { return some_steps({.seed = seed}, from); }
Program generate_extreme(uint64_t seed, const std::vector<Operation>& from) {
  return some_steps({.seed = seed, .extreme = true, .type = seed % 2 ? heed::DType::f32 : heed::DType::f64}, from);
}

Program one_operation(const Operation& operation, uint64_t seed) {
  heed::Generator rng(seed);
  Program p{.seed = seed};
  Pick w(p, rng);
  for (int tries = 0; tries < 100 && !w.operation(operation, Mode::plain);) ++tries;
  return p;
}

}  // namespace random_program
