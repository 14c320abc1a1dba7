"""Pictures of digits show what the numbers say."""

import numpy as np
import pytest
from matplotlib import pyplot

from chapters.afternoon import drawings
from chapters.afternoon.choices import digits_without
from chapters.afternoon.sliders import find, made_up_pairs
from zslib.metrics import k_occurrence


@pytest.fixture(scope="module")
def digits():
    return digits_without(["one", "three", "six"], max_per_class=10)


def test_a_segment_is_dark_where_it_is_lit():
    _, ax = pyplot.subplots()
    drawings.draw_display(ax, np.array([1, 0, 0.5, 2, -1, 0, 0]))
    shades = [float(line.get_color()) for line in ax.get_lines()]
    np.testing.assert_allclose(shades, [0, 0.9, 0.45, 0, 0.9, 0.9, 0.9])


def test_each_digit_is_named_over_its_image_and_unseen_ones_have_a_frame(digits):
    axes = np.reshape(drawings.draw_digits(digits).axes, (2, 10))
    assert [ax.get_title() for ax in axes[0]] == digits.class_names.tolist()
    framed = [c for c, ax in enumerate(axes[0]) if ax.spines["top"].get_visible()]
    assert framed == digits.unseen_classes.tolist()


def test_the_nearest_description_is_marked(digits):
    titles = [ax.get_title() for ax in drawings.draw_path(np.eye(8), np.ones(7), digits, 3).axes]
    assert titles == ["image", "mapped", "one", "three ✓", "six"]


def test_shares_of_a_row_are_of_one_digit(digits):
    rows = digits.test_unseen
    answers = np.random.default_rng(0).choice(digits.unseen_classes, rows.size)
    fig = drawings.draw_confusion(digits, rows, answers)
    for i, digit in enumerate(digits.unseen_classes):
        for j, answer in enumerate(digits.unseen_classes):
            share = np.mean(answers[digits.labels[rows] == digit] == answer)
            assert fig.axes[3 * i + j].get_title() == f"{share:.0%}"


def test_lines_stand_at_chance_and_at_ours():
    lines = drawings.draw_choices(np.array([20.0, 40.0]), 62.0, 33.0).axes[0].get_lines()
    assert [line.get_xdata()[0] for line in lines] == [33.0, 62.0]


def test_a_bar_is_the_share_of_images_with_a_loss(digits):
    losses = np.zeros((4, 10))
    losses[:3, 9] = losses[0, 8] = 0.1
    bars = drawings.draw_near_misses(digits, np.arange(4), losses, [9, 8, 0]).axes[3:]
    assert [ax.patches[0].get_height() for ax in bars] == [75, 25, 0]


def test_the_title_of_a_plane_has_the_largest_hub():
    pairs = made_up_pairs(n_queries=20)
    fig = drawings.draw_planes(pairs, (1.0, 300.0), find)
    for ax, penalty in zip(fig.axes, (1.0, 300.0), strict=True):
        largest = k_occurrence(find(pairs, 2, penalty)[1], 20).max()
        assert ax.get_title() == f"λ = {penalty:g}: {largest}"
        hubs = ax.collections[-1].get_offsets()
        assert 1 <= len(hubs) < 20


def test_names_of_lines_do_not_cover_each_other():
    runs = {("a", "random", "-"): np.full((2, 3), 50.0), ("b", "intruder", "-"): np.eye(2, 3) + 49}
    ax = drawings.draw_training({"left": runs, "right": runs}).axes[0]
    places = sorted(text.get_position()[1] for text in ax.texts)
    assert places[1] - places[0] >= 0.069 * np.ptp(ax.get_ylim()) * 0.9
