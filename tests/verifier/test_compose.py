"""The audit of compose files: by the YAML grammar, and every known way around a check of looks (attestation.md, 2.3 hole 11)."""

import hashlib
import json
from dataclasses import replace

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


DECIDING = (
    ("command: run $MODE", "services.node.command:MODE"),
    ("entrypoint: ['sh', '-c', '${SCRIPT:-true}']", "services.node.entrypoint:SCRIPT"),
    ("container_name: $X", "services.node.container_name:X"),
    ("domainname: $X", "services.node.domainname:X"),
    ("user: $X", "services.node.user:X"),
    ("cpuset: $X", "services.node.cpuset:X"),
    ("mac_address: $X", "services.node.mac_address:X"),
    ("depends_on: {db: {condition: $X}}", "services.node.depends_on.db.condition:X"),
    ("extra_hosts: ['a:$X']", "services.node.extra_hosts:X"),
    ("ports: ['$PORT']", "services.node.ports.target:PORT"),
    ("ports: ['1:$PORT']", "services.node.ports.target:PORT"),
    ("ports: ['1:${PORT:-80}/udp']", "services.node.ports.target:PORT"),
    ("ports: ['${BOTH:-80:80}']", "services.node.ports.target:BOTH"),
    ("ports: ['${BOTH:-{}:80}']", "services.node.ports.target:BOTH"),
    ("ports: ['${BOTH:-{}:80:80}']", "services.node.ports.target:BOTH"),
    ("ports: ['127.0.0.1:1:$PORT']", "services.node.ports.target:PORT"),
    ("ports: [{target: $PORT, published: 80}]", "services.node.ports.target:PORT"),
    ("ports: [{target: 80, protocol: $PORT}]", "services.node.ports.protocol:PORT"),
    ("ports: [{target: 80, '$PORT': 80}]", "services.node.ports:PORT"),
    ("env_file: .env", "services.node.env_file:.env"),
    ("env_file: [{path: a.env, required: false}]", "services.node.env_file.path:a.env"),
    ("label_file: .env", "services.node.label_file:.env"),
    ("labels: {'$X': a}", "services.node.labels:X"),
    ("labels: ['$X=a']", "services.node.labels:X"),
    ("labels: ['$X']", "services.node.labels:X"),
    ("environment: ['$X']", "services.node.environment:X"),
    ("environment: ['${X:-A=b}']", "services.node.environment:X"),
    ("environment: {'$X': a}", "services.node.environment:X"),
    ("healthcheck: {test: [CMD, '$X']}", "services.node.healthcheck.test:X"),
    ("healthcheck: {disable: $X}", "services.node.healthcheck.disable:X"),
    ("ulimits: {'$X': 1}", "services.node.ulimits:X"),
    ("deploy: {resources: {limits: {'$X': 1}}}", "services.node.deploy.resources.limits:X"),
    ("deploy: {restart_policy: {condition: $X}}", "services.node.deploy.restart_policy.condition:X"),
    ("mem_limit: '${!}'", "services.node.mem_limit:?"),
)
QUANTITIES = (
    *("mem_limit", "mem_reservation", "mem_swappiness", "memswap_limit"),
    *("cpus", "cpu_count", "cpu_percent", "cpu_period", "cpu_quota", "cpu_rt_period", "cpu_rt_runtime", "cpu_shares"),
    *("pids_limit", "shm_size", "restart", "stop_grace_period", "stop_signal", "scale"),
)
TIMES = ("interval", "timeout", "retries", "start_period", "start_interval")
LEFT_TO_THE_HOST = (
    ("ports: ['1:1', '${PORT}:80']", "services.node.ports:PORT"),
    ("ports: ['${PORT:-80}:80/tcp']", "services.node.ports:PORT"),
    ("ports: ['${PORT:-$$}}:80']", "services.node.ports:PORT"),
    ("ports: ['${BIND:-127.0.0.1}:80:80']", "services.node.ports:BIND"),
    ("ports: ['${BIND:-[::1]}:80:80']", "services.node.ports:BIND"),
    ("ports: [{target: 80, published: '$PORT'}]", "services.node.ports.published:PORT"),
    ("ports: [{target: 80, host_ip: '$BIND'}]", "services.node.ports.host_ip:BIND"),
    ("labels: {a.b: '$X'}", "services.node.labels.'a.b':X"),
    ("labels: ['a=$X']", "services.node.labels:X"),
    ("hostname: $X", "services.node.hostname:X"),
    *((f"{key}: $X", f"services.node.{key}:X") for key in QUANTITIES),
    ("ulimits: {nofile: $X}", "services.node.ulimits.nofile:X"),
    ("ulimits: {nofile: {soft: $X, hard: 9}}", "services.node.ulimits.nofile.soft:X"),
    *((f"healthcheck: {{{key}: $X}}", f"services.node.healthcheck.{key}:X") for key in TIMES),
    *((f"deploy: {{resources: {{limits: {{{key}: $X}}}}}}", f"services.node.deploy.resources.limits.{key}:X")
      for key in ("cpus", "memory", "pids")),
    ("deploy: {resources: {reservations: {memory: $X}}}", "services.node.deploy.resources.reservations.memory:X"),
)  # fmt: skip
PLACES = [(*row, Status.FAILED) for row in DECIDING] + [(*row, Status.UNKNOWN) for row in LEFT_TO_THE_HOST]


