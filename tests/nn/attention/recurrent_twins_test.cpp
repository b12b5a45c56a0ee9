// Every function that adds up a sequence in a fast form (in chunks, in parallel, from running sums, in logarithms)
// against its slow twin, which goes word by word. The inputs are hard: decays from 0 to -1e5, strong ones before weak
// ones, and lengths around the size of a chunk. In f64 both agree; in f32 the fast form has the digits of the slow one,
// in values and in gradients. A new fast form gets a row here.
#include <cmath>

#include "nn/attention/coverage.h"
#include "nn/attention/evaluators/kernel_sums.h"
#include "nn/attention/mixers/selective.h"
#include "nn/attention/normalisers/linear_chain.h"
#include "nn/attention/positions/forgetting.h"
#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/diagonal_scan.h"
#include "nn/attention/recurrences/running_means.h"
#include "nn/attention/registry.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

constexpr int64_t kChunk = 16;
using Variables = std::vector<Variable>;
using Decay = std::function<double(int64_t t)>;  // of word t, <= 0

struct Twin {
  std::string name;
  std::function<std::vector<Tensor>(int64_t T, const Decay& decay)> inputs;  // f64
  std::function<Variable(const Variables&)> fast, slow;
  bool takes_infinity = false;  // may a decay be -inf?
};

Tensor over_words(const Shape& shape, int axis, const Decay& f) {
  Tensor out = Tensor::empty(shape, kF64);
  int64_t after = 1;
  for (int i = axis + 1; i < shape.rank(); ++i) after *= shape[i];
  for (int64_t i = 0; i < out.count(); ++i) out.data<double>()[i] = f(i / after % shape[axis]);
  return out;
}

Variable flat(const Variable& x) { return reshape(x, {x.value().count()}); }
Variable both(const nn::SumsRead& read) { return concat({flat(read.output), flat(read.state)}, 0); }

Twin sums(const std::string& name, int64_t width, bool strength, int64_t chunk) {
  auto words = [=](const Variables& in) {
    nn::DecayedSums w{in[0], in[1], in[2], in[3]};
    if (strength) w.strength = sigmoid(in[4]), w.k = nn::unit_length(w.k);
    return w;
  };
  return {.name = name,
          .inputs =
              [=](int64_t T, const Decay& decay) {
                const Shape words_of{1, 2, T, width};
                return std::vector<Tensor>{random({1, 2, T, 3}, 1, kF64), random({1, 2, T, 3}, 2, kF64),
                                           random({1, 2, T, 4}, 3, kF64), over_words(words_of, 2, decay),
                                           random({1, 2, T, 1}, 4, kF64)};
              },
          .fast = [=](const Variables& in) { return both(nn::chunkwise_sums(words(in), chunk)); },
          .slow = [=](const Variables& in) { return both(nn::recurrent_sums(words(in))); },
          .takes_infinity = true};
}

Twin means(const std::string& name, int64_t chunk) {
  auto read = [](const Variables& in, int64_t c) {
    nn::MeansRead r = nn::running_means(in[0], in[1], -in[2], in[3], {}, c, {});
    return concat({flat(r.output), flat(r.state.mean), flat(r.state.log_total)}, 0);
  };
  return {.name = name,
          .inputs =
              [](int64_t T, const Decay& decay) {
                return std::vector<Tensor>{random({1, T, 3}, 1, kF64), random({1, T, 3}, 2, kF64),
                                           over_words({3}, 0, [&](int64_t d) { return decay(d * (T - 1) / 2); }),
                                           random({3}, 3, kF64)};
              },
          .fast = [=](const Variables& in) { return read(in, chunk); },
          .slow = [=](const Variables& in) { return read(in, 1); },
          .takes_infinity = true};
}

