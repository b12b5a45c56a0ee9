// Seams: every operation of the case table where it meets the rest of a program. The gradient check asks whether an
// operation is right by itself; here it is put
//
//   under an infinite slope       sqrt, log and 1 / x of one of its outputs, where that is 0
//   on several threads            begun on one, continued on a second, differentiated on a third
//   before an overwrite           of each input, the output, each mask and index: an error or the right gradient
//   on aliases                    the same Variable twice, views of one memory, a matrix and its transpose
//   on integers                   i64 gives what f64 gives, or an error
//
// A row that cannot pass one of them opts out in the case table, with the reason.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <thread>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/cases/cases.h"
#include "tensor/elementwise.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

namespace {

using Variables = std::vector<Variable>;

template <class F>
void each_case(Seam seam, const F& f) {
  for (const CaseRow& row : seam == Seam::infinite ? operation_cases() : all_cases()) {
    CAPTURE(row.name);
    if (std::any_of(row.without.begin(), row.without.end(), [&](const auto& o) { return o.first == seam; })) continue;
    for (const Case& c : row.cases) {
      if (c.plain && !c.label.ends_with(" contiguous")) continue;  // the layouts are the gradient check's
      CAPTURE(c.label);
      f(c);
    }
  }
}

Variables fresh_leaves(const Case& c) {
  Variables x;
  for (const Tensor& t : c.leaves()) x.emplace_back(t.clone(), Variable::kRequiresGrad);
  return x;
}
Tensor weights(const Shape& shape) {  // 1, -0.75, 0.5, ... in turn: no two faults cancel
  Doubles v;
  for (int64_t i = 0; i < element_count(shape); ++i)
    v.push_back((i % 2 ? -1 : 1) * (1 - 0.25 * static_cast<double>(i % 3)));
  return Tensor::from(v, shape);
}
// The gradients of sum(seed y), one after the other; 0 where y does not depend on x.
Doubles gradients(const Variable& y, const Variables& x, const Tensor& seed) {
  Variables dx(x.size());
  if (y.requires_grad()) dx = grad({y}, x, {.seeds = {Variable(seed)}, .retain_graph = true, .allow_unused = true});
  Doubles all;
  for (size_t i = 0; i < x.size(); ++i) {
    Doubles one = dx[i].defined() ? dx[i].value().to_vector() : Doubles(static_cast<size_t>(x[i].count()), 0.0);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}
Doubles gradients(const Variable& y, const Variables& x) { return gradients(y, x, weights(y.shape())); }

bool near(double a, double b, double tolerance = 1e-10) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b));
}
// The first element in which two lists differ, in words; "" if none does.
std::string difference(const Doubles& got, const Doubles& wanted) {
  if (got.size() != wanted.size()) return fmt::format("{} numbers for {}", got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (!near(got[i], wanted[i])) return fmt::format("number {} is {}, and should be {}", i, got[i], wanted[i]);
  return {};
}

// f, with its inputs made where they were given but the steps on threads of their own.
void on_a_thread(const std::function<void()>& f) {
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      f();
    } catch (...) { thrown = std::current_exception(); }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

bool refused(const std::string& error) {  // or there was none
  return error.empty() || error.find("overwritten") != std::string::npos ||
         error.find("replaced by set_value") != std::string::npos ||
         error.find("the second run of f must give the same bits") != std::string::npos;  // a checkpoint
}
void overwrite(Tensor t) {
  if (t.dtype() == DType::boolean)
    copy_into(t, logical_not(t));
  else if (t.dtype() == DType::i64)
    fill_into(t, 0);
  else
    scale_into(t, 1.25);
}

}  // namespace

