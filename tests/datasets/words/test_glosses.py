import numpy as np
from threadpoolctl import threadpool_limits

from zslib.datasets.words.glosses import reduced_tfidf


def test_vectors_do_not_depend_on_the_number_of_threads():
    """Not even in their last bits, of which a problem's checksum is made."""
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 800, 20)) for _ in range(1500)]
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(reduced_tfidf(texts, 60)[0])
    np.testing.assert_array_equal(*found)
