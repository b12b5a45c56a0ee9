// The operations of random programs: a table of rows
//
//   op("slice", heed::slice, slow::slice, [](Pick& p) { .. return std::tuple{axis, begin, end, step}; })
//
// of a name, heed's function, the slow one, and a function that chooses: it picks the inputs, values of the program or
// new leaves, and returns the other arguments, which both functions are given.
#pragma once

#include <tuple>

#include "autograd/ops.h"
#include "tests/autograd/random_program/program.h"

namespace random_program {

struct Range {
  double low = -1e9, high = 1e9;
};
constexpr Range kAnywhere{}, kPositive{0.2, 50}, kProbability{0.05, 0.95};

struct Unfit {};  // thrown by an operation that cannot use what it was given

struct Operation;

// Writes a program, step by step: each is tried on the slow interpreter, and kept if its values are fit to go on with.
// While an operation is made it asks for its inputs: each call of any, of and against chooses the next one, a value of
// the program or a new leaf, and returns its shape.
class Pick {
 public:
  Pick(Program& program, heed::Generator& generator) : p(program), run(0), rng(generator) {
    if (p.extreme) run.rounded = [type = p.type](Number x) { return random_program::rounded(x, type); };
  }
  bool operation(const Operation& o, Mode mode);  // one more; false if it did not fit
  void other();                                   // a hook, a retained gradient or a value written into
  const Step& maker(int value) const;
  bool tracked(int value) const;  // does a gradient flow through it?
  const Array& now(int value) const { return run.now[static_cast<size_t>(value)]; }

  Shape any(int min_rank = 0, int max_rank = 4, Range range = kAnywhere);
  Shape of(const Shape& shape, Range range = kAnywhere);
  Shape against(const Shape& shape, Range range = kAnywhere);  // broadcasts with `shape`
  struct Axis {
    Shape x;
    int64_t axis, size;  // the axis is now and then counted from the end
  };
  Axis any_axis(int max_rank = 4);

  bool extreme_program() const { return p.extreme; }
  bool coin(double chance = 0.5) { return rng.uniform() < chance; }
  int64_t below(int64_t n) { return n > 0 ? rng.below(n) : throw Unfit(); }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  double number(double low, double high);  // with two decimals, or six bits
  double seed();                           // of an output: what its gradient is multiplied by
  double extreme();                        // a number from one end of the type to the other, or infinite
  int64_t axis(const Shape& shape);
  Dims axes(const Shape& shape);  // some, in any order; none: all of them
  Shape shape(int min_rank, int max_rank);
  Shape smaller(const Shape& shape);  // one that broadcasts to `shape`
  Tensor bools(const Shape& shape, double chance);
  Tensor ids(const Shape& shape, int64_t below);

 private:
  using Accepts = std::function<bool(const Shape&)>;
  Shape take(const Accepts& accepts, const std::function<Shape()>& make, Range range);
  int existing(const Accepts& accepts, Range range);  // a value of the program that fits, or -1
  int leaf(const Shape& shape, Range range);
  std::vector<double> extremes(size_t count, Range range);  // the values of a leaf
  void evaluate(Step& s);
  bool writable(int value) const;

  Program& p;
  SlowRun run;
  heed::Generator& rng;
  std::vector<int> inputs;  // of the operation that is being made
  Mode current = Mode::plain;
};

struct Operation {
  std::string name;
  std::function<Action(Pick&)> make;
  bool keeps_nothing = false;  // backward reads neither inputs nor outputs, and no output is a view of an input
  bool elementwise = false;    // a gradient of 0 stays 0, whatever the slope
  bool loss = false;           // shares of 0 in it have no slope
  bool product = false;        // of matrices, or a chain of operations: what leaves the range on the way is lost
};

std::vector<Operation> elementwise_operations(), reducing_operations(), shape_operations(), indexing_operations(),
    product_operations(), loss_operations();
const std::vector<Operation>& operations();  // all of them

Program generate(uint64_t seed, const std::vector<Operation>& from = operations());
Program generate_extreme(uint64_t seed, const std::vector<Operation>& from = operations());
Program one_operation(const Operation& operation, uint64_t seed);  // that one on new leaves; no steps if none fits

// --- rows -----------------------------------------------------------------------------------------------------------
std::string str(double x);
inline std::string str(int64_t x) { return std::to_string(x); }
inline std::string str(int x) { return std::to_string(x); }
inline std::string str(bool x) { return x ? "true" : "false"; }
inline std::string str(const Dims& d) { return heed::to_string(d); }
inline std::string str(const Tensor& t) { return t.defined() ? "a tensor " + str(t.shape()) : "none"; }
inline std::string str(const std::string& s) { return s; }
inline std::string str(const std::vector<int64_t>& x) { return str(Dims(x)); }
std::string str(const heed::AttentionTiles& o);
inline std::string str(heed::Reduction r) {
  return r == heed::Reduction::mean ? "mean" : r == heed::Reduction::sum ? "sum" : "none";
}

template <class Engine, class Twin, class... T>
Action call(const Engine& engine, const Twin& twin, const std::tuple<T...>& arguments) {
  std::string text;
  auto add = [&](const auto& a) { text += (text.empty() ? "" : ", ") + str(a); };
  std::apply([&](const T&... a) { (add(a), ...); }, arguments);
  return {text, [=](In in) { return std::apply([&](const T&... a) { return engine(in, a...); }, arguments); },
          [=](Slow in) { return std::apply([&](const T&... a) { return twin(in, a...); }, arguments); }};
}
// Functions of one input, of two, of several; and those with several outputs.
template <class... T, class Choose>
Operation op(const std::string& name, Variable (*f)(V, T...), Array (*g)(A, T...), Choose choose) {
  return {name, [=](Pick& p) {
            return call([f](In in, const auto&... a) { return Variables{f(in[0], a...)}; },
                        [g](Slow in, const auto&... a) { return Arrays{g(in[0], a...)}; }, choose(p));
          }};
}
template <class... T, class Choose>
Operation op(const std::string& name, Variable (*f)(V, V, T...), Array (*g)(A, A, T...), Choose choose) {
  return {name, [=](Pick& p) {
            return call([f](In in, const auto&... a) { return Variables{f(in[0], in[1], a...)}; },
                        [g](Slow in, const auto&... a) { return Arrays{g(in[0], in[1], a...)}; }, choose(p));
          }};
}
template <class... T, class Choose>
Operation op(const std::string& name, Variable (*f)(In, T...), Array (*g)(Slow, T...), Choose choose) {
  return {name, [=](Pick& p) {
            return call([f](In in, const auto&... a) { return Variables{f(in, a...)}; },
                        [g](Slow in, const auto&... a) { return Arrays{g(in, a...)}; }, choose(p));
          }};
}
template <class... T, class Choose>
Operation op(const std::string& name, Variables (*f)(V, T...), Arrays (*g)(A, T...), Choose choose) {
  return {name, [=](Pick& p) {
            return call([f](In in, const auto&... a) { return f(in[0], a...); },
                        [g](Slow in, const auto&... a) { return g(in[0], a...); }, choose(p));
          }};
}

inline Number at(const Tensor& t, const slow::Index& i) {  // t broadcast to where i points
  int64_t offset = t.offset();
  for (int k = 0; k < t.rank(); ++k) offset += t.size(k) == 1 ? 0 : i[i.rank() - t.rank() + k] * t.strides()[k];
  return t.as_strided({}, {}, offset).item();
}

}  // namespace random_program
