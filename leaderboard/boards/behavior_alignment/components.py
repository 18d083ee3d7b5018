"""Components of the board of recommenders. Text of teams goes through `{{ }}`, nowhere else."""

from __future__ import annotations

from leaderboard.parts.components import TemplateComponent


class DialogueView(TemplateComponent):
    """One dialogue, both answers at every turn (`dialogues.dialogue_value`); None shows nothing."""

    IS_LARGE = True
    TEMPLATE = """
{{#if value.title}}<section class="shown group dialogue">
  <h3>{{value.title}}</h3>
  <p class="item-sentence">{{value.sentence}}</p>
  <ol class="turns">
  {{#each value.turns}}
    <li class="turn {{style}}">
      <h4>{{title}} <span class="verdict">{{verdict}}</span> <span class="muted">{{similarity}}</span></h4>
      {{#each said}}<p class="said"><span class="sr-only">The seeker said: </span>{{this}}</p>{{/each}}
      <div class="variants">
      {{#each answers}}
        <article class="variant">
          <h5>{{title}}</h5>
          {{#if text}}<div class="answer" tabindex="0" role="group" aria-label="{{title}}, {{../title}}">{{text}}</div>
          {{else}}<p class="muted">It said nothing.</p>{{/if}}
          <p class="marks">{{#each chips}}<span class="chip{{#if is_label}} is-label{{/if}}">{{text}}{{#if is_label
            }}<span class="sr-only"> (turn label)</span>{{/if}}</span> {{/each}}{{#if recommends}}<span
            class="muted">{{recommends}}</span>{{/if}}</p>
        </article>
      {{/each}}
      </div>
    </li>
  {{/each}}
  </ol>
</section>{{/if}}
"""