@pytest.mark.parametrize(("lines", "word", "status"), PLACES)
def test_a_variable_outside_of_an_environment_is_accepted_by_the_word_of_its_place_alone(
    lines: str, word: str, status: Status
) -> None:
    check = by_id(app_compose(service(lines)))["code.host-input"]
    assert check.status is status
    assert word in check.evidence
    assert word in check.why
    name = word.rpartition(":")[2]
    others = (
        name,
        f"services.node:{name}",
        f"services.other.ports:{name}",
        f"services:{name}",
        f"services.node.ports:{name}",
    )
    every = frozenset({*others} - {word})
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=every)
    assert outcomes(service(lines), trust)["code.host-input"] is status, "no other word is enough"
    trust = replace(trust, host_input=frozenset({word} | ({name} if "environment" in lines else set())))
    assert outcomes(service(lines), trust)["code.host-input"] is Status.PASSED


EXTENSIONS = (
    ("x-a: {b: ['$TOKEN']}\n", "", Status.PASSED),
    ("x-a: &a {'$TOKEN': 1}\n", "", Status.PASSED),
    ("", "x-a: {b: '$TOKEN'}", Status.PASSED),
    ("x-a: &a [sh, -c, $TOKEN]\n", "command: *a", Status.FAILED),
    ("x-a: &a {command: $TOKEN}\n", "<<: *a", Status.FAILED),
    ("x-a: &a {hostname: $TOKEN}\n", "<<: *a", Status.UNKNOWN),
    ("x-a: &a {b: &b {A: $TOKEN}}\n", "environment: {<<: *b}", Status.UNKNOWN),
    ("x-a: {b: &b {LD_PRELOAD: $TOKEN}}\n", "environment: *b", Status.FAILED),
    ("x-a: &a {x-b: $TOKEN}\n", "<<: *a", Status.PASSED),
    ("", "labels: {x-a: $TOKEN}", Status.UNKNOWN),
    ("", "environment: {x-a: $TOKEN}", Status.UNKNOWN),
    ("", "healthcheck: {x-a: $TOKEN}", Status.FAILED),
    ("volumes: {x-a: {name: $TOKEN}}\n", "", Status.FAILED),
)


@pytest.mark.parametrize(("top", "lines", "status"), EXTENSIONS)
def test_an_extension_counts_where_a_service_takes_it_and_is_nothing_elsewhere(
    top: str, lines: str, status: Status
) -> None:
    assert outcomes(top + service(lines))["code.host-input"] is status


@pytest.mark.parametrize("kind", ["networks", "volumes", "configs", "secrets"])
def test_an_extension_is_no_name_of_a_part_of_the_file(kind: str) -> None:
    """Only the top of the file and a service are looked at so: elsewhere a key may be any name."""
    text = service("hostname: a") + f"{kind}:\n  x-part: {{name: '$TOKEN'}}\n"
    assert outcomes(text)["code.host-input"] is Status.FAILED


