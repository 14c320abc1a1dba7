"""A generator of features against its critic, step by step."""

import numpy as np

from zslib.arrays import namespace, take_rows, typed_like
from zslib.compatibility.generative.critic import Critic
from zslib.compatibility.generative.gaussians import divergences
from zslib.compatibility.generative.terms import (
    adversarial_term,
    class_term,
    cycle_term,
    reconstruction_term,
)
from zslib.nn import Descent, LeakyReLU, Sequential, dense_layers
from zslib.optim import Adam
from zslib.validation import check_learned


class Training:
    r"""The players of one recipe, the data they see, and their steps.

    The critic lowers :math:`\overline{D(\tilde x, a)} - \overline{D(x, a)}` and its penalty; the
    generator, with the encoder where there is one, the sum of the terms in
    `zslib.compatibility.generative.terms`, each with its weight. Arrays have the scale that the
    networks see. ``unseen`` (u, q), for the cycle term of unseen classes, and ``classifier`` and
    ``regressor``, frozen coefficients and intercepts, are None where no weight asks for them.
    """

    def __init__(self, X, codes, embeddings, unseen, classifier, regressor, settings, rng):
        self.X, self.codes, self.embeddings, self.unseen = X, codes, embeddings, unseen
        self.classifier, self.regressor = classifier, regressor
        self.settings, self.rng, s = settings, rng, settings
        p, q = X.shape[1], embeddings.shape[1]
        hidden, self.n_noise = (s.n_hidden,) if s.n_hidden else (), s.n_noise or q
        how = {"activation": LeakyReLU, "like": X}
        self.critic = Critic(p, q, hidden, rng, like=X)
        self.generator = dense_layers((self.n_noise + q, *hidden, p), rng, **how)
        moved, self.encoder = {"generator": self.generator}, None
        if s.variational:
            sizes = p + q, *hidden, 2 * self.n_noise, 2 * self.n_noise
            moved["encoder"] = self.encoder = dense_layers(sizes, rng, **how)
        self._moved, self._critic_moved = (
            Descent(network.parameters(), lambda: Adam(s.learning_rate, beta1=s.beta1))
            for network in (Sequential(**moved), self.critic)
        )

    def run(self):
        """Train; return the critic's gap at each step of the generator."""
        s, gaps = self.settings, []
        average = Average(self.generator.parameters(), s.averaging)
        # An overflow is reported at once, with its remedy.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for step in range(s.n_steps):
                rate = s.learning_rate * (1.0 - step / s.n_steps)
                for _ in range(s.critic_steps):
                    gap = float(self._add_critic_gradient())
                    self._critic_moved.step(rate)
                check_learned(gap, "lower learning_rate")
                gaps.append(gap)
                self.add_gradient(*self._draw(), *self._draw_unseen())
                self._moved.step(rate)
                average.step()
        average.use()
        return gaps

    def _add_critic_gradient(self):
        x, a, _, noise = self._draw()
        if self.settings.variational:
            noise = self._encode(x, a, noise)[0]
        fake = self.generator.forward(namespace(a).concat([noise, a], axis=1))
        gap = self.critic.add_gap(x, fake, a)
        share = typed_like(self.rng.random((x.shape[0], 1)), x)
        self.critic.add_penalty(share * x + (1.0 - share) * fake, a, self.settings.penalty)
        return gap

    def add_gradient(self, x, a, codes, noise, other, other_noise):
        """Add the gradient of the generator's loss on one batch; return its value, shape ()."""
        s, n, xp = self.settings, x.shape[0], namespace(x)
        place = noise
        if s.variational:
            place, mean, log_variance = self._encode(x, a, noise, train=True)
        fake = self.generator.forward(xp.concat([place, a], axis=1), train=True)
        terms = [(s.adversarial_weight, adversarial_term(fake, a, self.critic))]
        if s.classification_weight:
            terms.append((s.classification_weight, class_term(fake, codes, self.classifier)))
        if s.cycle_weight:
            terms.append((s.cycle_weight, cycle_term(fake, a, self.regressor)))
        if s.variational:
            terms.append((1.0, reconstruction_term(fake, x, s.decoder_variance)))
        loss = sum(weight * value for weight, (value, _) in terms)
        gradient = sum(weight * by_fake for weight, (_, by_fake) in terms)
        by_place = self.generator.backward(gradient)[:, : self.n_noise]
        if s.variational:
            values, (by_mean, by_log) = divergences(mean, log_variance)
            loss = loss + xp.mean(values)
            # The place is the mean and a deviation that grows with half the log variance.
            by_deviation = 0.5 * (place - mean) * by_place
            parts = by_mean / n + by_place, by_log / n + by_deviation
            self.encoder.backward(xp.concat(parts, axis=1))
        if s.unseen_cycle_weight:
            fake = self.generator.forward(xp.concat([other_noise, other], axis=1), train=True)
            value, by_fake = cycle_term(fake, other, self.regressor)
            self.generator.backward(s.unseen_cycle_weight * by_fake)
            loss = loss + s.unseen_cycle_weight * value
        return loss

    def _encode(self, x, a, noise, *, train=False):
        xp, d = namespace(x), self.n_noise
        both = self.encoder.forward(xp.concat([x, a], axis=1), train=train)
        mean, log_variance = both[:, :d], both[:, d:]
        return mean + xp.exp(0.5 * log_variance) * noise, mean, log_variance

    def _draw(self):
        """A batch: features, class vectors, codes, noise."""
        rows = self.rng.integers(self.X.shape[0], size=self.settings.batch_size)
        codes = take_rows(self.codes, rows)
        a = namespace(codes).take(self.embeddings, codes, axis=0)
        return take_rows(self.X, rows), a, codes, self._noise()

    def _draw_unseen(self):
        """As many class vectors of unseen classes, and noise, where they take part."""
        if not self.settings.unseen_cycle_weight:
            return None, None
        rows = self.rng.integers(self.unseen.shape[0], size=self.settings.batch_size)
        return take_rows(self.unseen, rows), self._noise()

    def _noise(self):
        shape = self.settings.batch_size, self.n_noise
        return typed_like(self.rng.standard_normal(shape), self.X)


class Average:
    r"""Running average of parameters, :math:`\bar w \leftarrow \rho \bar w + (1 - \rho) w`.

    :math:`\rho` is ``share``, but at first :math:`(1 + t) / (10 + t)` after t steps, which soon
    forgets the start.
    """

    def __init__(self, parameters, share):
        self.parameters, self.share, self.n_steps = list(parameters.values()), share, 0
        self.values = [parameter.value + 0.0 for parameter in self.parameters]

    def step(self):
        """Take in the parameters as they are now."""
        share = min(self.share, (1.0 + self.n_steps) / (10.0 + self.n_steps))
        self.n_steps += 1
        for value, parameter in zip(self.values, self.parameters, strict=True):
            value *= share
            value += (1.0 - share) * parameter.value

    def use(self):
        """Give the parameters their averages."""
        for value, parameter in zip(self.values, self.parameters, strict=True):
            parameter.value = value
