// All of heed::nn in one line. heed/tensor.h and heed/autograd.h have the layers below it, and heed/text.h has
// heed::text. Single headers ("nn/layers.h") are found as well. How long each takes to compile: tutorials/map.md.
#pragma once

#include "heed/autograd.h"
#include "heed/nn.h"
#include "heed/tensor.h"
