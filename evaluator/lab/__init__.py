"""The lab: one question, preferences, two columns side by side, judged live. No gradio, no torch."""
