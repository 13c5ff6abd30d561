"""Which form of an answer a client would rather have (RFC 9110, 12.5.1)."""

from typing import Final

JSON: Final = "application/json"
CSV: Final = "text/csv"
_MAX_RANGES: Final = 32


def prefers_csv(accept: str) -> bool:
    """Whether an Accept header asks for CSV rather than JSON: by quality, then by being named and JSON not."""
    qualities = _qualities(accept)
    csv, json = _quality(qualities, CSV), _quality(qualities, JSON)
    return csv > json or (csv == json > 0 and CSV in qualities and JSON not in qualities)


def _quality(qualities: dict[str, float], wanted: str) -> float:
    """The quality of the most exact range that covers `wanted`; 0 when none does."""
    for media_range in (wanted, f"{wanted.split('/', maxsplit=1)[0]}/*", "*/*"):
        if media_range in qualities:
            return qualities[media_range]
    return 0.0


def _qualities(accept: str) -> dict[str, float]:
    qualities: dict[str, float] = {}
    for part in accept.lower().split(",")[:_MAX_RANGES]:
        media_range, *parameters = (piece.strip() for piece in part.split(";"))
        quality = next((value[2:] for value in parameters if value.startswith("q=")), "1")
        try:
            qualities[media_range] = min(max(float(quality), 0.0), 1.0)
        except ValueError:
            qualities[media_range] = 0.0
    return qualities
