"""One base question of a 2026 run on the page: its pairs of languages, and the answers they are of."""

from __future__ import annotations

from leaderboard.assets import asset
from leaderboard.parts.components import VARIANT, TemplateComponent


class CulturalItemView(TemplateComponent):
    """One base question (`cultural_items.cultural_item_value`); None shows nothing.

    Event: `open` with {pair}; a blank pair is none.
    """

    IS_LARGE = True
    TEMPLATE = (
        """
{{#if value.title}}<section class="shown group cultural-item">
  <h3>{{value.title}}</h3>
  <p class="item-sentence">{{value.sentence}}</p>
  <p class="muted">{{value.context}}.</p>
  {{#each value.notes}}<p class="muted">{{this}}</p>{{/each}}
  {{#if value.pairs}}
  <div class="table-frame cultural-pairs" tabindex="0" role="region" aria-label="Pairs of languages">
  <table class="sheet verdicts">
    <caption><span>Pairs of languages: 1 - cosine of the answers; U where no culture is named, A mean over the variants
      that name one</span></caption>
    <thead><tr><th scope="col">Languages</th><th scope="col" class="number">U</th>
      <th scope="col" class="number">U gated</th><th scope="col" class="number">A</th>
      <th scope="col" class="number">A gated</th><th scope="col" class="number">Variants in both</th></tr></thead>
    <tbody>
    {{#each value.pairs}}
      <tr class="{{#if is_opened}}opened-row{{/if}}"><th scope="row"><button type="button" data-pair="{{id}}"
        aria-pressed="{{#if is_opened}}true{{else}}false{{/if}}">{{title}}</button></th>
      <td class="number">{{unspecific}}</td><td class="number">{{unspecific_gated}}</td>
      <td class="number">{{specific}}</td><td class="number">{{specific_gated}}</td>
      <td class="number">{{variants}}</td></tr>
    {{/each}}
    </tbody>
  </table>
  </div>
  {{/if}}
  {{#if value.is_pair_opened}}<p><button type="button" class="to-languages" data-pair="">Show every language by
    itself</button></p>{{/if}}
  {{#each value.sections}}
  <section class="group" aria-label="{{title}}: answers">
    <h4>{{title}} <span class="muted">{{summary}}</span></h4>
    <div class="variants{{#if is_paired}} two-by-two{{/if}}">{{#each shown}}"""
        + VARIANT
        + """{{/each}}</div>
    {{#if rest}}<details class="more-answers"><summary>{{rest_title}}</summary>
    <div class="variants{{#if is_paired}} two-by-two{{/if}}">{{#each rest}}"""
        + VARIANT
        + """{{/each}}</div></details>{{/if}}
  </section>
  {{/each}}
</section>{{/if}}
"""
    )
    # A pair draws the view anew: whoever types stays on the button they pressed.
    SCRIPT = asset("cultural_item.js")
