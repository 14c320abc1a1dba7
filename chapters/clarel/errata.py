"""Recomputations for Oreshkin et al. (CLAREL)."""

import numpy as np

from book.papers.evidence import Evidence, harmonic_mean_range, join, minus
from book.papers.printed import printed, printed_table
from zslib.metrics import harmonic_mean

_DATASETS = ("CUB", "FLOWERS")


def harmonic_means(numbers):
    """Every printed H against 2us/(u+s) and against us/(u+s), within rounding."""
    cells = [
        cell
        for table in ("table1", "table3")
        for row in printed_table("clarel", table).values()
        for cell in row.values()
        if {"u", "s", "H"} <= set(cell)
    ]
    full, half = (sum(_agrees(cell, share) for cell in cells) for share in (1.0, 0.5))
    text = (
        f"Of {len(cells)} triples u, s and H in Tables 1 and 3, {full} agree with 2us/(u+s) and "
        f"{half} with us/(u+s), within the rounding of u, s and H."
    )
    return Evidence(len(cells) == full > 15 and not half, text)


def _agrees(cell, share):
    """Whether H can be this share of the harmonic mean of u and s, within rounding."""
    low, high = harmonic_mean_range(cell["u"], cell["s"])
    return share * low - 0.05 - 1e-9 <= cell["H"] <= share * high + 0.05 + 1e-9


def squared_distance(numbers):
    """Scaling by 1 + alpha acts differently on distances and on their squares."""
    seen, unseen, alpha = 1.0, 1.15, 0.2
    plain, squared = (1.0 + alpha) * seen, (1.0 + alpha) * seen**2
    text = (
        f"Nearest seen class at {seen:g}, nearest unseen at {unseen:g}, alpha = {alpha:g}: scaled "
        f"distances {plain:.2f} against {unseen:.2f} answer unseen, scaled squares "
        f"{squared:.2f} against {unseen**2:.2f} answer seen."
    )
    return Evidence(plain >= unseen and squared < unseen**2, text)


def accuracies_by_alpha(numbers):
    """Seen and unseen accuracy of random distances as alpha grows."""
    rng = np.random.default_rng(0)
    n, classes = 4000, np.arange(12)
    labels = rng.integers(0, len(classes), n)
    distances = rng.gamma(8.0, 1.0, (n, len(classes)))
    distances[np.arange(n), labels] *= 0.5
    seen = classes < 8
    distances[:, seen] *= 0.7
    alphas = np.linspace(0.0, 3.0, 31)
    answers = np.array([(distances * np.where(seen, 1 + a, 1.0)).argmin(1) for a in alphas])
    right, own = answers == labels, seen[labels]
    s, u, stays = (part.mean(1) for part in (right[:, own], right[:, ~own], seen[answers][:, own]))
    H = harmonic_mean(u, s)
    best = int(H.argmax())
    text = (
        f"On random distances, alpha from 0 to 3: seen accuracy falls from {s[0]:.2f} to "
        f"{s[-1]:.2f}, unseen accuracy rises from {u[0]:.2f} to {u[-1]:.2f}, the share of seen "
        f"images answered with a seen class falls from {stays[0]:.2f} to {stays[-1]:.2f}, none of "
        f"them ever turning; H peaks at alpha = {alphas[best]:.1f}."
    )
    monotone = np.all(np.diff([s, -u, stays]) <= 0)
    return Evidence(bool(monotone) and 0 < best < len(alphas) - 1, text)


def interval_length(numbers):
    """A longer interval may hold less probability; intervals inside each other may not."""
    values = np.array([0.5, 0.55, 3.0])
    short, long = (0.4, 0.6), (1.0, 2.0)

    def share(low, high):
        return float(((low <= values) & (values < high)).mean())

    nested = [share(4.0 / (1.0 + alpha), 4.0) for alpha in np.linspace(0.0, 10.0, 50)]
    text = (
        f"Of three points, {share(*short):.2f} lie in an interval of length 0.2 and "
        f"{share(*long):.2f} in one of length 1. The paper's intervals share their right end and "
        "contain each other as alpha grows, and then the share never falls."
    )
    return Evidence(share(*short) > share(*long) and min(np.diff(nested)) >= 0.0, text)


