"""The paper's method: labelled subgraphs, the encoder, the environment, Q-learning, and walks."""
