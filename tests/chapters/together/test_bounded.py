"""DARK with bounded scores: what its variants leave out."""

import numpy as np

from chapters.together.bounded import BASE, PARTS, NoImageView, parts_of
from zslib.compatibility import DARK
from zslib.datasets.attributes.digits import digits_segments


def test_without_the_image_view_images_of_a_class_count_by_their_prototype_alone():
    # With one image in each class a prototype is that image: both views see the same rows.
    rng = np.random.default_rng(0)
    X, S, y = rng.standard_normal((6, 4)), rng.standard_normal((6, 3)), np.arange(6)
    options = {"scale": 5.0, "n_iter": 3, "refresh_every": 1, "random_state": 0}
    whole = DARK(4, **options).fit(X, y, S)
    part = NoImageView(4, **options).fit(X, y, S)
    assert not np.allclose(whole.U_, part.U_)
    images = DARK(4, label_view=False, **options).fit(X, y, S)
    assert not np.allclose(images.U_, part.U_)


def test_each_part_is_left_out_by_a_variant_that_is_tuned_alike():
    methods = {m.name: m for m in parts_of(digits_segments())}
    assert set(methods) == {BASE, *PARTS.values()}
    # Alike but for where the grid begins: weights of one add up to more.
    assert {tuple(m.grid) for m in methods.values()} == {("scale", "data_weight")}
    assert len({str(m.grid) for name, m in methods.items() if name != "weights of one"}) == 1
    for name, method in methods.items():
        own = {k: v for k, v in method.fixed.items() if methods[BASE].fixed.get(k) != v}
        assert len(own) + (method.make is not DARK) == (name != BASE), name
