"""What a file is, what can be said from it, what cannot, and how many labels its main figure needs."""
