"""Benchmarks start nodes with settings of their own: a node that knows one of them no longer would not start."""

from collections.abc import Mapping

import pytest

from benchmarks import api_calls, nodes
from benchmarks.actions import comparison, sleeping
from benchmarks.soak import __main__ as soak
from devkit.settings import DevelopmentSettings


@pytest.mark.parametrize(
    "settings",
    [api_calls.UNBOUNDED_READS, nodes.MANY_ACCOUNTS, comparison.SETTINGS, sleeping.SETTINGS, soak.SETTINGS],
)
def test_every_setting_of_a_benchmark_is_one_of_the_node(settings: Mapping[str, str]) -> None:
    values = {name.removeprefix("SVC_").lower(): value for name, value in settings.items()}
    assert values.keys() <= DevelopmentSettings.model_fields.keys()
    DevelopmentSettings.model_validate(values)
