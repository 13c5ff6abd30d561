"""The audit of compose files: by the YAML grammar, and every known way around a check of looks (attestation.md, 2.3 hole 11)."""

import hashlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svc_verifier.check import Check, Status
from svc_verifier.checks.code import check_code
from svc_verifier.compose.tree import Fields, parse_compose
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.trust import Trust
from tests.world.fixtures import FIXTURES, needs_fixtures

DIGEST = "ab" * 32
PINNED = f"registry.example/team/node@sha256:{DIGEST}"
TRUST = Trust(host="node.example", app_id=bytes(20), chain_id=1)


def app_compose(docker_compose_file: str, **more: object) -> str:
    document = {
        "manifest_version": 2,
        "name": "node",
        "runner": "docker-compose",
        "docker_compose_file": docker_compose_file,
        "kms_enabled": True,
        "public_logs": False,
        "public_sysinfo": False,
        "allowed_envs": [],
    }
    return json.dumps(document | more)


def outcomes(docker_compose_file: str, trust: Trust | None = None, **more: object) -> dict[str, Status]:
    return {
        check.id: check.status for check in check_code(app_compose(docker_compose_file, **more), trust or TRUST).checks
    }


def refused(docker_compose_file: str, **more: object) -> set[str]:
    return {name for name, status in outcomes(docker_compose_file, None, **more).items() if status is Status.FAILED}


def keys() -> st.SearchStrategy[str]:
    return st.sampled_from(
        ["image", "volumes", "environment", "build", "type", "source", "privileged", "<<", "x-a", "post_start"]
    )


CODE = (
    "code.form",
    "code.images",
    "code.scripts",
    "code.privileges",
    "code.host-input",
    "code.settings",
    "code.members",
)


def by_id(text: str) -> dict[str, Check]:
    return {check.id: check for check in check_code(text, TRUST).checks}


PLAIN = f"services:\n  node:\n    image: {PINNED}\n"


def service(lines: str) -> str:
    """A pinned service with further lines."""
    return PLAIN + "".join(f"    {line}\n" for line in lines.splitlines())


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


PRIVILEGES = (
    "privileged: true",
    "privileged: yes",
    "privileged: ${P}",
    "network_mode: host",
    "network_mode: '${NET}'",
    "pid: host",
    "ipc: host",
    "userns_mode: host",
    "uts: host",
    "cgroup: host",
    "cap_add: [SYS_ADMIN]",
    "cap_add: [cap_sys_ptrace]",
    "cap_add: [ALL]",
    "cap_add: [SYS_TIME]",
    "security_opt: ['seccomp:unconfined']",
    "security_opt: ['apparmor=unconfined']",
    "devices: ['/dev/kmsg:/dev/kmsg']",
    "volumes: ['/:/host']",
    "volumes: ['/var/run:/x']",
    "volumes: ['/run:/x']",
    "volumes: ['/run/docker.sock:/x']",
    "volumes: ['/var/lib/docker/volumes:/x:ro']",
    "volumes: ['/run/../run/docker.sock:/x']",
    "volumes: ['/run/systemd/private:/x']",
    "volumes: ['/run/docker:/x']",
    "volumes: ['/var/run/docker/containerd/containerd.sock:/x']",
    "volumes: ['/var/run/dbus/system_bus_socket:/x']",
    "volumes: ['/usr/bin:/x']",
    "volumes: ['./x:/x']",
    "volumes: ['~/x:/x']",
    "volumes: ['$X:/x']",
    "volumes:\n  - {type: bind, source: /var/run/docker.sock, target: /x}",
    "volumes: ['/var/volatile:/x']",
    "volumes: ['/var/volatile/overlay:/x:ro']",
    "volumes: ['/var:/x']",
    "volumes: ['/dstack:/x']",
    "volumes: ['/dstack/docker-compose.yaml:/x']",
    "volumes: ['/home:/x']",
    "volumes: ['/home/root/.ssh:/x']",
    "volumes: ['/root:/x']",
    "volumes: ['/mnt/data:/x']",
    "volumes: ['/srv:/x']",
    "volumes: ['/var/run/dstack.sock/../docker.sock:/x']",
    "volumes: ['a/b:/x']",
    "volumes:\n  - {type: bind, source: docker-compose.yaml, target: /x}",
    "volumes:\n  - {type: bind, source: /mnt/data, target: /x}",
    "volumes:\n  - {type: npipe, source: x, target: /x}",
    "volumes:\n  - {<<: {type: tmpfs}, type: bind, source: /mnt/data, target: /x}",
    "volumes:\n  - {<<: {type: bind}, type: image, source: /mnt/data, target: /x}",
    "volumes:\n  - {source: x, target: /x}",
    "runtime: nvidia",
    "runtime: '$R'",
    "deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all}]}}}",
    "deploy: {resources: {limits: {devices: []}}}",
    "cap_add: [SYSLOG]",
    "cap_add: ['$CAP']",
    "security_opt: ['seccomp:/x/profile.json']",
    "volumes_from: [other]",
    "post_start:\n  - {command: x, privileged: true}",
)


@pytest.mark.parametrize("lines", PRIVILEGES)
def test_privileges_namespaces_and_the_engine_are_refused(lines: str) -> None:
    assert "code.privileges" in refused(service(lines))


