"""What an approval would change is said whole: nothing that differs is left out, and nothing is said that does not."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compose.difference import Change, differences
from compose.errors import ComposeError
from compose.measured import Measured, read_measured
from tests.support.measured_files import (
    IMAGE,
    OTHER_IMAGE,
    SETTINGS,
    changed,
    compose_changed,
    measured,
    node_alone,
    with_sidecars,
)


def said(old: Measured, new: Measured) -> set[tuple[str, str, str | None, str | None]]:
    return {(each.area, each.name, each.before, each.after) for each in differences(old, new)}


def areas(old: Measured, new: Measured) -> set[tuple[str, str]]:
    return {(each.area, each.name) for each in differences(old, new)}


def test_equal_files_do_not_differ() -> None:
    assert differences(measured(), measured()) == ()


def test_another_image_is_the_only_change_that_is_said() -> None:
    new = measured(node_alone(image=OTHER_IMAGE))
    assert said(measured(), new) == {("service", "node: image", f'"{IMAGE}"', f'"{OTHER_IMAGE}"')}


def test_another_name_for_the_same_digest_is_told_from_another_image() -> None:
    (renamed,) = differences(measured(), measured(node_alone(image=IMAGE.replace(":1.0@", ":2.0@"))))
    (exchanged,) = differences(measured(), measured(node_alone(image=OTHER_IMAGE)))
    assert "the same image" in renamed.meaning
    assert "the same image" not in exchanged.meaning
    assert "defaults of that image" in exchanged.meaning


def test_settings_are_said_one_by_one_with_defaults() -> None:
    text = SETTINGS.replace("node.example", "new.example").replace(
        'billing = "off"', 'billing = "off"\nhttp_port = 8080'
    )
    assert said(measured(), measured(node_alone(text))) == {
        ("setting", "domain", "node.example", "new.example"),
        ("setting", "http_port", "8000 (default)", "8080"),
        ("service", "node: ports", '["443:8443", "80:8000"]', '["443:8443", "80:8080"]'),
    }


def test_a_default_that_is_written_out_is_said_whatever_else_changes() -> None:
    """It is no default of the next image any more, and may be no default of the image before."""
    written = ("setting", "http_port", "8000 (default)", "8000")
    image = ("service", "node: image", f'"{IMAGE}"', f'"{OTHER_IMAGE}"')
    text = SETTINGS + "http_port = 8000\n"
    assert said(measured(), measured(node_alone(text))) == {written}
    assert said(measured(), measured(node_alone(text, image=OTHER_IMAGE))) == {written, image}
    assert said(measured(node_alone(text)), measured()) == {(*written[:2], *reversed(written[2:]))}


def test_only_comments_of_the_settings_are_said_to_be_just_that() -> None:
    (change,) = differences(measured(), measured(node_alone(SETTINGS + "# more\n")))
    assert (change.area, change.name, change.meaning) == ("setting", "comments", "no setting differs")


def test_another_value_of_the_same_set_after_a_merge_is_not_taken_for_another_form() -> None:
    one, two = (f"registry.example/a@sha256:{digit * 64}" for digit in "12")
    text = measured().app.docker_compose_file or ""
    anchors = f"x-1: &one {{image: '{one}'}}\nx-2: &two {{image: '{two}'}}\n" + text
    own = f"    image: {IMAGE}\n"
    assert own in text
    old = changed(measured(), docker_compose_file=anchors.replace(own, f"    image: {two}\n    <<: *one\n"))
    new = changed(measured(), docker_compose_file=anchors.replace(own, f"    <<: *two\n    image: {one}\n"))
    assert ("compose file", "services.node.image") in areas(old, new)


def test_urls_are_said_by_their_host() -> None:
    old = measured(node_alone(SETTINGS.replace("https://one.example", "https://one.example/hush0")))
    new = measured(node_alone(SETTINGS.replace("https://one.example", "https://one.example/hush1")))
    (change,) = differences(old, new)
    assert (change.area, change.name) == ("setting", "rpc_endpoints")
    assert change.before == change.after == "one.example, two.example, three.example"
    assert "paths or credentials" in change.meaning
    assert "hush" not in repr(change)


def test_the_name_of_an_endpoint_is_said() -> None:
    named = measured(node_alone(SETTINGS.replace("https://one.example", "a=https://one.example")))
    (change,) = differences(measured(), named)
    assert change.after == "a=one.example, two.example, three.example"


def test_sidecars_the_hosts_variables_and_holders_of_keys_are_said() -> None:
    found = areas(measured(), measured(with_sidecars()))
    assert {
        ("service", "ingress"),
        ("service", "ingress: image"),
        ("service", "telemetry"),
        ("host", "DNS_TOKEN"),
        ("host", "SVC_LEDGER_URL"),
        ("keys", "ingress"),
        ("compose file", "configs"),
        ("compose file", "volumes"),
        ("setting", "certificate_mode"),
        ("setting", "evidence_folder"),
        ("check", "keys"),
    } <= found


@pytest.mark.parametrize(
    ("members", "area", "name", "meaning"),
    [
        ({"public_logs": True}, "platform", "public_logs", "anybody may read"),
        ({"kms_enabled": False}, "platform", "kms_enabled", "key service"),
        ({"gateway_enabled": False}, "platform", "gateway_enabled", "gateway"),
        ({"pre_launch_script": "hush"}, "platform", "pre_launch_script", "runs beside"),
        ({"init_script": "hush"}, "platform", "init_script", "runs beside"),
        ({"allowed_envs": ["A"]}, "host", "A", "the host may set it"),
        ({"docker_config": {"registry": "r.example"}}, "platform", "docker_config", ""),
        ({"swap_size": 5}, "platform", "swap_size", ""),
        ({"secure_time": None}, "platform", "secure_time", "clock"),
    ],
)
def test_members_are_said_with_their_meaning(members: dict[str, object], area: str, name: str, meaning: str) -> None:
    found = {(each.area, each.name): each for each in differences(measured(), changed(measured(), **members))}
    assert meaning in found[area, name].meaning
    assert "hush" not in repr(found)


def test_what_the_check_would_newly_refuse_is_said() -> None:
    found = differences(measured(), changed(measured(), public_logs=True))
    assert any(each.area == "check" and "public_logs" in (each.after or "") for each in found)


def test_only_another_form_is_said_to_be_just_that() -> None:
    new = read_measured(json.dumps(measured().members, indent=1).encode())
    assert said(measured(), new) == {("form", "order, blanks or comments", "as before", "written otherwise")}
    moved = compose_changed(measured(), "# Written by svc-compose", "# Written by hand")
    assert areas(changed(measured()), moved) == {("form", "order, blanks or comments")}


def test_settings_that_cannot_be_read_are_compared_as_they_stand() -> None:
    unreadable = compose_changed(measured(), "chain_id = 8453", "chain_id = what")
    found = areas(measured(), unreadable)
    assert ("service", "node: command") in found
    assert ("check", "settings") in found


MEMBERS = st.dictionaries(
    st.sampled_from(["name", "public_logs", "kms_enabled", "swap_size", "pre_launch_script", "allowed_envs", "x"]),
    st.sampled_from([None, True, False, "text", ["A"], ["A", "B"], ["B", "A"], {"a": 1}]),
    max_size=3,
)
BASE = measured()
PARTS = st.lists(
    st.sampled_from(
        [
            ("read_only: true", "read_only: false"),
            ("cap_drop: [ALL]", "cap_drop: []"),
            ("  data:\n", "  data:\n  more:\n"),
            ("restart: unless-stopped", "restart: always"),
            ("chain_id = 8453", "chain_id = 8454"),
            ("# The node", "# A node"),
            ("  data:\n", "  data:\nnetworks:\n  n: {}\n"),
            ("  data:\n", "  data:\nx-note: {b: 1, a: 2}\n"),
            ("entrypoint: [svc-node]", 'entrypoint: ["svc-node"]'),
            ("read_only: true", 'read_only: "true"'),
        ]
    ),
    max_size=3,
    unique=True,
)


def edited(members: dict[str, object], parts: list[tuple[str, str]]) -> Measured | None:
    try:
        file = BASE
        for before, after in parts:
            if before in (file.app.docker_compose_file or ""):
                file = compose_changed(file, before, after)
        return changed(file, **members)
    except ComposeError:
        return None


@pytest.mark.exhaustive
@settings(max_examples=100, deadline=None)
@given(MEMBERS, PARTS, MEMBERS, PARTS)
def test_different_bytes_always_have_a_difference_and_it_is_safe_to_print(
    one: dict[str, object], parts: list[tuple[str, str]], other: dict[str, object], other_parts: list[tuple[str, str]]
) -> None:
    old, new = edited(one, parts), edited(other, other_parts)
    if old is None or new is None:
        return
    found = differences(old, new)
    assert bool(found) is (old.raw != new.raw)
    for change in found:
        assert _printable(change)
    if json.loads(old.raw) != json.loads(new.raw) and old.tree == new.tree:
        assert all(change.area != "form" for change in found)


def _printable(change: Change) -> bool:
    return all(
        text is None or text.isprintable() for text in (change.name, change.before, change.after, change.meaning)
    )
