"""How the human check looks: parts of `components.ItemView`."""

from __future__ import annotations

from leaderboard.assets import asset

HUMAN_CHECK = """
<div class="human-check">
  <p role="status"><strong>People and this judge:</strong> {{line}}</p>
  {{#each notes}}<p class="muted">{{this}}</p>{{/each}}
  {{#if said}}<p class="not-kept" role="alert">{{said}}</p>{{/if}}
</div>
"""
"""What people say of the judge (`vote_values.HumanCheckValue`)."""

BALLOT = (
    '{{#if ballot}}<td>{{ballot.says}}</td><td class="ballot">{{#each ballot.choices}}<button type="button" '
    'data-verdict="{{verdict}}" data-stance="{{stance}}" data-choice="{{label}}" aria-label="{{name}}" '
    'aria-pressed="{{#if is_chosen}}true{{else}}false{{/if}}">{{label}}</button>{{/each}}</td>{{/if}}'
)
"""The judge's word for a pair and the buttons beside it (`vote_values.BallotValue`)."""

KEEP_FOCUS = asset("keep_focus.js")
"""A vote draws the item anew: whoever types stays on the button they pressed."""
