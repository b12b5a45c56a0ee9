// The properties that all attention shares, each as a question to a Subject.
#include <fmt/format.h>

#include <cstdlib>

#include "tensor/indexing.h"
#include "tests/nn/attention/gradients_of_module.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

Tensor lengths() { return Tensor::from(std::vector<int64_t>{5, 3}, {2}); }
Tensor some_keys() { return Tensor::from_bools({1, 1, 0, 1, 1, 0, 1, 1, 0, 1}, {2, 1, 5}); }

// [B, T, S] bool: the keys that the padding and the mask of an Ask leave.
std::vector<bool> left(const Ask& ask) {
  int64_t B = ask.query.size(0), T = ask.query.size(1), S = ask.keys.size(1);
  std::vector<bool> out;
  Tensor mask = ask.allowed.defined() ? ask.allowed.expand({B, T, S}).contiguous() : Tensor();
  std::vector<double> of_mask = mask.defined() ? mask.to_vector() : std::vector<double>();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < T; ++t)
      for (int64_t s = 0; s < S; ++s)
        out.push_back(!(ask.lengths.defined() && static_cast<double>(s) >= ask.lengths.to_vector()[size_t(b)]) &&
                      !(mask.defined() && of_mask[size_t((b * T + t) * S + s)] == 0));
  return out;
}

struct Gradients {
  std::vector<Tensor> inputs, parameters;  // query, keys, values; those of the module
};
Gradients gradients_of(const Ask& ask, const Seen& seen) {
  std::vector<Variable> wanted{ask.query, ask.keys, ask.values};
  for (const auto& p : seen.parameters) wanted.push_back(p.variable);
  std::vector<Variable> all =
      grad({weighted_sum(seen.context, 5) + weighted_sum(seen.weights, 6)}, wanted, {.allow_unused = true});
  Gradients out;
  for (size_t i = 0; i < all.size(); ++i)
    (i < 3 ? out.inputs : out.parameters)
        .push_back(all[i].defined() ? all[i].value() : Tensor::zeros(wanted[i].shape(), wanted[i].dtype()));
  return out;
}

double difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, max_abs_difference(a[i], b[i]));
  return worst;
}

Variable with_rows(const Variable& x, int64_t b, int64_t s, const Tensor& row) {
  Tensor changed = x.value().clone();
  for (int64_t w = 0; w < x.size(2); ++w) changed.set({b, s, w}, row.at({w}));
  return {changed, Variable::kRequiresGrad};
}

Variable reordered(const Variable& x, const std::vector<int64_t>& order) {
  return {index_select(x.value(), 1, Tensor::from(order, {static_cast<int64_t>(order.size())})),
          Variable::kRequiresGrad};
}

}  // namespace

std::string rows_sum_to_one(const Subject& subject) {
  for (bool padded : {false, true}) {
    Ask ask = small_ask();
    if (padded) ask.lengths = lengths();
    Tensor weights = subject(ask).weights.value();
    for (double w : weights.to_vector())
      if (!(w >= 0)) return fmt::format("a weight of {}", w);
    for (double total : sum(weights, {-1}).to_vector())
      if (!(std::abs(total - 1) < 1e-12)) return fmt::format("a row that sums to {}", total);
  }
  return "";
}

std::string masked_keys_are_absent(const Subject& subject) {
  for (bool by_length : {true, false}) {
    Ask ask = small_ask();
    (by_length ? ask.lengths : ask.allowed) = by_length ? lengths() : some_keys();
    Seen seen = subject(ask);
    std::vector<bool> open = left(ask);
    std::vector<double> w = seen.weights.value().to_vector();
    for (size_t i = 0; i < w.size(); ++i)
      if (!open[i] && w[i] != 0) return fmt::format("a masked key has the weight {}", w[i]);
    Gradients before = gradients_of(ask, seen);
    Ask other = ask;
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t s = 0; s < 5; ++s) {
        if (open[static_cast<size_t>(b * 15 + s)]) continue;
        for (size_t which : {1u, 2u})
          if (!all_zero(before.inputs[which].select(0, b).select(0, s)))
            return fmt::format("a masked {} has a gradient", which == 1 ? "key" : "value");
        other.keys = with_rows(other.keys, b, s, mul(random({kWidth}, 31, DType::f64), 100));
        other.values = with_rows(other.values, b, s, mul(random({kWidth}, 32, DType::f64), 100));
      }
    Seen again = subject(other);
    if (!bit_equal(seen.context.value(), again.context.value())) return "the padding changes the context";
    if (!bit_equal(seen.weights.value(), again.weights.value())) return "the padding changes the weights";
    Gradients after = gradients_of(other, again);
    if (difference(before.inputs, after.inputs) != 0 || difference(before.parameters, after.parameters) != 0)
      return "the padding changes a gradient";
  }
  return "";
}

