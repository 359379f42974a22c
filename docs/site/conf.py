# SPDX-License-Identifier: MIT
"""How Sphinx makes the site of what build.py has put together."""
import os
import re
from pathlib import Path

from breathe.renderer.sphinxrenderer import SphinxRenderer, WithContext

root = Path(os.environ["DETENT_ROOT"])
version_header = (root / "core/include/detent/version.hpp").read_text(encoding="utf-8")

project = "detent"
release = version = ".".join(re.findall(r"define DETENT_VERSION_[A-Z]+ (\d+)", version_header))
copyright = "the authors of detent"
html_show_copyright = False

extensions = ["myst_parser", "breathe", "sphinx_copybutton"]
root_doc = "index"
smartquotes = False
myst_heading_anchors = 4
breathe_projects = {"detent": os.environ["DETENT_DOCS_XML"]}
breathe_default_project = "detent"
breathe_default_members = ("members", "undoc-members")
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_show_include = False
c_id_attributes = cpp_id_attributes = ["DETENT_C_API"]

# Blocks without a language are output as often as commands.
highlight_language = "text"
# Shell sessions and excerpts need not be whole programs. Pages begin with the heading they were given.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]

# Copied commands come without their prompts.
copybutton_prompt_text = r"[$#] "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"detent {version}"
html_static_path = [str(root / "docs/site/static")]
html_css_files = ["detent.css"]
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5c6b", "color-brand-content": "#0b6577"},
    "dark_css_variables": {"color-brand-primary": "#6cc5d6", "color-brand-content": "#7fd0df"},
}


def contents_of_namespace(self, node):
    """Every header adds to the same namespace: what a header adds is shown without a declaration of the namespace, which would
    be one too many on each page but the first. The page itself says in which namespace it is."""
    namespace = self.compound_parser.parse(node.refid)
    around = self.context.create_child_context(namespace)
    with WithContext(self, around.create_child_context(namespace.compounddef)):
        self.nesting_level += 1
        contents = self.render(namespace, around)
        self.nesting_level -= 1
    return contents


SphinxRenderer.visit_namespace = contents_of_namespace
