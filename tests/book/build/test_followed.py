"""The claim that is followed on the page of verdicts."""

import pytest

from book.build.followed import followed_page

RECORD = {"chapter": "hubness/02_hubness", "metric": "P@1", "method": "max-margin - ridge"}
RECORD |= {"space": "full", "setting": "cross-linguistic", "dataset": "europarl"}
SAID = ["**The sign: held.**", "**The size: smaller.**", "38.4 against 29.7, a difference of 8.7"]
SAID += ["4.35 \\[3.9, 4.8\\] points", "Europarl pairs\\: ours, in place"]


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((4.35, 3.9, 4.8), SAID),
        ((-4.0, -5.0, -3.0), ["**The sign: failed.**"]),
        ((1.0, -5.0, 7.0), ["**The sign: open.**", "nothing to lose"]),
    ],
)
def test_the_words_are_of_the_records(ends, said):
    page = followed_page([RECORD | dict(zip(("value", "low", "high"), ends, strict=True))])
    assert [text for text in said if text not in page] == []
