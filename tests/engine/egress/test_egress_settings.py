"""What a deployment may set about outbound requests, and what only a development node may."""

from pathlib import Path

import pytest

from devkit.settings import DevelopmentSettings
from node.errors import StartupRefusedError
from node.settings.loading import settings_for_development, settings_for_serving

SWITCH = {"SVC_EGRESS_ALLOW_LOOPBACK": "1"}


def test_only_development_knows_the_switch_that_opens_loopback(tmp_path: Path) -> None:
    assert settings_for_development(DevelopmentSettings, None, SWITCH).egress_allow_loopback
    assert not settings_for_development(DevelopmentSettings, None, {}).egress_allow_loopback
    config = tmp_path / "node.toml"
    config.write_text("")
    with pytest.raises(StartupRefusedError, match="SVC_EGRESS_ALLOW_LOOPBACK"):
        settings_for_serving(config, SWITCH)
    config.write_text("egress_allow_loopback = true\n")
    with pytest.raises(StartupRefusedError, match="egress_allow_loopback"):
        settings_for_serving(config, {})


def test_lists_are_read_at_the_start(tmp_path: Path) -> None:
    config = tmp_path / "node.toml"
    config.write_text('egress_allow_hosts = ["*.example.org", "8.8.8.0/24"]\n')
    assert settings_for_serving(config, {}).egress_allow_hosts == ("*.example.org", "8.8.8.0/24")
    given = {"SVC_EGRESS_DENY_HOSTS": "a.example.org, 1.1.1.1"}
    assert settings_for_development(DevelopmentSettings, None, given).egress_deny_hosts == ("a.example.org", "1.1.1.1")


@pytest.mark.parametrize("name", ["egress_allow_hosts", "egress_deny_hosts"])
def test_an_entry_that_is_no_host_stops_the_start(tmp_path: Path, name: str) -> None:
    config = tmp_path / "node.toml"
    config.write_text(f'{name} = ["https://example.org"]\n')
    with pytest.raises(StartupRefusedError) as refused:
        settings_for_serving(config, {})
    assert refused.value.setting == name
