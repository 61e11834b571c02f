import base64
import hashlib

from app.paths import static_dir

PINNED = {"htmx-4.0.1.min.js": "sha384-Qp9rdC8H7EqOoX+nR0P3RPG2Noji+qdwJlGpfzwQJsfOpp3sGwIdSP9xO3+UlEhn"}
VENDOR = static_dir() / "vendor"


def test_each_vendored_script_is_the_file_that_was_pinned() -> None:
    found = {
        script.name: f"sha384-{base64.b64encode(hashlib.sha384(script.read_bytes()).digest()).decode()}"
        for script in VENDOR.glob("*.js")
    }
    assert found == PINNED


def test_the_version_in_the_name_is_the_one_that_the_script_reports() -> None:
    assert '"4.0.1"' in (VENDOR / "htmx-4.0.1.min.js").read_text()


def test_the_licence_lies_beside_it() -> None:
    assert "Zero-Clause BSD" in (VENDOR / "htmx-LICENSE.txt").read_text()