ALLOWED_MOUNTS = (
    "volumes: [data:/data]",
    "volumes: [/data]",
    "volumes: [/var/run/dstack.sock:/var/run/dstack.sock]",
    "volumes: ['/run/tappd.sock:/x:ro']",
    "volumes: ['/var/run/dstack:/x']",
    "volumes:\n  - {type: volume, source: data, target: /data}",
    "volumes:\n  - {type: tmpfs, target: /x}",
    "runtime: runc",
    "cap_add: [NET_BIND_SERVICE, IPC_LOCK]",
    "deploy: {resources: {limits: {memory: 1g}}}",
)


@pytest.mark.parametrize("lines", ALLOWED_MOUNTS)
def test_volumes_and_the_guest_agent_are_what_a_container_may_have(lines: str) -> None:
    assert refused(service(lines)) == set()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/mnt/data", Status.PASSED),
        ("/opt/models", Status.PASSED),
        ("/mnt/other", Status.FAILED),
        ("/var/volatile", Status.FAILED),
        ("/dstack", Status.FAILED),
        ("/home", Status.FAILED),
        ("/root", Status.FAILED),
        ("/", Status.FAILED),
        ("./x", Status.FAILED),
        ("/run/docker.sock", Status.FAILED),
    ],
)
def test_a_path_is_the_users_to_accept_and_one_of_the_system_nobodys(path: str, status: Status) -> None:
    named = {"/mnt/data", "/opt/models", "/var/volatile", "/dstack", "/home", "/root", "/", "./x", "/run/docker.sock"}
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, mounts=frozenset(named))
    for lines in (f"volumes: ['{path}:/x']", f"volumes:\n  - {{type: bind, source: '{path}', target: /x}}"):
        assert outcomes(service(lines), trust)["code.privileges"] is status
    config = service("configs: [c]") + f"configs:\n  c: {{file: '{path}'}}\n"
    assert outcomes(config, trust)["code.privileges"] is status


@pytest.mark.parametrize(
    "volume", ["{driver: theirs}", "{driver: '$D'}", "{driver: rclone, driver_opts: {}}", "{driver_opts: {o: bind}}"]
)
def test_a_volume_driver_is_a_program_of_its_own(volume: str) -> None:
    assert "code.privileges" in refused(service("volumes: ['x:/x']") + f"volumes:\n  x: {volume}\n")
    assert refused(service("volumes: ['x:/x']") + "volumes:\n  x: {driver: local}\n") == set()


@pytest.mark.parametrize("kind", ["secrets", "configs"])
def test_a_file_that_the_host_writes_from_a_variable_fails_until_that_name_is_accepted(kind: str) -> None:
    text = service(f"{kind}: [s]") + f"{kind}:\n  s: {{environment: TOKEN}}\n"
    assert outcomes(text)["code.host-input"] is Status.FAILED
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({"TOKEN"}))
    assert outcomes(text, trust)["code.host-input"] is Status.PASSED


NETWORKS = (
    "net: {external: true, name: host}",
    "host: {external: true}",
    "net: {external: {name: host}}",
    "net: {driver: host}",
    "net: {external: true, name: '${NET}'}",
)


@pytest.mark.parametrize("network", NETWORKS)
def test_the_tds_own_network_under_another_name_is_refused(network: str) -> None:
    """docker compose takes an existing network called `host` for what `network_mode: host` is."""
    assert "code.privileges" in refused(
        service(f"networks: [{network[: network.index(':')]}]") + f"networks:\n  {network}\n"
    )


def test_networks_of_the_files_own_are_fine() -> None:
    assert not refused(service("networks: [host]") + "networks:\n  host: {driver: bridge, internal: true}\n  b:\n")


def test_a_named_volume_that_binds_a_path_is_refused() -> None:
    text = service("volumes: ['x:/x']") + "volumes:\n  x: {driver_opts: {type: none, o: bind, device: /var/run}}\n"
    assert "code.privileges" in refused(text)


DECIDING = (
    ("command: run $MODE", "MODE"),
    ("entrypoint: ['sh', '-c', '${SCRIPT:-true}']", "SCRIPT"),
    ("ports: ['${PORT}:80']", "PORT"),
    ("env_file: .env", ".env"),
    ("labels: {a: '$(x)'}", "?"),
)


@pytest.mark.parametrize(("lines", "name"), DECIDING)
def test_a_variable_outside_the_environment_decides_what_runs(lines: str, name: str) -> None:
    check = by_id(app_compose(service(lines)))["code.host-input"]
    assert check.status is Status.FAILED
    assert name in check.evidence


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
    accepting = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({"MODE", "OTHER"}))
    assert outcomes(service(lines), accepting)["code.host-input"] is Status.PASSED


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
    assert "KEY" in by_id(app_compose(secrets))["code.host-input"].evidence


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


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=8), lambda inner: st.dictionaries(keys(), inner) | st.lists(inner)
    )
)
def test_any_shape_is_audited_without_a_foreign_error(shape: object) -> None:
    text = json.dumps({"services": {"a": shape}, "volumes": shape, "secrets": shape})
    assert [check.id for check in check_code(app_compose(text), TRUST).checks] == list(CODE)
