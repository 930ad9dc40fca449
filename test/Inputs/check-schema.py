"""Checks JSON from standard input against a JSON schema: types, required keys, and
that every key is described.

    check-schema.py SCHEMA
"""

import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int,
         "boolean": bool, "null": type(None)}


def check(value, schema, where) -> list:
    problems = []
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if types and not any(isinstance(value, TYPES[name]) for name in types):
        return [f"{where}: not {types}: {value!r}"]
    if "const" in schema and value != schema["const"]:
        problems.append(f"{where}: not {schema['const']}")
    if value not in schema.get("enum", [value]):
        problems.append(f"{where}: none of {schema['enum']}")
    if isinstance(value, int) and not (schema.get("minimum", value) <= value
                                       <= schema.get("maximum", value)):
        problems.append(f"{where}: out of range: {value}")
    if isinstance(value, dict):
        problems += [f"{where}: no {key}" for key in schema.get("required", [])
                     if key not in value]
        for key, inside in value.items():
            if key not in schema["properties"]:
                problems.append(f"{where}: {key} is not described")
            else:
                problems += check(inside, schema["properties"][key],
                                  f"{where}.{key}")
    if isinstance(value, list):
        for number, inside in enumerate(value):
            problems += check(inside, schema["items"], f"{where}[{number}]")
    return problems


with open(sys.argv[1], encoding="utf-8") as file:
    found = check(json.load(sys.stdin), json.load(file), "$")
print("\n".join(found[:10]))
sys.exit(1 if found else 0)
