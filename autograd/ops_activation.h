// The activations of today's networks (tanh, sigmoid and relu are in ops_arithmetic.h). dx = dy f'(x), shapes as x's;
// each saves x and takes one pass over memory forward and one back (selu two). The formulas of y and f' stand in
// tensor/kernels/activation.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/kernels/activation.h"

namespace heed {

// x > 0 ? x : slope x, not smooth at 0, where f' = slope              (Maas et al., ICML workshop 2013)
Variable leaky_relu(const Variable& x, double slope = 0.01);
// x > 0 ? x : alpha (e^x - 1), smooth at 0 for alpha = 1 only; there f' = alpha       (Clevert et al., ICLR 2016)
Variable elu(const Variable& x, double alpha = 1);
// elu with alpha = 1.6733, times 1.0507: keeps mean 0 and variance 1 through the layers   (Klambauer et al., NIPS 2017)
Variable selu(const Variable& x);
// x Phi(x), Phi the normal distribution function; or its tanh form    (Hendrycks and Gimpel, arXiv 1606.08415)
Variable gelu(const Variable& x, Gelu form = Gelu::exact);
// x sigmoid(x), also called swish                                     (Elfwing et al., Neural Networks 107, 2018)
Variable silu(const Variable& x);
// log(1 + e^(beta x)) / beta, and x itself where beta x > threshold   (Dugas et al., NIPS 2000)
Variable softplus(const Variable& x, const SoftplusOptions& options = {});
// x tanh(softplus x)                                                  (Misra, BMVC 2020)
Variable mish(const Variable& x);
// min(max(x, low), high), as clamp, but at the corners the gradient is 0        (Collobert, thesis 2004)
Variable hardtanh(const Variable& x, double low = -1, double high = 1);

}  // namespace heed
