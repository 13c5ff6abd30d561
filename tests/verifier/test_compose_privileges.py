"""What a container may reach: privileges, namespaces, mounts, volumes and networks, each an allow-list."""

import pytest

from svc_verifier.check import Status
from svc_verifier.compose.app_compose import SERVICE
from svc_verifier.compose.kinds import SERVICE_KINDS
from svc_verifier.trust import Trust
from tests.support.audited import PLAIN, outcomes, refused, service

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
    "volumes: ['x:a/../../run/docker.sock:/var/run/docker.sock']",
    "volumes: ['x:../etc:/x:ro']",
    "volumes: ['Z:/etc:/x']",
    "volumes: ['x:/x']",
    "volumes: ['x:']",
    "volumes:\n  - {type: volume, source: 'x:/etc', target: /x}",
    "runtime: nvidia",
    "runtime: '$R'",
    "deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all}]}}}",
    "deploy: {resources: {limits: {devices: []}}}",
    "cap_add: [SYSLOG]",
    "cap_add: ['$CAP']",
    "security_opt: ['seccomp:/x/profile.json']",
    "volumes_from: [other]",
    "post_start:\n  - {command: x, privileged: true}",
    "pre_stop:\n  - {command: x, privileged: true}",
    "pid: container:dstack-agent",
    "pid: 'service:a,host'",
    "ipc: container:x",
    "network_mode: container:x",
    "network_mode: somebodys",
    "userns_mode: keep-id",
    "uts: private",
    "cgroup: '$C'",
    "logging: {driver: theirs}",
    "logging: {driver: syslog, options: {syslog-address: 'unix:///var/run/docker.sock'}}",
    "logging: {driver: '$L'}",
    "annotations: {run.oci.handler: krun}",
    "annotations: ['run.oci.handler=krun']",
    "networks: {default: {driver_opts: {a: b}}}",
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
    "volumes: ['data:c:/x']",
    "volumes:\n  - {type: volume, source: data, target: /data}",
    "volumes:\n  - {type: tmpfs, target: /x}",
    "runtime: runc",
    "cap_add: [NET_BIND_SERVICE, IPC_LOCK]",
    "deploy: {resources: {limits: {memory: 1g}}}",
    "pid: 'service:node'",
    "ipc: private",
    "ipc: shareable",
    "network_mode: bridge",
    "network_mode: none",
    "network_mode: 'service:node'",
    "cgroup: private",
    "logging: {driver: json-file, options: {max-size: 10m}}",
    "logging: {driver: none}",
    "logging:",
    "networks: {default: {aliases: [a]}}",
    "networks: {default: }",
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
    assert "code.privileges" in refused(service("volumes: ['data:/x']") + f"volumes:\n  data: {volume}\n")
    assert refused(service("volumes: ['data:/x']") + "volumes:\n  data: {driver: local}\n") == set()


VOLUME_NAMES = (
    "{name: /}",
    "{name: /etc}",
    "{name: //}",
    "{name: '/.'}",
    "{name: ' /'}",
    "{name: ../../etc}",
    "{name: ./x}",
    "{name: x}",
    "{name: '$N'}",
    "{name: /, external: false}",
    "{name: /run/docker.sock, external: true}",
    "{external: {name: /}}",
    "{<<: {name: /}, name: data}",
)


@pytest.mark.parametrize("volume", VOLUME_NAMES)
@pytest.mark.parametrize("mount", ["data:/x", "{type: volume, source: data, target: /x}"])
def test_a_volume_whose_name_is_none_may_be_a_path_of_the_machine(volume: str, mount: str) -> None:
    """docker compose asks the engine to bind a volume by its `name`, and the engine takes a path for a path."""
    assert "code.privileges" in refused(service(f"volumes: [{mount}]") + f"volumes:\n  data: {volume}\n")


@pytest.mark.parametrize(
    "volume", ["{name: team_data.v-2}", "{name: }", "{external: true}", "{external: {name: kept}}"]
)
def test_a_volume_may_have_a_name(volume: str) -> None:
    assert refused(service("volumes: ['data:/x']") + f"volumes:\n  data: {volume}\n") == set()


@pytest.mark.parametrize("kind", ["secrets", "configs"])
def test_a_file_that_the_host_writes_from_a_variable_fails_until_that_file_is_accepted(kind: str) -> None:
    text = service(f"{kind}: [s]") + f"{kind}:\n  s: {{environment: TOKEN}}\n"
    assert outcomes(text)["code.host-input"] is Status.FAILED
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({f"{kind}.s.environment:TOKEN"}))
    assert outcomes(text, trust)["code.host-input"] is Status.PASSED


NETWORKS = (
    "net: {external: true, name: host}",
    "host: {external: true}",
    "net: {external: {name: host}}",
    "net: {driver: host}",
    "net: {external: true, name: '${NET}'}",
    "net: {name: 'container:abc'}",
    "net: {name: 'container:abc', external: true}",
    "net: {external: {name: 'container:abc'}}",
    "net: {name: 'service:x'}",
    "net: {name: 'ns:/proc/1/ns/net'}",
    "net: {name: 'host '}",
    "net: {name: ../info}",
    "net: {<<: {name: 'container:abc'}, name: net}",
    "net: {driver: macvlan, driver_opts: {parent: eth0}}",
    "net: {driver: macvlan}",
    "net: {driver: ipvlan}",
    "net: {driver: overlay}",
    "net: {driver: theirs}",
    "net: {driver: '$D'}",
    "net: {driver_opts: {com.docker.network.bridge.name: br0}}",
    "net: {ipam: {driver: theirs}}",
    "net: {ipam: {options: {a: b}}}",
)