std::string empty_row_reads_zero(const Subject& subject) {
  Tensor sentence = Tensor::from_bools({0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, {2, 1, 5});
  Tensor row = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, {1, 3, 5});
  for (const Tensor& allowed : {sentence, row}) {
    Ask ask = small_ask();
    ask.allowed = allowed;
    Seen seen = subject(ask);
    std::vector<bool> open = left(ask);
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t t = 0; t < 3; ++t) {
        if (std::count(open.begin() + (b * 3 + t) * 5, open.begin() + (b * 3 + t) * 5 + 5, true)) continue;
        if (!all_zero(seen.weights.value().select(0, b).select(0, t))) return "an empty row has weights";
        if (!all_zero(seen.context.value().select(0, b).select(0, t))) return "an empty row has a context";
      }
    Gradients g = gradients_of(ask, seen);
    for (const Tensor& x : g.inputs)
      if (!all_finite(x)) return "an empty row gives an input a gradient that is not finite";
    for (const Tensor& x : g.parameters)
      if (!all_finite(x)) return "an empty row gives a parameter a gradient that is not finite";
    if (allowed.size(0) == 2)
      for (const Tensor& x : g.inputs)
        if (!all_zero(x.select(0, 0))) return "a sentence that is all padding gets a gradient";
  }
  return "";
}

std::string keys_may_be_permuted(const Subject& subject) {
  const std::vector<int64_t> order{3, 0, 4, 2, 1};
  Ask ask = small_ask();
  ask.allowed = some_keys();
  Ask other = ask;
  other.keys = reordered(ask.keys, order);
  other.values = reordered(ask.values, order);
  other.allowed = index_select(ask.allowed, 2, Tensor::from(order, {5}));
  Seen a = subject(ask), b = subject(other);
  if (!(max_abs_difference(a.context.value(), b.context.value()) < 1e-12)) return "the context changes";
  Tensor moved = index_select(a.weights.value(), 2, Tensor::from(order, {5}));
  return max_abs_difference(moved, b.weights.value()) < 1e-12 ? "" : "the weights do not go with their keys";
}

std::string queries_may_be_permuted(const Subject& subject) {
  const std::vector<int64_t> order{2, 0, 1};
  Ask ask = small_ask();
  ask.lengths = lengths();
  Ask other = ask;
  other.query = reordered(ask.query, order);
  Tensor moved = index_select(subject(ask).context.value(), 1, Tensor::from(order, {3}));
  return max_abs_difference(moved, subject(other).context.value()) < 1e-12
             ? ""
             : "the contexts do not go with their queries";
}

std::string weights_depend_on_keys(const Subject& subject) {
  Ask ask = small_ask();
  Tensor base = subject(ask).weights.value();
  int seen = 0;
  for (int64_t s = 0; s < 5; ++s) {
    if (all_zero(base.select(0, 0).select(1, s))) continue;
    ++seen;
    bool changed = false;
    for (uint64_t attempt = 0; attempt < 16 && !changed; ++attempt) {
      Ask other = ask;
      other.keys = with_rows(ask.keys, 0, s, mul(random({kWidth}, 50 + attempt, DType::f64), 3));
      changed = max_abs_difference(subject(other).weights.value(), base) > 1e-6;
    }
    if (!changed) return fmt::format("key {} has a weight, and no other key in its place changes the weights", s);
  }
  return seen > 0 ? "" : "no key has a weight";
}

std::string constant_values_are_read(const Subject& subject) {
  Ask ask = small_ask();
  ask.lengths = lengths();
  Tensor row = random({1, 1, kWidth}, 41, DType::f64);
  ask.values = leaf(row.expand({2, 5, kWidth}).contiguous());
  Tensor wanted = row.expand({2, 3, kWidth});
  return max_abs_difference(subject(ask).context.value(), wanted) < 1e-12 ? "" : "the context is not that value";
}

