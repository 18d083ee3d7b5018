"""The pages: the only package that imports gradio."""
