// The normal forms of Unicode Standard Annex 15, for a text that remembers where its characters come from. (nfc in
// unicode.h is NFC for a text that need not.)
#pragma once

#include "nn/text/aligned_text.h"

namespace heed::text {

struct NormalForm {
  bool compatible = false;  // NFKC, NFKD: also what only looks alike, such as the ligature of f and i
  bool composed = false;    // NFC, NFKC
};
void normalize(AlignedText& text, NormalForm form);

}  // namespace heed::text
