"""Settings of health."""

from node.settings.field import Section
from node.settings.field import of as _of


class HealthSettings(Section):
    """Health probes."""

    health_probe_deadline_s: float = _of(2.0, "a part that has not answered by then is down", gt=0)
    health_probe_max_age_s: float = _of(2.0, "how long a finding is told again", ge=0)
    health_watch_interval_s: float = _of(15.0, "how often the node asks its parts by itself, for the metrics", gt=0)
