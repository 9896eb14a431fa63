/** Reads the changelog of the releases, and shows the releases that are newer than this program. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSea } from "node:sea";
import { readHomeConfiguration } from "@continuo/agents/config";
import { ContinuoError } from "@continuo/core/model";
import { visibleLine, visibleText } from "@continuo/core/transcript";
import { readVersion } from "@continuo/files";
import { createOutput, plural, type Shell, toJsonText } from "../terminal/index.ts";
import { isAfter, type Release, releasesIn } from "./releases.ts";

export interface UpdateFlags {
  readonly json?: true;
}

const MAX_BYTES = 4_194_304;
const TIMEOUT_MS = 15_000;
/** The greatest number of characters that are shown of the text about the changes. */
const SHOWN_CHARS = 20_000;

/**
 * Errors: `unavailable` if the address does not answer, `invalid` if it does not have a changelog; those of the
 * configuration.
 */
export async function runUpdate(flags: UpdateFlags, shell: Shell): Promise<void> {
  const { releaseFeed: feed } = await readHomeConfiguration(shell);
  const version = readVersion();
  const newer = feed === null ? null : newerThan(version, await readFeed(feed), feed);
  const output = createOutput(shell.stdout);
  const install = newer?.[0] === undefined ? null : installation(newer[0].version, process.argv[1] ?? "");
  if (flags.json) {
    await output.write(`${toJsonText({ version, feed, newer: newer ?? [], install }, 2)}\n`);
    return;
  }
  await output.write(newer === null ? notAsked(version) : drawn(version, newer, install));
}

function notAsked(version: string): string {
  return `This is Continuo ${version}. No address is configured, so nothing was asked: put the changelog's into continuo.yaml, under \`updates: { feed: … }\`.\n`;
}

function drawn(version: string, newer: readonly Release[], install: string | null): string {
  const [newest] = newer;
  if (newest === undefined) return `This is Continuo ${version}, and there is no newer release.\n`;
  const head = `Continuo ${newest.version} is there, ${plural(newer.length, "release")} after ${version}.`;
  const all = newer.map(
    ({ version: each, date, text }) => `${each}${date === null ? "" : ` (${date})`}\n\n${text}`,
  );
  const text = visibleText(all.join("\n\n"));
  const left = text.length - SHOWN_CHARS;
  const shown = left > 0 ? `${text.slice(0, SHOWN_CHARS)}\n… ${left} more characters` : text;
  return `${head}\n\n${shown}\n\n${install === null ? "" : `To install it: ${install}\n`}`;
}

function newerThan(version: string, changelog: string, feed: string): readonly Release[] {
  const releases = releasesIn(changelog);
  if (releases.length === 0) {
    throw new ContinuoError("invalid", `${visibleLine(feed)} is no changelog of Continuo`, {
      hint: "Correct `updates.feed` in continuo.yaml.",
    });
  }
  return releases.filter((release) => isAfter(release.version, version));
}

/**
 * The line that installs a version in the way in which this program was installed.
 *
 * @param script the file that Node runs
 */
export function installation(version: string, script: string, isSingle: boolean = isSea()): string {
  if (isSingle) {
    return dirname(process.execPath).startsWith("/usr/")
      ? `install the package of ${version} with \`dpkg -i\``
      : `run \`install.sh\` of ${version}`;
  }
  const isClone = [1, 2].some((up) => existsSync(join(script, ...Array(up + 1).fill(".."), ".git")));
  return isClone ? `\`git pull && npm ci\`` : `\`npm install --global continuo@${version}\``;
}

async function readFeed(feed: string): Promise<string> {
  try {
    const response = await fetch(feed, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: "text/markdown, text/plain" },
    });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return await textOf(response);
  } catch (cause) {
    const { message, cause: inner } = cause as Error;
    const why = visibleLine(inner instanceof Error ? inner.message : message);
    throw new ContinuoError("unavailable", `the changelog at ${visibleLine(feed)} cannot be read: ${why}`, {
      hint: "Check the network and `updates.feed` in continuo.yaml.",
      cause,
    });
  }
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`it is longer than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
