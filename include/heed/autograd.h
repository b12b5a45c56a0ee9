// Variables, differentiable operations, backward, and what it takes to write and check an operation (heed::autograd).
#pragma once

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/checkpoint.h"
#include "autograd/gradcheck.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "autograd/picture.h"
#include "autograd/variable.h"
#include "heed/tensor.h"
