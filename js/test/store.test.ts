import { expect, test } from "vitest";
import { bytesOf, Store } from "../src/page/store.ts";

test("bytes are read from their text as Python writes it", () => {
  const bytes = [...new TextEncoder().encode("page "), 0, 255];
  expect([...bytesOf("JR1lW6 1`")]).toEqual(bytes);
  expect(bytesOf("").length).toBe(0);
});

/** Polynomials of four columns on two sides as Python stores them, as combinations of shared scores. */
const TEXTS = {
  "": "MP@);-Qr3y*mM-2Jfa)}vno1P=@/F[j_cc@Ct)/4+RirLsx9yi]sZ%t>I~8!9/;{9B1G7o dIL`Q!(nkq*,(c#%:TcJ vOVXEv7CJg601*ni@?sqvn$]t,% f6!Ji[yALuzb5Y/2N^%u vx^32(^@wC>]aYm[ay,h)|8f?;:pn}eJXCIj)Zf'Dgk@ZI7on+(YXT8o yY`cMc^wGa3i^T9RkA B5Jv':lqG#0hQ$E@f)a*?=s8se.G3l)3lc: -g(jN:",
  shared: "MP=sP@FpjcX}+teYl2[S*_6lrv%7WWb`)leh4_%dWS`O,ugXn4",
  one: "MP8~ASjW?.!YP[*twU+gKFS3X}2zJO) 27nOyW+Pi=[: JbYgVo{[;Jg2t.W9=0",
};

test("polynomials are combined from shared scores, and from differences along their lines", async () => {
  const store = await Store.open(TEXTS);
  const number = store.stored.findIndex(({ weights }) => weights !== undefined);
  await store.load([number]);
  const nodes = (side: number, start: number, k: number) => [...store.side(number, side, start, k)];
  const all = [
    [3.0, 8.0, -1.0, 10.0, -28.744, 46.92, 49.746, 39.376, -15.407, -9.244, 14.762, -17.989],
    [3.0, 8.0, -1.0, 10.0, 12.107, 67.526, 8.702, 81.515, -1.244, 76.118, 27.376, 85.076],
  ];
  for (const [side, expected] of all.entries()) {
    for (const [i, value] of nodes(side, 0, 4).entries())
      expect(value).toBeCloseTo(expected[i] as number, 2);
    expect(nodes(side, 2, 1)[1]).toBeCloseTo(expected[6] as number, 2);
  }
});
