"""The canary: a few pairs that a judge is asked again on a schedule, to hear when it has changed."""
