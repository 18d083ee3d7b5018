"""The boards of 2025 and 2026: consistency and cultural variation."""
