"""Components of the desk and the queue. Text of teams goes through `{{ }}` or `textContent`, nowhere else."""

from __future__ import annotations

from leaderboard.assets import asset
from leaderboard.parts.components import TemplateComponent


class ProblemsView(TemplateComponent):
    """Every problem of a file; the lines it is about open below it (`problem_values.problems_value`)."""

    TEMPLATE = """
{{#if value.columns}}<div class="shown table-frame problems-frame" role="region" aria-label="{{value.caption}}"
  tabindex="0">
<table class="sheet problems">
  <caption><span>{{value.caption}}. A line number opens the lines of your file.</span></caption>
  <thead><tr><th scope="col" class="column-line">Line</th>
  {{#each value.columns}}<th scope="col" class="{{style}}" title="{{tooltip}}">{{label}}</th>{{/each}}
  </tr></thead>
  <tbody>
  {{#each value.rows}}
    <tr data-problem="{{id}}" class="{{style}}"><td class="column-line">{{#if line}}{{#if excerpt}}<button type="button"
      data-show="{{id}}" aria-expanded="false" aria-controls="excerpt-{{id}}">{{line}}<span class="sr-only">: show the
      lines</span></button>{{else}}{{line}}{{/if}}{{/if}}</td>
    {{#each cells}}
      {{#if is_name}}<th scope="row" class="{{style}}">{{text}}</th>{{else}}<td class="{{style}}">{{text}}</td>{{/if}}
    {{/each}}
    </tr>
    {{#if excerpt}}<tr class="excerpt-row" id="excerpt-{{id}}" hidden><td colspan="{{../value.width}}">
      <div class="excerpt" role="group" aria-label="Lines of {{#if file}}{{file}}{{else}}the
      file{{/if}} around line {{line}}" tabindex="0">{{#if file}}<p class="excerpt-file">{{file}}</p>{{/if}}<ol>
      {{#each excerpt}}<li class="{{#if is_faulty}}faulty{{/if}}"><span class="line-number">{{number}}</span><code><bdi
        >{{before}}{{#if marked}}<mark>{{marked}}</mark>{{/if}}{{after}}</bdi></code>{{#if is_faulty}}<span
        class="sr-only"> (the faulty line)</span>{{/if}}</li>{{/each}}
      </ol></div></td></tr>{{/if}}
  {{/each}}
  </tbody>
</table>
</div>
<div class="table-foot"><span>{{value.summary}}</span></div>{{/if}}
"""
    SCRIPT = asset("problems.js")


class GridView(TemplateComponent):
    """Coverage, item by language, with its legend and the same in words (`GridValue`)."""

    TEMPLATE = """
{{#if value.heads}}<div class="shown table-frame grid-frame" role="region" aria-label="{{value.caption}}" tabindex="0">
<table class="sheet coverage-grid">
  <caption><span>{{value.caption}}</span></caption>
  <thead><tr><th scope="col" class="name">Item</th>
    {{#each value.heads}}<th scope="col" class="number">{{this}}</th>{{/each}}</tr></thead>
  <tbody>{{#each value.rows}}<tr><th scope="row" class="name">{{item}}</th>
    {{#each cells}}<td class="number cell-{{state}}">{{text}} <span aria-hidden="true">{{sign}}</span></td>{{/each}}
  </tr>{{/each}}</tbody>
  <tfoot><tr><th scope="row" class="name">All</th>
    {{#each value.totals}}<td class="number">{{this}}</td>{{/each}}</tr></tfoot>
</table>
</div>
<p class="grid-legend"><span class="cell-full">● all answered</span> <span class="cell-part">◐ some</span>
  <span class="cell-none">○ none</span> <span>blank: no such variant</span></p>
{{#each value.words}}<p class="grid-words">{{this}}</p>{{/each}}{{/if}}
"""


class PreviewView(TemplateComponent):
    """What would be scored (`preview_values.preview_value`); None shows nothing."""

    TEMPLATE = """
{{#if value.title}}<section class="shown preview" aria-label="{{value.title}}">
  <h3>{{value.title}}</h3>
  <dl class="facts">{{#each value.facts}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
  {{#if value.normalisations}}<h4>Read otherwise than it is written</h4>
  <ul class="normalisations">{{#each value.normalisations}}<li>{{this}}</li>{{/each}}</ul>{{/if}}
  {{#if value.flags}}<h4>Automatic checks</h4>
  <ul class="guard-flags">{{#each value.flags}}<li>{{this}}</li>{{/each}}</ul>{{/if}}
  {{#if value.rows}}<div class="table-frame" role="region" aria-label="{{value.caption}}" tabindex="0">
  <table class="sheet first-rows"><caption><span>{{value.caption}}</span></caption>
    <thead><tr>{{#each value.heads}}<th scope="col">{{this}}</th>{{/each}}</tr></thead>
    <tbody>{{#each value.rows}}<tr>{{#each this}}<td><bdi>{{this}}</bdi></td>{{/each}}</tr>{{/each}}</tbody>
  </table></div>{{/if}}
</section>{{/if}}
"""


