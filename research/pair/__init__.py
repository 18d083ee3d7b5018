"""The pair judge: training, perturbed pairs, and what each of its rules is worth."""
