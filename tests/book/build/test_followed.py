"""The claim that is followed on the page of verdicts."""

from book.build.followed import followed_page

RECORD = {
    "chapter": "hubness/02_hubness",
    "metric": "P@1",
    "method": "max-margin - ridge",
    "space": "full",
    "setting": "cross-linguistic",
    "dataset": "europarl",
}


def test_the_words_are_of_the_records():
    held = followed_page([RECORD | {"value": 4.35, "low": 3.9, "high": 4.8}])
    assert "4.35 \\[3.9, 4.8\\] points" in held
    assert "**The sign: held.**" in held and "**The size: smaller.**" in held
    assert "38.4 against 29.7, a difference of 8.7" in held
    assert "Europarl pairs\\: ours, in place" in held
    failed = followed_page([RECORD | {"value": -4.0, "low": -5.0, "high": -3.0}])
    assert "**The sign: failed.**" in failed
    vague = followed_page([RECORD | {"value": 1.0, "low": -5.0, "high": 7.0}])
    assert "**The sign: open.**" in vague and "nothing to lose" in vague
