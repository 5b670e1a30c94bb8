"""Settings of the documentation site, which `make docs` builds without network and which opens without it."""

import sys
from pathlib import Path

import tete

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "extensions"))

project = "tete"
author = "the tete developers"
project_copyright = "the tete developers"
version = release = tete.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "matplotlib.sphinxext.plot_directive",
    "native_mathematics",
    "command_pages",
    "result_pages",
    "public_members",
    "repository_links",
    "phone_tables",
]
exclude_patterns = ["examples", "extensions", "_build", "_templates", "**/GALLERY_HEADER.md"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # functions of sphinx-gallery's settings cannot be pickled, which costs nothing
default_role = "literal"  # single backticks are names
smartquotes = False  # two hyphens are an option of a command, not a dash

# Reference: one page for each public name, made of its docstring.
autosummary_generate = True
autodoc_typehints = "none"  # types are said in words
autodoc_default_options = {"member-order": "bysource"}
numpydoc_show_class_members = False  # the template lists them
numpydoc_xref_param_type = False
add_module_names = False

# Pages.
myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nitpicky = True

# Pictures: of the gallery and beside explanations, all drawn by the code that is shown with them.
plot_include_source = True
plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("png", 120)]
plot_rcparams = {"figure.figsize": (7.2, 3.2), "figure.constrained_layout.use": True, "font.size": 10}
plot_apply_rcparams = True
plot_template = (DOCS / "_templates" / "picture.rst").read_text(encoding="utf-8")
sphinx_gallery_conf = {
    "examples_dirs": ["examples/tutorials", "examples/gallery"],
    "gallery_dirs": ["tutorials", "gallery"],
    "filename_pattern": r"[/\\]",  # every example is run
    "ignore_pattern": r"__init__|_data\.py",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("animations.scrape_animations", "matplotlib"),
    "remove_config_comments": True,
    "thumbnail_size": (420, 300),
    "write_computation_times": False,  # those pages would load scripts from elsewhere
    "min_reported_time": 20,  # none may take longer: those would be named
    "show_memory": False,
    "download_all_examples": False,
    "show_signature": False,
    "copyfile_regex": r".*\.csv",
    "abort_on_example_error": False,
    "reference_url": {"tete": None},
    "doc_module": ("tete",),
    "backreferences_dir": "reference/examples",
    "nested_sections": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "tete"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "native"
html_show_sphinx = False
html_show_sourcelink = False
html_sidebars = {
    page: [] for page in ("index", "faq", "changelog", "contributing", "genindex", "py-modindex", "search")
}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "gallery/index": [], "tutorials/index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