// Decays that are numbers, or complex numbers that turn as well.
Twin scan(const std::string& name, bool turns, int64_t chunk) {
  auto read = [=](const Variables& in, int64_t c) {
    Variable a = exp(in[0]), angle = 7 * in[3];
    if (!turns) return nn::diagonal_scan(a, in[1], c, in[2]);
    nn::Complex h = nn::diagonal_scan(nn::Complex{a * cos(angle), a * sin(angle)}, {in[1], in[4]}, c, {in[2], in[2]});
    return concat({flat(h.re), flat(h.im)}, 0);
  };
  return {.name = name,
          .inputs =
              [](int64_t T, const Decay& decay) {
                const Shape words{1, T, 3};
                return std::vector<Tensor>{over_words(words, 1, decay), random(words, 1, kF64),
                                           random({1, 1, 3}, 2, kF64), random(words, 3, kF64), random(words, 4, kF64)};
              },
          .fast = [=](const Variables& in) { return read(in, chunk); },
          .slow = [=](const Variables& in) { return read(in, 1); },
          .takes_infinity = true};
}

// The gate's logit whose log sigmoid is d.
double logit_of(double d) { return d > -1e-9 ? 40 : d < -30 ? d : -std::log(std::expm1(-d)); }

// exp is what reads the bias, and what is left of it after the largest key: exp(b), and b itself where it is small.
Variable as_read(const Variable& b) { return concat({flat(exp(b)), flat(b)}, 0); }

Twin forgetting(bool causal) {
  return {.name = causal ? "forgetting" : "forgetting, both directions",
          .inputs =
              [](int64_t T, const Decay& decay) {
                return std::vector<Tensor>{over_words({1, T, 2}, 1, [&](int64_t t) { return logit_of(decay(t)); })};
              },
          .fast =
              [=](const Variables& in) {
                Generator rng(1);
                nn::ForgettingPosition m({.query = 1, .key = 1, .heads = 2}, rng);
                nn::convert(m, in[0].dtype());
                m.forget.weight.set_value(Tensor::eye(2, in[0].dtype()));
                m.forget.bias.set_value(Tensor::zeros({2}, in[0].dtype()));
                Variable marks = unsqueeze(transpose(m.marks_of(in[0]), 1, 2), -1);  // [1, 2, T, 1]
                const int64_t T = in[0].size(1), early = T / 3;
                Variable b = m.bias_of_marks(marks, T, causal);
                if (causal) {  // a decoder that has read a third of the words makes the last rows alone
                  Variable last = m.bias_of_marks(marks, T - early, causal);
                  b = concat({slice(b, 2, 0, early), last}, 2);
                }
                return as_read(causal ? tril(b) : b);
              },
          .slow =
              [=](const Variables& in) {
                Variable log_f = transpose(-softplus(-in[0]), 1, 2);  // [1, 2, T]
                const int64_t T = log_f.size(2);
                Variables rows;
                Variable row;
                for (int64_t t = 0; t < T; ++t) {
                  Variable own = slice(log_f, 2, t, t + 1) * 0;
                  row = t == 0 ? own : concat({row + slice(log_f, 2, t, t + 1), own}, 2);
                  rows.push_back(pad(row, {{.axis = 2, .after = T - 1 - t}}));
                }
                Variable b = stack(rows, 2);
                return as_read(causal ? b : b + transpose(b, -2, -1));
              }};
}

std::unique_ptr<nn::Normaliser> normaliser(const std::string& name) {
  Generator rng(1);
  nn::StageOptions o = nn::stage_from(nn::Kind::normaliser, name);
  o.query = o.key = 2;
  return nn::make_normaliser(o, rng);
}

