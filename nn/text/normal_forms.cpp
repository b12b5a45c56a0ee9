// The four normal forms, character by character, so that offsets survive.
//
//   NFD   each character in full: é is e and an accent; then the accents after a letter are sorted by their class
//   NFC   and then each letter takes back the accents that it has a character with, if none of the same class is
//   between NFKD, NFKC   the same, where ﬁ is f i and ① is 1
//
// Unicode Standard Annex 15; chapter 3.11 of the Unicode Standard has both algorithms.
#include "nn/text/normal_forms.h"

#include <algorithm>

#include "nn/text/unicode.h"

namespace heed::text {

namespace {

std::vector<Change> decomposition(const std::string& text, bool compatible) {
  std::vector<Change> all;
  size_t accents = 0;  // where the accents after the last letter begin
  auto sort_accents = [&] {
    std::stable_sort(
        all.begin() + static_cast<std::ptrdiff_t>(accents), all.end(),
        [](const Change& a, const Change& b) { return combining_class(a.character) < combining_class(b.character); });
  };
  for (size_t at = 0; at < text.size();) {
    char32_t c = next(text, at);
    int64_t change = 0;
    for (char32_t part : c < 0x80 ? std::u32string(1, c) : decomposed(c, compatible)) {
      if (combining_class(part) == 0) {
        sort_accents();
        all.push_back({part, change});
        accents = all.size();
      } else {
        all.push_back({part, change});
      }
      change = 1;
    }
  }
  sort_accents();
  return all;
}

std::vector<Change> composition(const std::vector<Change>& parts) {
  std::vector<Change> all;
  size_t letter = parts.size();  // index in `all` of the last letter; none yet
  int last_class = -1;           // of the last accent that stayed, since the letter; -1: none did
  for (const Change& part : parts) {
    int accent = combining_class(part.character);
    if (letter < all.size() && last_class < accent)
      if (char32_t whole = composed(all[letter].character, part.character)) {
        all[letter] = {whole, all[letter].change + part.change - 1};
        continue;
      }
    if (accent == 0)
      letter = all.size(), last_class = -1;
    else if (letter < all.size())
      last_class = accent;
    all.push_back(part);
  }
  return all;
}

}  // namespace

void normalize(AlignedText& text, NormalForm form) {
  std::vector<Change> parts = decomposition(text.text(), form.compatible);
  text.rewrite(form.composed ? composition(parts) : parts);
}

}  // namespace heed::text
