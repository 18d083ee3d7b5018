"""Theme of the pages: one restrained theme in light and dark, system fonts, nothing fetched from elsewhere."""

from __future__ import annotations

import gradio as gr

from leaderboard.assets import asset

_SANS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "Helvetica Neue", "Arial", "sans-serif")
_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")


def theme() -> gr.themes.Base:
    """The theme for launch() or mount_gradio_app(); its colours are the CSS variables of plumbline.css."""
    base = gr.themes.Base(
        font=tuple(gr.themes.Font(name) for name in _SANS),
        font_mono=tuple(gr.themes.Font(name) for name in _MONO),
        radius_size=gr.themes.sizes.radius_sm,
    )
    return base.set(**_EVERYWHERE, **{name: value for key, value in _COLOURS.items() for name in (key, f"{key}_dark")})


_EVERYWHERE = {
    "color_accent": "var(--plumb-accent)",
    "button_border_width": "1px",
    "input_border_width": "1px",
}

_COLOURS = {
    # Each variable names the same CSS variable twice: plumbline.css gives it its light and its dark value.
    "body_background_fill": "var(--plumb-ground)",
    "body_text_color": "var(--plumb-ink)",
    "body_text_color_subdued": "var(--plumb-muted)",
    "background_fill_primary": "var(--plumb-surface)",
    "background_fill_secondary": "var(--plumb-ground)",
    "block_background_fill": "var(--plumb-surface)",
    "block_border_color": "var(--plumb-line)",
    "block_label_background_fill": "var(--plumb-surface)",
    "block_label_text_color": "var(--plumb-muted)",
    "block_title_text_color": "var(--plumb-muted)",
    "block_info_text_color": "var(--plumb-muted)",
    "border_color_primary": "var(--plumb-line)",
    "border_color_accent": "var(--plumb-accent)",
    "color_accent_soft": "var(--plumb-accent-soft)",
    "link_text_color": "var(--plumb-accent)",
    "link_text_color_hover": "var(--plumb-ink)",
    "link_text_color_visited": "var(--plumb-accent)",
    "link_text_color_active": "var(--plumb-accent)",
    "input_background_fill": "var(--plumb-surface)",
    "input_background_fill_focus": "var(--plumb-surface)",
    "input_border_color": "var(--plumb-field-line)",
    "input_border_color_focus": "var(--plumb-accent)",
    "input_placeholder_color": "var(--plumb-muted)",
    "checkbox_background_color": "var(--plumb-surface)",
    "checkbox_background_color_selected": "var(--plumb-accent)",
    "checkbox_border_color": "var(--plumb-field-line)",
    "checkbox_border_color_selected": "var(--plumb-accent)",
    "checkbox_label_background_fill": "var(--plumb-surface)",
    "checkbox_label_background_fill_selected": "var(--plumb-accent-soft)",
    "checkbox_label_text_color": "var(--plumb-ink)",
    "checkbox_label_text_color_selected": "var(--plumb-ink)",
    "checkbox_label_border_color": "var(--plumb-line)",
    "button_primary_background_fill": "var(--plumb-accent)",
    "button_primary_background_fill_hover": "var(--plumb-accent-strong)",
    "button_primary_text_color": "var(--plumb-on-accent)",
    "button_primary_border_color": "var(--plumb-accent)",
    "button_secondary_background_fill": "var(--plumb-surface)",
    "button_secondary_background_fill_hover": "var(--plumb-accent-soft)",
    "button_secondary_text_color": "var(--plumb-ink)",
    "button_secondary_border_color": "var(--plumb-field-line)",
    "button_cancel_background_fill": "var(--plumb-surface)",
    "button_cancel_background_fill_hover": "var(--plumb-bad-soft)",
    "button_cancel_text_color": "var(--plumb-bad)",
    "button_cancel_border_color": "var(--plumb-bad)",
    "code_background_fill": "var(--plumb-accent-soft)",
    "table_even_background_fill": "var(--plumb-raised)",
    "table_odd_background_fill": "var(--plumb-raised)",
    "table_text_color": "var(--plumb-ink)",
    "table_border_color": "var(--plumb-line)",
    "panel_background_fill": "var(--plumb-surface)",
    "panel_border_color": "var(--plumb-line)",
}


def css() -> str:
    """The style sheets."""
    return "\n".join(
        asset(name)
        for name in (
            "plumbline.css",
            "lab.css",
            "desk.css",
            "judge_report.css",
            "methods.css",
            "evaluators.css",
            "human_check.css",
            "edition_items.css",
            "atlas.css",
            "choices.css",
        )
    )


_OUTSIDE = """
.gradio-container { font-family: var(--plumb-sans) !important; }
.nav-holder { display: none; } /* gradio's own list of pages, above ours */
.gradio-container > .main { max-width: 1480px; margin: 0 auto; }
@media (max-width: 640px) { .gradio-container > .main { padding: 10px 12px !important; } }
@page { size: A4 landscape; margin: 12mm; }
"""
"""Rules for what lies around the blocks: gradio confines the `css` argument to the blocks themselves."""


def head() -> str:
    """What goes into the page's head."""
    return (
        '<meta name="description" content="Honest leaderboards for the robustness of language models">'
        '<meta name="color-scheme" content="light dark">'
        f"<style>{_OUTSIDE}</style>"
    )
