"""Sound that says where it belongs: a melody of tones, none of which comes twice nearby.

What was heard of it tells how late it came, what is missing, and what came twice.
"""

import math
import random

from sound import RATE

NOTE = 0.1  # seconds
TRY = 0.02  # seconds between two delays that are tried
PITCHES = [350 * 1.13 ** n for n in range(16)]  # 350 to 2,200 Hz


def notes(seconds, seed=1):
    """Pitches, each other than the three before it."""
    generator, pitches = random.Random(seed), []
    for _ in range(round(seconds / NOTE)):
        pitches.append(generator.choice([p for p in range(16) if p not in pitches[-3:]]))
    return pitches


def samples(pitches):
    """The melody as samples; each note begins and ends softly."""
    count, played = round(NOTE * RATE), []
    edge = count // 10
    for pitch in pitches:
        step = 2 * math.pi * PITCHES[pitch] / RATE
        for n in range(count):
            soft = min(1.0, n / edge, (count - n) / edge)
            played.append(round(9_000 * soft * math.sin(step * n)))
    return played


def _share(pitch, piece):
    """How much of a piece's energy is of one pitch (Goertzel)."""
    energy = sum(s * s for s in piece)
    if energy < len(piece) * 100 ** 2:
        return 0.0
    factor = 2 * math.cos(2 * math.pi * PITCHES[pitch] / RATE)
    one = two = 0.0
    for sample in piece:
        one, two = sample + factor * one - two, one
    power = one * one + two * two - factor * one * two
    return 2 * power / len(piece) / energy


def _piece(heard, start):
    """The middle of a note that begins at `start` seconds."""
    begin, length = round((start + 0.3 * NOTE) * RATE), round(0.4 * NOTE * RATE)
    return heard[begin:begin + length] if begin >= 0 else []


def _sounds(pitch, heard, start):
    piece = _piece(heard, start)
    return bool(piece) and _share(pitch, piece) > 0.35


def delay(pitches, heard, first=0, count=20, longest=1.5):
    """How late notes `first` on are, in seconds; None where they cannot be found."""
    hits = []
    for place in range(round(longest / TRY)):
        late = place * TRY
        hits.append((sum(_sounds(pitches[n], heard, n * NOTE + late)
                         for n in range(first, min(first + count, len(pitches)))), late))
    best = max(hits)[0]
    # About as good for some way: the middle is it.
    good = [late for hit, late in hits if hit >= 0.9 * best]
    return good[len(good) // 2] if best >= count // 2 else None


def heard_notes(pitches, heard, late, first, last, slack=0.3):
    """Of notes `first` to `last`, those heard about as late as `late`."""
    steps = [n * TRY for n in range(round(-slack / TRY), round(slack / TRY) + 1)]
    steps.sort(key=abs)
    return [n for n in range(first, last)
            if any(_sounds(pitches[n], heard, n * NOTE + late + step) for step in steps)]


def played_twice(pitches, heard, late, first, last):
    """Notes that sound again 0.5 to 3 s after their time, three in a row, in the place of others."""
    twice = []
    for n in range(first, last - 2):
        for lag in range(5, 31):
            run = range(n, n + 3)
            if n + 2 + lag >= len(pitches) or any(pitches[k] == pitches[k + lag] for k in run):
                continue
            if all(_is_other(pitches[k], pitches[k + lag], heard, (k + lag) * NOTE + late)
                   for k in run):
                twice.append((n, n + lag))
    return twice


def _is_other(pitch, expected, heard, start):
    """Whether one pitch sounds where another belongs."""
    piece = _piece(heard, start)
    return bool(piece) and _share(pitch, piece) > 0.5 and _share(expected, piece) < 0.2
