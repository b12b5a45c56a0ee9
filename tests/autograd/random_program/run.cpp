// A program run by the slow interpreter and by heed, and what they disagree on.
#include <fmt/format.h>

#include <thread>

#include "autograd/backward.h"
#include "autograd/checkpoint.h"
#include "autograd/modes.h"
#include "tensor/elementwise.h"
#include "tests/autograd/random_program/operations.h"

namespace random_program {

void SlowRun::step(const Step& s) {
  slow::Recording recording(tape);
  auto first = static_cast<size_t>(s.first);
  if (s.kind == Step::leaf) {
    Array a{s.shape, {}};
    for (size_t i = 0; i < s.values.size(); ++i)
      a.elements.emplace_back(slow::Tape::Entry{.value = {s.values[i], s.requires_grad ? s.direction[i] : 0}});
    now[first] = made[first] = a;
  } else if (s.kind == Step::operation) {
    Arrays in;
    for (int i : s.action.inputs) {
      in.push_back(now.at(static_cast<size_t>(i)));
      if (in.back().rank() != s.action.ranks[in.size() - 1]) throw std::out_of_range("slow: rank");
    }
    Arrays out = s.action.slow(in);
    if (static_cast<int>(out.size()) != s.count) throw std::out_of_range("slow: outputs");
    for (size_t k = 0; k < out.size(); ++k) {
      for (Real& e : out[k].elements) {
        e = s.mode == Mode::no_grad ? constant_of(e) : copy(e);
        if (rounded) tape.entries[static_cast<size_t>(e.at)].value.v = rounded(number(e));
      }
      now[first + k] = made[first + k] = std::move(out[k]);
    }
  } else if (s.kind == Step::hook) {
    for (const Real& e : made[first].elements) tape.entries[static_cast<size_t>(e.at)].hook *= s.factor;
  } else if (s.kind == Step::overwrite) {  // another value, and the gradient goes where it went before
    for (Real& e : now[first].elements) e = unary(e, {s.factor * e.v(), e.dual().d}, slow::constant(1));
  }
}

namespace {

// What heed found: a value, its gradient, or its part of the Hessian times the direction.
struct Found {
  enum Kind { value, gradient, second } kind;
  int of;
  Tensor numbers;
};

Tensor laid_out(const Step& s) {
  Tensor x = Tensor::from(s.values, s.shape);
  if (s.layout == Layout::transposed && x.rank() > 1) return x.transpose(0, -1).clone().transpose(0, -1);
  if (s.layout == Layout::sliced && x.rank() > 0) {
    Shape wide = s.shape;
    wide[wide.rank() - 1] *= 2;
    Tensor every_second = Tensor::full(wide, -77, heed::DType::f64).slice(-1, 0, wide[wide.rank() - 1], 2);
    copy_into(every_second, x);
    return every_second;
  }
  if (s.layout == Layout::expanded && x.rank() > 0 && x.size(0) > 1) return x.slice(0, 0, 1).clone().expand(s.shape);
  return x;
}

}  // namespace

Variables compute(const Step& s, const Variables& values, heed::DType type) {
  if (s.kind == Step::leaf)
    return {Variable(laid_out(s).to(type), s.requires_grad ? Variable::kRequiresGrad : Variable::kConstant)};
  Variables in;
  for (int i : s.action.inputs) in.push_back(values.at(static_cast<size_t>(i)));
  return s.action.engine(in);
}

namespace {

template <class F>
void on_thread(bool another, const F& f) {
  if (!another) return f();
  std::exception_ptr thrown;
  std::thread([&, recording = heed::grad_enabled()] {
    heed::GradMode mode(recording);
    try {
      f();
    } catch (...) { thrown = std::current_exception(); }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

class EngineRun {
 public:
  explicit EngineRun(const Program& program) : p(program), v(static_cast<size_t>(p.values)) {}

  std::vector<Found> run() {
    for (size_t i = 0, end = 0; i < p.steps.size(); i = end) {  // neighbours of one mode together
      for (end = i + 1; end < p.steps.size() && p.steps[end].mode == p.steps[i].mode;) ++end;
      heed::GradMode recording(p.steps[i].mode != Mode::no_grad);
      if (p.steps[i].mode == Mode::checkpoint)
        checkpointed(i, end);
      else
        on_thread(p.steps[i].mode == Mode::thread, [&] {
          for (size_t k = i; k < end; ++k) step(p.steps[k]);
        });
    }
    for (const Step& s : p.steps)
      for (int k = 0; k < s.count && s.kind == Step::operation; ++k)
        all.push_back({Found::value, s.first + k, of(s.first + k).value().clone()});
    on_thread(p.elsewhere, [&] { p.driver < Driver::grad ? by_backward() : by_grad(); });
    return std::move(all);
  }

 private:
  Variable& of(int value) { return v[static_cast<size_t>(value)]; }

  void step(const Step& s) {
    if (s.kind == Step::leaf || s.kind == Step::operation) {
      Variables out = compute(s, v, p.type);
      for (size_t k = 0; k < out.size(); ++k) of(s.first + static_cast<int>(k)) = out[k];
    } else if (s.kind == Step::hook) {
      of(s.first).on_grad([factor = s.factor](const Variable& dy) { return dy * factor; });
    } else if (s.kind == Step::retain) {
      of(s.first).retain_grad();
    } else {
      heed::NoGrad guard;
      heed::mul_(of(s.first), s.factor);
    }
  }
  // All values of the steps are outputs. The second run must read the values of the first, so it gets them by copy.
  void checkpointed(size_t begin, size_t end) {
    std::vector<Step> steps(p.steps.begin() + static_cast<std::ptrdiff_t>(begin),
                            p.steps.begin() + static_cast<std::ptrdiff_t>(end));
    Variables watched;
    for (const Step& s : steps)
      for (int input : s.action.inputs)
        if (of(input).defined()) watched.push_back(of(input));
    auto f = [steps, before = v]() mutable {
      Variables values = before, made;
      for (const Step& s : steps) {
        Variables out = compute(s, values, heed::DType::f64);
        std::copy(out.begin(), out.end(), values.begin() + s.first);
        made.insert(made.end(), out.begin(), out.end());
      }
      return made;
    };
    Variables made = heed::checkpoint_many(f, watched);
    size_t next = 0;
    for (const Step& s : steps)
      for (int k = 0; k < s.count; ++k) of(s.first + k) = made.at(next++);
  }

  void found(Found::Kind kind, int value, const Tensor& dx) {
    all.push_back({kind, value, dx.defined() ? dx : Tensor::zeros(of(value).shape(), heed::DType::f64)});
  }
  void by_backward() {
    Variable loss(Tensor::scalar(0, heed::DType::f64));
    for (const Output& y : p.outputs) loss = loss + sum(of(y.value) * seed_of(y));
    if (!loss.requires_grad()) return;
    bool twice = p.driver == Driver::backward_twice;
    backward(loss, {.retain_graph = twice});
    if (twice) backward(loss);
    for (const Step& s : p.steps)
      if ((s.kind == Step::leaf && s.requires_grad) || s.kind == Step::retain)
        found(Found::gradient, s.first, of(s.first).grad());
  }
  Variable seed_of(const Output& y) { return Variable(Tensor::from(y.seeds, of(y.value).shape())); }

  Variables gradients(const std::vector<int>& values, bool recorded) {
    Variables outputs, seeds, x;
    for (const Output& y : p.outputs) {
      outputs.push_back(of(y.value));
      seeds.push_back(seed_of(y));
    }
    for (int i : values) x.push_back(of(i));
    return grad(outputs, x, {.seeds = seeds, .create_graph = recorded, .allow_unused = true});
  }
  void by_grad() {
    bool second = p.driver == Driver::second_order;
    if (p.wrt.empty() || p.outputs.empty()) return;
    Variables dx = gradients(p.wrt, second);
    for (size_t i = 0; i < dx.size(); ++i) found(Found::gradient, p.wrt[i], dx[i].defined() ? dx[i].value() : Tensor());
    if (!second) return;
    // d<gradient, direction> / dleaf = Hessian times direction; all leaves that have a direction must be in it.
    std::vector<int> leaves;
    for (const Step& s : p.steps)
      if (s.kind == Step::leaf && s.requires_grad) leaves.push_back(s.first);
    Variable along(Tensor::scalar(0, heed::DType::f64));
    Variables dl = gradients(leaves, true), x, hv(leaves.size());
    for (size_t i = 0; i < leaves.size(); ++i) {
      x.push_back(of(leaves[i]));
      for (const Step& s : p.steps)
        if (dl[i].defined() && s.kind == Step::leaf && s.first == leaves[i])
          along = along + sum(dl[i] * Variable(Tensor::from(s.direction, s.shape)));
    }
    if (along.requires_grad()) hv = grad({along}, x, {.allow_unused = true});
    for (size_t i = 0; i < leaves.size(); ++i)
      found(Found::second, leaves[i], hv[i].defined() ? hv[i].value() : Tensor());
  }

  const Program& p;
  Variables v;
  std::vector<Found> all;
};

// The slow interpreter's number for one of heed's, and the size of the terms that it is made of.
std::pair<Number, Number> expected(const Program& p, const SlowRun& slow, const std::vector<slow::Adjoint>& adjoints,
                                   const Found& f, size_t element) {
  auto value = static_cast<size_t>(f.of);
  if (f.kind == Found::value) {
    Number x = slow.number(slow.now[value].elements[element]);
    return {x, 1 + std::fabs(x)};
  }
  const slow::Adjoint& a = adjoints[static_cast<size_t>(slow.made[value].elements[element].at)];
  if (f.kind == Found::second) return {a.g.d, 1 + a.size + a.size_d};
  Number times = p.driver == Driver::backward_twice ? 2 : 1;
  return {times * a.g.v, 1 + times * a.size};
}

}  // namespace

Verdict run(const Program& p) {
  if (p.extreme) return run_extreme(p);
  const Verdict no_program{.usable = false};
  SlowRun slow(p.values);
  try {
    for (const Step& s : p.steps) {
      slow.step(s);
      if (!slow.acceptable(s)) return no_program;
    }
  } catch (const std::exception&) { return no_program; }
  std::vector<std::pair<int, Number>> seeds;
  for (const Output& y : p.outputs) {
    const slow::Row& elements = slow.now[static_cast<size_t>(y.value)].elements;
    if (elements.size() != y.seeds.size()) return no_program;
    for (size_t i = 0; i < y.seeds.size(); ++i) seeds.emplace_back(elements[i].at, y.seeds[i]);
  }
  auto adjoints = walk_back(slow.tape, seeds);

  auto failure = [](const std::string& kind, const std::string& words) {
    return Verdict{.ok = false, .kind = kind, .words = words};
  };
  heed::LeakCheck leaks;
  std::vector<Found> all;
  try {
    all = EngineRun(p).run();
  } catch (const heed::Error& e) { return failure("error: " + std::string(e.what()).substr(0, 30), e.what()); }
  bool one_thread = !p.elsewhere;  // each thread counts what it makes and destroys
  for (const Step& s : p.steps) one_thread = one_thread && s.mode != Mode::thread;
  if (one_thread && leaks.nodes() != 0) return failure("leak", fmt::format("{} nodes are left", leaks.nodes()));
  constexpr const char *names[] = {"v", "dv", "d2v"}, *kinds[] = {"value", "gradient", "second gradient"};
  for (const Found& f : all) {
    std::string name = names[f.kind] + std::to_string(f.of);
    const Shape& shape = slow.made[static_cast<size_t>(f.of)].shape;
    if (!(shape == f.numbers.shape()))
      return failure("shape",
                     fmt::format("{} has shape {}, and should have {}", name, str(f.numbers.shape()), str(shape)));
    std::vector<double> numbers = f.numbers.to_vector();
    for (size_t e = 0; e < numbers.size(); ++e) {
      auto [want, size] = expected(p, slow, adjoints, f, e);
      if (std::fabs(numbers[e] - want) <= 1e-8L * size) continue;
      return failure(kinds[f.kind], fmt::format("{} [{}] is {:.10g}, and should be {:.10g}", name, e, numbers[e],
                                                static_cast<double>(want)));
    }
  }
  return {};
}

}  // namespace random_program
