// The pieces of a transformer (pieces.h) as the library has them.
#pragma once

#include "tutorials/app/mine/pieces.h"

namespace heed::app {

void add_transformer_pieces(Pieces& pieces);

}  // namespace heed::app
