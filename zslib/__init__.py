"""Zero-shot learning by cross-space mapping: methods, metrics, retrieval and protocols.

The five papers that this package follows, and a book that checks them with it, are described
in the README. Import what you need from the packages: ``zslib.search``, ``zslib.metrics``,
``zslib.mapping``, ``zslib.compatibility``, ``zslib.calibration``, ``zslib.datasets``,
``zslib.protocols``, ``zslib.compare``, ``zslib.nn``, ``zslib.optim``.
"""

__version__ = "0.3.0"
