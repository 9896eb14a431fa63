/** Videos of other tabs that are offered for joining. */

import { expect, test } from "vitest";
import { relatedTo } from "./related.ts";

const related = (title: string, ...others: readonly string[]): string | null =>
  relatedTo(
    { title, videoId: "v" },
    others.map((one, n) => ({ key: `k${n}`, title: one, videoId: `v${n}` })),
  )?.title ?? null;

test.each([
  ["the next part of a talk", "Keeping bees in winter, part 1", "Keeping bees in winter, part 2"],
  [
    "a part with a longer title",
    "Thermodynamics lecture 3",
    "Thermodynamics lecture 4: the second law of heat",
  ],
  ["accents and capitals", "Les abeilles à l’été, 1", "LES ABEILLES A L’ETE, 2"],
  ["ideographs", "蜂を飼う 第一回", "蜂を飼う 第二回"],
  ["ideographs after letters without a space", "BBC世界の旅", "ABC世界の船"],
  ["kana with the sign of a long vowel", "サーバー運用", "サーバー運転"],
])("%s is related", (_what, title, other) => {
  expect(related(title, "Something else entirely", other)).toBe(other);
});

test("videos with one common word, or with none, are not related, and neither is the same video", () => {
  expect(related("Keeping bees in winter", "The winter war", "A day at the harbour")).toBeNull();
  expect(related("", "")).toBeNull();
  const same = { key: "k", title: "Keeping bees in winter", videoId: "v" };
  expect(relatedTo({ title: "Keeping bees in winter", videoId: "v" }, [same])).toBeNull();
});
