#include "tutorials/course/entry_lessons.h"

namespace heed::course {
namespace {

struct Taught {
  const char *lesson, *ids;
};
const Taught kTaught[] = {
    {"04", "B1 C13 H10"},
    {"06", "H9"},
    {"09", "E8 I1 I3 I4 I6 I7 I8 I10 I11 F14"},
    {"11", "A11 G0"},
    {"12", "A5"},
    {"13", "D11"},
    {"14", "A1 A2 A3 A4 A6 A7 A8"},
    {"15", "A10 C1 C2 C3"},
    {"16", "B8 B9 D1 D2"},
    {"17", "B2 B3 B4 B5 B6 B7"},
    {"18", "Z1 Z2 D6 D7 D8"},
    {"19", "A9 D3 D4 D5"},
    {"20", "E2 E3 E9 E10"},
    {"21", "E7"},
    {"22", "E1 E5"},
    {"23", "F1 F2 F3 F4 F6 F7 F8 F10 F9 F9b F11 F11b F11c F11d F12"},
    {"24", "E17 H1 H11"},
    {"25", "I2"},
    {"26", "C11 E4 E6 H8"},
    {"27", "C14 G3"},
    {"28", "C4 C7 G1 G2 G6 G7 G10 G4 G5 G11 G12 G12b G12c G16 G8 G13 G14"},
    {"33", "M1 M2 M3 M4 M5 M6 M7 M8 M9 M10 M11 M12 M13 M14 M15"},
};

}  // namespace

std::string lesson_of(const std::string& id) {
  for (const Taught& one : kTaught)
    if ((" " + std::string(one.ids) + " ").find(" " + id + " ") != std::string::npos) return one.lesson;
  return "";
}

}  // namespace heed::course
