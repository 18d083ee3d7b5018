"""The results as a dataset for the Hub: boards, items, verdicts and manifests as Parquet, with their card."""