Twin monotonic() {
  return {.name = "monotonic",
          .inputs =
              [](int64_t T, const Decay& decay) {  // two queries; log(1 - p) is the decay of a key
                return std::vector<Tensor>{over_words({1, 2, T}, 2, [&](int64_t s) { return -logit_of(decay(s)); })};
              },
          .fast =
              [](const Variables& in) {
                auto made = normaliser("monotonic:offset=0,noise=0");
                nn::convert(*made, in[0].dtype());
                nn::StageContext context;
                nn::AlignmentState state;
                context.state = &state;
                return (*made)(in[0], context);
              },
          .slow =
              [](const Variables& in) {
                const int64_t S = in[0].size(2);
                Variables rows;
                Variable before;
                for (int64_t t = 0; t < 2; ++t) {
                  Variables row;
                  Variable arrived;
                  for (int64_t s = 0; s < S; ++s) {
                    Variable e = slice(slice(in[0], 1, t, t + 1), 2, s, s + 1);
                    Variable here = t == 0 ? e * 0 + (s == 0 ? 1 : 0) : slice(before, 2, s, s + 1);
                    arrived = s == 0 ? here : here + arrived;
                    row.push_back(sigmoid(e) * arrived);
                    arrived = sigmoid(-e) * arrived;
                  }
                  rows.push_back(before = concat(row, 2));
                }
                return concat(rows, 1);
              }};
}

Twin stick_breaking() {
  return {.name = "stick_breaking",
          .inputs =
              [](int64_t T, const Decay& decay) {
                return std::vector<Tensor>{over_words({1, 1, T}, 2, [&](int64_t s) { return -logit_of(decay(s)); })};
              },
          .fast = [](const Variables& in) { return (*normaliser("stick_breaking"))(in[0]); },
          .slow =
              [](const Variables& in) {
                const int64_t S = in[0].size(2);
                Variables row(static_cast<size_t>(S));
                Variable left;
                for (int64_t s = S - 1; s >= 0; --s) {
                  Variable e = slice(in[0], 2, s, s + 1);
                  row[static_cast<size_t>(s)] = left.defined() ? left * sigmoid(e) : sigmoid(e);
                  left = left.defined() ? left * sigmoid(-e) : sigmoid(-e);
                }
                return concat(row, 2);
              }};
}

// Messages from both ends, each the odds that its neighbour is 1; slowly by probabilities.
Twin linear_chain(bool composed) {
  return {.name = composed ? "linear_chain, composed" : "linear_chain",
          .inputs =
              [](int64_t T, const Decay& decay) {
                Tensor e = over_words({1, 1, T}, 2, [&](int64_t s) { return (s % 3 == 1 ? 1 : -1) * decay(s); });
                return std::vector<Tensor>{e, random({2, 2}, 7, kF64)};
              },
          .fast =
              [=](const Variables& in) {
                return composed ? nn::chain_marginals_composed(in[0], in[1]) : nn::chain_marginals(in[0], in[1]);
              },
          .slow =
              [](const Variables& in) {
                const int64_t S = in[0].size(2);
                auto e = [&](int64_t s) { return slice(in[0], 2, s, s + 1); };
                auto pair = [&](int64_t a, int64_t b) { return exp(select(select(in[1], 0, a), 0, b)); };
                auto odds = [](const Variable& x, const Variable& a, const Variable& b, const Variable& c,
                               const Variable& d) {
                  Variable one = sigmoid(x), zero = sigmoid(-x);
                  return log((zero * a + one * b) / (zero * c + one * d));
                };
                Variables left{e(0) * 0}, right(static_cast<size_t>(S)), row;
                for (int64_t s = 0; s + 1 < S; ++s)
                  left.push_back(odds(left.back() + e(s), pair(0, 1), pair(1, 1), pair(0, 0), pair(1, 0)));
                right.back() = e(0) * 0;
                for (int64_t s = S - 1; s > 0; --s)
                  right[static_cast<size_t>(s - 1)] =
                      odds(right[static_cast<size_t>(s)] + e(s), pair(1, 0), pair(1, 1), pair(0, 0), pair(0, 1));
                for (int64_t s = 0; s < S; ++s)
                  row.push_back(sigmoid(left[static_cast<size_t>(s)] + e(s) + right[static_cast<size_t>(s)]));
                return concat(row, 2);
              }};
}

