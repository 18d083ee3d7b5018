"""Scores one submission, or one judge: judges, embeddings, metrics, results, worker."""
