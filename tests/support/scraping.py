"""What a running node shows to Prometheus."""

import urllib.request

from prometheus_client.parser import text_string_to_metric_families


class Scrape:
    """One look at a node's /metrics."""

    def __init__(self, url: str) -> None:
        with urllib.request.urlopen(url, timeout=30) as response:
            self.text: str = response.read().decode()
        self._samples = [sample for family in text_string_to_metric_families(self.text) for sample in family.samples]

    def value(self, name: str, **labels: str) -> float:
        """Of the one series with this name and these labels."""
        (found,) = [each.value for each in self._samples if each.name == name and each.labels == labels]
        return float(found)

    def by(self, label: str, name: str) -> dict[str, float]:
        """The values of this name by one label."""
        return {each.labels[label]: float(each.value) for each in self._samples if each.name == name}
