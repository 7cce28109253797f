import { expect, test } from "vitest";
import { bytesOf, Store } from "../src/page/store.ts";

test("bytes are read from their text as Python writes it", () => {
  const bytes = [...new TextEncoder().encode("page "), 0, 255];
  expect([...bytesOf("JR1lW6 1`")]).toEqual(bytes);
  expect(bytesOf("").length).toBe(0);
});

/**
 * Polynomials of four columns on two sides as Python stores them, as combinations of shared scores and as weights of
 * these scores, and three lines along a grid.
 */
const TEXTS = {
  "": "MP@)?Sj(3y-KNY)[*,RG'7/#=O-? .1g#qKsdx7)y/?`Chp@6o[*Hl*B5/bnr fRBLAllz7z{V=P%2p8*xz{3[|/,ws?)qc3vE@snBb=w0@+EW7d_nz}U}|]=$-hZi;lhIvaHnO}XFAI_EPYL/yG?EPt|$$?J%z'.m|CJts/4,G1HS^1mkRp=6BsG#s;@B.;X)(rsA/1WTTgm4o?h'm:/E(zh+)kOgR`^:LaME63FyvHQ2S4bYZ9k##3cg/#:eM:Q[!sRtTRqU{8/1%M/54leqLn1gg/wDG5|_bJA5VSMcN:wpwHw] yH9+_v![_wXJ ]%VJA/pM%1[|el!2cm6iXYa*qn0zg9SqP!aZxnRzQz-vr1(LB|/soSlt'l*8H6df1@bVv2{9F7$fvw^px~v~F3E*8s-PzKAe=7`t:rRH/>Zq,ahr|[>4ei4,",
  shared: "MP=r@D3FLXkk!p#NEj7.WYKQ=f(GR4GD+q!3Azui",
  one: "MP=sWYbO)j  *|3>/DgkpR**E=Je}5FK4!oSp68038bhzWqxJm(.!D - |%~C",
  two: "MP=sV32z7wglY!(bF_%DPVDi =+2Cwc3 !jr$D ",
  lines: "MP=sQ{ l8C,TQ(B5*N,,-5+ !,PT5.YXl|'c5'RCl+Q88[E/W%-=2h#'[",
};
const [COMBINED, WEIGHTED, LINES] = [8, 12, 18];

test.each([
  [
    COMBINED,
    [
      [5.65, 20.8, 7.625, 38.0, -8.85, 36.4, -5.925, 31.6, -2.85, -8.0, -15.225, -30.8],
      [
        -11.575, -16.2, -30.2875, -64.8, -11.625, -22.2, -32.7125, -75.2, -0.275, -26.6, -19.0375,
        -56.8,
      ],
    ],
  ],
  [
    WEIGHTED,
    [
      [10.625, 11.75, -1.0625, 7.5, 26.625, 21.75, 0.375, 13.5, -8.625, -5.75, -4.4375, 9.5],
      [-6.3125, 8.625, 1.75, 22.0, -10.6875, 5.375, 1.25, 22.0, -19.5625, -4.875, -1.75, 14.0],
    ],
  ],
])(
  "polynomials are read from shared scores, and from differences along their lines",
  async (number, all) => {
    const store = await Store.open(TEXTS);
    await store.load([number]);
    const nodes = (side: number, start: number, k: number) => [
      ...store.side(number, side, start, k),
    ];
    for (const [side, expected] of all.entries()) {
      for (const [i, value] of nodes(side, 0, 4).entries())
        expect(value).toBeCloseTo(expected[i] as number, 2);
      expect(nodes(side, 2, 1)[1]).toBeCloseTo(expected[6] as number, 2);
    }
  },
);

test("lines along a grid are read from their knots", async () => {
  const store = await Store.open(TEXTS);
  await store.load([LINES]);
  const { shape, data } = store.column(LINES);
  expect(shape).toEqual([3, 5]);
  const rounded = [...data].map((value) => Math.round(100 * value) / 100 + 0);
  expect(rounded).toEqual([0, 1, 2, 3, 4, 1, 1, 1, 3, 3, 2, Number.NaN, 0, 1, 0]);
});
