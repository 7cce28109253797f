import { afterEach, describe, expect, it, vi } from "vitest";
import type { Cohort, Condition } from "../../src/session/condition.ts";
import type { Inputs } from "../../src/session/inputs.ts";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount, press } from "../mount.ts";

afterEach(clearPage);

const about = aboutBinary();
const SMALL: Condition[] = [{ feature: "mean radius", low: null, high: 2 }];
const small: Cohort = { name: "small", ice_filter: SMALL, complement: false };
const large: Cohort = { name: "large", ice_filter: SMALL, complement: true };

async function mounted(inputs: Partial<Inputs>) {
  const widget = await mount(about, wireFrame(about, 1, inputs), inputs);
  if (inputs.ice_filter) await vi.waitFor(() => widget.one("uq-cohort-save"), 10_000);
  let seq = 1;
  return {
    ...widget,
    /** Answers the last request with its own inputs. */
    answer: async () => {
      Object.assign(inputs, widget.lastRequest());
      seq += 1;
      await widget.receive(wireFrame(about, seq, inputs));
    },
  };
}

describe("cohorts", () => {
  it("are loaded once there is a filter or a cohort", async () => {
    const { all, receive } = await mounted({});
    expect(all("uq-cohort")).toEqual([]);
    await receive(wireFrame(about, 2, { ice_filter: SMALL }));
    await vi.waitFor(() => expect(all("uq-cohort-save")).toHaveLength(1), 10_000);
  });

  it("are saved under a name, and one of the same name is replaced", async () => {
    const { one, lastRequest, answer } = await mounted({ ice_filter: SMALL, cohorts: [] });
    one("uq-cohort-save").click();
    const field = one<HTMLInputElement>("uq-cohort-name");
    expect(field.value).toBe("cohort");
    field.value = "small";
    press(field, "Enter");
    expect(lastRequest()).toEqual({ cohorts: [small] });
    await answer();
    expect(one<HTMLSelectElement>("uq-cohort").selectedOptions[0]?.textContent).toBe("small");
    expect(one("uq-cohort-status").textContent).toBe("saved small");
    one("uq-complement").click();
    expect(lastRequest()).toEqual({ complement: true });
    await answer();
    expect(one<HTMLSelectElement>("uq-cohort").selectedOptions[0]?.textContent).toBe("not saved");
    one("uq-cohort-save").click();
    field.value = "small";
    press(field, "Enter");
    expect(lastRequest()).toEqual({ cohorts: [{ ...small, complement: true }] });
  });

  it("are switched, with all rows as the first choice", async () => {
    const { one, lastRequest, answer } = await mounted({
      ice_filter: SMALL,
      cohorts: [small, large],
    });
    const select = one<HTMLSelectElement>("uq-cohort");
    expect([...select.options].map(({ textContent }) => textContent)).toEqual([
      "all rows",
      "small",
      "large",
    ]);
    choose(select, "=large");
    expect(lastRequest()).toEqual({ ice_filter: SMALL, complement: true });
    await answer();
    expect(one<HTMLInputElement>("uq-complement").checked).toBe(true);
    choose(select, "");
    expect(lastRequest()).toEqual({ ice_filter: [], complement: false });
  });

  it("are duplicated, renamed and deleted", async () => {
    const { one, lastRequest, answer } = await mounted({
      ice_filter: SMALL,
      cohorts: [small, large],
    });
    one("uq-cohort-copy").click();
    expect(lastRequest()).toEqual({ cohorts: [small, large, { ...small, name: "small copy" }] });
    await answer();
    one("uq-cohort-rename").click();
    const field = one<HTMLInputElement>("uq-cohort-name");
    field.value = "large";
    press(field, "Enter");
    expect(one("uq-cohort-status").textContent).toBe("there is a cohort large");
    press(field, "Escape");
    expect(field.hidden).toBe(true);
    one("uq-cohort-delete").click();
    expect(lastRequest()).toEqual({ cohorts: [large, { ...small, name: "small copy" }] });
  });
});