def test_a_service_whose_name_the_host_chooses_is_none_that_was_read() -> None:
    assert outcomes(service("hostname: a").replace("  node:", "  '$X':"))["code.host-input"] is Status.FAILED


TOP_PLACES = (
    ("configs:\n  c: {environment: TOKEN}", "configs.c.environment:TOKEN"),
    ("secrets:\n  c: {environment: TOKEN}", "secrets.c.environment:TOKEN"),
    ("configs:\n  c: {content: 'x $TOKEN'}", "configs.c.content:TOKEN"),
    ("volumes:\n  v: {name: '$TOKEN'}", "volumes.v.name:TOKEN"),
)


@pytest.mark.parametrize(("lines", "word"), TOP_PLACES)
def test_a_name_that_is_accepted_in_an_environment_is_not_accepted_in_a_file_that_the_host_writes(
    lines: str, word: str
) -> None:
    """A config of that name may be mounted over `/etc/ld.so.preload`."""
    text = service("environment: [TOKEN]\nconfigs: [{source: c, target: /etc/ld.so.preload}]") + f"{lines}\n"
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({"TOKEN"}))
    assert outcomes(text, trust, allowed_envs=["TOKEN"])["code.host-input"] is Status.FAILED
    trust = replace(trust, host_input=frozenset({"TOKEN", word}))
    assert outcomes(text, trust, allowed_envs=["TOKEN"])["code.host-input"] is Status.PASSED


def test_no_key_reads_as_the_path_of_another_place() -> None:
    keys = ("a.b", "a:b", "a'.'b", "a b", "x" * 300, "x" * 299 + "y")
    lines = "labels: {" + ", ".join(f'"{key}": $X' for key in keys) + ", a: {b: $X}}"
    words = [word for word in by_id(app_compose(service(lines)))["code.host-input"].evidence if word.endswith(":X")]
    assert len(set(words)) == len(keys) + 1
    assert max(map(len, words)) < 300


PASSED_IN = (
    "environment: ['MODE=${MODE}']",
    "environment: {MODE: $MODE}",
    "environment: {A: '${OTHER:-$MODE}', B: '${MODE-x}'}",
    "environment: [MODE]",
    "environment: {MODE: }",
)


@pytest.mark.parametrize("lines", PASSED_IN)
def test_what_the_host_may_set_in_an_environment_is_named_and_left_to_the_user(lines: str) -> None:
    check = by_id(app_compose(service(lines)))["code.host-input"]
    assert check.status is Status.UNKNOWN
    assert "MODE" in check.evidence
    accepting = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({"MODE", "OTHER", "A", "B"}))
    assert outcomes(service(lines), accepting)["code.host-input"] is Status.PASSED


COPIES = (
    "environment: {GUNICORN_CMD_ARGS: $LOG_LEVEL}",
    "environment: ['GUNICORN_CMD_ARGS=${LOG_LEVEL:-info}']",
    "environment: {GUNICORN_CMD_ARGS: 'a $$b ${LOG_LEVEL}'}",
    "environment: {LOG_LEVEL: $LOG_LEVEL, GUNICORN_CMD_ARGS: '${GUNICORN_CMD_ARGS} $LOG_LEVEL'}",
)


@pytest.mark.parametrize("lines", COPIES)
def test_a_name_that_is_accepted_is_not_accepted_as_the_value_of_another_variable(lines: str) -> None:
    """Many programs run what a variable of their own names; no list knows them all."""
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({"LOG_LEVEL"}))
    check = by_id(app_compose(service(lines), allowed_envs=["LOG_LEVEL"]), trust)["code.host-input"]
    assert check.status is Status.UNKNOWN
    assert "GUNICORN_CMD_ARGS" in check.why
    both = replace(trust, host_input=frozenset({"LOG_LEVEL", "GUNICORN_CMD_ARGS"}))
    assert outcomes(service(lines), both, allowed_envs=["LOG_LEVEL"])["code.host-input"] is Status.PASSED


