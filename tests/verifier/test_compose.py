"""The audit of compose files: by the YAML grammar, and every known way around a check of looks (test_holes.py, 11)."""

import hashlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svc_verifier.check import Status
from svc_verifier.checks.code import check_code
from svc_verifier.compose.app_compose import audit_app_compose
from svc_verifier.compose.tree import Fields, parse_compose
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.trust import Trust
from tests.support.audited import CODE, DIGEST, PINNED, PLAIN, TRUST, app_compose, by_id, outcomes, refused, service
from tests.support.fixtures import FIXTURES, needs_fixtures


def keys() -> st.SearchStrategy[str]:
    return st.sampled_from(
        ["image", "volumes", "environment", "build", "type", "source", "privileged", "<<", "x-a", "post_start"]
    )


def test_a_plain_file_passes_every_check() -> None:
    assert set(outcomes(PLAIN).values()) == {Status.PASSED}


def test_what_a_real_deployment_holds_passes() -> None:
    text = service(
        "restart: unless-stopped\nread_only: true\nuser: '1000:1000'\nports: ['443:8443', '80:8080']\n"
        "environment:\n  SVC_CHAIN_ID: '8453'\n  PRICE: '$$5'\n"
        "volumes:\n  - /var/run/dstack.sock:/var/run/dstack.sock\n  - data:/data\ntmpfs: [/tmp]\n"
        "security_opt: ['no-new-privileges:true']\ncap_drop: [ALL]\nx-note: whatever"
    )
    assert set(outcomes(text + "volumes:\n  data:\n").values()) == {Status.PASSED}


NINE_BYPASSES = {
    "a comment that looks like a pin": f"services:\n  a:\n    image: evil/miner # @sha256:{DIGEST}\n",
    "a default that looks like a pin": f"services:\n  a:\n    image: ${{IMAGE:-good@sha256:{DIGEST}}}\n",
    "a quoted key": f"services:\n  good:\n    image: {PINNED}\n  a:\n    'image': evil/miner\n",
    "a build": f"services:\n  a:\n    image: {PINNED}\n    build: .\n",
    "an include": PLAIN + "include:\n  - other.yml\n",
    "a short digest": f"services:\n  a:\n    image: evil/miner@sha256:{DIGEST[:-1]}\n",
    "the container engine": service(
        "volumes: ['/var/run/docker.sock:/var/run/docker.sock']\ncommand: docker run evil/miner"
    ),
    "a flow merge": f"x-a: &a {{image: evil/miner}}\nservices:\n  good: {{image: '{PINNED}'}}\n  a: {{<<: *a}}\n",
    "a key given twice": f"services:\n  a:\n    image: {PINNED}\n    image: evil/miner\n",
}


@pytest.mark.parametrize("name", NINE_BYPASSES)
def test_no_known_bypass_of_the_image_check_passes(name: str) -> None:
    assert refused(NINE_BYPASSES[name])


UNPINNED = (
    "evil/miner",
    "evil/miner:latest",
    f"evil/miner@sha256:{DIGEST}00",
    f"evil/miner@sha256:{DIGEST.upper()}",
    f"evil/miner@sha512:{DIGEST}",
    f"sha256:{DIGEST}",
    f"'@sha256:{DIGEST}'",
    f"evil/miner:$TAG@sha256:{DIGEST}",
    f"$${{x}}@sha256:{DIGEST}",
    f"'evil/miner@sha256:{DIGEST} '",
    f"'evil/miner @sha256:{DIGEST}'",
    f"evil/miner@sha256:{DIGEST}@sha256:{DIGEST}",
    "[evil/miner]",
    "12345",
    "null",
    "true",
    "''",
)


@pytest.mark.parametrize("image", UNPINNED)
def test_only_a_whole_lower_case_digest_pins_an_image(image: str) -> None:
    assert "code.images" in refused(f"services:\n  a:\n    image: {image}\n")


@pytest.mark.parametrize(
    "image", [PINNED, f"node:1.2@sha256:{DIGEST}", f"localhost:5000/x@sha256:{DIGEST}", f'"{PINNED}"']
)
def test_pinned_images_in_any_notation_pass(image: str) -> None:
    assert refused(f"services:\n  a:\n    image: {image}\n") == set()


def test_a_folded_or_aliased_image_is_the_text_it_stands_for() -> None:
    assert refused(f"services:\n  a:\n    image: >-\n      {PINNED}\n") == set()
    assert refused(f"x-i: &i {PINNED}\nservices:\n  a:\n    image: *i\n") == set()
    assert "code.images" in refused("x-i: &i evil/miner\nservices:\n  a:\n    image: *i\n")


