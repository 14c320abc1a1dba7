"""Recomputations for Oreshkin et al. (CLAREL)."""

from __future__ import annotations

import numpy as np

from book.papers.evidence import Evidence, harmonic_mean_range, join, minus
from book.papers.printed import printed, printed_table
from zslib.metrics import harmonic_mean

__all__ = [
    "accuracies_by_alpha",
    "classifier_losses",
    "cub_year",
    "gap",
    "harmonic_means",
    "interval_length",
    "retrieval_only",
    "seen_gain",
    "squared_distance",
    "validation_images",
]

_DATASETS = ("CUB", "FLOWERS")


def harmonic_means(numbers):
    """Every printed H against 2us/(u+s) and against us/(u+s), within rounding."""
    full, half, total = [], [], 0
    for table in ("table1", "table3"):
        for name, row in printed_table("clarel", table).items():
            for dataset in _DATASETS:
                cell = row.get(dataset, {})
                if not {"u", "s", "H"} <= set(cell):
                    continue
                total += 1
                low, high = harmonic_mean_range(cell["u"], cell["s"])
                h = cell["H"]
                full += [name] * (low - 0.05 <= h + 1e-9 and h - 1e-9 <= high + 0.05)
                half += [name] * (low / 2 - 0.05 <= h <= high / 2 + 0.05)
    text = (
        f"Of {total} triples u, s and H in Tables 1 and 3, {len(full)} agree with 2us/(u+s) and "
        f"{len(half)} with us/(u+s), within the rounding of u, s and H."
    )
    return Evidence(total == len(full) > 15 and not half, text)


def squared_distance(numbers):
    """Scaling by 1 + alpha acts differently on distances and on their squares."""
    seen, unseen, alpha = 1.0, 1.15, 0.2
    plain = (1.0 + alpha) * seen < unseen
    squared = (1.0 + alpha) * seen**2 < unseen**2
    text = (
        f"Nearest seen class at {seen:g}, nearest unseen at {unseen:g}, alpha = {alpha:g}: scaled "
        f"distances {(1 + alpha) * seen:.2f} against {unseen:.2f} answer unseen, scaled squares "
        f"{(1 + alpha) * seen**2:.2f} against {unseen**2:.2f} answer seen."
    )
    return Evidence(not plain and squared, text)


def accuracies_by_alpha(numbers):
    """Seen and unseen accuracy of random distances as alpha grows."""
    rng = np.random.default_rng(0)
    n, seen_classes, unseen_classes = 4000, 8, 4
    labels = rng.integers(0, seen_classes + unseen_classes, n)
    distances = rng.gamma(8.0, 1.0, (n, seen_classes + unseen_classes))
    distances[np.arange(n), labels] *= 0.5
    distances[:, :seen_classes] *= 0.7
    is_seen = labels < seen_classes
    column_seen = np.arange(distances.shape[1]) < seen_classes
    alphas = np.linspace(0.0, 3.0, 31)
    answers = np.array(
        [(distances * np.where(column_seen, 1 + alpha, 1.0)).argmin(1) for alpha in alphas]
    )
    s = (answers == labels)[:, is_seen].mean(1)
    u = (answers == labels)[:, ~is_seen].mean(1)
    stays = (answers < seen_classes)[:, is_seen].mean(1)
    H = harmonic_mean(u, s)
    best = int(H.argmax())
    text = (
        f"On random distances, alpha from 0 to 3: seen accuracy falls from {s[0]:.2f} to "
        f"{s[-1]:.2f}, unseen accuracy rises from {u[0]:.2f} to {u[-1]:.2f}, the share of seen "
        f"images answered with a seen class falls from {stays[0]:.2f} to {stays[-1]:.2f}, none of "
        f"them ever turning; H peaks at alpha = {alphas[best]:.1f}."
    )
    monotone = np.all(np.diff(s) <= 0) and np.all(np.diff(u) >= 0) and np.all(np.diff(stays) <= 0)
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
    texts, lead = [], {}
    for dataset, ours in _line("3", "H").items():
        others = [
            row[dataset]["H"] for n, row in table.items() if n != "CLAREL" and dataset in row
        ]
        lead[dataset] = ours - max(others)
        below = sum(ours < value for value in others)
        texts.append(
            f"{dataset}: {ours:.1f}, below {below} of {len(others)} earlier methods (their best "
            f"{max(others):.1f}, their worst {min(others):.1f})"
        )
        if dataset == "CUB":
            last = below == len(others)
    return Evidence(last and lead["FLOWERS"] > 0, "; ".join(texts) + ".")


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
