// All of heed::nn in one line; heed/tensor.h and heed/autograd.h are those of the layers below it, and heed/text.h is
// that of heed::text. Single headers ("nn/layers.h") are found as well. The seconds that each costs: tutorials/map.md
#pragma once

#include "heed/autograd.h"
#include "heed/nn.h"
#include "heed/tensor.h"
