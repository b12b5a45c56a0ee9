#!/usr/bin/env python3
"""Writes lower_case.tsv: random texts, a tab, and what Python's str.lower() makes of each.

lower_case.py            write the file
lower_case.py --check    compare with the file, and write nothing

Half of each text is capital sigmas and what decides their form: letters with case before and after them, and what may
stand between (accents, apostrophes, soft hyphens, modifier letters, ...). Only characters of Unicode 3.2 whose category
is still the same occur, so that neither Python's version of Unicode nor utf8proc's matters.
"""
import os
import random
import sys
import unicodedata

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lower_case.tsv")
old = unicodedata.ucd_3_2_0
stable = [c for c in map(chr, range(0x20, 0x20000)) if old.category(c) == unicodedata.category(c) not in ("Cn", "Cs", "Co", "Cc")]
capital = [c for c in stable if c.lower() != c and c != "\u03a3"]
ignored = [c for c in stable if ("A" + c + "\u03a3").lower()[-1] == "\u03c2" != (c + "\u03a3").lower()[-1]]
letter_like = [c for c in stable if (c + "\u03a3").lower()[-1] == "\u03c2" and unicodedata.category(c) in ("Lo", "Nl", "So")]
neither = [c for c in stable if ("A" + c + "\u03a3").lower()[-1] != "\u03c2"]
kinds = ["\u03a3"] * 4 + [capital, ignored, ignored, letter_like, neither, "A\u0391\u03bf\u01c5\u0130", ".:'\u2019\u00ad\u0301", " 7-,"]


def made():
    draw = random.Random(20)
    texts = ["".join(draw.choice(draw.choice(kinds)) for _ in range(draw.randint(1, 20))) for _ in range(200)]
    return "".join(text + "\t" + text.lower() + "\n" for text in texts)


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    if sys.argv[1:]:
        same = open(FILE, encoding="utf-8", newline="\n").read() == made()
        sys.exit(print("the same" if same else "another Python makes another file") or not same)
    open(FILE, "w", encoding="utf-8", newline="\n").write(made())
