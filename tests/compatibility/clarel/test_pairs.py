"""Which texts a batch gets: all forms of ``text_rows``, draws, and equal texts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from zslib.compatibility.clarel.pairs import Pairs

RAGGED = [[4, 0], [1], [2, 3, 0, 4, 1], [0]]


@st.composite
def problems(draw):
    n_texts = draw(st.integers(1, 8))
    row = st.lists(st.integers(0, n_texts - 1), min_size=1, max_size=6, unique=True)
    rows = draw(st.lists(row, min_size=2, max_size=6))
    ids = draw(st.lists(st.integers(-3, 3), min_size=n_texts, max_size=n_texts))
    return n_texts, rows, np.array(ids), draw(st.integers(1, 7)), draw(st.integers(0, 10**6))


@given(problems())
def test_draws_and_common_texts(problem):
    n_texts, rows, ids, n_each, seed = problem
    pairs = Pairs(len(rows), n_texts, rows, ids)
    rng = np.random.default_rng(seed)
    batch = rng.permutation(len(rows))
    draw = pairs.draw(batch, n_each, rng)
    assert draw.n == len(batch)
    drawn = [draw.text[draw.owner == i] for i in range(draw.n)]
    for sample, texts in zip(batch, drawn, strict=True):
        assert len(texts) == min(n_each, len(rows[sample])) == len(set(texts))
        assert set(texts) <= set(rows[sample])
    for i in range(draw.n):
        np.testing.assert_allclose(draw.share[draw.owner == i], 1.0 / len(drawn[i]))
    expected = [[bool(set(ids[a]) & set(ids[b])) for b in drawn] for a in drawn]
    same = pairs.in_common(draw)
    if same is None:
        np.testing.assert_array_equal(expected, np.eye(draw.n, dtype=bool))
    else:
        np.testing.assert_array_equal(same, expected)


def test_every_text_is_drawn_as_often_as_another():
    pairs = Pairs(4, 5, RAGGED, None)
    rng = np.random.default_rng(0)
    counts = np.zeros(5)
    for _ in range(600):
        draw = pairs.draw(np.array([2, 0]), 2, rng)
        counts[draw.text[draw.owner == 0]] += 1
        np.testing.assert_array_equal(np.sort(draw.text[draw.owner == 1]), [0, 4])
    # Mean 240, standard deviation below 12.1.
    assert np.all(np.abs(counts - 240) < 61)


def test_forms_of_text_rows(backend):
    ragged = Pairs(4, 5, RAGGED, None)
    offsets, index = np.array([0, 2, 3, 8, 9]), np.concatenate(RAGGED)
    forms = [
        ((offsets, index), None),
        ((backend.asarray(offsets), backend.asarray(index)), backend.asarray(np.arange(5))),
        ([backend.asarray(np.array(row)) for row in RAGGED], None),
    ]
    for rows, ids in forms:
        other = Pairs(4, 5, rows, ids)
        np.testing.assert_array_equal(other.offsets, ragged.offsets)
        np.testing.assert_array_equal(other.index, ragged.index)
        np.testing.assert_array_equal(other.ids, ragged.ids)
    np.testing.assert_array_equal(Pairs(3, 3, None, None).index, [0, 1, 2])


SHORT, FAR = np.array([0, 1]), np.array([0, 1, 3])
REFUSALS = {
    Pairs: [
        ((3, 2, None, None), "X has 3 rows and texts 2: text i must belong to sample i"),
        ((3, 5, RAGGED, None), "list the texts of each of the 3 rows of X"),
        ((2, 3, [[0], []], None), r"1 sample\(s\) have no text in text_rows, .* sample 1"),
        ((4, 4, RAGGED, None), r"text_rows must lie in \[0, 4\), found 0 to 4"),
        ((2, 4, [[0], [-1]], None), "text_rows must lie .* found -1 to 0"),
        ((2, 4, [[0.5], [1.0]], None), "text_rows must hold integers", TypeError),
        ((3, 3, ([0], [1], [2]), None), r"or be \(offsets, index\), offsets 4 numbers"),
        ((2, 3, (SHORT, SHORT), None), "offsets 3 numbers from 0 to the length of index"),
        ((2, 3, (FAR, SHORT), None), "offsets 3 numbers"),
        ((2, 3, (np.array([0, 2, 2]), SHORT), None), r"1 sample\(s\) have no text"),
        ((2, 3, (np.array([0, 3, 2]), SHORT), None), "offsets of text_rows must lie .* 0 to 3"),
        ((3, 3, None, SHORT), "text_ids .*: give one for each of the 3 rows of texts"),
        ((3, 3, None, np.ones(3)), "text_ids must hold integers", TypeError),
    ]
}


def test_refusals(refusal):
    refusal()
