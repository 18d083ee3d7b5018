"""One function per page: components and wiring only."""
