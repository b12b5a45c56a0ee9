#include "tutorials/04_softmax_and_masks/exercises/2_gradient.h"

namespace mine {

// ---- the gap: both gradients are zero until you derive them ----
// | std::vector<double> dloss_dx(const std::vector<double>& x, const Setting& s) {
// |   return std::vector<double>(x.size(), 0.0);
// | }
// |
// | double dloss_dt(const std::vector<double>& x, const Setting& s) { return 0; }
// ---- filled ----
std::vector<double> dloss_dx(const std::vector<double>& x, const Setting& s) {
  std::vector<double> p = softmax(divided(x, s.t)), q = target(x.size(), s), dx(x.size(), 0.0);
  for (size_t i = 0; i < x.size(); ++i) dx[i] = (p[i] - q[i]) / s.t;
  return dx;
}

double dloss_dt(const std::vector<double>& x, const Setting& s) {
  std::vector<double> dx = dloss_dx(x, s);  // z_i = x_i / t: dz_i/dx_i = 1 / t and dz_i/dt = -x_i / t^2
  double dt = 0;
  for (size_t i = 0; i < x.size(); ++i) dt -= dx[i] * x[i] / s.t;
  return dt;
}
// ---- end of the gap ----

}  // namespace mine