GRAMMAR: tuple[tuple[str, set[str]], ...] = (
    ("$LOG$$_LEVEL", {"LOG"}),
    ("$$$LOG$$$$_LEVEL", {"LOG"}),
    ("${LOG:-$$}$$_LEVEL", {"LOG"}),
    ("${LOG-$$X}", {"LOG"}),
    ("a$$$LOG", {"LOG"}),
    ("$$LOG_LEVEL", set()),
    ("$$HOME", set()),
    ("$$(date)", set()),
    ("a$", set()),
    ("$$$", set()),
    ("5$ a month", set()),
    ("$(head -c 32 /config/keyfile)", set()),
    ('grep -E "^a$"', set()),
    ("awk {print $1}", set()),
    ("$@ $? $! $- $* $# $0", set()),
    ("^/v1/.*$|x", set()),
    ("$.jsonpath", set()),
    ("$ LOG", set()),
    ("$\u00e9", set()),
    ("$1LOG", set()),
    ('$"LOG"', set()),
    ("$\nLOG", set()),
    ("%{LOG}$", set()),
    ("map $http_upgrade", {"http_upgrade"}),
    ("${LOG:-$(id)}", {"LOG"}),
    ("${LOG:-${OTHER:-$THIRD}}", {"LOG", "OTHER", "THIRD"}),
    ("${LOG:+$OTHER}${LOG:?$THIRD}", {"LOG", "OTHER", "THIRD"}),
    ("$_", {"_"}),
    ("$_1", {"_1"}),
    ("$LOG\u017fX", {"LOG\u017fX"}),
    ("$\u017fECRET", {"\u017fECRET"}),
    ("${\u212aEY}", {"\u212aEY"}),
    ("$L\u2139G", {"L"}),
    ("$LOG\u0661", {"LOG"}),
    ("${LOG", {"LOG"}),
    ("${LOG!}", {"LOG"}),
    ("${LOG:-a\nb}", {"LOG"}),
    ("${ LOG}", {"?"}),
    ("${}", {"?"}),
    ("${1}", {"?"}),
    ("${!}", {"?"}),
    ("${", {"?"}),
)


@pytest.mark.parametrize(("value", "names"), GRAMMAR)
def test_a_variable_is_what_docker_compose_replaces(value: str, names: set[str]) -> None:
    """By the expression of compose-go; `${` without a name after it is a file that it refuses."""
    written = json.dumps(value, ensure_ascii=False)
    for lines in (f"command: [{written}]", f"environment: {{A: {written}}}"):
        audit = audit_app_compose(app_compose(service(lines)))
        assert {entry.name for entry in audit.host_input if not entry.is_copy} == names
    assert outcomes(service(f"command: [{written}]"))["code.host-input"] is (Status.FAILED if names else Status.PASSED)


@pytest.mark.parametrize(
    ("accepted", "text"),
    [("LOG_LEVEL", "$LOG$$_LEVEL"), ("LOG", "$LOG\u017fX"), ("TOKEN", "$TO\u212aEN"), ("?", "$\u017fECRET")],
)
@pytest.mark.parametrize("place", ["", "services.node.command:"])
def test_a_name_that_was_accepted_is_no_other_name_for_docker_compose_either(
    accepted: str, text: str, place: str
) -> None:
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({place + accepted}))
    lines = f'environment: {{LOG: "{text}"}}' if not place else f'command: ["{text}"]'
    assert outcomes(service(lines), trust)["code.host-input"] in {Status.FAILED, Status.UNKNOWN}


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


REDIRECTING = (
    "NODE_OPTIONS",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "PERL5OPT",
    "RUBYOPT",
    "BASH_ENV",
    "PATH",
    "HTTPS_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "REQUESTS_CA_BUNDLE",
    "SSLKEYLOGFILE",
    "OPENSSL_CONF",
    "GLIBC_TUNABLES",
    "DSTACK_SIMULATOR_ENDPOINT",
    "RPC",
    "RPC_URL",
    "BASE_CHAIN_RPC",
    "ETH_RPC_URLS",
    "WEB3_PROVIDER_URI",
)


