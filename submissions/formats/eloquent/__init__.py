"""The ELOQUENT editions of 2024, 2025 and 2026: readers, guards, coverage, templates."""