def _line(line, measure):
    return {d: printed("clarel", "table3", line, d, measure) for d in _DATASETS}


def seen_gain(numbers):
    """Seen accuracy of line 1 over line 2, in points and relative."""
    second = _line("2", "s")
    points = minus(_line("1", "s"), second)
    relative = {d: 100.0 * value / second[d] for d, value in points.items()}
    text = (
        f"Line 1 over line 2, seen accuracy: {join(points, '+.1f')} points, or "
        f"{join(f'{value:.1f}%' for value in relative.values())} of line 2's."
    )
    about = printed("clarel", "text", "gain on seen classes by the classifier losses, about")
    near = {d: round(value) == about for d, value in points.items()}
    return Evidence(near == {"CUB": True, "FLOWERS": False}, text)


def classifier_losses(numbers):
    """What the classifier losses add to H, without and with rescaling."""
    without, with_rescaling = (
        minus(_line(with_them, "H"), _line(alone, "H")) for with_them, alone in ("12", "63")
    )
    text = (
        f"H with the classifier losses minus H without: {join(without, '+.1f')} with no rescaling "
        f"(lines 1 and 2), {join(with_rescaling, '+.1f')} with rescaling (lines 6 and 3)."
    )
    more = minus(with_rescaling, without)
    return Evidence(min(without.values()) > 0 and min(more.values()) > 0, text)


def retrieval_only(numbers):
    """Line 3 of Table 3 against the earlier methods of Table 1."""
    table = printed_table("clarel", "table1")
    line = _line("3", "H")
    earlier = {
        d: [row[d]["H"] for name, row in table.items() if name != "CLAREL" and d in row]
        for d in line
    }
    text = "; ".join(
        f"{d}: {line[d]:.1f}, below {sum(line[d] < value for value in others)} of {len(others)} "
        f"earlier methods (their best {max(others):.1f}, their worst {min(others):.1f})"
        for d, others in earlier.items()
    )
    last, first = line["CUB"] < min(earlier["CUB"]), line["FLOWERS"] > max(earlier["FLOWERS"])
    return Evidence(last and first, text + ".")


def gap(numbers):
    """Seen minus unseen accuracy without (line 1) and with rescaling (line 6)."""
    gaps = {line: minus(_line(line, "s"), _line(line, "u")) for line in ("1", "6")}
    text = (
        f"Seen minus unseen accuracy: {join(gaps['1'], '+.1f')} without rescaling, "
        f"{join(gaps['6'], '+.1f')} with it."
    )
    smaller = all(abs(gaps["6"][d]) < abs(gaps["1"][d]) for d in _DATASETS)
    return Evidence(smaller and gaps["6"]["CUB"] < 0.0 < gaps["6"]["FLOWERS"], text)


def validation_images(numbers):
    """Appendix C's image counts against the seen samples of dark's Table 2."""
    images = printed("clarel", "text", "CUB images")
    kept, held = images["train, kept"], images["validation, seen classes"]
    total = images["train"] + images["validation, unseen classes"]
    cub = printed("dark", "table2", "CUB")
    train, test = cub["train seen samples"], cub["test seen samples"]
    text = (
        f"{kept:,} + {held:,} = {kept + held:,}, as printed. {images['train']:,} + "
        f"{images['validation, unseen classes']:,} = {total:,}, which is {train:,} + {test:,}: "
        "all images of the 150 seen classes, the test images of the seen classes included."
    )
    return Evidence(kept + held == images["train"] and total == train + test, text)


def cub_year(numbers):
    """Images of Appendix C and of the unseen classes, against the sizes of the two collections."""
    images = printed("clarel", "text", "CUB images")
    seen = images["train"] + images["validation, unseen classes"]
    unseen = printed("dark", "table2", "CUB")["unseen samples"]
    first, second = numbers["images of 2010"], numbers["images of 2011"]
    text = (
        f"{seen:,} images of seen classes and {unseen:,} of unseen ones: {seen + unseen:,}. The "
        f"collection of 2010 has {first:,}, that of 2011 has {second:,}."
    )
    return Evidence(seen + unseen == second and seen > first, text)
