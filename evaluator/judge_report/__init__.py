"""What a judge's log says about the judge: figures with intervals, and what cannot be said from it."""
