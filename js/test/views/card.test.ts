import { afterEach, describe, expect, it } from "vitest";
import { alongLine } from "../../src/views/selection/card.ts";
import { aboutMulti, aboutRegression, wireFrame } from "../fixtures.ts";
import { clearPage, mount, painted, press } from "../mount.ts";

afterEach(clearPage);

const views = ["importance", "dependence", "stress", "selection"];
const multi = () => ({ ...aboutMulti(), views });
const PREDICTION = [0.2, 0.7, 0.1];

interface Changes {
  inputs?: Record<string, unknown>;
  meta?: Record<string, unknown>;
  columns?: Record<string, number[]>;
}

/** A frame with two selected rows, 4 and 9, of which the card has the first. */
function selected({ inputs = {}, meta = {}, columns = {} }: Changes = {}, info = multi()) {
  const frame = wireFrame(info, 1, { selection: "4,9", row: 4, ...inputs } as object);
  const isClasses = info.classes.length > 0;
  const numeric = info.features.filter(({ kind }) => kind === "numeric").length;
  const values: Record<string, number[]> = {
    predicted: isClasses ? [1, 0] : [2.5, 3.5],
    true: isClasses ? [2, 0] : [2, 4],
    weight: [1, 0.25],
    measures: [0.8, 0.3],
    rank: [0.9, 0.2],
    numbers: Array.from({ length: numeric }, (_, i) => i + 0.5),
    prediction: isClasses ? PREDICTION : [1, 2, 2.5, 3, 4],
    ...columns,
  };
  const shapes: Record<string, number[]> = {
    measures: [2, 1],
    rank: [2, 1],
    numbers: [1, numeric],
    prediction: [1, values.prediction?.length ?? 0],
    if_prediction: [1, values.if_prediction?.length ?? 0],
    if_measures: [1, values.if_measures?.length ?? 0],
  };
  const add = (name: string, array: Float64Array | Float32Array | Int32Array, dtype: string) => {
    frame.cols[`selection.${name}`] = new DataView(array.buffer);
    frame.meta.cols[`selection.${name}`] = { dtype, shape: shapes[name] ?? [array.length] };
  };
  add("listed", Int32Array.from([4, 9]), "i4");
  add("card", Int32Array.from([4]), "i4");
  for (const [name, numbers] of Object.entries(values)) {
    if (name === "rank") add(name, Float32Array.from(numbers), "f4");
    else add(name, Float64Array.from(numbers), "f8");
  }
  const texts = info.features.filter(({ kind }) => kind !== "numeric").map(() => "north");
  frame.meta.selection = {
    stale: false,
    n_selected: 2,
    measures: [{ name: "entropy", label: "entropy", unit: "nats", prediction: false }],
    classes: isClasses ? info.classes : null,
    span: isClasses ? null : [0, 5],
    labels: null,
    texts: [texts],
    ...meta,
  };
  return frame;
}

/** Mounts the widget; the card is a part within a part, which is loaded later. */
async function mountCard(info: ReturnType<typeof multi>, frame: unknown) {
  const mounted = await mount(info, frame);
  await painted();
  await painted();
  return mounted;
}

const plain = (text: string | null | undefined) => text?.replace(/[\u2068\u2069]/g, "") ?? "";

