// Tensors, and the operations on them (heed::tensor).
#pragma once

#include "tensor/allocator.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/functions.h"
#include "tensor/indexing.h"
#include "tensor/matmul.h"
#include "tensor/print.h"
#include "tensor/profile.h"
#include "tensor/random.h"
#include "tensor/rearrange.h"
#include "tensor/reduce.h"
#include "tensor/scope.h"
#include "tensor/sort.h"
#include "tensor/tensor.h"
#include "tensor/thread_pool.h"
