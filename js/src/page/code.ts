import type { Inputs } from "../session/inputs.ts";
import { isRecord } from "../session/wire.ts";
import type { ModelIndex } from "./contents.ts";

/** A text in quotes as Python writes it. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll(quote, `\\${quote}`)
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  return quote + escaped + quote;
}

/** A plain value as Python writes it; `isFloat` of a number without a fraction. */
export function python(value: unknown, isFloat = false): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number")
    return isFloat && Number.isInteger(value) ? `${value}.0` : String(value);
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map((item) => python(item, isFloat)).join(", ")}]`;
  if (!isRecord(value)) return "None";
  const items = Object.entries(value).map(([k, v]) => `${quoted(k)}: ${python(v, true)}`);
  return `{${items.join(", ")}}`;
}

/** The line of Python that shows the view of these inputs in a notebook. */
export function codeOf({ code }: ModelIndex, inputs: Inputs): string {
  const changed = Object.entries(code.initial).flatMap(([name, initial]) => {
    const value: unknown = Reflect.get(inputs, name);
    const isSame = JSON.stringify(value) === JSON.stringify(initial);
    return isSame ? [] : [`${name}=${python(value, name === "tau")}`];
  });
  let every = [...code.arguments, ...changed];
  // What was chosen comes after that of the explainer, and stands in its place.
  for (const name of ["groups=", "time="]) {
    const isOf = (one: string) => one.startsWith(name);
    every = [...every.filter((one) => !isOf(one)), ...every.filter(isOf).slice(-1)];
  }
  return `uq.explore(${every.join(", ")})`;
}
