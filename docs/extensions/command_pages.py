"""The reference of the command line, made of the commands themselves when the site is built, so it is never stale."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tete.cli import app as program

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = "reference/commands"


def write_pages(app: "Sphinx") -> None:
    """Write a page for each command, and one that lists them."""
    group = typer.main.get_command(program)
    folder = Path(app.srcdir, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    pages = {name: command_page(group, name) for name in group.commands}
    pages["index"] = index_page(group)
    for name, text in pages.items():
        write_changed(folder / f"{name}.rst", text)


def write_changed(path: Path, text: str) -> None:
    """Write a file only where it says something new: pages that did not change are not built again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def index_page(group: Any) -> str:
    """The list of the commands, each with its first sentence."""
    rows = [f"   * - :doc:`tete {name} <{name}>`\n     - {escaped(first(group, name))}" for name in group.commands]
    toctree = "\n".join(f"   tete {name} <{name}>" for name in group.commands)
    return (
        f"{heading('Commands', '=')}"
        "Every command and option, made of the program itself. ``tete COMMAND --help`` says the same.\n"
        "What the files may look like is in :doc:`/command_line`.\n\n"
        f".. list-table::\n   :widths: 25 75\n\n{chr(10).join(rows)}\n\n.. toctree::\n   :hidden:\n\n{toctree}\n"
    )


def first(group: Any, name: str) -> str:
    """The first sentence of a command's help."""
    return " ".join(group.commands[name].help.split("\n\n")[0].split())


def command_page(group: Any, name: str) -> str:
    """Usage, help, arguments and options of one command."""
    command = group.commands[name]
    context = command.make_context(
        name, [], parent=group.make_context("tete", [], resilient_parsing=True), resilient_parsing=True
    )
    usage = " ".join(command.get_usage(context).split())
    parts = [
        heading(f"tete {name}", "="),
        f".. program:: tete {name}\n\n",
        f".. code-block:: text\n\n   {usage.removeprefix('Usage: ')}\n\n",
        paragraphs(command.help),
    ]
    arguments = [help_of(each, context) for each in command.params if each.param_type_name == "argument"]
    options = [help_of(each, context) for each in command.params if each.param_type_name == "option"]
    if arguments:
        parts += [heading("Arguments", "-"), *(f"``{said}``\n    {escaped(text)}\n\n" for said, text in arguments)]
    parts += [heading("Options", "-"), *(f".. option:: {said}\n\n   {escaped(text)}\n\n" for said, text in options)]
    return "".join(parts)


def help_of(parameter: Any, context: Any) -> tuple[str, str]:
    """How a parameter is written and what is said of it, as on the screen."""
    said, text = parameter.get_help_record(context)
    return " ".join(said.split()), " ".join(text.split())


def paragraphs(text: str) -> str:
    """A command's help; what begins with "Example:" is a command to copy."""
    found = []
    for paragraph in text.replace("\b\n", "").split("\n\n"):
        words = " ".join(paragraph.split())
        example = words.removeprefix("Example: ")
        found.append(f".. code-block:: console\n\n   $ {example}" if example != words else escaped(words))
    return "\n\n".join(found) + "\n\n"


def escaped(text: str) -> str:
    """Plain text in which nothing is markup."""
    return re.sub(r"([\\*`|]|_\b|(?<=\w)_)", r"\\\1", text)


def heading(text: str, rule: str) -> str:
    """A heading, underlined."""
    return f"{text}\n{rule * len(text)}\n\n"


def setup(app: "Sphinx") -> dict[str, Any]:
    """Write the pages before sources are looked for."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