TEST_SUITE("gradcheck") {
  // With u = y_o - y_o, which is 0, L = sqrt(u) + sum over the other outputs of v y has the slope infinity towards y_o.
  // An input on which y_o does not depend must get the gradient of the rest, and not 0 times infinity.
  TEST_CASE("seams: an infinite slope reaches only what the output depends on") {
    using Slope = std::function<Variable(const Variable&)>;
    const std::vector<std::pair<std::string, Slope>> steep = {
        {"sqrt", [](const Variable& u) { return sqrt(u); }},
        {"log", [](const Variable& u) { return log(u); }},
        {"1 / x", [](const Variable& u) { return Variable(Tensor::scalar(1, DType::f64)) / u; }}};
    each_case(Seam::infinite, [&](const Case& c) {
      Variables x = fresh_leaves(c);
      Variable y = reshape(c.f(x), {-1});
      int64_t n = y.count();
      if (n == 0 || !y.requires_grad()) return;
      for (int64_t o : {int64_t{0}, n / 2, n - 1}) {
        if ((o > 0 && o == n / 2 && o == n - 1) || !std::isfinite(y.value().at({o}))) continue;
        Tensor only = Tensor::zeros({n}, DType::f64), others = weights({n});
        only.set({o}, 1);
        others.set({o}, 0);
        Doubles row = gradients(y, x, only), rest = gradients(y, x, others);
        for (const auto& by : steep) {
          Variable y_o = select(y, 0, o);
          Doubles dx =
              gradients(by.second(y_o - y_o.detach()) + sum(y * Variable(others)), x, Tensor::ones({}, DType::f64));
          for (size_t i = 0; i < dx.size(); ++i)
            if (row[i] == 0) {
              CHECK_MESSAGE(near(dx[i], rest[i]), c.label << ": " << by.first << " of output " << o << ", gradient "
                                                          << i << " is " << dx[i] << ", and should be " << rest[i]);
            } else {
              CHECK_MESSAGE(!std::isfinite(dx[i]), c.label << ": " << by.first << " of output " << o << ", gradient "
                                                           << i << " is " << dx[i] << ", and should be infinite");
            }
        }
      }
    });
  }

  TEST_CASE("seams: begun on one thread, continued on a second, differentiated on a third") {
    std::vector<Variable> earlier;  // so that what counts nodes on each thread counts differently
    for (int i = 0; i < 9; ++i) earlier.emplace_back(Tensor::ones({}), Variable::kRequiresGrad);
    each_case(Seam::thread, [&](const Case& c) {
      Variables x = fresh_leaves(c), inputs, outputs(2);
      for (const Variable& v : x) inputs.push_back(v * 1.0);
      Variable y = c.f(inputs);
      Doubles here = gradients(y + square(y), x), there;
      on_a_thread([&] { outputs[0] = c.f(inputs); });
      Variable first = outputs[0];
      on_a_thread([&] {
        outputs[1] = first + square(first);
        there = gradients(outputs[1], x);
      });
      std::string differs = difference(there, here);
      CHECK_MESSAGE(differs.empty(), c.label << ": " << differs);
    });
  }
}

