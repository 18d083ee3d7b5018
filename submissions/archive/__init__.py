"""The record from which everything can be rebuilt, and its mirror on the Hub."""
