"""Restores an instance's memory to its snapshot after each action, without reading all of it.

Memory is a private mapping of the snapshot's image. The first write to a page is a page fault that
makes the page the process's own; later writes cause none. If the thread that runs actions has had
no fault, only own pages were written, and copying these restores all memory. After any fault all
pages are compared with the image. Pages not kept as own ones are returned to the kernel.
"""

from collections.abc import Iterable
from ctypes import Array, addressof, c_char

from node.engine.worker import kernel

_LOOKS_MAX = 8
"""Maximum looks of a process for own pages, which take a few hundred microseconds each."""
_GAP_BYTES = 2 * kernel.PAGE_BYTES
"""Gap between two spans that costs as much to copy as another call."""


class Image:
    """The initial memory of a snapshot's instances.

    `written` are the spans of whole pages that actions have written, in order. `own_faults` are
    page faults of restoring, which write only to the restored instance.
    """

    def __init__(self, content: "Array[c_char]") -> None:
        self.size = len(content)
        self.address = addressof(content)
        self.written: list[tuple[int, int]] = []
        self.own_faults = 0
        self.looks = 0
        """Looks for own pages in this process so far."""
        self._content = content

    def forget(self) -> None:
        """Resets the counts for a forked process. No memory with this image may be in use."""
        self.own_faults = self.looks = 0


class Memory:
    """The first `image.size` bytes of an instance's memory, which begin at `base`."""

    __slots__ = ("_base", "_faults", "_image", "_own", "_spans", "is_prepared")

    def __init__(self, base: int, image: Image) -> None:
        self.is_prepared = False
        """Whether pages that actions write are own pages already."""
        self._base = base
        self._image = image
        self._spans: list[tuple[int, int]] = []
        self._own: list[tuple[int, int, int]] = []
        """Target, source and length of each copy, for all own pages at `_faults`."""
        self._faults: int | None = None
        """Page faults of the thread at the last restore, without restoring's; None if unknown."""

    def prepare(self) -> None:
        """Populates the pages that earlier actions have written.

        A separate fault for each page would cost three times as much.
        """
        base, image = self._base, self._image
        began = kernel.faults()
        # The slot's former use may have left own pages, equal to the image or not.
        kernel.give_back(base, image.size)
        for start, end in image.written:
            kernel.populate(base + start, end - start)
        self._know(image.written)
        self._note(began)
        self.is_prepared = True

    def restore(self) -> None:
        """Makes it equal to the image. The instance must be idle and have its initial size."""
        # Without this count one action's secrets would stay for the next. A page whose first write
        # caused no counted fault is not copied. Faults of restoring are subtracted, since counting
        # them would compare all memory after every action.
        began = kernel.faults()
        if began - self._image.own_faults != self._faults:
            self._compare()
            self._note(began)
            return
        for to, source, length in self._own:
            kernel.copy(to, source, length)

    def give_back(self) -> None:
        """Returns all pages to the kernel, which erases them. Prepare it before the next use."""
        kernel.give_back(self._base, self._image.size)
        self._faults = None
        self.is_prepared = False

    def give_back_equal(self) -> None:
        """Returns the pages that equal the image."""
        base, image = self._base, self._image
        kernel.give_back_but(base, image.size, kernel.changed(base, image.address, image.size))

    def _compare(self) -> None:
        base, image = self._base, self._image
        found = kernel.changed(base, image.address, image.size)
        # Most written pages equal the image again, as reference counts went up and down.
        if image.looks < _LOOKS_MAX:
            image.looks += 1
            found += kernel.own(base, image.size)
        image.written = spans = _joined([*image.written, *self._spans, *found])
        # Also own pages that equal the image by chance, whose next write would be no fault.
        kernel.give_back_but(base, image.size, spans)
        self._know(spans)
        for to, source, length in self._own:
            kernel.copy(to, source, length)

    def _know(self, spans: list[tuple[int, int]]) -> None:
        base, image = self._base, self._image
        self._spans = spans
        self._own = [(base + start, image.address + start, end - start) for start, end in spans]
        # For reading, since a fault of a read would cause a comparison of all pages.
        kernel.populate_read(base, image.size)

    def _note(self, began: int) -> None:
        """Counts the faults since `began` as those of restoring."""
        # Pages of this instance that they made own ones are among the copied ones.
        now = kernel.faults()
        self._image.own_faults += now - began
        self._faults = now - self._image.own_faults


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the spans in order, and joins those that overlap or nearly touch."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start - joined[-1][1] <= _GAP_BYTES:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined
