"""FeatureGenerator: f-CLSWGAN, f-VAEGAN-D2, cycle-WGAN and their kin as recipes of one class."""

from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from zslib.arrays import like, mean_length, namespace, random_generator, typed_like
from zslib.compatibility.generative.base import GenerativeModel, repeated, scale_of
from zslib.compatibility.generative.diagnostics import seen_class_diagnostics
from zslib.compatibility.generative.recipes import RECIPES, settings_of
from zslib.compatibility.generative.terms import least_squares
from zslib.compatibility.generative.training import Training
from zslib.compatibility.parameters import NotNegative, Positive
from zslib.validation import check_integer, check_learned


@dataclass(repr=False, eq=False)
class FeatureGenerator(GenerativeModel):
    r"""Images of unseen classes from a generative adversarial network, then a classifier.

    A generator :math:`\tilde x = G(z, a)` makes the features of an image from noise
    :math:`z \sim \mathcal N(0, I)` and a class vector a. A critic D tells made images from real
    ones (Wasserstein GAN with gradient penalty); with :math:`\hat x` between the two,

    .. math:: \min_D\ \overline{D(\tilde x, a)} - \overline{D(x, a)}
              + \lambda\, \overline{(\|\nabla_{\hat x} D(\hat x, a)\| - 1)^2},

    .. math:: \min_G\ -\gamma\, \overline{D(\tilde x, a)}
              + \beta\, \overline{CE(y, \tilde x)}
              + \lambda_{cyc}\, \overline{(R(\tilde x) - a)^2}
              + \lambda_{u}\, \overline{(R(G(z, a_u)) - a_u)^2} + \mathrm{VAE}.

    CE is the cross-entropy of a softmax regression on real images of the seen classes, R the
    linear least squares from images to class vectors; both are frozen. With the VAE an encoder
    gives :math:`z \sim q(z \mid x, a)`, and the generator is its decoder. The recipes:

    - ``"WGAN"``: the critic alone.
    - ``"f-CLSWGAN"`` (Xian et al. 2018): :math:`\beta`.
    - ``"f-VAEGAN-D2"`` (Xian et al. 2019): the VAE and :math:`\gamma`; without D2's second critic,
      which sees unlabelled test images.
    - ``"cycle-WGAN"``, ``"cycle-CLSWGAN"``, ``"cycle-UWGAN"`` (Felix et al. 2018):
      :math:`\lambda_{cyc}`, with :math:`\beta`, with :math:`\lambda_u`. The last looks at the
      vectors of unseen classes, which `fit` must be given.

    All recipes are trained at one reduced size, 10 to 20 seconds for CUB on one processor: 256
    hidden units where the originals have 4,096, linear output where theirs is rectified or a
    sigmoid, features of root mean square length 4 instead of in [0, 1], learning rates that fall
    to 0, averaged generator weights, a VAE with Gaussian errors, R in closed form, class vectors
    of mean length one, and the classifier of `GenerativeModel`, where the originals chose an epoch
    on test images.

    Y. Xian et al.: Feature generating networks for zero-shot learning. CVPR 2018. Y. Xian et al.:
    f-VAEGAN-D2: a feature generating framework for any-shot learning. CVPR 2019. R. Felix et al.:
    Multi-modal cycle-consistent generalized zero-shot learning. ECCV 2018.

    Parameters
    ----------
    recipe : str, default "f-CLSWGAN"
        One of the above.
    classification_weight : float, keyword only, default None
        :math:`\beta`, at least 0. None, here and below: the recipe's.
    cycle_weight, unseen_cycle_weight : float, keyword only, default None
        :math:`\lambda_{cyc}` and :math:`\lambda_u`, at least 0.
    adversarial_weight : float, keyword only, default None
        :math:`\gamma`, at least 0.
    n_hidden : int, keyword only, default None
        Hidden units of each network.
    n_steps : int, keyword only, default None
        Steps of the generator.
    learning_rate : float, keyword only, default None
        Of Adam, above 0, for both players.
    batch_size : int, keyword only, default None
    n_generated : int, keyword only, default 100
        Images made of each class that was not seen.
    classifier_penalty : float, keyword only, default 1e-3
        Of both classifiers, see `GenerativeModel`.
    feature_length : float, keyword only, default 4.0
        Root mean square length that features are brought to, above 0.
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of everything; drawn on the host.

    Attributes
    ----------
    generator_ : zslib.nn.Sequential
        G, which is given noise and class vectors side by side.
    embedding_scale_ : float
        Factor that gives the seen classes' vectors the mean length 1.
    learning_curve_ : list of float
        The critic's gap between made and real images at each step.
    diagnostics_ : dict
        `seen_class_diagnostics` of images made of the seen classes. What to look at: the gap says
        little.
    scale_, seen_images_, seen_codes_, seen_embeddings_ : see `GenerativeModel`
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> S = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1]])
    >>> y = rng.integers(6, size=200)
    >>> X = S[y] + 0.2 * rng.standard_normal((200, 3))
    >>> model = FeatureGenerator(n_hidden=64, n_steps=500, learning_rate=3e-3, random_state=0)
    >>> model.fit(X[y < 5], y[y < 5], S).score(X, y) > 0.9  # the last class was never seen
    True
    """

    grid = {"n_generated": (100,)}
    family = "generator"

    recipe: Literal[tuple(RECIPES)] = "f-CLSWGAN"
    _: KW_ONLY
    classification_weight: NotNegative | None = None
    cycle_weight: NotNegative | None = None
    unseen_cycle_weight: NotNegative | None = None
    adversarial_weight: NotNegative | None = None
    n_hidden: int | None = None
    n_steps: int | None = None
    learning_rate: Positive | None = None
    batch_size: int | None = None
    feature_length: Positive = 4.0

    def fit(self, X, y, class_embeddings, unseen_embeddings=None):
        """Learn to make images from those of the seen classes; return self.

        Parameters
        ----------
        X, y, class_embeddings
            As in `CompatibilityModel.fit`.
        unseen_embeddings : array, shape (u, q), or None
            Vectors of unseen classes that training may look at. Only ``unseen_cycle_weight``
            does, and needs them.
        """
        return self._checked_fit(X, y, class_embeddings, {"unseen_embeddings": unseen_embeddings})

    def _fit_generator(self, X, codes, embeddings, rng, unseen_embeddings):
        xp, k = namespace(X), embeddings.shape[0]
        settings = settings_of(**self.get_params())
        if settings.unseen_cycle_weight and unseen_embeddings is None:
            raise ValueError(
                "unseen_cycle_weight is above 0, as recipe='cycle-UWGAN' has it: pass "
                "unseen_embeddings to fit"
            )
        length = mean_length(embeddings)
        self.embedding_scale_ = scale_of(1.0 / length, embeddings, "class_embeddings")
        embeddings = embeddings * self.embedding_scale_
        classifier = regressor = None
        if settings.classification_weight:
            weights = self._classifier(X, codes, k, max_iter=100)
            classifier = weights[:-1, :], weights[-1, :]
        if settings.cycle_weight or settings.unseen_cycle_weight:
            regressor = least_squares(X, xp.take(embeddings, codes, axis=0))
        unseen = None if unseen_embeddings is None else unseen_embeddings * self.embedding_scale_
        training = Training(X, codes, embeddings, unseen, classifier, regressor, settings, rng)
        self.learning_curve_ = training.run()
        self.generator_, self._n_noise = training.generator, training.n_noise
        for parameter in self.generator_.parameters().values():
            check_learned(parameter.value, "lower learning_rate")
        made = self._make(embeddings, self.n_generated, rng)
        made_codes = like(np.repeat(np.arange(k), self.n_generated), X)
        self.diagnostics_ = seen_class_diagnostics(X, codes, made, made_codes, k)

    def _generate(self, embeddings, per_class, rng):
        return self._make(embeddings * self.embedding_scale_, per_class, rng)

    def _make(self, embeddings, per_class, rng):
        vectors = repeated(embeddings, per_class)
        noise = typed_like(rng.standard_normal((vectors.shape[0], self._n_noise)), vectors)
        return self.generator_.forward(namespace(vectors).concat([noise, vectors], axis=1))

    def generate(self, class_embeddings, per_class=1, *, random_state=None):
        """``per_class`` images of each row of ``class_embeddings``, class by class.

        They have the type and the unit of the ``X`` given to ``fit``.
        """
        rows = self._checked_classes(class_embeddings)
        check_integer(per_class, "per_class", low=1)
        return self._generate(rows, per_class, random_generator(random_state)) / self.scale_