TEST_SUITE("gradcheck") {
  // overwrite_test.cpp writes before the first gradient of each operation. Here it is a module as well, and what is
  // written into lies between the gradient and the gradient of the gradient.
  TEST_CASE("seams: a value overwritten before the second gradient is an error, or changes nothing") {
    each_case(Seam::overwrite, [&](const Case& c) {
      auto second = [](const Variables& x, const Variable& y, const std::function<void()>& between) {
        if (!y.requires_grad()) return Doubles{};
        GradOptions recorded{.seeds = {Variable(weights(y.shape()))}, .create_graph = true, .allow_unused = true};
        Variable all(Tensor::scalar(0, DType::f64));
        for (const Variable& d : grad({y}, x, recorded))
          if (d.defined()) all = all + sum(d * Variable(weights(d.shape())));
        between();
        return gradients(all, x, Tensor::ones({}, DType::f64));
      };
      Variables x = fresh_leaves(c);
      Doubles right = second(x, c.f(x), [] {});
      for (size_t at = 0; at < x.size() + 1 + c.constants.size(); ++at) {
        Variables z = fresh_leaves(c);
        Variable y = c.f(z);
        Tensor victim = at < z.size() ? z[at].value() : at == z.size() ? y.value() : c.constants[at - z.size() - 1];
        if (!victim.is_contiguous()) continue;
        Tensor before = victim.clone();
        std::string said = error_of([&] {
          std::string differs = difference(second(z, y, [&] { overwrite(victim); }), right);
          CHECK_MESSAGE(differs.empty(), c.label << ": after writing into value " << at << ": " << differs);
        });
        CHECK_MESSAGE(refused(said), c.label << ": " << said);
        copy_into(victim, before);  // constants belong to the table
      }
    });
  }

  TEST_CASE("seams: a leaf whose value was replaced before backward is an error, or changes nothing") {
    each_case(Seam::overwrite, [&](const Case& c) {
      Variables x = fresh_leaves(c);
      Doubles right = gradients(c.f(x), x);
      for (size_t at = 0; at < x.size(); ++at) {
        Variables z = fresh_leaves(c);
        Variable y = c.f(z);
        z[at].set_value(mul(z[at].value(), 1.25));
        std::string said = error_of([&] {
          std::string differs = difference(gradients(y, z), right);
          CHECK_MESSAGE(differs.empty(), c.label << ": input " << at << ": " << differs);
        });
        CHECK_MESSAGE(refused(said), c.label << ": " << said);
      }
    });
  }

  // The gradient towards a shared memory is the sum of those towards separate copies of it.
  TEST_CASE("seams: inputs that are aliases of one another") {
    each_case(Seam::alias, [&](const Case& c) {
      std::vector<Tensor> given = c.leaves();
      if (given.size() < 2) return;
      auto compare = [&](const std::string& how, const std::function<Variables(const Variables&)>& views,
                         const Variables& shared) {
        Variables aliases = views(shared), copies;
        for (const Variable& v : aliases) copies.emplace_back(v.value().clone(), Variable::kRequiresGrad);
        Variable y = c.f(aliases), z = c.f(copies);
        std::string differs = difference(y.value().to_vector(), z.value().to_vector());
        CHECK_MESSAGE(differs.empty(), c.label << ", " << how << ", values: " << differs);
        // Of the copies: back through the views.
        Variables dz = z.requires_grad()
                           ? grad({z}, copies, {.seeds = {Variable(weights(z.shape()))}, .allow_unused = true})
                           : Variables(copies.size());
        Variable placed(Tensor::scalar(0, DType::f64));
        for (size_t i = 0; i < dz.size(); ++i)
          if (dz[i].defined()) placed = placed + sum(aliases[i] * Variable(dz[i].value()));
        differs = difference(gradients(y, shared), gradients(placed, shared, Tensor::ones({}, DType::f64)));
        CHECK_MESSAGE(differs.empty(), c.label << ", " << how << ": " << differs);
      };
      auto shape_of = [&](size_t i) { return given[i].shape(); };
      bool same = false, turned = false;
      size_t largest = 0;
      for (size_t i = 1; i < given.size(); ++i) {
        Shape s = shape_of(i);
        same = same || s == shape_of(0);
        if (s.rank() > 1) std::swap(s[s.rank() - 1], s[s.rank() - 2]);
        turned = turned || (s.rank() > 1 && s == shape_of(0));
        if (given[i].count() > given[largest].count()) largest = i;
      }
      Variables first{Variable(given[0].clone(), Variable::kRequiresGrad)};
      auto rest = [&](Variables x) {
        for (size_t i = x.size(); i < given.size(); ++i) x.emplace_back(given[i].clone());
        return x;
      };
      if (same)
        compare(
            "one Variable twice",
            [&](const Variables& x) {
              Variables in = rest({x[0]});
              for (size_t i = 1; i < in.size(); ++i)
                if (in[i].shape() == x[0].shape()) in[i] = x[0];
              return in;
            },
            first);
      if (turned)
        compare(
            "a matrix and its transpose",
            [&](const Variables& x) {
              Variables in = rest({x[0]});
              for (size_t i = 1; i < in.size(); ++i)
                if (in[i].rank() > 1 && transpose(x[0], -1, -2).shape() == in[i].shape())
                  in[i] = transpose(x[0], -1, -2);
              return in;
            },
            first);
      compare("views of one memory",
              [&](const Variables& x) {
                Variables in;
                for (const Tensor& t : given) in.push_back(reshape(narrow(x[0], 0, 0, t.count()), t.shape()));
                return in;
              },
              {Variable(given[largest].reshape({-1}).clone(), Variable::kRequiresGrad)});
    });
  }
}

TEST_CASE("seams: on i64 an operation gives what it gives on f64, or refuses") {
  each_case(Seam::integer, [&](const Case& c) {
    Variables whole, real;
    for (const Tensor& t : c.leaves()) {
      Tensor x = round(mul(t, 2));
      real.emplace_back(x);
      whole.emplace_back(x.to(DType::i64));
    }
    Variable y;
    try {
      y = c.f(whole);
    } catch (const Error&) { return; }
    Doubles wanted = c.f(real).value().to_vector(), got = y.value().to_vector();
    for (size_t i = 0; i < got.size(); ++i)
      CHECK_MESSAGE((near(got[i], wanted[i], 1e-6) || !std::isfinite(wanted[i])),
                    c.label << ": number " << i << " is " << got[i] << " in " << std::string(name_of(y.dtype()))
                            << ", and should be " << wanted[i]);
  });
}

TEST_CASE("seams: rows that opt out say why") {
  for (const CaseRow& row : all_cases())
    for (const auto& [seam, reason] : row.without) CHECK_MESSAGE(reason.size() > 20, row.name);
}
