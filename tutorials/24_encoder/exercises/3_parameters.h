// Exercise 24.3: how many parameters has an encoder?
//
//   N layers, norm first, and one more norm after the last layer. Each layer has
//     attention       four projections from D to D, with biases
//     feed-forward    D to F and F to D, with biases
//     two norms       each a weight [D] and a bias [D]
//
// Derive the number of parameters of the whole stack in closed form. D width of the model, F feed-forward width.
#pragma once

namespace mine {

double parameters(double D, double F, double N);

}  // namespace mine
