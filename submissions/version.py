"""The version of the code, stated in every result."""

VERSION = "0.1.0"
