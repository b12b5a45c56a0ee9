// All differentiable operations, one header per family. Each declaration states the formula, the gradient and the
// shapes (for functions of one element: their row in tensor/functions.h). Called with Tensors, they give a Tensor.
#pragma once

#include "autograd/checkpoint.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_attention.h"
#include "autograd/ops_einsum.h"
#include "autograd/ops_index.h"
#include "autograd/ops_inplace.h"
#include "autograd/ops_loss.h"
#include "autograd/ops_matmul.h"
#include "autograd/ops_norm.h"
#include "autograd/ops_reduce.h"
#include "autograd/ops_shape.h"
#include "autograd/ops_softmax.h"
#include "tensor/elementwise.h"
#include "tensor/functions.h"