@pytest.mark.parametrize("name", REDIRECTING)
@pytest.mark.parametrize(
    "form", ["environment: [{0}]", "environment: {{{0}: }}", "environment: ['{0}=${{X}}']", "environment: {{{0}: $X}}"]
)
def test_what_injects_code_or_redirects_trust_fails_until_the_user_accepts_that_name(name: str, form: str) -> None:
    lines = form.format(name)
    assert outcomes(service(lines))["code.host-input"] is Status.FAILED
    for accepted, status in (({"X"}, Status.FAILED), ({"X", name}, Status.PASSED)):
        trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset(accepted))
        assert outcomes(service(lines), trust)["code.host-input"] is status


@pytest.mark.parametrize("nothing", ["null", "NULL", "~", ""])
def test_a_value_of_nothing_in_any_spelling_is_the_hosts(nothing: str) -> None:
    assert outcomes(service(f"environment: {{PYTHONPATH: {nothing}}}"))["code.host-input"] is Status.FAILED


def test_the_word_null_as_a_text_is_a_value() -> None:
    assert outcomes(service("environment: {PYTHONPATH: 'null'}"))["code.host-input"] is Status.PASSED


@pytest.mark.parametrize("lines", ["environment: ['$X']", "environment: ['${X}=1']", "environment: {A: $RPC_URL}"])
def test_a_variable_whose_name_the_host_chooses_may_be_any(lines: str) -> None:
    assert outcomes(service(lines))["code.host-input"] is Status.FAILED


@pytest.mark.parametrize("name", ["GRPC_PORT", "RPC_AUTHORIZATION", "MY_PATH", "LOG_LEVEL", "HOSTNAME", "DATABASE_URL"])
def test_a_name_that_only_looks_like_one_is_left_to_the_user(name: str) -> None:
    assert outcomes(service(f"environment: [{name}]"))["code.host-input"] is Status.UNKNOWN


def test_a_value_that_the_file_fixes_is_no_input_of_the_host() -> None:
    text = service("environment: ['NODE_OPTIONS=--max-old-space-size=512', 'RPC_URL=https://one.example/$$x']")
    assert outcomes(text)["code.host-input"] is Status.PASSED


def test_the_encrypted_environment_and_shared_folders_are_the_hosts_too() -> None:
    assert outcomes(PLAIN, allowed_envs=["STRIPE_KEY"])["code.host-input"] is Status.UNKNOWN
    assert outcomes(PLAIN, allowed_envs=["DOCKERED", "MY_PATH"])["code.host-input"] is Status.UNKNOWN
    assert outcomes(service("volumes: ['/tapp:/tapp:ro']"))["code.privileges"] is Status.FAILED
    secrets = PLAIN + "secrets:\n  key: {environment: KEY}\n"
    assert "secrets.key.environment:KEY" in by_id(app_compose(secrets))["code.host-input"].evidence


@pytest.mark.parametrize(
    "name",
    [
        "COMPOSE_FILE",
        "APP_COMPOSE_FILE",
        " APP_COMPOSE_FILE",
        "COMPOSE_PROFILES",
        "DOCKER_HOST",
        "LD_PRELOAD",
        "PATH",
        " BASH_ENV",
    ],
)
def test_an_allowed_variable_that_the_engine_or_its_shell_reads_decides_what_runs(name: str) -> None:
    """No image digest says anything of a compose file that `COMPOSE_FILE` names."""
    assert "code.host-input" in refused(PLAIN, allowed_envs=[name])
    accepting = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({name}))
    assert outcomes(PLAIN, accepting, allowed_envs=[name])["code.host-input"] is Status.PASSED


@pytest.mark.parametrize("name", ["pre_launch_script", "init_script", "bash_script"])
def test_a_script_is_refused_unless_its_hash_is_pinned(name: str) -> None:
    script = "docker run evil/miner"
    assert "code.scripts" in refused(PLAIN, **{name: script})
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, scripts=frozenset({hashlib.sha256(script.encode()).digest()}))
    assert outcomes(PLAIN, trust, **{name: script})["code.scripts"] is Status.PASSED
    assert outcomes(PLAIN, trust, **{name: script + " "})["code.scripts"] is Status.FAILED
    assert "code.scripts" not in refused(PLAIN, **{name: ""})


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
