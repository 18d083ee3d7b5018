"""Components of the lab. Text of models and visitors goes through `{{ }}` or `textContent`, nowhere else."""

from __future__ import annotations

from typing import Any

from leaderboard.assets import asset
from leaderboard.parts.components import TemplateComponent
from leaderboard.parts.text_difference import DIFFERENCE


class PreferenceList(TemplateComponent):
    """The ordered list of preferences: write, move, delete, and mark at most one as relevant.

    Value, both ways: {preferences: [text], relevant: place or None}; nothing the browser sends is trusted. Event:
    `edited`, a moment after the last change. The browser builds the rows itself: moving one costs no round trip, and
    what is being typed is never written over.
    """

    TEMPLATE = """
<fieldset class="shown preferences">
<legend>Preferences, in the order the model sees them</legend>
<p class="muted" data-none>None yet: every method then gives the control.</p>
<ol></ol>
<p class="preference-foot"><button type="button" data-add>Add a preference</button>
<span class="muted" data-count></span></p>
<p class="sr-only" role="status" data-said></p>
</fieldset>
"""
    SCRIPT = asset("preference_list.js")

    def postprocess(self, value: Any) -> Any:
        return value  # No template shows it: the script puts it into fields, as it is.


class SettingCard(TemplateComponent):
    """What list and flag come to (`values.setting_value`)."""

    TEMPLATE = """
{{#if value.setting}}<section class="shown setting-card" aria-label="Setting">
<p>Setting <strong class="setting-name">{{value.setting}}</strong> {{value.meaning}}</p>
<p class="formula"><code>{{value.formula}}</code></p>
{{#each value.notes}}<p class="muted">{{this}}</p>{{/each}}
</section>{{/if}}
"""


class SetupLine(TemplateComponent):
    """What is set, in one line (`values.setup_line_value`), and the button that folds and unfolds the form.

    The form is folded when a run is shown that was not shown before (`shown`; 0 = none is); then it is the visitor's
    choice. The row with this line carries the mark by which the style sheet hides the form behind it.
    """

    TEMPLATE = """
<div class="shown setup-line" role="group" aria-label="What is set"><p>{{#each value.facts}}
<span class="fact" dir="auto">{{this}}</span> {{/each}}</p>
<button type="button" data-change aria-expanded="true" aria-controls="lab-live">Close</button></div>
"""
    SCRIPT = asset("setup_line.js")


class SetupView(TemplateComponent):
    """Question and preferences of the run that is shown (`values.setup_value`); None shows nothing."""

    TEMPLATE = """
{{#if value.question}}<section class="shown setup-view" aria-label="Question and preferences of this run">
<p class="question" dir="auto">{{value.question}}</p>
{{#if value.twin}}<p class="muted">Column B answers another wording:</p>
<p class="question" dir="auto">{{value.twin}}</p>{{/if}}
{{#if value.options}}<ul class="options">
{{#each value.options}}<li{{#if is_gold}} class="gold"{{/if}}><b>{{letter}}.</b>
<span dir="auto">{{text}}</span>{{#if is_gold}} <span class="muted">(right)</span>{{/if}}</li>{{/each}}</ul>{{/if}}
{{#if value.preferences}}<p class="muted">Preferences in the prompt:</p>
<ol class="shown-preferences">{{#each value.preferences}}<li><span dir="auto">{{text}}</span>
{{#if is_relevant}}<span class="flag">relevant</span>{{/if}}</li>{{/each}}</ol>{{/if}}
<p class="muted">{{value.origin}} · {{value.setting}}</p>
</section>{{/if}}
"""


class RunStatus(TemplateComponent):
    """One polite sentence about the run; it changes with the phase, never with a token. Value: {text, kind}."""

    TEMPLATE = """
<p class="shown run-status {{value.kind}}" role="status">{{value.text}}</p>
"""


_PANE_TEXT = (
    '<div class="lab-text{{#if is_raw}} raw{{/if}}" tabindex="0" role="group" '
    'aria-label="Text of {{title}}" dir="auto">'
    f"{DIFFERENCE}"
    "{{#if is_writing}}<span class='caret' aria-hidden='true'></span>{{/if}}"
    "{{#if placeholder}}<span class='muted'>{{placeholder}}</span>{{/if}}</div>"
)
"""A text with its word-level changes; without line breaks between the tags, for blanks are shown as they are."""

