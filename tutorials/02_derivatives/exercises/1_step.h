// Exercise 02.1: the best step of a central difference, as a formula.
//
//   (f(x + h) - f(x - h)) / 2h   is wrong by about   E(h) = eps |f| / h  +  |f'''| h^2 / 6
//                                                           rounding        truncation
//
// Derive the h > 0 where E is smallest, and write it as code. The checks first compare E at your h with E beside it,
// then use your h to differentiate three functions at arguments from 0.001 to 1000.
// Source: Press, Teukolsky, Vetterling and Flannery, "Numerical Recipes", section 5.7 (numerical derivatives).
#pragma once

namespace mine {

// eps: the relative rounding error of f; f and third: the sizes of f(x) and f'''(x), both above zero.
double best_step(double eps, double f, double third);

}  // namespace mine