@pytest.mark.parametrize(
    "text",
    [
        f"x-a: &a {{image: evil/miner}}\nservices:\n  a: {{<<: *a, image: '{PINNED}'}}\n",
        f"x-a: &a {{image: evil/miner}}\nservices:\n  a: {{image: '{PINNED}', <<: *a}}\n",
        f"x-a: &a {{image: '{PINNED}'}}\nx-b: &b {{image: evil}}\nservices:\n  a: {{<<: [*a, *b]}}\n",
        f"x-s: &s {{evil: {{image: evil}}}}\nservices:\n  <<: *s\n  good: {{image: '{PINNED}'}}\n",
        f"x-a: &a {{image: evil/miner}}\nservices:\n  a: {{'<<': *a, image: '{PINNED}'}}\n",
    ],
)
def test_every_value_a_merge_may_give_must_be_pinned(text: str) -> None:
    assert "code.images" in refused(text)


AMBIGUOUS = (
    PLAIN + "---\nservices:\n  a:\n    image: evil/miner\n",
    "%YAML 1.1\n---\n" + PLAIN,
    "%TAG ! tag:example,2000:\n---\n" + PLAIN,
    f"services:\n  a:\n    image: !!str {PINNED}\n",
    f"services: !override\n  a:\n    image: {PINNED}\n",
    f"services:\n  a:\n    image: {PINNED}\n    ? [a, b]\n    : c\n",
    PLAIN.replace("\n", "\r"),
    PLAIN + "#\x85services: {a: {image: evil}}\n",
    PLAIN + "# \u2028services: {}\n",
    PLAIN + "x-a: \x00\n",
    "- not a mapping\n",
    "",
    "services: {a: *nobody}\n",
    "services:\n  a:\n\timage: x\n",
    "x: &x [*x]\nservices: {}\n",
)


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_what_readers_may_take_differently_is_refused(text: str) -> None:
    assert "code.form" in refused(text)


@pytest.mark.parametrize(
    "key", ["include", "extends", "build", "develop", "provider", "models", "use_api_socket", "future_key"]
)
def test_keys_that_run_something_else_and_unknown_keys_are_refused(key: str) -> None:
    assert "code.form" in refused(service(f"{key}: x"))
    assert "code.form" in refused(PLAIN + f"{key}: x\n")


def test_a_service_without_an_image_and_a_file_without_a_service_are_refused() -> None:
    assert "code.images" in refused("services:\n  a:\n    command: x\n")
    assert "code.images" in refused("services: {}\n")
    assert "code.form" in refused("services:\n  a: text\n")


def test_an_image_mounted_as_a_volume_must_be_pinned_too() -> None:
    mount = "volumes:\n  - {type: image, source: SOURCE, target: /x}"
    assert "code.images" in refused(service(mount.replace("SOURCE", "evil/miner")))
    assert refused(service(mount.replace("SOURCE", f"'{PINNED}'"))) == set()


LARGE = {
    "characters": PLAIN + "configs:\n  c:\n    content: |\n" + f"      {'x' * 70}\n" * 1_850,
    "nodes": PLAIN + f"    command: [{'a,' * 20_001}]\n",
    "nesting": PLAIN + f"    command: {'[' * 33}{']' * 33}\n",
    "a key": PLAIN + f"    labels:\n      ? {'k' * 1_025}\n      : a\n",
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE.keys())
def test_a_file_beyond_what_is_read_is_undecided(text: str) -> None:
    """How much this program reads says nothing of who wrote the file."""
    checks = by_id(app_compose(text))
    assert checks["code.form"].status is Status.UNKNOWN
    assert {checks[name].depends_on for name in CODE if name != "code.form"} == {"code.form"}
    assert {check.status for check in checks.values()} == {Status.UNKNOWN}


@pytest.mark.parametrize("name", ["pre_launch_script", "init_script", "bash_script"])
def test_a_script_is_refused_unless_its_hash_is_pinned(name: str) -> None:
    script = "docker run evil/miner"
    assert "code.scripts" in refused(PLAIN, **{name: script})
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, scripts=frozenset({hashlib.sha256(script.encode()).digest()}))
    assert outcomes(PLAIN, trust, **{name: script})["code.scripts"] is Status.PASSED
    assert outcomes(PLAIN, trust, **{name: script + " "})["code.scripts"] is Status.FAILED
    assert "code.scripts" not in refused(PLAIN, **{name: ""})


@pytest.mark.parametrize("value", [False, 0, [], {}], ids=repr)
@pytest.mark.parametrize("member", ["pre_launch_script", "name"])
def test_an_empty_value_that_is_no_text_is_not_taken_for_an_empty_text(member: str, value: object) -> None:
    assert "code.form" in refused(PLAIN, **{member: value})


