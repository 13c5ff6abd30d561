"""JSON schemas of requests, queries and answers as client generators need them: what is optional, and what is null."""

from typing import Final, TypeAlias

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

_NULL: Final[JsonSchemaValue] = {"type": "null"}
_Field: TypeAlias = core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField


class BodySchemas(GenerateJsonSchema):
    """Schemas of bodies: a field that may be left out is not required, and has no `default`.

    openapi-typescript takes a default for a promise that the field is there: it then has to be sent, and is read where
    the node leaves it out.
    """

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Returns the schema without its default."""
        return self.generate_inner(schema["schema"])

    def field_is_required(self, field: _Field, total: bool) -> bool:
        """Returns whether the field is always there: in an answer every one that is not left out when it is None."""
        if self.mode == "serialization":
            return field.get("serialization_exclude_if") is None
        return super().field_is_required(field, total)

    def model_field_schema(self, schema: core_schema.ModelField) -> JsonSchemaValue:
        """Returns the field's schema; without null where the field is left out instead."""
        found = super().model_field_schema(schema)
        if self.mode == "validation" or schema.get("serialization_exclude_if") is None:
            return found
        kinds = [kind for kind in found.get("anyOf", []) if kind != _NULL]
        return kinds[0] if len(kinds) == 1 else found


class QuerySchemas(GenerateJsonSchema):
    """Schemas of queries, in which nothing is null: a parameter is a text, or left out. Defaults are told."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Returns the schema without null."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Returns the schema with its default, unless that is None."""
        if schema.get("default") is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)
