"""Values of JSON schemas of the OpenAPI document: one that fits, and ones that do not."""

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]


class Samples:
    """Values of the schemas of one document. Every property is present, every list has one item."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._schemas: Mapping[str, Schema] = document["components"]["schemas"]

    def schema(self, schema: Schema) -> Schema:
        """The schema itself, or the one that it refers to; of alternatives the first."""
        if "$ref" in schema:
            return self.schema(self._schemas[schema["$ref"].rpartition("/")[2]])
        kinds = schema.get("anyOf", schema.get("oneOf"))
        return self.schema(kinds[0]) if kinds else schema

    def properties(self, schema: Schema) -> set[str]:
        """The names of an object's members."""
        return set(self.schema(schema).get("properties", {}))

    def fitting(self, schema: Schema) -> Any:
        """A value that fits."""
        found = self.schema(schema)
        for name in ("const", "default"):
            if name in found and found[name] is not None:
                return found[name]
        if "enum" in found:
            return found["enum"][0]
        match found.get("type"):
            case "object":
                members, others = found.get("properties", {}), found.get("additionalProperties")
                known = {name: self.fitting(member) for name, member in members.items()}
                return known or {"any": self.fitting(others if isinstance(others, dict) else {})}
            case "array":
                return [self.fitting(found["items"])]
            case "integer" | "number":
                return 7
            case "boolean":
                return True
            case "string":
                return "text"
        return {"any": ["value"]}  # of no type: anything fits

    def unfitting(self, schema: Schema, path: str = "") -> Iterator[tuple[str, Any]]:
        """Values with one fault each: a value of another type, or a required member that is missing. With the fault's path."""
        found, fitting = self.schema(schema), self.fitting(schema)
        if "type" not in found and "const" not in found and "enum" not in found:
            return
        yield path, 7.5 if found.get("type") in {"string", "boolean", "object", "array"} else "7"
        if found.get("type") == "array":
            for where, value in self.unfitting(found["items"], f"{path}[]"):
                yield where, [value]
        for name, member in found.get("properties", {}).items():
            for where, value in self.unfitting(member, f"{path}.{name}"):
                yield where, {**fitting, name: value}
            if name in found.get("required", ()):
                yield f"{path}.{name} missing", {key: value for key, value in fitting.items() if key != name}
