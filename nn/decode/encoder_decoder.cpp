#include "nn/decode/encoder_decoder.h"

#include <fmt/format.h>

namespace heed::nn {

void EncoderDecoder::set_checkpoint(int64_t layers) {
  if (layers > 0)
    throw ValueError(fmt::format(
        "checkpoint: layers of a transformer can be computed again, a recurrent model has none; got checkpoint {}",
        layers));
}

}  // namespace heed::nn
