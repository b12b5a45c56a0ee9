// Random programs: some operations on some leaves, run by heed and by the slow interpreter, and compared.
//
// clang-format off
//   Program p = generate(seed);     3 to 30 operations; values finite, away from corners and poles
//   Verdict v = run(p);             values, and gradients of first or second order
//   if (!v.ok) {
//     Program q = shrink(p);        the smallest program that fails in the same way
//     puts(to_string(q).c_str());   as pseudo-code
//   }
// clang-format on
//
// Beside operations a program contains what an engine may get wrong around them: leaves that are strided views, hooks,
// retained gradients, values overwritten under NoGrad that no gradient reads, steps inside checkpoint, under NoGrad or
// on another thread, and the backward pass on another thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "tensor/random.h"
#include "tests/autograd/random_program/slow_arrays.h"

namespace random_program {

using heed::Dims;
using heed::Shape;
using heed::Tensor;
using heed::Variable;
using slow::Array;
using slow::Arrays;
using slow::Number;
using slow::Real;
using Variables = std::vector<Variable>;
using V = const Variable&;
using In = const Variables&;
using A = const Array&;
using Slow = const Arrays&;

// One use of an operation: its inputs are values of the program, by number.
struct Action {
  std::string text;  // the other arguments
  std::function<Variables(In)> engine;
  std::function<Arrays(Slow)> slow;
  std::vector<int> inputs = {};
  std::vector<int> ranks = {};  // of the inputs: what the arguments were chosen for
};

enum class Mode { plain, checkpoint, no_grad, thread };  // neighbours of one mode share one checkpoint, one thread
enum class Layout { contiguous, transposed, sliced, expanded };

// One line of a program. Values are numbered in the order in which they are made.
struct Step {
  enum Kind { leaf, operation, hook, retain, overwrite } kind = leaf;
  int first = 0, count = 1;  // the values that it makes; of hook, retain and overwrite: the value that it is about
  Mode mode = Mode::plain;
  // --- of a leaf
  Shape shape = {};
  std::vector<double> values = {}, direction = {};  // and the direction of the second derivative
  bool requires_grad = false;
  Layout layout = Layout::contiguous;
  // --- of an operation
  std::string name = {};
  Action action = {};
  bool keeps_nothing = false, elementwise = false, product = false, loss = false;
  double factor = 1;  // of a hook, or of an overwritten value
};

struct Output {
  int value;
  std::vector<double> seeds;
};

enum class Driver { backward, backward_twice, grad, second_order };

struct Program {
  uint64_t seed = 0;
  std::vector<Step> steps = {};
  int values = 0;  // how many there are
  std::vector<Output> outputs = {};
  std::vector<int> wrt = {};  // whose gradients are asked of grad(): leaves and values of operations
  Driver driver = Driver::backward;
  bool elsewhere = false;  // differentiated on another thread
  bool extreme = false;    // infinities, huge and tiny numbers: each operation is judged alone (extremes.cpp)
  heed::DType type = heed::DType::f64;
};

// Everything that the slow interpreter knows of a program, step by step.
class SlowRun {
 public:
  explicit SlowRun(int values) : now(static_cast<size_t>(values)), made(now) {}
  void step(const Step& s);
  void forget(size_t tape_size) { tape.entries.resize(tape_size); }
  Number number(const Real& e) const { return tape.entries[static_cast<size_t>(e.at)].value.v; }
  std::function<Number(Number)> rounded = {};  // what each operation's values are rounded with, if at all

  slow::Tape tape;
  std::vector<Array> now, made;          // by value: as it is, and as it was before it was overwritten
  bool acceptable(const Step& s) const;  // its values: finite and not large; nothing near a corner or a pole
};

struct Verdict {
  bool ok = true, usable = true;  // unusable: not a program (shrinking went too far)
  std::string kind = {};          // of failure: "value", "gradient", "shape", "leak", "error: .."
  std::string words = {};
};
Verdict run(const Program& p);
Verdict run_extreme(const Program& p);
Verdict run_again(const Step& s, const Variables& inputs, const std::vector<std::vector<double>>& dy, heed::DType type,
                  Number largest);  // second derivatives of one step of an extreme program
Variables compute(const Step& s, const Variables& values, heed::DType type);  // by heed
Number rounded(Number x, heed::DType type);                                   // infinite if it is too large

Program shrink(const Program& p);
std::string to_string(const Program& p);

}  // namespace random_program
