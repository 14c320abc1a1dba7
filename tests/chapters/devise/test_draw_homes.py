"""Where Misc's children hang: deviations from Table 1, and which trees give the hop lists."""

import matplotlib.pyplot as plt

from chapters.devise.draw_homes import draw_deviations


def test_marks_stand_at_their_deviation_and_are_filled_where_the_lists_come_out():
    rows = [
        {"method": f"Misc under {home}", "label_set": name, "value": value}
        for home, of in (("animal", (7.4, 6.3)), ("plant", (12.1, 2069.0)))
        for name, value in zip(("1K", "3-hop"), of, strict=True)
    ]
    rows += [
        {"method": f"Misc under {home}", "label_set": "2-hop and 3-hop", "value": both}
        for home, both in (("animal", True), ("plant", False))
    ]
    fig = draw_deviations(rows, "home")
    (ax,) = fig.axes
    places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines]
    assert places == [(7.4, 0), (6.3, 0), (12.1, 1), (2069.0, 1)]
    filled = [line.get_markerfacecolor() != "white" for line in ax.lines]
    assert filled == [True, True, False, False]
    plt.close(fig)
