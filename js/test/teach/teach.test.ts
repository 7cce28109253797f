import { afterEach, expect, test } from "vitest";
import factory from "../../src/teach/index.ts";
import { FakeModel } from "../fakeModel.ts";
import { aboutRegression } from "../fixtures.ts";
import { clearPage, painted } from "../mount.ts";

afterEach(clearPage);

const encoded = (values: number[]) => new Float64Array(values).buffer;

const answer = (seq: number, inputs: object, meta: object, columns: Record<string, number[]>) => ({
  schema: 1,
  seq,
  inputs,
  meta: {
    explanation: [],
    error: null,
    ...meta,
    cols: Object.fromEntries(
      Object.entries(columns).map(([name, { length }]) => [name, { dtype: "f8", shape: [length] }]),
    ),
  },
  cols: Object.fromEntries(
    Object.entries(columns).map(([name, values]) => [name, encoded(values)]),
  ),
});

const about = {
  schema: 1,
  name: "guess",
  title: "Guess",
  question: "Which?",
  task: "Show.",
  label: "nll",
  unit: "nats",
};
const inputs = { order: ["<b>a</b>", "b"], revealed: false };

async function mountLesson(changes: Record<string, unknown>) {
  const model = new FakeModel(aboutRegression(), {}, { _about: about, ...changes });
  const abort = new AbortController();
  const el = document.body.appendChild(document.createElement("div"));
  const widget = factory();
  widget.initialize({ model, signal: abort.signal });
  widget.render({ model, el, signal: abort.signal });
  await painted();
  const one = (id: string) => el.querySelector<HTMLElement>(`[data-testid="${id}"]`) as HTMLElement;
  return { model, abort, el, one, alert: () => el.querySelector(".uq-error") as HTMLElement };
}

test("a move is sent with the number of the request, and names are texts", async () => {
  const { model, one, el } = await mountLesson({
    _frame: answer(0, inputs, { revealed: false }, {}),
  });
  expect(el.querySelector("b")).toBeNull();
  expect(one("uq-order").children[0]?.textContent).toContain("<b>a</b>");
  one("uq-down").click();
  expect(model.saved.at(-1)).toEqual({ order: ["b", "<b>a</b>"], _seq: 1 });
  expect(one("uq-order").children[0]?.textContent).toContain("b");
  expect(one("uq-spoken").textContent).toBe("<b>a</b> is now number 2 of 2.");
});

test("a broken answer leaves the last picture and says what is missing", async () => {
  const { model, alert, el } = await mountLesson({
    _frame: answer(0, inputs, { revealed: false }, {}),
  });
  expect(alert().hidden).toBe(true);
  const shown = { ...inputs, revealed: true };
  const meta = { revealed: true, features: ["b", "<b>a</b>"], wrong: [1, 1] };
  model.receive("_frame", answer(1, shown, meta, { importance: [2, 1], low: [1, 0] }));
  expect(alert().textContent).toContain('lacks the column "high"');
  model.receive(
    "_frame",
    answer(2, shown, meta, { importance: [2, 1], low: [1, 0], high: [3, Number.NaN] }),
  );
  expect(alert().hidden).toBe(true);
  expect(el.querySelectorAll(".uq-look-wrong")).toHaveLength(2);
  model.receive("_frame", { schema: 2 });
  expect(alert().textContent).toContain("version 2");
  expect(el.querySelectorAll(".uq-look-wrong")).toHaveLength(2);
});

test("while the kernel works, Stop is offered and the picture stays", async () => {
  const { model, one, alert } = await mountLesson({
    _frame: answer(0, inputs, { revealed: false }, {}),
  });
  expect(one("uq-stop").parentElement?.hidden).toBe(true);
  one("uq-down").click();
  model.receive("_frame", answer(0, inputs, { revealed: false, busy: true }, {}));
  expect(one("uq-stop").parentElement?.hidden).toBe(false);
  expect(one("uq-order").children[0]?.textContent).toContain("b");
  one("uq-stop").click();
  expect(model.saved.at(-1)).toEqual({ _stop: 1 });
  const error = "The work was stopped.";
  model.receive("_frame", answer(1, inputs, { revealed: false, error }, {}));
  expect(one("uq-stop").parentElement?.hidden).toBe(true);
  expect(alert().textContent).toBe(error);
  expect(one("uq-order").children[0]?.textContent).toContain("<b>a</b>");
});

test("a lesson that this page does not know is a sentence", async () => {
  const { alert } = await mountLesson({
    _about: { ...about, name: "constructor" },
    _frame: answer(0, inputs, {}, {}),
  });
  expect(alert().textContent).toContain("does not know the lesson");
});

test("nothing listens any more when the model is gone", async () => {
  const { model, abort } = await mountLesson({
    _frame: answer(0, inputs, { revealed: false }, {}),
  });
  abort.abort();
  expect(model.listeners()).toBe(0);
});
