"""``python -m tete`` is the command ``tete``."""

from tete.core.interrupts import end_at_ctrl_c


def main() -> None:
    """Run the command that the arguments name; Ctrl-C counts from here on, before the rest is imported."""
    end_at_ctrl_c()
    from tete.cli import app  # noqa: PLC0415

    app(prog_name="tete")  # the name that completion is installed for


if __name__ == "__main__":
    main()
