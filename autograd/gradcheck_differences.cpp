#include "autograd/gradcheck_differences.h"

#include <algorithm>
#include <cmath>

#include "autograd/modes.h"

namespace heed {

double largest_of(const std::vector<double>& x) {
  double largest = 0;
  for (double e : x)
    if (std::isfinite(e)) largest = std::max(largest, std::fabs(e));
  return largest;
}

Differences::Numbers Differences::outputs() const {
  NoGrad guard;
  return f_(std::vector<Variable>(inputs.begin(), inputs.end())).value().to_vector();
}

// `quantity` with input i at x + t u.
Differences::Numbers Differences::at(size_t i, const Numbers& u, double t, const std::function<Numbers()>& quantity) {
  auto* x = inputs[i].data<double>();
  Numbers kept(x, x + u.size());
  for (size_t j = 0; j < u.size(); ++j) x[j] += t * u[j];
  inputs[i].mark_written("gradcheck");
  Numbers moved = quantity();
  std::copy(kept.begin(), kept.end(), x);
  inputs[i].mark_written("gradcheck");
  return moved;
}

// z in units of |x|. An element that is 0 has the size of the largest.
Differences::Numbers Differences::own_sizes(size_t i, const Numbers& z) const {
  const auto* x = inputs[i].data<double>();
  double largest = largest_of(Numbers(x, x + z.size()));
  Numbers u(z);
  for (size_t j = 0; j < z.size(); ++j) u[j] *= x[j] != 0 ? std::fabs(x[j]) : largest > 0 ? largest : 1;
  return u;
}

Move Differences::measured(size_t i, const Numbers& u, double h) {
  auto f = [this] { return outputs(); };
  Numbers down = at(i, u, -h, f), up = at(i, u, h, f);
  Move m{.u = u, .step = h};
  auto finite = [](double size) { return std::isfinite(size) ? size : 0; };
  for (const Numbers& w : weights) {
    double slope = 0, rounding = 0;
    for (size_t o = 0; o < y.size(); ++o) {
      if (w[o] == 0) continue;                         // a NaN does not count either
      if (up[o] == y[o] && down[o] == y[o]) continue;  // unchanged, or the same infinity
      slope += w[o] * ((up[o] - down[o]) / (2 * h));   // differences first, then the sum: less rounding
      double size = finite(std::fabs(w[o]) * std::max({std::fabs(up[o]), std::fabs(y[o]), std::fabs(down[o])}));
      rounding += 1e-3 * size * (step / h);
      double right = up[o] - y[o], left = y[o] - down[o];
      m.moved += std::fabs(w[o] * right) + std::fabs(w[o] * left), m.bent += std::fabs(w[o] * (right - left));
    }
    m.slope.push_back(slope), m.rounding.push_back(rounding);
  }
  return m;
}

Move Differences::along(size_t i, const Numbers& z) {
  const auto* x = inputs[i].data<double>();
  Numbers own = own_sizes(i, z), bounded(z);
  bool usual = true;
  for (size_t j = 0; j < z.size(); ++j) {
    double size = z[j] != 0 ? std::fabs(own[j] / z[j]) : 1;
    usual = usual && size >= 0.01 && size <= 100;
    bounded[j] *= std::max(1.0, std::fabs(x[j]));
  }
  if (usual) return measured(i, bounded, step);
  bool far_is_own = largest_of(own) > largest_of(z);
  for (size_t j = 0; j < z.size(); ++j)  // a step of 1e-5 is lost beside an x of 1e8
    if (step * std::fabs(z[j]) < 1e-13 * std::fabs(own[j])) return measured(i, own, step);
  const Numbers &far = far_is_own ? own : z, &near = far_is_own ? z : own;
  Move m = measured(i, far, step);
  bool smooth = m.bent <= 0.1 * m.moved;  // and no NaN
  for (double part : {1.0 / 2, 1.0 / 7}) {
    Numbers slope = measured(i, far, part * step).slope;
    for (size_t r = 0; r < slope.size(); ++r)
      smooth = smooth && std::fabs(m.slope[r] - slope[r]) <= 1e-7 * std::fabs(m.slope[r]) + 1e-6 * m.rounding[r] / part;
  }
  return smooth ? m : measured(i, near, step);
}

std::optional<Move> Differences::resolved(size_t i, const Numbers& u, size_t r) {
  for (double h = step / 10; h > 1e-300; h /= 10) {
    Move m = measured(i, u, h);
    double slope = m.slope[r];
    auto same = [&](double s) {
      return s != 0 && std::isfinite(slope) && std::fabs(s - slope) <= 1e-7 * std::fabs(slope);
    };
    if (same(measured(i, u, h / 2).slope[r]) && same(measured(i, u, h / 7).slope[r])) return m;
  }
  return std::nullopt;
}

Differences::Numbers Differences::jitter(size_t i, const Numbers& z, double size,
                                         const std::function<Numbers(int)>& quantity,
                                         const std::function<bool(const Numbers&)>& enough) {
  constexpr int kMoves = 200;
  struct Side {
    Numbers before_last, last, most;
  } sides[2];
  Numbers u = own_sizes(i, z), quieter;
  for (int k = 1; k <= kMoves && (quieter.empty() || !enough(quieter)); ++k) {
    for (int s = 0; s < 2; ++s) {
      auto& [before_last, last, most] = sides[s];
      Numbers now = at(i, u, (2 * s - 1) * k * 1e-10 * size, [&] { return quantity(k); });
      most.resize(now.size());
      for (size_t e = 0; k > 2 && e < now.size(); ++e)
        most[e] = std::max(most[e], std::fabs((now[e] - last[e]) - (last[e] - before_last[e])));
      before_last = std::move(last), last = std::move(now);
    }
    quieter = sides[0].most;
    for (size_t e = 0; e < quieter.size(); ++e) quieter[e] = std::min(quieter[e], sides[1].most[e]);
  }
  return quieter;
}

std::vector<bool> Differences::moving(size_t i, const Numbers& u) {
  auto f = [this] { return outputs(); };
  Numbers down = at(i, u, -0.1, f), up = at(i, u, 0.1, f);
  std::vector<bool> moves(y.size());
  for (size_t o = 0; o < y.size(); ++o) moves[o] = up[o] != y[o] || down[o] != y[o];
  return moves;
}

bool Differences::corner(size_t i, const Numbers& u) {
  auto f = [this] { return outputs(); };
  Numbers middle = outputs(), jump;
  for (double h : {step / 4, step}) {
    Numbers down = at(i, u, -h, f), up = at(i, u, h, f), narrow = std::move(jump);
    jump.clear();
    for (size_t o = 0; o < middle.size(); ++o) {
      jump.push_back(std::fabs((up[o] - middle[o]) - (middle[o] - down[o])) / h);
      double rounding = 1e-7 * std::max({std::fabs(up[o]), std::fabs(middle[o]), std::fabs(down[o])});
      double shrinks = narrow.empty() ? 0.25 : narrow[o] / jump[o];  // to 1/4 where f is smooth
      if (jump[o] > std::max(0.005 * std::fabs(up[o] - down[o]) / h, rounding) && !(shrinks > 0.2 && shrinks < 0.3))
        return true;
    }
  }
  return false;
}

}  // namespace heed
