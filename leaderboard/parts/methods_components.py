"""The components of the About page."""

from __future__ import annotations

from leaderboard.assets import asset
from leaderboard.parts.components import TemplateComponent

_FACTS = "<dl class='method-facts'>{{#each facts}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>"

# What a link asks for comes after the page, and is shown some time later: the section is opened once it has a place.
_OPEN_SECTION = asset("open_section.js")


class MethodsView(TemplateComponent):
    """The contents of the page, or one board with its columns (`methods_page.methods_value`).

    `?section=board.column` opens that column's section.
    """

    TEMPLATE = (
        """
{{#if value.contents}}<nav class="shown methods" aria-labelledby="methods-contents-title">
  <h2 id="methods-contents-title">How every figure is made</h2>
  <dl class="method-facts">{{#each value.contents}}<div><dt><a href="{{link}}">{{name}}</a></dt>
    <dd>{{text}}</dd></div>{{/each}}</dl></nav>{{/if}}
{{#if value.back}}<nav class="shown" aria-label="About"><a href="{{value.back}}">← All of About</a></nav>{{/if}}
{{#each value.boards}}
<section class="methods" id="{{id}}" aria-labelledby="{{id}}-title">
  <h2 id="{{id}}-title" tabindex="-1">{{title}}</h2>
  <p>{{ranks}} <a href="{{board_link}}">Open the board.</a></p>
  <h3>From what a team sends to a number</h3>
  <ol>{{#each steps}}<li>{{this}}</li>{{/each}}</ol>
  <h3>How ranks are made</h3>
  <p>{{ranking}}</p>
  <h3>Columns</h3>
  {{#each columns}}
  <details class="method" id="{{id}}" data-section="{{section}}"><summary><strong>{{label}}</strong>
    <span class="muted">{{meaning}}</span></summary>
    """
        + _FACTS
        + """
  </details>
  {{/each}}
  <h3>Grey rows, and why they stand there</h3>
  <dl class="method-facts">{{#each null_rows}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
  <h3>Flags and notes</h3>
  <dl class="method-facts">{{#each guards}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
  <h3>What not to conclude</h3>
  <ul>{{#each limits}}<li>{{this}}</li>{{/each}}</ul>
  <h3>Licence</h3>
  <p>{{licence}}</p>
  {{#each pages}}<h3>{{name}}</h3><p class="organiser-page">{{text}}</p>{{/each}}
</section>
{{/each}}
"""
    )
    SCRIPT = _OPEN_SECTION


class JudgesGuide(TemplateComponent):
    """The judges one can configure (`methods_page.judges_value`); their cards stand below it."""

    TEMPLATE = """
{{#if value.judges}}<section class="shown methods" id="methods-limits" aria-labelledby="methods-limits-title">
  <h2 id="methods-limits-title" tabindex="-1">Judges and their limits</h2>
  <p>No number is better than its judge. Every judge is asked in both orders, and its own position bias, errors and
    agreement with pairs we graded ourselves stand beside its verdicts. What a judge cannot read stays unscored.</p>
  <dl class="method-facts">{{#each value.judges}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
  <p>Measured on our labelled pairs; any other judge is measured by <code>{{value.measure}}</code>:</p>
</section>{{/if}}
"""


class PracticeView(TemplateComponent):
    """How to reproduce a score and cite it, and the states of a submission (`methods_page.practice_value`)."""

    TEMPLATE = """
{{#if value.steps}}<section class="shown methods" id="methods-reproduce" aria-labelledby="methods-reproduce-title">
  <h2 id="methods-reproduce-title" tabindex="-1">Reproduce a score</h2>
  <ol>{{#each value.steps}}<li>{{words}}{{#if command}}
    <pre tabindex="0" role="region" aria-label="Command of step {{@index}}">{{command}}</pre>{{/if}}</li>{{/each}}</ol>
</section>
<section class="methods" id="methods-cite" aria-labelledby="methods-cite-title">
  <h2 id="methods-cite-title" tabindex="-1">Cite</h2>
  <p>Cite the measure's paper, and the version of the board you looked at: “Cite this view” under “Share / export”
    above every board writes BibTeX that names the rows by their SHA-256. The papers:</p>
  {{#each value.papers}}<pre tabindex="0" role="region" aria-label="BibTeX, {{name}}">{{text}}</pre>{{/each}}
  <p>The program is licensed under Apache-2.0.</p>
</section>
<section class="methods" id="methods-states" aria-labelledby="methods-states-title">
  <h2 id="methods-states-title" tabindex="-1">What happens to a submission</h2>
  <dl class="method-facts">{{#each value.states}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
  <h3>Prompt sets</h3>
  <dl class="method-facts">{{#each value.sets}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
  <p class="muted">Plumbline {{value.version}}.</p>
</section>{{/if}}
"""


class ColumnGuide(TemplateComponent):
    """What the columns of a board mean, each with a link to its section (`methods_page.guide_value`)."""

    TEMPLATE = """
{{#if value.columns}}<details class="shown column-guide"><summary>What the columns mean, and how each is made</summary>
  <dl class="method-facts">{{#each value.columns}}<div><dt><a href="{{link}}">{{label}}</a></dt>
    <dd>{{meaning}}</dd></div>{{/each}}</dl>
</details>{{/if}}
"""
