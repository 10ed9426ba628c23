"""The training text and the vocabulary. Text: the King James Bible (public domain) as Debian's `bible-kjv` prints it."""
import collections
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).parent
WORD = re.compile(r" ?[A-Za-z']+| ?[^A-Za-z\s]+|\s")


def read_text():
    """Returns the verses, one per line, without their numbers."""
    try:
        lines = subprocess.run(["bible", "-f", "gen1:1-rev22:21"], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        raise SystemExit("the program `bible` is missing: apt-get install bible-kjv") from None
    return "".join(line.split(" ", 1)[1] + "\n" for line in lines.splitlines() if " " in line)


def make_vocabulary(text, size):
    """Merges pairs inside words: starts with single characters, then joins the most frequent neighbours; ties are broken by text."""
    words = {tuple(word): count for word, count in collections.Counter(WORD.findall(text)).items()}
    vocabulary = sorted(set(text))
    while len(vocabulary) < size:
        pairs = collections.Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        left, right = min(pairs, key=lambda pair: (-pairs[pair], pair))
        vocabulary.append(left + right)
        words = {merge(word, left, right): count for word, count in words.items()}
    return vocabulary


def merge(word, left, right):
    if left not in word:
        return word
    merged, index = [], 0
    while index < len(word):
        if word[index] == left and word[index + 1 : index + 2] == (right,):
            merged.append(left + right)
            index += 2
        else:
            merged.append(word[index])
            index += 1
    return tuple(merged)


def encode(text, vocabulary):
    """Returns token numbers: at each position, the longest matching piece of the vocabulary."""
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    longest_first = sorted(vocabulary, key=len, reverse=True)
    return [numbers[piece] for piece in re.findall("|".join(map(re.escape, longest_first)), text)]


def save_vocabulary(vocabulary):
    (HERE / "vocabulary.txt").write_text("".join(piece.replace("\n", "\\n") + "\n" for piece in vocabulary))


def load_vocabulary():
    """Reads one piece per line, whose number is the token; a line break inside a piece is written `\\n`."""
    return [line.replace("\\n", "\n") for line in (HERE / "vocabulary.txt").read_text().split("\n")[:-1]]
