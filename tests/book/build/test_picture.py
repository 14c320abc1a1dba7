from pathlib import Path
from xml.etree import ElementTree

from book.build.picture import picture
from book.build.report import scorecard_picture
from book.papers import check_claims
from book.store import published

ROOT = Path(__file__).parents[3]


def test_every_result_is_a_line_or_a_square():
    verdicts = check_claims("dark", [])
    drawn = ElementTree.fromstring(picture({"DARK & others": verdicts}))
    squares = [e for e in drawn.iter() if e.get("width") == "13"]
    assert len(squares) == len(verdicts)
    assert {e.get("class") for e in squares} == {"untested"}
    assert f"DARK & others: {len(verdicts)} untested" in "".join(drawn.itertext())


def test_the_readme_shows_the_published_run():
    flat = [r | {"chapter": name} for name, of in published(root=ROOT).items() for r in of]
    shown = (ROOT / "results/published/scorecard.svg").read_text(encoding="utf-8")
    assert shown == scorecard_picture(flat), "zslib report draws it anew"
    assert "](results/published/scorecard.svg)" in (ROOT / "README.md").read_text(encoding="utf-8")