// One sequence as queries, keys and values: what stands later has no influence.
std::string causal_under_causal_scope(const Subject& subject) {
  Variable x = leaf({2, 5, kWidth}, 61, DType::f64);
  Variable context = subject({.query = x, .keys = x, .values = x, .causal = true}).context;
  for (int64_t i = 0; i < 5; ++i) {
    Tensor dx = grad({weighted_sum(select(context, 1, i))}, {x}, {.retain_graph = true})[0].value();
    for (int64_t j = i + 1; j < 5; ++j)
      if (!all_zero(dx.select(1, j))) return fmt::format("position {} sees position {}", i, j);
    if (all_zero(dx.slice(1, 0, i + 1))) return fmt::format("position {} sees nothing", i);
  }
  if (all_zero(grad({weighted_sum(select(context, 1, 0))}, {x})[0].value().select(1, 0)))
    return "the first position does not see itself";
  return "";
}

std::string step_by_step_is_parallel(const Subject& subject) {
  for (DType dtype : {DType::f64, DType::f32}) {
    Ask ask = small_ask(dtype);
    ask.query = leaf({2, 7, kWidth}, 71, dtype);  // longer than the source
    ask.lengths = lengths();
    Ask steps = ask;
    steps.step_by_step = true;
    Seen a = subject(ask), b = subject(steps);
    double tol = dtype == DType::f64 ? 1e-12 : 1e-5;
    if (!(relative_error(a.context.value(), b.context.value()) <= tol)) return "the contexts differ";
    if (!(relative_error(a.weights.value(), b.weights.value()) <= tol)) return "the weights differ";
  }
  return "";
}

// The keys that are allowed score near -1e12, the masked one near 1e12: under a mask of -1e9 it would win. And a row
// without keys is empty, not uniform.
std::string mask_is_minus_infinity(const Subject& subject) {
  Ask ask = small_ask();
  Tensor one = random({2, 1, kWidth}, 81, DType::f64);
  ask.query = leaf(mul(one, 1e3).expand({2, 3, kWidth}).contiguous());
  Tensor keys = mul(one, -1e9).expand({2, 5, kWidth}).contiguous();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t w = 0; w < kWidth; ++w) keys.set({b, 1, w}, -keys.at({b, 1, w}));
  ask.keys = leaf(keys);
  ask.allowed = Tensor::from_bools({1, 0, 1, 1, 1, 0, 0, 0, 0, 0}, {2, 1, 5});
  Tensor w = subject(ask).weights.value();
  if (!all_finite(w)) return "weights that are not finite";
  if (!all_zero(w.select(0, 0).select(1, 1))) return "the masked key is read";
  if (all_zero(w.select(0, 0))) return "no key is read";
  if (!all_zero(w.select(0, 1))) return "a sentence without keys is read";
  return "";
}

std::map<std::string, std::vector<Check>>& checks() {
  static std::map<std::string, std::vector<Check>> all;
  return all;
}

const RowReport* gradients_of_module(const std::string& row) {
  static const std::vector<CaseRow> rows = heed::module_cases();
  static std::map<std::string, RowReport> reports;
  for (const CaseRow& r : rows)
    if (r.name == row && !reports.contains(row))
      reports[row] =
          check(r, std::getenv("HEED_EXHAUSTIVE") ? GradcheckOptions::elements : GradcheckOptions::directions);
  auto found = reports.find(row);
  return found == reports.end() ? nullptr : &found->second;
}

namespace {

void of_subject(const std::string& name, std::string (*question)(const Subject&)) {
  checks()[name].emplace_back([=](const nn::CatalogueEntry& entry) {
    Subject subject = subject_of(entry);
    REQUIRE_MESSAGE(bool(subject), "no subject to try it on: tests/nn/attention/subject.cpp");
    CHECK(question(subject) == "");
  });
}
[[maybe_unused]] const bool questions = [] {
  of_subject("rows_sum_to_one", rows_sum_to_one);
  of_subject("masked_keys_are_absent", masked_keys_are_absent);
  of_subject("empty_row_reads_zero", empty_row_reads_zero);
  of_subject("keys_may_be_permuted", keys_may_be_permuted);
  of_subject("queries_may_be_permuted", queries_may_be_permuted);
  of_subject("weights_depend_on_keys", weights_depend_on_keys);
  of_subject("constant_values_are_read", constant_values_are_read);
  of_subject("causal_under_causal_scope", causal_under_causal_scope);
  of_subject("step_by_step_is_parallel", step_by_step_is_parallel);
  of_subject("mask_is_minus_infinity", mask_is_minus_infinity);
  return true;
}();

PROPERTY(gradient) {
  std::string wanted = nn::case_row(entry);
  const RowReport* report = gradients_of_module(wanted);
  REQUIRE_MESSAGE(report, "no row `" << wanted << "` in the case table");
  CHECK(report->passed);
}

}  // namespace
}  // namespace heed::nn_test