@pytest.mark.parametrize("network", NETWORKS)
def test_the_tds_own_network_under_another_name_is_refused(network: str) -> None:
    """docker compose takes an existing network called `host` for what `network_mode: host` is."""
    assert "code.privileges" in refused(
        service(f"networks: [{network[: network.index(':')]}]") + f"networks:\n  {network}\n"
    )


def test_the_network_that_every_service_has_is_no_other_containers() -> None:
    assert "code.privileges" in refused(PLAIN + "networks:\n  default: {name: 'container:abc'}\n")


OWN_NETWORKS = (
    "net:",
    "net: {driver: bridge, driver_opts: {com.docker.network.driver.mtu: '1400'}, labels: {a: b}}",
    "net: {ipam: {driver: default, config: [{subnet: 10.1.0.0/24}]}, enable_ipv6: true}",
    "net: {external: true, name: shared}",
    "net: {name: team_net.v-2}",
    "net: {name: }",
)


@pytest.mark.parametrize("network", OWN_NETWORKS)
def test_a_network_that_the_engine_makes_is_fine(network: str) -> None:
    assert refused(service("networks: [net]") + f"networks:\n  {network}\n") == set()


WRONG_KINDS = (
    "cap_add: {SYS_ADMIN: }",
    "cap_add: SYS_ADMIN",
    "cap_add: [[SYS_ADMIN]]",
    "cap_add: [{a: SYS_ADMIN}]",
    "security_opt: {'seccomp:unconfined': }",
    "network_mode: {host: }",
    "network_mode: [host]",
    "pid: [host]",
    "privileged: [true]",
    "volumes: {'/mnt/data': /x}",
    "volumes: '/mnt/data:/x'",
    "volumes: [['/mnt/data:/x']]",
    "volumes: [{type: bind, source: {a: /mnt/data}, target: /x}]",
    "volumes: [{type: [bind], source: /mnt/data, target: /x}]",
    "volumes: [{type: bind, src: /etc, target: /x}]",
    "volumes: [? /etc : /x]",
    "post_start: [{command: x, Privileged: true}]",
    "logging: [theirs]",
    "logging: {driver: [theirs]}",
    "networks: net",
    "networks: {net: [a]}",
    "environment: LD_PRELOAD=x",
    "environment: {A: {B: c}}",
    "environment: [[A]]",
    "env_file: {a: b}",
    "runtime: {a: b}",
    "post_start: {command: x}",
    "image: [a]",
    "volumes: 'null'",
    "environment: ''",
    "cap_add: '~'",
)


@pytest.mark.parametrize("lines", WRONG_KINDS)
def test_what_is_of_another_kind_than_its_place_takes_is_refused(lines: str) -> None:
    assert "code.form" in refused(service(lines))


WRONG_RESOURCES = (
    "volumes: [x]",
    "volumes: {x: text}",
    "volumes: {x: {driver: {a: theirs}}}",
    "volumes: {x: {driver_opts: [o]}}",
    "networks: [host]",
    "networks: {x: [a]}",
    "networks: {x: {driver: {a: host}}}",
    "networks: {x: {name: [host]}}",
    "networks: {x: {ipam: [a]}}",
    "networks: {x: {ipam: {driver: {a: theirs}}}}",
    "networks: {x: {future: y}}",
    "configs: [c]",
    "configs: {c: {file: {a: /etc/x}}}",
    "configs: {c: {content: a, template_driver: theirs}}",
    "configs: {c: {environment: [TOKEN]}}",
    "configs: {c: {external: true}}",
    "configs: {c: {external: {name: other}}}",
    "secrets: {c: {external: true}}",
    "secrets: {c: {external: '$E', name: other}}",
    "secrets: {c: {file: x, driver: theirs}}",
    "secrets: {c: {future: x}}",
)


@pytest.mark.parametrize("lines", WRONG_RESOURCES)
def test_volumes_networks_configs_and_secrets_have_known_members_of_their_kind(lines: str) -> None:
    assert "code.form" in refused(PLAIN + f"{lines}\n")


def test_every_key_of_a_service_has_its_kinds() -> None:
    assert SERVICE_KINDS.keys() == SERVICE


def test_networks_of_the_files_own_are_fine() -> None:
    assert not refused(service("networks: [host]") + "networks:\n  host: {driver: bridge, internal: true}\n  b:\n")


@pytest.mark.parametrize("own_is_first", [True, False])
@pytest.mark.parametrize("kind", ["volumes", "networks"])
def test_resources_that_the_file_merges_in_beside_its_own_are_audited(kind: str, own_is_first: bool) -> None:
    """Readers take the file's own mapping, the merged one, or members of both."""
    own, merged = f"{kind}: {{good: {{name: }}}}\n", "<<: *r\n"
    text = f"x-r: &r {{{kind}: {{evil: {{driver: theirs}}}}}}\n{PLAIN}"
    assert "code.privileges" in refused(text + (own + merged if own_is_first else merged + own))


def test_a_named_volume_that_binds_a_path_is_refused() -> None:
    text = (
        service("volumes: ['data:/x']") + "volumes:\n  data: {driver_opts: {type: none, o: bind, device: /var/run}}\n"
    )
    assert "code.privileges" in refused(text)
