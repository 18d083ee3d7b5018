"""The fold on the page of a run: what to put on its model card."""

from __future__ import annotations

from leaderboard.assets import asset
from leaderboard.parts.components import TemplateComponent
from leaderboard.parts.export_components import COPY_PART


class ModelCard(TemplateComponent):
    """A closed fold that asks for its content when it is opened. Value: `screen.ModelCardValue`; None shows nothing.

    Event: `wanted` with {address} of this site.
    """

    TEMPLATE = """
{{#if value}}<div class="shown handover model-card">
<details{{#if value.is_open}} open{{/if}}><summary>Put this on your model card</summary>
{{#each value.lines}}<p class="model-card-line">{{this}}</p>{{/each}}
<div class="copy-text">
{{#if value.yaml}}<div><p><button type="button" data-copy="yes">Copy YAML</button> <span role="status"></span></p>
<pre tabindex="0" role="region" aria-label="YAML">{{value.yaml}}</pre></div>
<div><p><button type="button" data-copy="yes">Copy command</button> <span role="status"></span></p>
<pre tabindex="0" role="region" aria-label="Command">{{value.command}}</pre></div>{{/if}}</div></details>
</div>{{/if}}
"""
    SCRIPT = COPY_PART + asset("model_card.js")
