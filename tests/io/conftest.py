import pytest


@pytest.fixture
def file(tmp_path):
    """Write a small file and say where it is."""

    def write(content, name="table.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write