def test_who_reaches_the_keys_is_named() -> None:
    text = (
        service("volumes: ['/var/run/dstack.sock:/x']")
        + f"  other:\n    image: {PINNED}\n    volumes: ['/run/tappd.sock:/x']\n"
    )
    assert by_id(app_compose(text))["code.privileges"].evidence["key_holders"] == "node, other"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/run",
        "/var/run",
        "//run/",
        "/run/dstack",
        "/var/run/dstack/x",
        "/run/../x",
        "$X",
        "x:../../run/dstack.sock",
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        "    volumes: ['{0}:/x']\n",
        "    volumes: [{{type: bind, source: '{0}', target: /x}}]\n",
        "    secrets: [s]\nsecrets:\n  s: {{file: '{0}'}}\n",
    ],
)
def test_who_mounts_a_path_above_the_keys_reaches_them(path: str, form: str) -> None:
    holders = audit_app_compose(app_compose(PLAIN + form.format(path))).key_holders
    assert holders == (("secrets 's'",) if "secrets" in form else ("node",))


@pytest.mark.parametrize("path", ["/run/other", "/mnt", "/var/lib", "/run/dstack.sock2", "data", "/runner"])
def test_who_mounts_a_path_beside_the_keys_does_not(path: str) -> None:
    assert audit_app_compose(app_compose(service(f"volumes: ['{path}:/x']"))).key_holders == ()


def test_other_runners_and_manifests_are_refused() -> None:
    assert "code.form" in refused(PLAIN, runner="bash")
    assert "code.form" in refused(PLAIN, manifest_version=99)
    assert "code.form" in refused(PLAIN, allowed_envs="RPC")
    assert "code.form" in {
        c.id
        for c in check_code('{"runner":"docker-compose","runner":"bash"}', TRUST).checks
        if c.status is Status.FAILED
    }


def test_open_settings_are_named() -> None:
    assert outcomes(PLAIN, public_logs=True)["code.settings"] is Status.UNKNOWN
    assert outcomes(PLAIN, kms_enabled=False)["code.settings"] is Status.UNKNOWN
    assert outcomes(PLAIN, kms_enabled=True, key_provider="local")["code.settings"] is Status.UNKNOWN
    assert outcomes(PLAIN, kms_enabled=False, key_provider="kms")["code.settings"] is Status.PASSED


def test_without_an_app_compose_nothing_is_passed() -> None:
    assert {check.status for check in check_code(None, TRUST).checks} == {Status.UNKNOWN}


def test_aliases_that_stand_for_billions_are_refused_at_once() -> None:
    text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
    text += "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))
    with pytest.raises(VerifierError) as raised:
        parse_compose(text)
    assert raised.value.code is VerifierErrorCode.TOO_LARGE


def test_one_long_text_that_many_aliases_name_is_refused_at_once() -> None:
    text = f"a: &a {'x' * 100_000}\nb: [{','.join(['*a'] * 10)}]\n"
    with pytest.raises(VerifierError) as raised:
        parse_compose(text)
    assert raised.value.code is VerifierErrorCode.TOO_LARGE


def test_a_mapping_merges_once() -> None:
    """Readers take the first of two, the last, or neither."""
    merged = f"x-a: &a {{image: '{PINNED}'}}\nx-b: &b {{read_only: true}}\nservices:\n  a: {{<<: *a, <<: *b}}\n"
    with pytest.raises(VerifierError) as raised:
        parse_compose(merged)
    assert raised.value.code is VerifierErrorCode.BAD_COMPOSE


REAL = {
    "near-mpc/test-utils-app_compose.json": {"code.privileges"},
    "shade/app_compose.json": {"code.privileges"},
    "dstack-examples/app-compose.json": {"code.images", "code.privileges"},
    "dstack/simulator-app-compose.json": {"code.images", "code.scripts", "code.privileges"},
}


@needs_fixtures
@pytest.mark.parametrize("name", REAL)
def test_real_files_are_read_and_judged(name: str) -> None:
    text = (FIXTURES / name).read_text()
    assert {check.id for check in check_code(text, TRUST).checks if check.status is Status.FAILED} == REAL[name]


@given(st.text(max_size=300))
@example("a: &a {<<: *a}")
@example("? &x\n: *x")
@example("<<: 1")
@example("services: {<<: [[]]}")
@example("? ")
@example("&")
def test_any_text_is_a_tree_or_one_of_our_errors(text: str) -> None:
    outcome: object
    try:
        outcome = parse_compose(text)
    except VerifierError as error:
        outcome = error.code
    expected = {VerifierErrorCode.BAD_COMPOSE, VerifierErrorCode.TOO_LARGE}
    assert isinstance(outcome, Fields) or outcome in expected


@pytest.mark.exhaustive
@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=8), lambda inner: st.dictionaries(keys(), inner) | st.lists(inner)
    )
)
def test_any_shape_is_audited_without_a_foreign_error(shape: object) -> None:
    text = json.dumps({"services": {"a": shape}, "volumes": shape, "secrets": shape})
    assert [check.id for check in check_code(app_compose(text), TRUST).checks] == list(CODE)
