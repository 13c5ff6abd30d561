"""How the processor has been doing: whether it is asked at all, and what health says of it."""

from collections.abc import Callable

import structlog

from node.processor.limits import ProcessorLimits
from node.processor.port import Fault, ProcessorError

_log = structlog.get_logger(__name__)


class Standing:
    """A circuit breaker, and health with hysteresis; both from what calls met. `clock` is monotonic seconds.

    After `failures_to_open` calls in a row without an answer nothing is asked for `open_s`; then one call is let through, and
    it decides. So whoever waits for an answer is told at once that there is none.
    """

    def __init__(self, limits: ProcessorLimits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._open_until: float | None = None
        self._failures = 0
        self._successes = 0
        self._was_well = False
        self._problem: str | None = None

    @property
    def problem(self) -> str | None:
        """What is wrong, for anybody to read; None while it does well, or was not asked yet."""
        return self._problem

    def admit(self) -> None:
        """Pass when it may be asked now. Raises ProcessorError `unavailable`."""
        if self._open_until is None:
            return
        now = self._clock()
        if now < self._open_until:
            raise ProcessorError(Fault.UNAVAILABLE, "it did not answer lately and is left alone for some seconds")
        self._open_until = now + self._limits.open_s

    def met(self, error: ProcessorError | None) -> None:
        """Note how a call ended; an answer that refuses is an answer."""
        if error is None or error.fault not in {Fault.UNAVAILABLE, Fault.UNAUTHORIZED}:
            self._answered()
        else:
            self._failed(error)

    def _answered(self) -> None:
        self._open_until = None
        self._failures = 0
        self._successes += 1
        if self._problem is None or self._successes >= self._limits.successes_to_recover:
            if self._problem is not None:
                _log.info("card_processor_recovered")
            self._was_well, self._problem = True, None

    def _failed(self, error: ProcessorError) -> None:
        self._successes = 0
        self._failures += 1
        if error.fault is Fault.UNAVAILABLE and self._failures >= self._limits.failures_to_open:
            self._open_until = self._clock() + self._limits.open_s
        certain = error.fault is Fault.UNAUTHORIZED or not self._was_well
        if self._problem is None and (certain or self._failures >= self._limits.failures_to_degrade):
            _log.warning("card_processor_failing", fault=error.fault.value, why=error.reason)
        if self._problem is not None or certain or self._failures >= self._limits.failures_to_degrade:
            self._problem = f"card processor: {error.reason}"
