"""Cuts a Noto Sans down to what documents are set in: tools/pdf-fonts.sh runs it.

It keeps Latin, Vietnamese, Greek and Cyrillic with every combining mark, their positions and their kerning. A PDF file
names glyphs by code point, so each glyph that only shaping reaches gets one of the private use area.
"""
import sys
from fontTools import subset
from fontTools.ttLib import TTFont

KEPT = ["20-7E", "A0-52F", "1E00-1FFF", "2010-2027", "2030-205E", "2070-209F", "20A0-20C0", "2100-2150", "2212", "FFFD"]
PRIVATE = 0xE000


def cut(source, target):
    options = subset.Options()
    options.layout_features = ["ccmp", "kern", "mark", "mkmk"]
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 13]
    font = TTFont(source, recalcTimestamp=False)
    one = subset.Subsetter(options)
    one.populate(unicodes=[c for part in KEPT for c in points(part)])
    one.subset(font)
    reached = set(font.getBestCmap().values())
    names = [n for n in font.getGlyphOrder() if n not in reached and n != ".notdef"]
    for table in font["cmap"].tables:
        table.cmap.update({PRIVATE + i: name for i, name in enumerate(names)})
    font.save(target)
    print(f"{target}: {len(font.getGlyphOrder())} glyphs, {len(names)} of them by shaping alone")


def points(part):
    first, _, last = part.partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)


cut(sys.argv[1], sys.argv[2])
