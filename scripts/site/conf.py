"""Sphinx configuration of the site that `./dev docs` builds."""
project = "Drumlin"
html_title = "Drumlin"
extensions = ["myst_parser"]
exclude_patterns = [".doctrees"]
# Each heading gets an anchor with the name that code forges give it.
myst_heading_anchors = 4
# Indented blocks are programs, output and diagrams of all kinds, so highlighting is off.
highlight_language = "text"
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
# The site must not depend on when or where it was built, and must load nothing from elsewhere.
html_last_updated_fmt = None
html_copy_source = False
# Search summaries would be fetched, which browsers don't allow for local files.
html_show_search_summary = False
html_show_sphinx = False
html_show_copyright = False
