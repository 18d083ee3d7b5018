"""Training, labelled texts and measurement of the shipped judges; what is served never imports it."""
