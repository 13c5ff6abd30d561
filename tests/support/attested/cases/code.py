"""The code that runs (spec 13.3; test_holes.py, 11), measured truly: what is wrong is what the compose file says."""

import json
from hashlib import sha256
from typing import Any, Final

from tests.support.attested.case import CODE, Case, accepted, case
from tests.support.attested.td import Td, development_options

DIGEST: Final = "ab" * 32
PINNED: Final = f"registry.example/node@sha256:{DIGEST}"
PLAIN: Final = f"services:\n  node:\n    image: {PINNED}\n"


def running(compose: str, **more: Any) -> Td:
    """A TD that runs this docker compose file."""
    document = {
        "manifest_version": 2,
        "name": "node",
        "runner": "docker-compose",
        "docker_compose_file": compose,
        "kms_enabled": True,
        "public_logs": False,
        "public_sysinfo": False,
        "allowed_envs": [],
    }
    return Td(options=development_options(app_compose=json.dumps(document | more)))


def image(reference: str) -> Td:
    """With that image."""
    return running(f"services:\n  node:\n    image: {reference}\n")


def node(*lines: str) -> Td:
    """With these more lines in the one service."""
    return running(PLAIN + "".join(f"    {line}\n" for line in lines))


CODE_CASES: Final[tuple[Case, ...]] = (
    accepted("compose: one pinned image", td=running(PLAIN)),
    case("image: a tag", "code.images", td=image("node:latest")),
    case("image: a digest in a comment", "code.images", td=image(f"node:latest # @sha256:{DIGEST}")),
    case("image: a variable with a digest as its default", "code.images code.host-input", td=image(f"${{X:-{PINNED}}}")),
    case("image: a short digest", "code.images", td=image("node@sha256:abcd")),
    case("image: under a quoted key", "code.images", td=running('services:\n  node:\n    "image": node:latest\n')),
    case("image: build", "code.form", td=node("build: .")),
    case("image: a service that has none", "code.images", td=running("services:\n  node:\n    restart: always\n")),
    case("compose: include", "code.form", td=running(f"include: [other.yml]\n{PLAIN}")),
    case("compose: extends", "code.form", td=node("extends: {file: other.yml, service: x}")),
    case("compose: a key twice", "code.form", CODE - {"code.form"}, td=running(PLAIN + "    image: node:latest\n")),
    case("compose: a merge", "code.images", td=running(f"x-a: &a {{image: node:latest}}\nservices:\n  node: {{<<: *a, image: {PINNED}}}\n")),
    case("compose: no YAML", "code.form", CODE - {"code.form"}, td=running("services: [")),
    case("app-compose: a key twice", "code.form", CODE - {"code.form"},
         td=Td(options=development_options(app_compose='{"runner":"docker-compose","runner":"bash"}'))),
    case("app-compose: no JSON", "code.form", CODE - {"code.form"}, td=Td(options=development_options(app_compose="{"))),
    case("script: pre_launch_script", "code.scripts", td=running(PLAIN, pre_launch_script="docker run evil")),
    case("script: init_script", "code.scripts", td=running(PLAIN, init_script="docker run evil")),
    case("script: a list of init_script", "code.scripts", td=running(PLAIN, init_script=["true", "docker run evil"])),
    accepted("script: an empty list of init_script", td=running(PLAIN, init_script=[])),
    accepted("script: a list of init_script the user accepts", td=running(PLAIN, init_script=["true", "false"]),
             trust={"scripts": frozenset({sha256(b"true").digest(), sha256(b"false").digest()})}),
    case("script: an init_script that is neither text nor list", "code.form", CODE - {"code.form"},
         td=running(PLAIN, init_script={"run": "evil"})),
    case("container: docker.sock", "code.privileges", td=node("volumes: ['/var/run/docker.sock:/var/run/docker.sock']")),
    case("container: privileged", "code.privileges", td=node("privileged: true")),
    case("container: the TD's network", "code.privileges", td=node("network_mode: host")),
    case("container: the TD's processes", "code.privileges", td=node("pid: host")),
    case("container: docker.sock behind two slashes", "code.privileges",
         td=node("volumes: ['//var/run/docker.sock:/x']")),
    case("container: docker.sock as a config", "code.privileges",
         td=running(PLAIN + "    configs: [c]\nconfigs:\n  c: {file: /var/run/docker.sock}\n")),
    case("container: docker.sock as a secret", "code.privileges",
         td=running(PLAIN + "    secrets: [c]\nsecrets:\n  c: {file: /run/docker.sock}\n")),
    case("script: of a name that is not known", "code.scripts", "code.members", td=running(PLAIN, post_stop_script="evil")),
    case("app-compose: a member that is not known", "", "code.members", td=running(PLAIN, new_hook={"run": "x"})),
    accepted("app-compose: a member that is not known, which the user accepts", td=running(PLAIN, new_hook={"run": "x"}),
             trust={"app_compose_members": frozenset({"new_hook"})}),
    case("app-compose: a member beside the accepted one", "", "code.members", td=running(PLAIN, new_hook={"run": "x"}, other=1),
         trust={"app_compose_members": frozenset({"new_hook"})}),
    case("app-compose: a volume over the guest's own files", "", "code.members",
         td=running(PLAIN, verity_volumes=[{"source": "x.img", "verity_root": "ab" * 32, "target": "/usr"}])),
    case("host: fills a config", "code.privileges",
             td=running(PLAIN + "    configs: [c]\nconfigs:\n  c: {file: /dstack/.host-shared/x}\n")),
    case("host: decides the command", "code.host-input", td=node('command: "$EVIL"')),
    case("host: may set a variable", "", "code.host-input", td=running(PLAIN, allowed_envs=["LOG_LEVEL"])),
    accepted("host: may set a variable the user accepts", td=running(PLAIN, allowed_envs=["LOG_LEVEL"]),
             trust={"host_input": frozenset({"LOG_LEVEL"})}),
    accepted("settings: public logs", "code.settings", td=running(PLAIN, public_logs=True)),
    accepted("settings: public logs that the user accepts", td=running(PLAIN, public_logs=True),
             trust={"app_compose_members": frozenset({"public_logs"})}),
    accepted("settings: the clock is the host's", "code.settings", td=running(PLAIN, secure_time=False)),
    accepted("settings: the clock is the host's, which the user accepts", td=running(PLAIN, secure_time=False),
             trust={"app_compose_members": frozenset({"secure_time"})}),
    case("settings: a clock that is neither", "code.form", CODE - {"code.form"}, td=running(PLAIN, secure_time="no")),
    case("host: names another compose file", "code.host-input", td=running(PLAIN, allowed_envs=["COMPOSE_FILE"])),
    case("host: names another app-compose file", "code.host-input", td=running(PLAIN, allowed_envs=["APP_COMPOSE_FILE"])),
    case("host: injects code by a variable's name", "code.host-input", td=node("environment: [NODE_OPTIONS]")),
    case("host: names the chain's endpoint", "code.host-input", td=node("environment: {RPC_URL: '${RPC_URL}'}")),
    case("host: is between the program and the world", "code.host-input", td=node("environment: ['HTTPS_PROXY=$PROXY']")),
    case("host: writes a secret", "code.host-input", td=running(PLAIN + "    secrets: [s]\nsecrets:\n  s: {environment: TOKEN}\n")),
    accepted("host: names the chain's endpoint, which the user accepts", td=node("environment: [RPC_URL]"),
             trust={"host_input": frozenset({"RPC_URL"})}),
    accepted("host: chooses a port, which the user accepts by its place", td=node("ports: ['$PORT:80']"),
             trust={"host_input": frozenset({"services.node.ports:PORT"})}),
    case("host: chooses a port by a name that is accepted in an environment", "", "code.host-input",
         td=node("ports: ['$PORT:80']"), trust={"host_input": frozenset({"PORT"})}),
    case("host: writes a secret by a name that is accepted in an environment", "code.host-input",
         td=running(PLAIN + "    secrets: [s]\nsecrets:\n  s: {environment: TOKEN}\n", allowed_envs=["TOKEN"]),
         trust={"host_input": frozenset({"TOKEN"})}),
    case("container: upper layers of the system", "code.privileges", td=node("volumes: ['/var/volatile:/x']")),
    case("container: the compose file", "code.privileges", td=node("volumes: ['/dstack:/x']")),
    case("container: what a login runs", "code.privileges", td=node("volumes: ['/home:/x', '/root:/y']")),
    case("container: a path nobody named", "code.privileges", td=node("volumes: ['/mnt/data:/x']")),
    accepted("container: a path the user accepts", td=node("volumes: ['/mnt/data:/x']"), trust={"mounts": frozenset({"/mnt/data"})}),
    case("container: a system path the user named", "code.privileges", td=node("volumes: ['/var/volatile:/x']"),
         trust={"mounts": frozenset({"/var/volatile"})}),
    case("container: a relative path of a bind", "code.privileges", td=node("volumes: [{type: bind, source: docker-compose.yaml, target: /x}]")),
    case("container: another runtime", "code.privileges", td=node("runtime: theirs")),
    case("container: devices through deploy", "code.privileges", td=node("deploy: {resources: {reservations: {devices: [{count: all}]}}}")),
    case("network: a driver plugin", "code.privileges", td=running(PLAIN + "networks:\n  x: {driver: theirs}\n")),
    case("network: addresses by a plugin", "code.privileges", td=running(PLAIN + "networks:\n  x: {ipam: {driver: theirs}}\n")),
    case("container: on a link of the machine", "code.privileges",
         td=running(PLAIN + "networks:\n  x: {driver: macvlan, driver_opts: {parent: eth0}}\n")),
    case("container: logs through a plugin", "code.privileges", td=node("logging: {driver: theirs}")),
    case("container: the processes of a container of the machine", "code.privileges", td=node("pid: 'container:agent'")),
    case("container: annotations for the runtime", "code.privileges", td=node("annotations: {run.oci.handler: krun}")),
    case("compose: capabilities as a mapping", "code.form", td=node("cap_add: {SYS_ADMIN: }")),
    case("volume: a driver plugin", "code.privileges", td=running(PLAIN + "    volumes: ['data:/x']\nvolumes:\n  data: {driver: theirs}\n")),
    case("container: docker.sock behind what reads as a volume's name", "code.privileges",
         td=node("volumes: ['x:a/../../run/docker.sock:/var/run/docker.sock']")),
    case("volume: named as a path of the machine", "code.privileges",
         td=running(PLAIN + "    volumes: ['data:/x']\nvolumes:\n  data: {name: /}\n")),
    case("volume: an external one, named as a path of the machine", "code.privileges",
         td=running(PLAIN + "    volumes: ['data:/x']\nvolumes:\n  data: {external: {name: /run/docker.sock}}\n")),
    case("network: named as another container", "code.privileges",
         td=running(PLAIN + "networks:\n  default: {name: 'container:abc'}\n")),
    case("host: sets another variable than the one the user accepts", "", "code.host-input",
         td=running(PLAIN + "    environment: {GUNICORN_CMD_ARGS: $LOG_LEVEL}\n", allowed_envs=["LOG_LEVEL"]),
         trust={"host_input": frozenset({"LOG_LEVEL"})}),
    accepted("host: sets two variables by one, which the user accepts",
             td=running(PLAIN + "    environment: {LOG_LEVEL: $LOG_LEVEL, VERBOSITY: $LOG_LEVEL}\n", allowed_envs=["LOG_LEVEL"]),
             trust={"host_input": frozenset({"LOG_LEVEL", "VERBOSITY"})}),
    case("host: sets a variable whose name an escaped dollar ends", "", "code.host-input",
         td=node("environment: {LOG_LEVEL: $LOG$$_LEVEL}"), trust={"host_input": frozenset({"LOG_LEVEL"})}),
    case("container: a secret from a store beside the file", "code.form",
         td=running(PLAIN + "    secrets: [s]\nsecrets:\n  s: {external: true}\n")),
    case("container: a config from a store beside the file", "code.form",
         td=running(PLAIN + "    configs: [c]\nconfigs:\n  c: {external: {name: other}}\n")),
    case("host: chooses the container's port by a word that is accepted for the machine's", "code.host-input",
         td=node("ports: ['80:$PORT']"), trust={"host_input": frozenset({"services.node.ports:PORT"})}),
    case("host: names the container", "code.host-input", td=node("container_name: $NAME")),
    case("host: sets a label", "", "code.host-input", td=node("labels: {stage: '${STAGE}'}")),
    case("host: gives more or less of the machine", "", "code.host-input", td=node("mem_limit: ${MEMORY:-1g}")),
    case("host: sets a variable by an extension", "", "code.host-input",
         td=running("x-e: &e {TOKEN: '${TOKEN}'}\n" + PLAIN + "    environment: {<<: *e}\n", allowed_envs=["TOKEN"])),
    accepted("host: a variable in an extension that nothing takes", td=running("x-e: {TOKEN: '${TOKEN}'}\n" + PLAIN)),
    accepted("host: a shell's own dollars", td=node("command: [sh, -c, 'KEY=$(head -c 32 /k) && grep -E \"^a$\" \"$@\" || exit $?']")),
    case("host: writes on behind a letter that is an s to docker compose", "code.host-input",
         td=node('command: [sh, -c, "$LOG\\u017fX"]'), trust={"host_input": frozenset({"services.node.command:LOG"})}),
    case("host: decides by a variable that only docker compose sees", "code.host-input",
         td=node('command: [sh, -c, "$\\u017fECRET"]'), trust={"host_input": frozenset({"services.node.command:?"})}),
)  # fmt: skip