Twin selective() {
  return {.name = "selective",
          .inputs =
              [](int64_t T, const Decay& decay) {  // a row with large scores between others
                Tensor e = over_words({1, T, T}, 1, [&](int64_t t) { return -decay(t); });
                return std::vector<Tensor>{add(e, abs(random({1, T, T}, 1, kF64)))};
              },
          .fast = [](const Variables& in) { return nn::selective_masking(in[0], {}); },
          .slow =
              [](const Variables& in) {
                const int64_t T = in[0].size(1);
                Variables rows;
                Variable total;
                for (int64_t t = 0; t < T; ++t) {
                  Variable row = slice(in[0], 1, t, t + 1);
                  Tensor never = Tensor::zeros({1, 1, T}, DType::boolean);
                  for (int64_t s = 0; s < T; ++s) never.set({0, 0, s}, s == 0 || s >= t);
                  rows.push_back(total.defined() ? total : row * 0);
                  Variable taken = masked_fill(relu(row), never, 0);
                  total = total.defined() ? total + taken : taken;
                }
                return concat(rows, 1);
              }};
}

Twin coverage() {
  return {.name = "coverage_loss",
          .inputs =
              [](int64_t T, const Decay& decay) {
                Tensor a = over_words({1, T, 3}, 1, [&](int64_t t) { return -decay(t); });
                return std::vector<Tensor>{add(a, abs(random({1, T, 3}, 1, kF64)))};
              },
          .fast = [](const Variables& in) { return nn::coverage_loss(in[0]); },
          .slow =
              [](const Variables& in) {
                Variables rows;
                Variable before = slice(in[0], 1, 0, 1) * 0;
                for (int64_t t = 0; t < in[0].size(1); ++t) {
                  Variable row = slice(in[0], 1, t, t + 1);
                  rows.push_back(sum(minimum(row, before), {2}));
                  before = before + row;
                }
                return concat(rows, 1);
              }};
}

Twin running_kernel(int64_t chunk) {
  return {.name = "kernel sums in chunks of " + std::to_string(chunk),
          .inputs =
              [](int64_t T, const Decay& decay) {  // log phi(k) goes up and down with the decays
                Tensor k = over_words({1, 1, T, 3}, 2, [&](int64_t t) { return decay(t); });
                return std::vector<Tensor>{random({1, 1, T, 3}, 1, kF64), add(k, random({1, 1, T, 3}, 2, kF64)),
                                           random({1, 1, T, 2}, 3, kF64)};
              },
          .fast =
              [=](const Variables& in) {
                nn::Features q{in[0]}, k{in[1]};
                Variable v = nn::with_ones(in[2]);
                return nn::read_causal(q, k, v, nn::no_sums(k, v), 0, chunk);
              },
          .slow =
              [](const Variables& in) {
                Variables rows;
                for (int64_t t = 0; t < in[0].size(2); ++t) {
                  Variable pairs = slice(in[0], 2, t, t + 1) + slice(in[1], 2, 0, t + 1);  // [1, 1, t + 1, F]
                  Variable w = softmax(logsumexp(pairs, {-1}), -1);
                  rows.push_back(matmul(unsqueeze(w, 2), slice(in[2], 2, 0, t + 1)));
                }
                return concat(rows, 2);
              }};
}

std::vector<Twin> twins() {
  return {sums("chunks: one decay for a head", 1, false, kChunk),
          sums("parallel: one decay for a head", 1, false, 1000),
          sums("chunks: a decay for each feature", 3, false, kChunk),
          sums("parallel: a decay for each feature", 3, false, 1000),
          sums("chunks: the delta rule", 1, true, kChunk),
          sums("chunks: the delta rule, a decay for each feature", 3, true, kChunk),
          means("means in chunks", kChunk),
          means("means in parallel", 1000),
          scan("scan in chunks", false, kChunk),
          scan("scan in chunks of three", false, 3),
          scan("scan in parallel", false, 1000),
          scan("scan of complex numbers in chunks", true, kChunk),
          forgetting(true),
          forgetting(false),
          monotonic(),
          stick_breaking(),
          linear_chain(false),
          linear_chain(true),
          selective(),
          coverage(),
          running_kernel(kChunk),
          running_kernel(1000)};
}

