"""The memory of an instance, made equal to its snapshot again after each action, without a look at all of it.

Memory is a private mapping of the snapshot's image. The first write to a page of such a mapping is a page fault, after which
the page is the process's own; further writes are none. So as long as the thread that runs the actions has had no fault, no
page was written but those that were its own already, and copying these restores everything. After any fault all pages are
compared with the image, and those that are not kept as its own are given back to the kernel, which maps the image again.
"""

from _collections_abc import Iterable  # collections.abc would bring the whole of collections
from ctypes import Array, addressof, c_char

from node.engine.worker import kernel

_LOOKS_MAX = 8
"""Looks of a process at which pages of a snapshot are its own, at a few hundred microseconds each."""
_GAP_BYTES = 2 * kernel.PAGE_BYTES
"""Between two spans: copying so much takes as long as another call."""


class Image:
    """The memory that instances of a snapshot begin with.

    `written`: the spans, in whole pages, that actions have written so far, in order. `own_faults`: page faults of restoring
    memory, which write to no instance but the one that is restored.
    """

    def __init__(self, content: "Array[c_char]") -> None:
        self.size = len(content)
        self.address = addressof(content)
        self.written: list[tuple[int, int]] = []
        self.own_faults = 0
        self.looks = 0
        """Looks for them in this process so far."""
        self._content = content

    def forget(self) -> None:
        """Begin to count anew, for the process that is forked next. No memory with this image may be in use."""
        self.own_faults = self.looks = 0


class Memory:
    """The first `image.size` bytes of an instance's memory, which begin at `base`."""

    __slots__ = ("_base", "_faults", "_image", "_own", "_spans", "is_prepared")

    def __init__(self, base: int, image: Image) -> None:
        self.is_prepared = False
        """False while none of its pages are at hand."""
        self._base = base
        self._image = image
        self._spans: list[tuple[int, int]] = []
        self._own: list[tuple[int, int, int]] = []
        """Target, source and length of each copy: every page that is the process's own, as of `_faults`."""
        self._faults: int | None = None
        """The thread's page faults, without those of restoring, when it was last restored; None when that is not known."""

    def prepare(self) -> None:
        """Have the pages at hand that actions write: one fault each would cost three times as much."""
        base, image = self._base, self._image
        began = kernel.faults()
        # What the slot held before may have left pages that are the process's own, and equal or not.
        kernel.give_back(base, image.size)
        for start, end in image.written:
            kernel.populate(base + start, end - start)
        self._know(image.written)
        self._note(began)
        self.is_prepared = True

    def restore(self) -> None:
        """Make it equal to the image. Nothing of the instance may run, and it must have the size that it began with."""
        began = kernel.faults()
        if began - self._image.own_faults != self._faults:
            self._compare()
            self._note(began)
            return
        for to, source, length in self._own:
            kernel.copy(to, source, length)

    def give_back(self) -> None:
        """Give back all pages, which wipes it too. It is to be prepared before it is used again."""
        kernel.give_back(self._base, self._image.size)
        self._faults = None
        self.is_prepared = False

    def give_back_equal(self) -> None:
        """Give back the pages that equal the image."""
        base, image = self._base, self._image
        kernel.give_back_but(base, image.size, kernel.changed(base, image.address, image.size))

    def _compare(self) -> None:
        base, image = self._base, self._image
        found = kernel.changed(base, image.address, image.size)
        # Most pages that were written equal the image again: counts of references went up and down in them.
        if image.looks < _LOOKS_MAX:
            image.looks += 1
            found += kernel.own(base, image.size)
        image.written = spans = _joined([*image.written, *self._spans, *found])
        # Also pages that are the process's own and equal the image by chance: the next write to them would be no fault.
        kernel.give_back_but(base, image.size, spans)
        self._know(spans)
        for to, source, length in self._own:
            kernel.copy(to, source, length)

    def _know(self, spans: list[tuple[int, int]]) -> None:
        base, image = self._base, self._image
        self._spans = spans
        self._own = [(base + start, image.address + start, end - start) for start, end in spans]
        # For reading: a fault that was none of a write would have all pages compared.
        kernel.populate_read(base, image.size)

    def _note(self, began: int) -> None:
        """Count what was a fault since then as one of restoring."""
        # Pages of this instance that became the process's own by them are among those that are copied from now on.
        now = kernel.faults()
        self._image.own_faults += now - began
        self._faults = now - self._image.own_faults


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, those that overlap or nearly touch made one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start - joined[-1][1] <= _GAP_BYTES:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined
