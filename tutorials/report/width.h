// Text in columns of a terminal: a Chinese character takes two, an accent that joins its letter takes none. What could
// move the cursor (control characters, escape sequences inside a token) is made harmless first.
// Source: Unicode 15, East Asian Width (UAX 11) and the general categories Mn, Me, Cf.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::report {

enum class Align { left, right, centre };

std::vector<char32_t> code_points(std::string_view text);  // bytes that are not UTF-8 become U+FFFD
std::string utf8(char32_t code);
int code_width(char32_t code);  // 0, 1 or 2

// Control characters become U+FFFD. Without Unicode accents are dropped, and what has no plain letter becomes '?'.
std::string clean(std::string_view text, bool unicode);
int display_width(std::string_view text);  // of cleaned text, without escape sequences
bool is_number(std::string_view text);     // 12, -1.5e-3, 1,234, 97.5%
// Exactly `width` columns: padded with spaces, or cut with an ellipsis ("~" without Unicode). A number is not cut into
// another one: it is shown or left out.
std::string fit(std::string_view text, int width, Align align, bool unicode);

}  // namespace heed::report
