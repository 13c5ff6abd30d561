"""The dashboard's files and their manifest: what is served is what was attested, and nothing else."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import rfc8785
from pydantic import SecretStr

from node.dashboard import assets
from node.dashboard.assets import Dashboard, load_dashboard, processor_script
from node.errors import StartupRefusedError
from node.settings.credits import ProcessorSettings

SCRIPT = "https://processor.example/v3/"
SERVED_MAX_BYTES = 200_000
"""Of the whole dashboard, as it is sent."""


def folders(place: Path) -> tuple[Path, Path]:
    """A page and what it takes from elsewhere."""
    page, vendor = place / "page", place / "vendor"
    page.mkdir()
    vendor.mkdir()
    (page / "index.html").write_text('<script type="module" src="@assets@/main.mjs"></script>')
    (page / "pay.html").write_text('<script src="@processor@"></script><script src="@assets@/main.mjs"></script>')
    (page / "main.mjs").write_text('import "./keccak.js";')
    (vendor / "keccak.js").write_text("export {};")
    return page, vendor


def version_of(dashboard: Dashboard) -> str:
    (version,) = {path.split("/")[1] for path in dashboard.files if path.startswith("assets/")}
    return version


def test_the_manifest_names_every_file_by_the_hash_of_what_is_served(tmp_path: Path) -> None:
    dashboard = load_dashboard(SCRIPT, folders(tmp_path))
    manifest = json.loads(dashboard.manifest)
    version = version_of(dashboard)
    assert set(manifest) == {"index.html", "pay.html", f"assets/{version}/main.mjs", f"assets/{version}/keccak.js"}
    assert manifest == {path: hashlib.sha256(file.body).hexdigest() for path, file in dashboard.files.items()}
    assert dashboard.manifest == rfc8785.dumps(manifest)
    assert dashboard.manifest_sha256 == hashlib.sha256(dashboard.manifest).hexdigest()
    assert (
        dashboard.files["index.html"].body
        == f'<script type="module" src="assets/{version}/main.mjs"></script>'.encode()
    )
    assert f'<script src="{SCRIPT}">'.encode() in dashboard.files["pay.html"].body
    hashes = {path.rpartition("/")[2]: sha256 for path, sha256 in manifest.items() if path.startswith("assets/")}
    assert version == hashlib.sha256(rfc8785.dumps(hashes)).hexdigest()[:16]


def test_every_client_with_a_key_ends_with_the_application() -> None:
    """A client that `App` has not made goes on after `svc dashboard` has ended. The payment page's has no key."""
    page = Path(assets.__file__).parent / "page"
    made = {each.name for each in page.glob("*.mjs") if "new SvcClient(" in each.read_text()}
    assert made == {"app.mjs", "pay.mjs"}


def test_without_a_processor_there_is_no_payment_page(tmp_path: Path) -> None:
    assert "pay.html" not in load_dashboard(None, folders(tmp_path)).files


def test_another_asset_is_another_version_and_another_page_is_not(tmp_path: Path) -> None:
    places = folders(tmp_path)
    first = load_dashboard(SCRIPT, places)
    (places[0] / "index.html").write_text("@assets@")
    page = load_dashboard(SCRIPT, places)
    assert (version_of(page), page.manifest_sha256 == first.manifest_sha256) == (version_of(first), False)
    (places[1] / "keccak.js").write_text("export {}; ")
    assert version_of(load_dashboard(SCRIPT, places)) != version_of(first)


REFUSED: list[tuple[str, Callable[[Path, Path], object]]] = [
    ("vendor is missing", lambda _, vendor: shutil.rmtree(vendor)),
    ("index.html is missing", lambda page, _: (page / "index.html").unlink()),
    ("pay.html is missing", lambda page, _: (page / "pay.html").unlink()),
    ("have one name", lambda _, vendor: (vendor / "main.mjs").write_text("")),
    ("notes.txt cannot be served", lambda page, _: (page / "notes.txt").write_text("")),
    ("a b.mjs cannot be served", lambda page, _: (page / "a b.mjs").write_text("")),
    (".hidden.mjs cannot be served", lambda page, _: (page / ".hidden.mjs").write_text("")),
    ("more.mjs cannot be served", lambda page, _: (page / "more.mjs").mkdir()),
    ("large.mjs is longer than", lambda page, _: (page / "large.mjs").write_bytes(bytes(1024 * 1024 + 1))),
]


@pytest.mark.parametrize(("why", "change"), REFUSED, ids=[each[0] for each in REFUSED])
def test_a_node_does_not_start_with_files_that_it_cannot_serve(
    tmp_path: Path, why: str, change: Callable[[Path, Path], object]
) -> None:
    places = folders(tmp_path)
    change(*places)
    with pytest.raises(StartupRefusedError, match=why) as refused:
        load_dashboard(SCRIPT, places)
    assert refused.value.setting == "dashboard"


@pytest.mark.parametrize(
    ("key", "url", "script"),
    [
        ("", "https://api.stripe.com", None),
        ("sk_live_x", "https://api.stripe.com", "https://js.stripe.com/v3/"),
        ("sk_live_x", "https://gateway.example/stripe", "https://js.stripe.com/v3/"),
        ("sk_test_x", "http://127.0.0.1:1234", "http://127.0.0.1:1234/v3/"),
        ("sk_test_x", "http://127.0.0.1:1234/a?b", "http://127.0.0.1:1234/v3/"),
    ],
)
def test_the_processor_s_script(key: str, url: str, script: str | None) -> None:
    settings = ProcessorSettings(processor_secret_key=SecretStr(key), processor_url=url)
    assert processor_script(settings) == script


def test_the_node_s_own_dashboard_is_small_and_imports_only_its_own_files() -> None:
    dashboard = load_dashboard(SCRIPT)
    bodies = {path.rpartition("/")[2]: file.body for path, file in dashboard.files.items()}
    assert sum(len(file.compressed or b"") for file in dashboard.files.values()) <= SERVED_MAX_BYTES
    # Every other origin and every inline script would be stopped by the policy: none may be there to begin with.
    for name in ("index.html", "pay.html"):
        assert b"<script>" not in bodies[name]
        assert b"style=" not in bodies[name]
        assert bodies[name].count(b"@") == 0
