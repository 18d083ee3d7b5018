"""The estimator of recommendation strategies: features, head, training, and what it is measured by."""
