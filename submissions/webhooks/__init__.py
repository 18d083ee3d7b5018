"""Webhooks: signed messages to addresses that teams or organisers gave, sent to no place that they must not reach."""
