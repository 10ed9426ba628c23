"""Sphinx's configuration of the site that `./dev docs` builds."""
project = "Drumlin"
html_title = "Drumlin"
extensions = ["myst_parser"]
exclude_patterns = [".doctrees"]
# Each heading is an anchor, by the name that code forges give it.
myst_heading_anchors = 4
# Indented blocks are programs, output and pictures of all kinds: none of them is guessed at.
highlight_language = "text"
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
# Nothing of the site depends on when or where it was built, and nothing is loaded from elsewhere.
html_last_updated_fmt = None
html_copy_source = False
# What stands around a found word would be fetched, which browsers don't allow pages that are files.
html_show_search_summary = False
html_show_sphinx = False
html_show_copyright = False
