"""``python -m tete`` is the command ``tete``."""

from tete.cli import app

if __name__ == "__main__":
    app()
