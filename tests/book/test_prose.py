"""No measured number is typed into prose: it is computed from records, or `printed`."""

import ast
import re
from pathlib import Path

import pytest

from zslib.datasets import available, load_problem

ROOT = Path(__file__).parents[2]
FOLDERS = {p.parent for p in (ROOT / "chapters").glob("*/*.md")}

MEASURES = (
    r"percent|per cent|points?|accurac\w+|ACC|AUSUC|P@\w+|hp@\w+|H|MRR|rho|correlations?|seconds?|"
    r"minutes?|hours?|hubs?|class(?:es)?|labels?|images?|photographs?|pictures?|words?|queries|"
    r"texts?|captions?|sentences?|pairs?|negatives?|epochs?|runs?|seeds?|times|fold|rows?|"
    r"dimensions|components|attributes|synsets|categories|candidates|targets|vectors?|claims?"
)
# Not a name such as VGG-19 or P@1, and not 0 or 1, which are units and identities.
NUMBER = r"(?<![\w@.\-/])(?![01](?![\d.,]*\d))\d[\d,]*(?:\.\d+)?(?![\w@]|\.\d)"
BETWEEN = r"(?: [\w*-]+){0,3} "
PLACE = (
    r"\b(?:Eqs?|Tables?|Figures?|[Ss]ections?|[Ff]ootnotes?|Algorithm|Appendix|WordNet|Python|"
    r"record)\.? \d[\d.]*(?:(?:,| to| and) \d+)*|\b(?:19|20)\d\d\b"
)
ALLOWED = (
    # Conventions, bounds, definitions.
    r"95% interval|0\.05% apart|50% is chance|100% where all weigh alike|"
    # The set's name: ILSVRC's labels. Then what the papers did, in their own numbers.
    "the 1,000|50,000 held-out images|exactly 50 images|20 largest|epochs to 95%|from 5 to 95%|"
    "within 5% of its own highest point|95% of the run's own best"
)


def prose(text):
    """A page without front matter, code, formulas, roles, links, headings and tables."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"^(`{3,}).*?^\1\s*$", "", text, flags=re.M | re.S)
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]*\$", "", text, flags=re.S)
    text = re.sub(r"\{[\w:]+\}`[^`]*`|`[^`]*`", "", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"^#.*$|^\s*\|.*$|^\(.*\)=$|^:\w+:.*$", "", text, flags=re.M)


def captions(text):
    """Texts of the code cells: of a formatted one what is typed."""
    for cell in re.findall(r"^```\{code-cell\}.*?\n(.*?)^```", text, flags=re.M | re.S):
        code = "\n".join(line for line in cell.splitlines() if not line.startswith(":"))
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.JoinedStr):
                yield "".join(p.value if isinstance(p, ast.Constant) else "…" for p in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def typed(text):
    """Sentences in which a number stands next to a word of measure."""
    sentences = re.split(r"(?<=[.:;!?])\s+(?=[A-Z*{(-]|$)|\n\n|\n- ", prose(text))
    for sentence in (*sentences, *captions(text)):
        said = " ".join(sentence.split())
        rest = re.sub(ALLOWED, "", re.sub(PLACE, "", said))
        by_measure = rf"{NUMBER}{BETWEEN}(?:{MEASURES})\b|\b(?:{MEASURES}){BETWEEN}{NUMBER}"
        if re.search(rf"\d\s?%|{by_measure}", rest):
            yield said


@pytest.mark.parametrize(
    "folder", [ROOT / "book" / "pages", *sorted(FOLDERS)], ids=lambda folder: folder.name
)
def test_no_number_is_typed_into_prose(folder):
    pages = sorted(folder.glob("*.md"))
    assert not [f"{page.name}: {said}" for page in pages for said in typed(page.read_text())]


@pytest.mark.parametrize(
    ("text", "caught"),
    [
        ("The metric adds 6.5 points.", True),
        ("It recognises 31.6% of them.", True),
        ("An accuracy of about 40 is low.", True),
        ("There are 1,081 test words.", True),
        ("Table 2 has all classes; {cite:p}`xian2017` in 2017 too.", False),
        ("An interval of 95% intervals.", False),
        ("Read `-p n_epochs 40` and $k = 10$ negatives.", False),
        ("| cub | 200 classes |", False),
        ("The loss of a pair is at least 0, pairs weigh 1.", False),
        ("VGG-19 has P@1 of words.", False),
        ('```{code-cell} ipython3\nprint(f"{n} of 54 classes")\n```', True),
        ("```{code-cell} ipython3\nn_classes = 54\n```", False),
    ],
)
def test_what_is_caught(text, caught):
    assert bool(list(typed(text))) is caught


def sizes(problem):
    """What the data page says of a problem."""
    if hasattr(problem, "test_words"):
        return [len(problem.test_words), len(problem.target_words)]
    unseen, texts = len(problem.unseen_classes), getattr(problem, "n_texts", None)
    found = [len(problem.seen_classes) + unseen, unseen, len(problem.labels)]
    return found + ([] if texts is None else [texts])


SETS = {
    "cross-linguistic": ["europarl"], "cross-modal": ["tiny_imagenet", "imagenet1k"],
    "attributes": ["cub", "awa1", "tiny_imagenet", "caltech101", "digits"],
    "metric learning": ["apy"], "pairs": ["ikea", "cub", "wikipedia_xmodal"],
}  # fmt: skip


@pytest.mark.parametrize(("setting", "name"), [(s, n) for s, names in SETS.items() for n in names])
def test_sizes_on_the_data_page_are_those_of_the_data(setting, name):
    if not available(name):
        pytest.skip(f"{name} is not here")
    page = (ROOT / "book" / "pages" / "data.md").read_text(encoding="utf-8")
    rows = re.findall(rf"^\| `{name}` \|.*$", page, flags=re.M)
    wanted = {f"{n:,}" for n in sizes(load_problem(setting, name))}
    told = [set(re.findall(r"\d[\d,]*\d|\d", row)) for row in rows]
    assert any(wanted <= numbers for numbers in told), f"{wanted} is in no row: {rows}"
