/**
 * Threads that Codex's own list hides are named, restored and hidden again. The real program confirms this in
 * `test/agents/lost/`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CODEX_RECIPES, codexPath, event, header, said, shown, TALK, writeThread } from "./codex-recipes.ts";
import { hiddenIn, proveRecipes } from "./prove.ts";
import { type LostHome, makeLostHome, writeText } from "./recipe.ts";

const scratch = mkdtempSync(join(tmpdir(), "continuo-lost-codex-"));
afterAll(() => rmSync(scratch, { recursive: true }));

proveRecipes("codex", CODEX_RECIPES);

const ANSWER = said("assistant", "Done.");

/** Threads that look like hidden ones, but that the list shows. */
const LISTED: readonly (readonly [string, (home: LostHome) => void])[] = [
  [
    "a thread without a source or a provider",
    (home) => writeThread(home, [header(home, { source: undefined, model_provider: undefined }), ...TALK]),
  ],
  [
    "a program that names itself",
    (home) => writeThread(home, [header(home, { source: { custom: "atlas" } }), ...TALK]),
  ],
  [
    "a prompt after 207 records",
    (home) =>
      writeThread(home, [
        header(home),
        ...Array.from({ length: 207 }, () => said("developer", "Note")),
        ...TALK,
      ]),
  ],
  [
    "an empty prompt, then one with words",
    (home) => writeThread(home, [header(home), shown(""), ANSWER, shown("Go on"), ANSWER]),
  ],
  [
    "a picture without text",
    (home) =>
      writeThread(home, [header(home), shown("", { images: ["data:image/png;base64,AAAA"] }), ANSWER]),
  ],
  [
    "a request in an editor's words",
    (home) =>
      writeThread(home, [header(home), shown("# Context\n\n## My request for Codex:\nMend it"), ANSWER]),
  ],
  [
    "the folder of another day",
    (home) =>
      writeThread(
        home,
        [header(home), ...TALK],
        "sessions/2020/01/01",
        "rollout-2026-11-20T10-00-00-019f3a00-1b2c-7d3e-8f40-516273849501.jsonl",
      ),
  ],
  [
    "a header in the second line",
    (home) => writeThread(home, [event({ type: "task_started" }), header(home), ...TALK]),
  ],
  ["a thread in which nothing is said", (home) => writeThread(home, [header(home)])],
  [
    "the provider of the settings",
    (home) => {
      writeText(
        codexPath(home, "config.toml"),
        'model_provider = "azure" # ours\n[model_providers.azure]\nname = "Azure"\n',
      );
      writeThread(home, [header(home, { model_provider: "azure" }), ...TALK]);
    },
  ],
  [
    "the provider of the profile that the settings choose",
    (home) => {
      writeText(
        codexPath(home, "config.toml"),
        'model_provider = "openai"\nprofile = "work"\n\n[profiles.work]\nmodel_provider = "azure"\n',
      );
      writeThread(home, [header(home, { model_provider: "azure" }), ...TALK]);
    },
  ],
];

test.each(LISTED)("%s is listed, and so does not count as missing", async (_title, make) => {
  const home = makeLostHome(mkdtempSync(join(scratch, "listed-")));
  make(home);
  expect(await hiddenIn(home, "codex")).toEqual([]);
});
