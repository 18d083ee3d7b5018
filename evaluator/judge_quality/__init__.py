"""How far a judge can be trusted: labelled pairs, votes of people, injected texts, verdicts asked for again."""