_PANE = (
    """
<article class="lab-pane {{status}}" aria-label="{{title}}">
  <header><h3>{{title}} <span class="muted who" dir="auto">{{who}}</span></h3>
  <p class="lab-counts"><span class="pane-status {{status}}">{{status_text}}</span>
  <span class="tokens">{{tokens}}</span> <span class="seconds">{{seconds}}</span>
  <span class="rate">{{rate}}</span></p></header>
  <p class="lab-stage muted">{{stage}}</p>
  """
    + _PANE_TEXT
    + """
  <p class="lab-badges">{{#each badges}}<span class="badge {{kind}}" title="{{tooltip}}">{{text}}</span> {{/each}}
  <span class="muted">{{legend}}</span></p>
  {{#if thoughts}}<p class="thoughts" dir="auto"><b>Thoughts of stage 2:</b> {{thoughts}}</p>{{/if}}
  {{#if failure}}<p class="failure" dir="auto">{{failure}}</p>{{/if}}
</article>
"""
)

_FOLLOW_TEXT = asset("follow_text.js")


class AnswerPane(TemplateComponent):
    """One column: who writes, what stands there so far, and what changed (`values.PaneValue`)."""

    TEMPLATE = f'{{{{#with value}}}}<div class="shown">{_PANE}</div>{{{{/with}}}}'
    SCRIPT = _FOLLOW_TEXT


class ControlStrip(TemplateComponent):
    """The answers without preferences (`values.controls_value`)."""

    TEMPLATE = f"""
{{{{#if value.panes}}}}<section class="shown control-strip" aria-label="Control">
<h3>Control <span class="muted">{{{{value.explanation}}}}</span></h3>
<div class="control-panes">{{{{#each value.panes}}}}{_PANE}{{{{/each}}}}</div></section>{{{{/if}}}}
"""
    SCRIPT = _FOLLOW_TEXT


class VerdictView(TemplateComponent):
    """The verdict card of one column (`values.verdict_value`)."""

    TEMPLATE = """
{{#if value.title}}<section class="shown lab-verdict {{value.tone}}" aria-label="{{value.title}}">
<h4>{{value.title}} {{#if value.outcome}}<span class="outcome {{value.tone}}">{{value.outcome}}</span>{{/if}}</h4>
<p class="lab-reason" dir="auto">{{value.reason}}</p>
{{#if value.facts}}<dl>{{#each value.facts}}<div{{#if is_faint}} class="faint"{{/if}}>
<dt title="{{tooltip}}">{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>{{/if}}
{{#if value.explanation}}<p class="explanation" dir="auto"><b>Why this rating:</b> {{value.explanation}}</p>{{/if}}
{{#each value.notes}}<p class="card-flag">{{this}}</p>{{/each}}
</section>{{/if}}
"""


class PairwiseView(TemplateComponent):
    """A against B in both orders (`values.pairwise_value`)."""

    TEMPLATE = """
{{#if value.title}}<section class="shown pairwise" aria-label="A against B">
<h3>{{value.title}}</h3>
<p class="lab-reason">{{value.sentence}}</p>
{{#if value.orders}}<dl>{{#each value.orders}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>{{/if}}
</section>{{/if}}
"""


class PromptsView(TemplateComponent):
    """The exact prompts in a closed section (`values.prompts_value`)."""

    # Not in a gr.Accordion: what is streamed to a component inside a closed one is lost (gradio 6.31).
    TEMPLATE = """
<details class="shown prompts"><summary>The exact prompts</summary>
{{#if value.prompts}}{{#each value.prompts}}<section aria-label="{{title}}"><h4>{{title}}</h4>
{{#each messages}}<p class="muted">{{role}}</p><pre tabindex="0" dir="auto">{{content}}</pre>{{/each}}</section>
{{/each}}{{else}}<p class="muted">{{value.none}}</p>{{/if}}
</details>
"""
    SCRIPT = asset("lab_prompts.js")


class ShareLink(TemplateComponent):
    """A link with a button that copies it. Value: {href, text, said: what it does not hold}; None shows nothing."""

    TEMPLATE = """
{{#if value.href}}<p class="shown share-link"><a href="{{value.href}}">{{value.text}}</a>
<button type="button" data-copy>Copy</button> <span class="muted" role="status" data-copied></span>
<span class="muted">{{value.said}}</span></p>{{/if}}
"""
    SCRIPT = asset("share_link.js")