describe("the card of a row", () => {
  it("shows what the model says, what is true and how unusual it is, names only as text", async () => {
    const { one, el } = await mountCard(multi(), selected());
    expect(one("uq-card").querySelector("h4")?.textContent).toContain("row 4");
    expect(one("uq-card").textContent).toContain("1 of 2 selected");
    expect(plain(one("uq-card-facts").textContent)).toBe(
      "predicted versicolor; truly <b>virginica</b>",
    );
    // The most probable class first; the true one is named so.
    const names = [...el.querySelectorAll(".uq-bar-name")].map((name) => name.textContent);
    expect(names).toEqual(["versicolor", "setosa", "<b>virginica</b> true"]);
    const shares = [...el.querySelectorAll(".uq-bar-value")].map((value) => value.textContent);
    expect(shares).toEqual(["70 %", "20 %", "10 %"]);
    const cells = [...one("uq-card-measures").querySelectorAll("tbody :is(th, td)")];
    expect(cells.map((cell) => cell.textContent)).toEqual([
      "entropy (nats)",
      "0.8",
      "more uncertain than 90 %",
    ]);
    expect(el.querySelector("b, img")).toBeNull();
  });

  it("walks through the selected rows by buttons and by Alt with an arrow key", async () => {
    const { one, lastRequest, model } = await mountCard(multi(), selected());
    one("uq-card-next").click();
    expect(lastRequest()).toEqual({ row: 9, what_if: [] });
    clearPage();
    const other = await mountCard(multi(), selected());
    const sent = other.model.saved.length;
    expect(press(other.one("uq-card"), "ArrowRight").defaultPrevented).toBe(false);
    expect(other.model.saved).toHaveLength(sent);
    const event = new KeyboardEvent("keydown", {
      key: "ArrowLeft",
      altKey: true,
      bubbles: true,
      cancelable: true,
    });
    other.one("uq-card").dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
    expect(other.lastRequest()).toEqual({ row: 9, what_if: [] });
    expect(model.saved.length).toBeGreaterThan(0);
  });

  it("asks for another value, and shows the answer beside what the model says", async () => {
    const what_if = [{ feature: "petal length", value: 3.5 }];
    const { one, all, lastRequest, receive, el } = await mountCard(multi(), selected());
    expect(one("uq-what-if-reset").getAttribute("aria-disabled")).toBe("true");
    const field = all<HTMLInputElement>("uq-what-if")[0] as HTMLInputElement;
    expect(field.getAttribute("aria-label")).toBe("what if petal length were");
    field.value = "3.5";
    field.dispatchEvent(new Event("change", { bubbles: true }));
    expect(lastRequest()).toEqual({ row: 4, what_if });
    await receive(selected({ inputs: { what_if } }));
    expect(plain(one("uq-what-if-status").textContent)).toBe(
      "petal length 3.5 in place of 0.5: asking the model…",
    );
    const answer = { if_predicted: [0], if_prediction: [0.6, 0.3, 0.1], if_measures: [0.5] };
    const frame = selected({
      inputs: { what_if },
      meta: { what_if: { row: 4, changes: what_if, error: null } },
      columns: answer,
    });
    await receive({ ...frame, seq: 2 });
    expect(plain(one("uq-card-facts").textContent)).toContain("changed setosa");
    expect(plain(one("uq-what-if-status").textContent)).toBe("petal length 3.5 in place of 0.5");
    const shares = [...el.querySelectorAll(".uq-bar-value")].map((value) => value.textContent);
    expect(shares[0]).toBe("70 % → 30 %");
    one("uq-what-if-reset").click();
    expect(lastRequest()).toEqual({ row: 4, what_if: [] });
  });

  it("says why a value has no answer, and keeps what the model says", async () => {
    const what_if = [{ feature: "petal length", value: 3.5 }];
    const error = "the model has failed on <b>this</b> row";
    const frame = selected({
      inputs: { what_if },
      meta: { what_if: { row: 4, changes: what_if, error } },
    });
    const { one } = await mountCard(multi(), frame);
    expect(one("uq-what-if-status").textContent).toBe(error);
    expect(one("uq-what-if-status").dataset.error).toBe("true");
    expect(plain(one("uq-card-facts").textContent)).toContain("predicted versicolor");
  });

  it("of a predicted number shows its distribution, and what a weight or a filter makes of it", async () => {
    const info = { ...aboutRegression(), views };
    const inputs = { tau: 0.5, stress_feature: "income" };
    const frame = selected({ inputs, columns: { weight: [1.75, 0] } }, info);
    const { one, el, receive } = await mountCard(info, frame);
    expect(plain(one("uq-card-facts").textContent)).toBe(
      "predicted 2.5; truly 2; counts as 1.75 rows at this τ",
    );
    expect(el.querySelector(".uq-prediction")?.textContent).toContain(
      "90 % of the predicted distribution: 1 to 4; the dashed line is the true value",
    );
    await receive({ ...selected({ inputs, columns: { weight: [0, 0] } }, info), seq: 2 });
    expect(plain(one("uq-card-facts").textContent)).toContain("not among the rows shown");
  });

  it("reads the value of a line where the curve was evaluated there", async () => {
    const lines = {
      feature: "a",
      center: false,
      derivative: false,
      time: false,
      labels: null,
      iceRow: Int32Array.from([3, 4]),
      grid: Float64Array.from([0, 1]),
      ice: Float32Array.from([10, 11, 20, 21]),
    };
    // biome-ignore lint/suspicious/noExplicitAny: of a frame, only the curves are read
    const frame = { dependence: lines } as any;
    expect(alongLine(frame, 4, { feature: "a", value: 1 })).toBe(21);
    expect(alongLine(frame, 4, { feature: "a", value: 0.5 })).toBeNull();
    expect(alongLine(frame, 5, { feature: "a", value: 1 })).toBeNull();
    expect(alongLine(frame, 4, { feature: "b", value: 1 })).toBeNull();
    const centred = { dependence: { ...lines, center: true } };
    // biome-ignore lint/suspicious/noExplicitAny: as above
    expect(alongLine(centred as any, 4, { feature: "a", value: 1 })).toBeNull();
  });
});
