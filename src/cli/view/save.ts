/** `continuo view ID --output FILE`: the viewer with one session inside, as one file that needs no network. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError, present } from "@continuo/core/model";
import { maskSecrets } from "@continuo/core/transcript";
import type { SavedSession } from "@continuo/core/wire/machine";
import { placesOf } from "@continuo/files";
import { forbiddenFolders } from "@continuo/native";
import { machineWork, viewerFolder } from "../serve/index.ts";
import { describeMaskedWork } from "../session/index.ts";
import {
  createFileOutput,
  createOutput,
  formatSize,
  plural,
  type Shell,
  tildePath,
} from "../terminal/index.ts";
import type { ViewFlags } from "./flags.ts";
import { keyFor } from "./key.ts";
import { plainMessage, plainPage, savedJson, titleOf } from "./saved-page.ts";

const MAX_BYTES = 20_000_000;

/** Errors: `usage`, `too_large`, `out_of_range`, those of reading the session and of writing the file. */
export async function runSave(
  id: string | null,
  file: string,
  flags: ViewFlags,
  shell: Shell,
  folder: string = viewerFolder(),
): Promise<number> {
  if (id === null) {
    throw new ContinuoError("usage", "--output writes one session", {
      hint: "Name it: `continuo view ID --output FILE`.",
    });
  }
  const turns = flags.turns === undefined ? undefined : parseTurns(flags.turns);
  const template = readTemplate(folder);
  const key = await keyFor(id, shell);
  const saved = await readSaved({ key, turns }, shell);
  const masked = flags.maskSecrets ? maskSecrets(saved) : null;
  const page = pageOf(template, masked?.value ?? saved);
  if (file === "-") await createOutput(shell.stdout).write(page);
  else {
    const options = { force: flags.force === true, forbidden: await forbiddenFolders(placesOf(shell)) };
    using output = await createFileOutput(file, options, shell);
    await output.write(page);
    const size = formatSize(await output.commit());
    const { outline } = saved;
    const of = outline.turns.length < outline.total ? ` of ${outline.total}` : "";
    shell.stderr.write(
      `${tildePath(output.path, shell.home)}, ${plural(outline.turns.length, "turn")}${of}, ${size}\n`,
    );
  }
  if (masked !== null) shell.stderr.write(`${await describeMaskedWork(masked.found)}\n`);
  return 0;
}

interface SaveWish {
  readonly key: string;
  readonly turns: { readonly from: number; readonly to?: number } | undefined;
}

async function readSaved({ key, turns }: SaveWish, shell: Shell): Promise<SavedSession> {
  const { savedSession } = await import("@continuo/server/machine");
  const service = await machineWork(shell);
  const stop = new AbortController();
  using _exit = shell.onExit(() => stop.abort());
  try {
    return await savedSession(
      service,
      {
        key,
        maxBytes: MAX_BYTES,
        savedAt: shell.now.toISOString(),
        // It is inside twice: for the viewer, and as text for a browser that runs no script.
        sizeOf: (message, texts) =>
          Buffer.byteLength(savedJson([message, texts])) + Buffer.byteLength(plainMessage(message, texts)),
        ...present({ turns }),
      },
      stop.signal,
    );
  } finally {
    await service.close();
  }
}

/** `12`, `12-40`, `12-`. Errors: `usage`. */
function parseTurns(text: string): { readonly from: number; readonly to?: number } {
  const [, first, dash, last = ""] = /^([1-9]\d{0,8})(?:(-)([1-9]\d{0,8})?)?$/u.exec(text) ?? [];
  const from = Number(first);
  if (first !== undefined && dash === undefined) return { from, to: from };
  if (first !== undefined && last === "") return { from };
  if (first !== undefined && Number(last) >= from) return { from, to: Number(last) };
  throw new ContinuoError("usage", `${JSON.stringify(text)} is not a range of turns`, {
    hint: "Write 12, 12-40, or 12- for all from turn 12 on.",
  });
}

/** Errors: `not_found`. */
function readTemplate(folder: string): string {
  try {
    return readFileSync(join(folder, "file.html"), "utf8");
  } catch (cause) {
    throw new ContinuoError("not_found", "the viewer is not built", {
      hint: "Run `npm run prepare` in the folder of the package.",
      cause,
    });
  }
}

function pageOf(template: string, saved: SavedSession): string {
  const parts: Readonly<Record<string, () => string>> = {
    TITLE: () => titleOf(saved),
    PLAIN: () => plainPage(saved),
    SESSION: () => savedJson(saved),
  };
  // A function: what a session says may hold the `$&` of replacements.
  return template.replace(/%%(TITLE|PLAIN|SESSION)%%/gu, (mark, name: string) => parts[name]?.() ?? mark);
}
