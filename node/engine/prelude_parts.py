"""Parts of the prelude that run when an action first asks for them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LazyPart:
    """Files that become one function, `name`, of the prelude: read with it, run once, when first called.

    `names` become globals of the action, `doors` are what the rest of the prelude finds in the part.
    """

    name: str
    files: Sequence[str]
    names: Sequence[str]
    doors: Sequence[str] = ()

    def source(self, read: Callable[[str], str]) -> str:
        """The JavaScript of the part; `read` gives the text of a file."""
        answer = ", ".join(["__proto__: null", *self.names, *self.doors])
        exposed = (f'exposeLate("{name}", {self.name});' for name in self.names)
        return "\n".join(
            [
                f"const {self.name} = lazily(() => {{",
                *map(read, self.files),
                f"return {{ {answer} }};",
                "});",
                *exposed,
            ]
        )