std::vector<std::pair<std::string, Decay>> decays() {
  return {{"0", [](int64_t) { return 0.0; }},
          {"-0.01", [](int64_t) { return -0.01; }},
          {"-20", [](int64_t) { return -20.0; }},
          {"-1e5", [](int64_t) { return -1e5; }},
          {"-20, then -0.01", [](int64_t t) { return t < kChunk - 4 ? -20 : -0.01; }},
          {"-1e5, then -0.01", [](int64_t t) { return t < kChunk - 4 ? -1e5 : -0.01; }},
          {"-0.01, then -20", [](int64_t t) { return t < kChunk + 2 ? -0.01 : -20; }},
          {"-0.01 and a -1e5", [](int64_t t) { return t % 7 == 3 ? -1e5 : -0.01; }},
          {"from -1e-6 to -1e5", [](int64_t t) { return -std::pow(10, static_cast<double>(t * 5 % 12) - 6); }},
          {"-0.01 and a -inf", [](int64_t t) { return t % 7 == 3 ? -HUGE_VAL : -0.01; }}};
}

struct Result {
  Tensor value;
  std::vector<Tensor> gradients;
};

Result run(const std::function<Variable(const Variables&)>& f, const std::vector<Tensor>& inputs, DType dtype) {
  Variables in;
  for (const Tensor& x : inputs) in.push_back({x.to(dtype), Variable::kRequiresGrad});
  Variable y = f(in);
  Tensor weights = random(y.shape(), 9, kF64).to(dtype);
  backward(sum(y * Variable(weights)));
  Result r{y.value().to(kF64), {}};
  for (const Variable& x : in)
    r.gradients.push_back(x.grad().defined() ? x.grad().to(kF64) : Tensor::zeros(x.shape(), kF64));
  return r;
}

// The largest |a - b| / max(1, |b|): relative for large numbers. NaN where one of them is.
double apart(const Tensor& a, const Tensor& b) {
  double most = 0;
  for (int64_t i = 0; i < a.count(); ++i) {
    double x = a.data<double>()[i], y = b.data<double>()[i];
    double d = x == y ? 0 : std::abs(x - y) / std::max(1.0, std::abs(y));
    if (!(d <= most)) most = d;
  }
  return most;
}

}  // namespace

TEST_CASE("fast forms of sequences have the digits of their slow twins, whatever the decays") {
  for (const Twin& twin : twins())
    for (const auto& given : decays())
      for (int64_t T : {1, 15, 16, 17, 33}) {
        const std::string& name = given.first;
        if (name.find("inf") != std::string::npos && !twin.takes_infinity) continue;
        CAPTURE(twin.name);
        CAPTURE(name);
        CAPTURE(T);
        std::vector<Tensor> inputs;
        for (const Tensor& x : twin.inputs(T, given.second)) inputs.push_back(x.to(DType::f32).to(kF64).contiguous());
        Result right = run(twin.slow, inputs, kF64), fast = run(twin.fast, inputs, kF64);
        Result slow_f32 = run(twin.slow, inputs, DType::f32), fast_f32 = run(twin.fast, inputs, DType::f32);
        auto agree = [&](const Tensor& wide, const Tensor& narrow, const Tensor& narrow_slow, const Tensor& wanted) {
          const double least = apart(narrow_slow.contiguous(), wanted.contiguous());  // of the slow form in f32
          CHECK(apart(wide.contiguous(), wanted.contiguous()) < std::max(1e-12, 1e-8 * least));
          CHECK(apart(narrow.contiguous(), wanted.contiguous()) < std::max(1e-6, 8 * least));
        };
        agree(fast.value, fast_f32.value, slow_f32.value, right.value);
        for (size_t i = 0; i < inputs.size(); ++i) {
          CAPTURE(i);
          agree(fast.gradients[i], fast_f32.gradients[i], slow_f32.gradients[i], right.gradients[i]);
        }
      }
}
