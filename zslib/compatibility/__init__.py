"""Zero-shot scorers: ``fit(X, y, class_embeddings)``, then scores for classes never seen.

Only `CLAREL` is fitted on images and their texts, and scores prototypes of classes.
"""

from zslib.compatibility.base import BilinearModel, CompatibilityModel, zero_shot_scorer
from zslib.compatibility.bidilel import BiDiLEL
from zslib.compatibility.centred import Centred
from zslib.compatibility.clarel.clarel import CLAREL
from zslib.compatibility.clarel.settings import clarel_settings
from zslib.compatibility.cmt import CMT
from zslib.compatibility.cnzsl import CNZSL
from zslib.compatibility.conse import ConSE
from zslib.compatibility.dap import DAP
from zslib.compatibility.eszsl import ESZSL
from zslib.compatibility.generative.cada_vae import CADAVAE
from zslib.compatibility.generative.feature_generator import FeatureGenerator
from zslib.compatibility.generative.gmmn import GMMN
from zslib.compatibility.iap import IAP
from zslib.compatibility.iciness import ICINESS
from zslib.compatibility.jlse import JLSE
from zslib.compatibility.map_scorer import MapScorer
from zslib.compatibility.metric.learner import MetricLearner
from zslib.compatibility.psr import PSR
from zslib.compatibility.ranking.ale import ALE
from zslib.compatibility.ranking.dark import DARK
from zslib.compatibility.ranking.devise import DeViSE
from zslib.compatibility.ranking.latem import LatEm
from zslib.compatibility.ranking.sje import SJE
from zslib.compatibility.sae import SAE
from zslib.compatibility.scaled import Scaled
from zslib.compatibility.sse import SSE
from zslib.compatibility.sync import SynC
from zslib.compatibility.zkl import ZKL

__all__ = [
    "ALE",
    "CADAVAE",
    "CLAREL",
    "CMT",
    "CNZSL",
    "DAP",
    "DARK",
    "ESZSL",
    "GMMN",
    "IAP",
    "ICINESS",
    "JLSE",
    "PSR",
    "SAE",
    "SJE",
    "SSE",
    "ZKL",
    "BiDiLEL",
    "BilinearModel",
    "Centred",
    "CompatibilityModel",
    "ConSE",
    "DeViSE",
    "FeatureGenerator",
    "LatEm",
    "MapScorer",
    "MetricLearner",
    "Scaled",
    "SynC",
    "clarel_settings",
    "zero_shot_scorer",
]
