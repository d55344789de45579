"""The map of subgraphs: a graph network that puts good subgraphs close to one another, and how it is learnt."""

from lense.encoder.network import Encoder
from lense.encoder.picture import PictureMap
from lense.encoder.training import EncoderReport, TrainedEncoder, train_encoder

__all__ = ["Encoder", "EncoderReport", "PictureMap", "TrainedEncoder", "train_encoder"]
