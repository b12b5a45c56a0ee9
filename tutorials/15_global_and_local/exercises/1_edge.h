// Exercise 15.1: how wide is the Gaussian?
//
//   factor(distance) = exp(-distance^2 / (2 sigma^2))
//
// Local attention reads the window from p - D to p + D around its centre p. Choose sigma so that the factor is e^-2 at
// the window's edge, at the distance D, whatever D is. Luong, Pham and Manning, EMNLP 2015, section 3.2, equation 10.
#pragma once

namespace mine {

double sigma(double D);

}  // namespace mine
