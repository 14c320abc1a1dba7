"""CLAREL (Oreshkin et al. 2019): images and texts in one space, by retrieving each other."""

import math
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from zslib.arrays import class_sums, like, namespace, random_generator, slices, take_rows, typed_as
from zslib.compatibility.base import check_beyond_chance, check_told_apart, some_rows
from zslib.compatibility.blocks import in_blocks
from zslib.compatibility.clarel.checkpoint import Checkpoint
from zslib.compatibility.clarel.draws import TextDraw
from zslib.compatibility.clarel.encoders import check_tokens
from zslib.compatibility.clarel.loss import DISTANCES, embedding_distances
from zslib.compatibility.clarel.network import ClarelNetwork, check_for, make_encoder
from zslib.compatibility.clarel.pairs import Pairs
from zslib.compatibility.clarel.training import Training, identity
from zslib.compatibility.parameters import NotNegative, Positive, RandomState, Share
from zslib.nn import n_parameters
from zslib.validation import (
    as_array,
    as_vectors,
    check_indices,
    check_integer,
    check_kept_columns,
    check_length,
    check_paired,
    check_same_width,
    check_vectors,
    host_array,
    keep_columns,
)

_TEXTS_AT_ONCE = 256


@dataclass(repr=False, eq=False)
class CLAREL(BaseEstimator):
    r"""Classification via retrieval loss (Oreshkin et al. 2019, sections 2 and 2.1, Appendix D).

    An image head :math:`f_\phi` and a text encoder :math:`f_\theta` map into one space. In each
    batch every image must find its own text among all texts of the batch, and every text its
    image, by a softmax of negative distances; two linear classifiers add their cross-entropies
    (Algorithm 1, `zslib.compatibility.clarel.loss`):

    .. math:: J = (1 - \kappa) \left[ \lambda J_{TR} + (1 - \lambda) J_{IR} \right]
                  + \frac{\kappa}{2} \left[ J_{TC} + J_{IC} \right].

    Labels serve the classifiers only. A class is recognised by its prototype, the mean embedding
    of its texts, so it needs no image:

    .. math:: \mathbf{p}(y) = \frac{1}{|T_y|} \sum_{t \in T_y} f_\theta(t), \qquad
              \hat y = \arg\min_y d(f_\phi(v), \mathbf{p}(y)).

    The image head is one linear layer on ready features. On the encoded text there is another;
    both have dropout before them. Training is plain gradient descent on random batches.
    `clarel_settings` has what the authors' code does otherwise.

    Parameters
    ----------
    retrieval_mix : float in [0, 1], default 0.5
        :math:`\lambda`: weight of the text retrieval loss; 0 leaves only image retrieval.
    classification_weight : float in [0, 1], default 0.5
        :math:`\kappa`: weight of the classifiers; 0 makes the labels play no part.
    embedding_dim : int, keyword only, default 1024
        Dimension of the common space.
    distance : "euclidean" or "squared", keyword only, default "euclidean"
        d. The paper calls d a metric, which the squared distance is not.
    exclude_equal : bool, keyword only, default True
        Whether pairs that drew equal texts are left out of each other's sums. False: every other
        pair of the batch is a negative, which is Algorithm 1 to the letter.
    text_encoder : "paper", "mean" or None, keyword only, default "paper"
        "paper": residual convolutions and a bidirectional LSTM (`ConvLSTMEncoder`). "mean": mean
        of word embeddings (`MeanEncoder`), a thousand times cheaper. None: texts are vectors.
        What is the paper's network's alone (``kernel_width``, ``pooling``, ``filters``, ``halve``,
        ``normalise_shortcut``, ``lstm_units``) then plays no part, nor do words where there are
        none.
    dropout : float in [0, 1), keyword only, default 0.25
    dropout_each : bool, keyword only, default False
        Whether each text loses numbers of its own, before the mean over the texts of a sample;
        False: the mean does.
    batch_size : int, keyword only, default 32
        B, at least 2; samples of a batch are drawn without replacement.
    texts_per_image : int, keyword only, default 10
        Texts of a sample that are encoded and averaged; drawn anew for each batch where a sample
        has more, all of them where it has fewer.
    n_batches : int, keyword only, default 150000
    learning_rate : float, keyword only, default 0.1
    momentum : float in [0, 1), keyword only, default 0.0
    clip : float or None, keyword only, default None
        Largest length of the gradient of each variable by itself, its penalty included.
    decay_every, decay : int and float, keyword only, default 50000 and 10.0
        The learning rate is divided by ``decay`` after every ``decay_every`` batches.
    convolution_penalty : float, keyword only, default 0.001
        L2 weight, of the whole sum of squares, of convolutions and batch normalisations. Not part
        of the printed losses.
    shuffle_labels : bool, keyword only, default False
        Whether the text classifier learns the class of a random other pair of the batch, as with
        the authors' loader of CUB: to measure what that does.
    word_vectors : None or array (n_tokens, d), keyword only, default None
        Vectors of the tokens, which stay as they are. None: they are drawn and learned.
    word_dim : int, keyword only, default 300
        Length of a token's vector; with ``word_vectors`` theirs counts. Not printed in the paper;
        nor are the next two.
    kernel_width : int, keyword only, default 3
        Of the convolutions, odd.
    pooling : "mean" or "last", keyword only, default "mean"
        Of the LSTM's states.
    filters : pair of int, keyword only, default (128, 256)
    halve : bool, keyword only, default False
        Whether each block is followed by the larger of each two neighbouring positions.
    normalise_shortcut : bool, keyword only, default False
        Whether the way past a block has batch normalisation too.
    norm_momentum, norm_epsilon : float, keyword only, default 0.9 and 1e-5
        Of batch normalisation.
    lstm_units : int, keyword only, default 512
        In each direction.
    n_tokens : int or None, keyword only, default None
        Size of the vocabulary. None: one more than the largest token of the training texts, or the
        number of ``word_vectors``.
    checkpoint : path or None, keyword only, default None
        A file ``.npz`` that holds the state of training. Where it exists, training goes on from
        it, and ends as if it had never stopped.
    checkpoint_every : int, keyword only, default 1000
        Batches between two states on disk; the last batch is always kept.
    log_every : int, keyword only, default 100
        Batches that one entry of the learning curve is the mean of.
    progress : bool, keyword only, default False
        Whether to print each entry of the learning curve on stderr, while training.
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the start, the batches, the texts drawn and the dropout; drawn on the host.

    Attributes
    ----------
    classes_ : array of int64, shape (k,)
        The labels met in ``fit``, ascending.
    learning_curve_ : list of dict
        For each interval the last ``"batch"`` and the mean ``"total"``, ``"text_retrieval"``,
        ``"image_retrieval"``, ``"text_classification"`` and ``"image_classification"``.
    n_parameters_ : int
        Numbers learned, the classifiers included.
    n_features_in_ : int
        p.
    network_ : ClarelNetwork
        The layers.

    Notes
    -----
    Without ``word_vectors``, tokens that no training text has, among them usually 1 for unknown
    words, start and stay at the zero vector. `zslib.calibration.MetricRescaling` balances seen and
    unseen classes.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> texts = np.array([[2, 3], [4, 3], [2, 0], [4, 0]])
    >>> model = CLAREL(embedding_dim=4, text_encoder="mean", word_dim=4, batch_size=4,
    ...                dropout=0.0, n_batches=200, random_state=0)
    >>> model = model.fit(X, np.array([0, 1, 0, 1]), texts)
    >>> prototypes = model.class_prototypes(np.array([[2, 3], [4, 3]]), np.array([0, 1]), 2)
    >>> model.predict(np.array([[3.0, 0.2], [0.1, 2.2]]), prototypes)
    array([0, 1])
    """

    retrieval_mix: Annotated[float, ">= 0", "<= 1"] = 0.5
    classification_weight: Annotated[float, ">= 0", "<= 1"] = 0.5
    _: KW_ONLY
    embedding_dim: int = 1024
    distance: Literal[DISTANCES] = "euclidean"
    exclude_equal: bool = True
    text_encoder: Literal["paper", "mean", None] = "paper"
    dropout: Share = 0.25
    dropout_each: bool = False
    batch_size: int = 32
    texts_per_image: int = 10
    n_batches: int = 150_000
    learning_rate: Positive = 0.1
    momentum: Share = 0.0
    clip: Positive | None = None
    decay_every: int = 50_000
    decay: Annotated[float, ">= 1"] = 10.0
    convolution_penalty: NotNegative = 0.001
    shuffle_labels: bool = False
    word_vectors: object = None
    word_dim: int = 300
    kernel_width: int = 3
    pooling: Literal["mean", "last"] = "mean"
    filters: tuple[int, ...] = (128, 256)
    halve: bool = False
    normalise_shortcut: bool = False
    norm_momentum: Share = 0.9
    norm_epsilon: Positive = 1e-5
    lstm_units: int = 512
    n_tokens: Annotated[int, ">= 2"] | None = None
    checkpoint: object = None
    checkpoint_every: int = 1000
    log_every: int = 100
    progress: bool = False
    random_state: RandomState = None

    def fit(self, X, y, texts, text_rows=None, text_ids=None):
        """Learn from samples of the seen classes and their texts; return self.

        Parameters
        ----------
        X : array, shape (n, p), float32 or float64
            Image features, used as they are given.
        y : array of integers, shape (n,)
            Class of each sample, any numbers.
        texts : array of integers, shape (m, T), or of ``X``'s type, shape (m, d)
            Token numbers, 0 where padded; or ready vectors where ``text_encoder=None``.
        text_rows : None, list of int sequences, or tuple of two int arrays
            The texts of each sample. None: text i is that of sample i. A list has one sequence
            of rows of ``texts`` for each sample. A tuple is ``(offsets, index)``, where sample i
            has ``index[offsets[i]:offsets[i + 1]]``.
        text_ids : None or array of integers, shape (m,)
            Equal texts share a number. Pairs that drew texts of one number are never each
            other's negatives. None: only one and the same row of ``texts`` is excluded. Plays no
            part with ``exclude_equal=False``.

        Raises
        ------
        ValueError
            For wrong shapes, NaN or infinity, images and texts of different counts, a text
            without tokens, a sample without text, a batch of one, a parameter out of range, a
            checkpoint of another training, or when training diverges.
        TypeError
            For arrays of different libraries, and texts that are neither tokens nor vectors.
        """
        check_paired(X, y, "X", "y")
        of, name = (texts, "texts") if text_rows is None else (text_rows, "text_rows")
        check_paired(X, of, "X", name)
        given, X, y = X, as_vectors(X, "X"), as_array(y, "y")
        n, p = X.shape
        check_for(self, n)
        check_length(y, "y", n, "X")
        if not namespace(y).isdtype(y.dtype, "integral"):
            raise TypeError(
                f"y must hold integers, got {y.dtype}: of names numpy.unique(y, "
                "return_inverse=True)[1] has a number for each"
            )
        if self.text_encoder is None:
            check_vectors(texts, "texts")
        else:
            texts = check_tokens(texts, self.n_tokens)
        pairs = Pairs(n, texts.shape[0], text_rows, text_ids)
        checkpoint = None
        if self.checkpoint is not None:
            here = identity(self.get_params(), X, y, texts, pairs)
            checkpoint = Checkpoint(self.checkpoint, here)
        rng, reference = random_generator(self.random_state), X[:1, :1]
        encoder = make_encoder(self, texts, pairs, rng, reference)
        classes, codes = np.unique(host_array(y, "y").astype(np.int64), return_inverse=True)
        network = ClarelNetwork(self, p, len(classes), encoder, rng, like=reference)
        # A fit that fails must not leave the last one's marks on half-changed state.
        vars(self).pop("network_", None)
        keep_columns(self, given)
        prepared = encoder.prepare(texts)
        training = Training(self, network, rng, X, like(codes, X), prepared, pairs)
        training.run(checkpoint)
        self.classes_ = like(classes, X)
        self.learning_curve_ = training.curve
        self.n_parameters_ = n_parameters(network)
        self.network_ = network
        self._check_scores(X, codes, texts, pairs)
        return self

    def _check_scores(self, X, codes, texts, pairs):
        """Refuse a training that told nothing apart, since vectors are in a very small unit."""
        vectors = {"X": X} | ({"texts": texts} if self.text_encoder is None else {})
        rows = some_rows(np.arange(X.shape[0]))
        own = take_rows(texts, pairs.index[pairs.offsets[rows]])
        scores = -self._distances(self._embedded_images(take_rows(X, rows)), self.embed_texts(own))
        try:
            check_told_apart(scores, **vectors)
            check_beyond_chance(scores, codes[rows], codes[rows], **vectors)
        except ValueError:
            vars(self).pop("network_")
            raise

    def losses_and_guesses(self):
        """Of each part that was trained, its last mean loss and that of a blind guess.

        ``{"retrieval": (loss, log B), "classification": (loss, log C)}`` without the part of
        weight 0: a training above its guess has failed.
        """
        check_is_fitted(self, "network_")
        last, mix = self.learning_curve_[-1], self.retrieval_mix
        retrieval = mix * last["text_retrieval"] + (1.0 - mix) * last["image_retrieval"]
        classes = (last["text_classification"] + last["image_classification"]) / 2.0
        found = {}
        if self.classification_weight < 1.0:
            found["retrieval"] = retrieval, math.log(self.batch_size)
        if self.classification_weight > 0.0:
            found["classification"] = classes, math.log(self.classes_.shape[0])
        return found

    def embed_images(self, X):
        r""":math:`f_\phi`, (n, embedding_dim), of features (n, p), with their type."""
        check_is_fitted(self, "network_")
        given, X = X, as_vectors(X, "X")
        namespace(X, self.network_.image_layer.weight.value)
        check_kept_columns(self, given)
        return self._embedded_images(X)

    def _embedded_images(self, X):
        layer = self.network_.image_layer
        weight, bias = typed_as(X, layer.weight.value, layer.bias.value)
        return X @ weight + bias

    def embed_texts(self, texts):
        r""":math:`f_\theta`, (m, embedding_dim), of texts as in ``fit``, with that X's type."""
        check_is_fitted(self, "network_")
        network = self.network_
        prepared, rows = network.encoder.prepare(texts), np.arange(texts.shape[0])
        draws = (TextDraw.single(rows[some]) for some in slices(len(rows), _TEXTS_AT_ONCE))
        blocks = [network.text_layer.forward(network.encoder.encode(prepared, d)) for d in draws]
        return namespace(blocks[0]).concat(blocks, axis=0)

    def class_prototypes(self, texts, labels, n_classes):
        r"""Prototypes :math:`\mathbf{p}`, (n_classes, embedding_dim): mean embeddings of texts.

        ``texts`` as in ``fit``; ``labels`` (m,) is the class of each, from 0 to ``n_classes - 1``.
        """
        check_integer(n_classes, "n_classes", low=1)
        namespace(texts)  # refuses a list
        labels = host_array(labels, "labels")
        check_length(labels, "labels", texts.shape[0], "texts")
        check_indices(labels, "labels", n_classes)
        missing = np.setdiff1d(np.arange(n_classes), labels)
        if len(missing):
            shown = ", ".join(map(str, missing[:5]))
            raise ValueError(
                f"{len(missing)} class(es) without texts ({shown}): give each at least one"
            )
        embedded = self.embed_texts(texts)
        sums, counts = class_sums(embedded, like(labels.astype(np.int64), embedded), n_classes)
        return sums / counts[:, None]

    def distances(self, X, prototypes):
        """d of each image (n, p) to each prototype (C, embedding_dim), shape (n, C)."""
        images = self.embed_images(X)
        namespace(images, prototypes)
        check_vectors(prototypes, "prototypes")
        check_same_width(images, prototypes, "the embedding of X", "prototypes")
        return self._distances(images, prototypes)

    def _distances(self, images, prototypes):
        distances = partial(embedding_distances, B=prototypes, distance=self.distance)
        return in_blocks(distances, images, max(images.shape[1], prototypes.shape[0]))

    def decision_function(self, X, prototypes):
        """Scores (n, C): the negative distances; errors as `distances`."""
        return -self.distances(X, prototypes)

    def predict(self, X, prototypes):
        """Row of the nearest of the ``prototypes`` for each image, int64 (n,), first of equals."""
        scores = self.decision_function(X, prototypes)
        xp = namespace(scores)
        return xp.astype(xp.argmax(scores, axis=1), xp.int64, copy=False)
