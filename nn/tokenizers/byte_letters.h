// The alphabet of byte-level BPE: a printable character for each of the 256 bytes, so that any text is a word of it, no
// text is unknown, and a vocabulary file has no spaces or control characters.
//
//   the bytes of ASCII from ! to ~, and 0xA1 .. 0xAC and 0xAE .. 0xFF, are the characters of the same number;
//   the 68 others are U+0100, U+0101, ..: a space is Ġ, a new line Ċ, the two bytes of é are Ã©
//
// Radford et al., "Language models are unsupervised multitask learners", 2019 (GPT-2), and the file encoder.py there.
#pragma once

#include <array>
#include <cstdint>

namespace heed::tokenizers {

struct ByteLetters {
  std::array<char32_t, 256> letter{};
  std::array<int, 0x144> byte{};  // of a letter; -1 for a character that is none

  ByteLetters() {
    byte.fill(-1);
    char32_t spare = 0x100;
    for (char32_t b = 0; b < 256; ++b) {
      bool printable = (b >= '!' && b <= '~') || (b >= 0xA1 && b != 0xAD);
      letter[b] = printable ? b : spare++;
      byte[letter[b]] = static_cast<int>(b);
    }
  }
  int byte_of(char32_t c) const { return c < byte.size() ? byte[c] : -1; }
};
inline const ByteLetters byte_letters;

}  // namespace heed::tokenizers
