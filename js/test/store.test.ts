import { expect, test } from "vitest";
import { bytesOf, Store, type StoredColumn } from "../src/page/store.ts";

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
  "": "M44t@DdK.?0JM32rwe9#]9Ap1hQr djW9?MgY.NWqHL-v9H)xk{yNI7hzym1EcJd'E?>E]?1=!Mw 07gHa^H9/dP|I@)|CggzF#gg]rYvcH-yTf[/Pw|:F=xx_)sXG]=2Q3kL^1zYMHX`Ibbh JZ=/31*%?iDi v#8pAAq,Mr/(KYoa/=ia$%~%~_0X_iAax;9o6!R8AXVRs=dh2I$F_%iE(!EMp;R7O!uwe@9rLFB9NDiR>GVI }@t@'/yei+Su4K#|#F$jEk118n9M6WPcL}=+`w4U}7qg_2]Fl!495pcW-qT*jiu!$ uXA:Z,(XO`Yd1T$Q;G(JpW$'w^m=Yo!}4x}:I4@f|bTwKleN9Z|2eP+=_1Zc!_S _H#E4%?W(B`^#Vcq;6Za/b.IP'j4'FUznBD2/]o)NhoKetTW*ErP#}ZiWt}t|XlEqdCSe:t4FYSyf*h(8e;*G+jCxx7#m^^$pm+$U]6`.0kQfqQr{4m[[)@xEL^C^k/ET=1:M8JtK,nOz0rfa{|Z8a,`/Rm%OKrID|F;",
  shared: "MP=r@D3FLXkk!p#NEj7.WYKQ=f(GR4GD+q!3Azui",
  one: "MP=sWYbO)j  *|3>/DgkpR**E=Je}5FK4!oSp68038bhzWqxJm(.!D - |%~C",
  two: "MP=sV32z7wglY!(bF_%DPVDi =+2Cwc3 !jr$D ",
  lines: "MP=sQ{ l8C,TQ(B5*N,,-5+ !,PT5.YXl|'c5'RCl+Q88[E/W%-=2h#'[",
  band: "MP=sPT2zQkE)p?!I#;E(hYa{xf *Sd*j",
};
const [COMBINED, WEIGHTED, LOW, HIGH, SCALED, LINES, LAST] = [8, 12, 21, 22, 24, 25, 26];

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
  const rounded = ({ data }: StoredColumn) =>
    [...data].map((value) => Math.round(100 * value) / 100 + 0);
  const [all, last] = [store.column(LINES), store.column(LAST)];
  expect(all.shape).toEqual([3, 5]);
  expect(rounded(all)).toEqual([0, 1, 2, 3, 4, 1, 1, 1, 3, 3, 2, Number.NaN, 0, 1, 0]);
  expect(last.shape).toEqual([2, 5]);
  expect(rounded(last)).toEqual(rounded(all).slice(5));
});

test("ends of a band are its middle less and plus half its width", async () => {
  const store = await Store.open(TEXTS);
  await store.load([LOW, HIGH]);
  expect([...store.column(LOW).data]).toEqual([0.5, 6]);
  expect([...store.column(HIGH).data]).toEqual([1.5, 14]);
});

test("polynomials of a side are as large as its scale says", async () => {
  const store = await Store.open(TEXTS);
  await store.load([COMBINED, SCALED]);
  expect(store.side(SCALED, 0, 0, 4)).toEqual(store.side(COMBINED, 0, 0, 4));
  const [plain, scaled] = [COMBINED, SCALED].map((number) => [...store.side(number, 1, 0, 4)]);
  // From node to node they rise half as much.
  const rise = (values: number[] | undefined, i: number) =>
    (values?.[i] as number) - (values?.[i % 4] as number);
  const rises = Array.from({ length: 8 }, (_, i) => [rise(plain, i + 4), rise(scaled, i + 4)]);
  expect(Math.max(...rises.map(([whole]) => Math.abs(whole as number)))).toBeGreaterThan(10);
  for (const [whole, half] of rises) expect(half).toBeCloseTo((whole as number) / 2, 2);
});
