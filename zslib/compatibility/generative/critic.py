"""The critic of a Wasserstein GAN, and the gradient of its gradient penalty by hand."""

from itertools import pairwise

from zslib.arrays import namespace, row_norms
from zslib.nn import Linear, Sequential

SLOPE = 0.2


class Critic:
    r"""Score :math:`D(x, a)` of features x and a class vector a: leaky layers, then one number.

    .. math:: h_0 = [x, a], \qquad u_l = h_{l-1} W_l + b_l, \qquad h_l = M_l \odot u_l, \qquad
              D = h_{L-1} W_L + b_L,

    where :math:`M_l` is 1 where :math:`u_l > 0` and ``SLOPE`` elsewhere. The penalty needs the
    gradient of a gradient (Gulrajani et al. 2017). As :math:`M` is constant almost everywhere,
    with :math:`E_L = 1`, :math:`E_l = M_l \odot (E_{l+1} W_{l+1}')` and :math:`W_{1x}` the rows
    of :math:`W_1` that meet x,

    .. math:: V = \frac{\partial D}{\partial x} = E_1 W_{1x}', \qquad
              P = \frac{\lambda}{n} \sum_i (\|v_i\| - 1)^2, \qquad
              C_i = \frac{\partial P}{\partial v_i}
              = \frac{2 \lambda}{n} \frac{\|v_i\| - 1}{\|v_i\|} v_i,

    .. math:: \frac{\partial P}{\partial W_{1x}} = C' E_1, \qquad
              \frac{\partial P}{\partial W_{l+1}} = F_l' E_{l+1}, \qquad
              F_1 = M_1 \odot (C W_{1x}), \quad F_l = M_l \odot (F_{l-1} W_l).

    The rows of :math:`W_1` that meet a, and all biases, get nothing. ``hidden`` has the width of
    each hidden layer; ``start`` is ``init``, ``scale`` and ``like`` of `zslib.nn.Linear`.
    """

    def __init__(self, n_features, n_embedding, hidden, rng, **start):
        self.n_features = n_features
        sizes = (n_features + n_embedding, *hidden, 1)
        self.layers = [Linear(*pair, rng, **start) for pair in pairwise(sizes)]

    def parameters(self):
        """All of them by name, in a fixed order."""
        return Sequential(**{str(k): layer for k, layer in enumerate(self.layers)}).parameters()

    def scores(self, x, a):
        """D of each row, (n,)."""
        return self._forward(x, a)[0]

    def slopes(self, x, a):
        """V, the gradient of each row's score by its features, (n, p)."""
        scores, _, kinks = self._forward(x, a)
        return self._by_features(self._pulls(scores, kinks))

    def add_gap(self, real, fake, a):
        """Add the gradient of mean D(fake, a) - mean D(real, a); return that, shape ()."""
        xp, n = namespace(real, fake, a), real.shape[0]
        both = xp.concat([real, fake], axis=0), xp.concat([a, a], axis=0)
        scores, inputs, kinks = self._forward(*both)
        pulls = self._pulls(scores, kinks)
        for layer, before, pull in zip(self.layers, inputs, pulls, strict=True):
            pull[:n, :] *= -1.0
            pull *= 1.0 / n
            layer.weight.add(before.T @ pull)
            layer.bias.add(xp.sum(pull, axis=0))
        return (xp.sum(scores[n:]) - xp.sum(scores[:n])) / n

    def add_penalty(self, x, a, weight):
        """Add the gradient of P at ``x``, lambda being ``weight``; return P, shape ()."""
        xp, (n, p) = namespace(x, a), x.shape
        scores, _, kinks = self._forward(x, a)
        pulls = self._pulls(scores, kinks)
        slopes = self._by_features(pulls)
        lengths = row_norms(slopes)
        flat = xp.astype(lengths == 0, x.dtype)
        shares = (1.0 - flat) * (lengths - 1.0) / (lengths + flat)
        carried = slopes * ((2.0 * weight / n) * shares)[:, None]
        first, matrix = self.layers[0].weight, self.layers[0].weight.value[:p, :]
        gradient = xp.zeros_like(first.value)
        gradient[:p, :] = carried.T @ pulls[0]
        first.add(gradient)
        for kink, layer, pull in zip(kinks, self.layers[1:], pulls[1:], strict=True):
            carried = kink * (carried @ matrix)
            layer.weight.add(carried.T @ pull)
            matrix = layer.weight.value
        return weight * xp.mean((lengths - 1.0) ** 2)

    def _forward(self, x, a):
        """Scores, the input of each layer, and the slope at each hidden unit."""
        xp = namespace(x, a)
        inputs, kinks = [xp.concat([x, a], axis=1)], []
        for layer in self.layers[:-1]:
            units = layer.forward(inputs[-1])
            kinks.append((1.0 - SLOPE) * xp.astype(units > 0, x.dtype) + SLOPE)
            inputs.append(units * kinks[-1])
        return self.layers[-1].forward(inputs[-1])[:, 0], inputs, kinks

    def _pulls(self, scores, kinks):
        """E, the gradient of each row's score by the units of each layer, from the first on."""
        pulls = [namespace(scores).ones_like(scores)[:, None]]
        for layer, kink in zip(self.layers[:0:-1], kinks[::-1], strict=True):
            pulls.append(kink * (pulls[-1] @ layer.weight.value.T))
        return pulls[::-1]

    def _by_features(self, pulls):
        return pulls[0] @ self.layers[0].weight.value[: self.n_features, :].T