class ReceiptView(TemplateComponent):
    """What a team gets for a submission, to keep (`submit_screen.receipt_value`); None shows nothing."""

    TEMPLATE = """
{{#if value.title}}<div class="shown notice good receipt" role="status">
<p class="notice-title">{{value.title}}</p>
<dl class="facts">{{#each value.facts}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
{{#if value.normalisations}}<p>Read otherwise than it is written:</p>
<ul>{{#each value.normalisations}}<li>{{this}}</li>{{/each}}</ul>{{/if}}
<p>{{value.sentence}}</p>
<p class="receipt-acts"><a href="{{value.link}}">Open the ticket</a>
<button type="button" data-copy>Copy the receipt</button> <span role="status"></span></p>
</div>{{/if}}
"""
    # Without https a browser has no clipboard to write to: the text is left selected, for the keyboard.
    SCRIPT = asset("receipt.js")


class QueueTable(TemplateComponent):
    """Submissions and where they stand (`queue_screen.QueueScreen.tickets_table`); None shows nothing.

    Events: `open` with {row}, `turn` with {page}. It is drawn anew by a timer: what is scrolled or focused stays so.
    """

    IS_LARGE = True
    TEMPLATE = """
{{#if value.columns}}<div class="shown table-frame" role="region" aria-label="{{value.caption}}" tabindex="0">
<table class="sheet queue">
  <caption><span>{{value.caption}}</span></caption>
  <thead><tr>{{#each value.columns}}<th scope="col" class="{{style}}" title="{{tooltip}}">{{label}}</th>{{/each}}
  </tr></thead>
  <tbody>
  {{#each value.rows}}
    <tr data-row="{{id}}" class="{{style}}">
    {{#each cells}}
      {{#if is_name}}<th scope="row" class="{{style}}"><button type="button" data-open="yes">{{text}}</button></th>
      {{else}}<td class="{{style}}">{{#if has_bar}}<progress max="{{to_judge}}" value="{{judged}}"
        aria-label="Judgements made"></progress> {{/if}}{{text}}</td>{{/if}}
    {{/each}}
    </tr>
  {{/each}}
  </tbody>
</table>
</div>
{{#if value.empty}}<p class="table-empty">{{value.empty}}</p>{{/if}}
<div class="table-foot"><span>{{value.summary}}</span>
{{#if value.has_pages}}<span class="pager">
  {{#if value.previous}}<button type="button" data-turn="{{value.previous}}">Previous</button>{{/if}}
  <span>{{value.page}}</span>
  {{#if value.next}}<button type="button" data-turn="{{value.next}}">Next</button>{{/if}}
</span>{{/if}}</div>{{/if}}
"""
    SCRIPT = asset("queue_table.js")


class StatusLine(TemplateComponent):
    """One line of text (`notices.LineValue`); None shows nothing."""

    TEMPLATE = """{{#if value.text}}<p class="shown worker-line">{{value.text}}</p>{{/if}}"""


class PackPlanView(TemplateComponent):
    """What files of any shape become (`packed_files.PlanValue`); None shows nothing."""

    IS_LARGE = True
    TEMPLATE = """
{{#if value.title}}<section class="shown pack-plan" aria-label="{{value.title}}">
<h3>{{value.title}}</h3>
{{#if value.runs}}<div class="table-frame" role="region" aria-label="Runs of the plan" tabindex="0">
<table class="sheet">
  <thead><tr><th scope="col" class="name">Run</th><th scope="col">Edition</th><th scope="col">System</th>
    <th scope="col">Model</th><th scope="col">Languages</th><th scope="col">Answers</th>
    <th scope="col" class="number">Files</th></tr></thead>
  <tbody>{{#each value.runs}}<tr><th scope="row" class="name">{{run}}</th><td>{{edition}}</td><td>{{system}}</td>
    <td>{{model}}</td><td>{{languages}}</td><td>{{answers}}</td>
    <td class="number">{{files.length}}</td></tr>{{/each}}</tbody>
</table></div>
{{#each value.runs}}{{#if faults}}<p><strong>{{run}}</strong> is not written:</p>
<ul>{{#each faults}}<li>{{this}}</li>{{/each}}</ul>{{/if}}{{/each}}
<details><summary>Files and prompts of each run</summary>{{#each value.runs}}<h4>{{run}}</h4>
<ul>{{#each files}}<li>{{this}}</li>{{/each}}{{#each prompts}}<li>{{this}}</li>{{/each}}</ul>{{/each}}</details>{{/if}}
{{#if value.changes}}<details><summary>What was changed</summary>
<ul>{{#each value.changes}}<li>{{this}}</li>{{/each}}</ul>
{{#if value.more_changes}}<p class="muted">{{value.more_changes}}</p>{{/if}}</details>{{/if}}
{{#if value.aside}}<details open><summary>What was left out, and why</summary>
<ul>{{#each value.aside}}<li>{{#if has_answers}}<strong>{{place}}</strong>{{else}}{{place}}{{/if}}: {{why}}</li>
{{/each}}</ul>{{#if value.more_aside}}<p class="muted">{{value.more_aside}}</p>{{/if}}</details>{{/if}}
</section>{{/if}}
"""
