/** Continuo's model of a Codex home, as plain data that does not depend on the place of the home. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { codexFormat } from "@continuo/native/codex";
import type { FoundSession } from "@continuo/native/kit";

export const CASES: readonly string[] = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

export function homeOf(name: string): string {
  return join(import.meta.dirname, name, "home");
}

export function placesOf(home: string): Places {
  return { home: "/nonexistent", env: { CODEX_HOME: home } };
}

export async function findAll(home: string): Promise<FoundSession[]> {
  const found = await Array.fromAsync(codexFormat.find(placesOf(home), {}));
  return found.sort((a, b) => (a.location < b.location ? -1 : 1));
}

/** All sessions of a home: details, branches, the active history, and which of it the model is sent. */
export async function toModel(home: string): Promise<unknown> {
  const sessions: unknown[] = [];
  for (const found of await findAll(home)) {
    using session = await codexFormat.open(found, placesOf(home), {});
    // The value of `live` depends on the system.
    const { live: _live, ...details } = session.details;
    const history = await Array.fromAsync(session.history());
    const branches: Record<string, string[]> = {};
    for (const leaf of session.leaves.filter(({ active }) => !active)) {
      branches[leaf.id] = (await Array.fromAsync(session.history({ leaf: leaf.id }))).map(toLine);
    }
    const view = codexFormat.modelView(history).map(toLine);
    sessions.push({ details, leaves: session.leaves, history, branches, view });
  }
  return JSON.parse(JSON.stringify(sessions).replaceAll(home, "~"));
}

export function expectedOf(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, name, "expected.json"), "utf8"));
}

/** One line a message: who, and what, shortened. */
function toLine({ role, content }: Message): string {
  const blocks = content.map((block) => {
    if (block.type === "text" || block.type === "thinking") return block.text.slice(0, 60);
    if (block.type === "tool_call") return `${block.name}#${block.id}`;
    if (block.type === "tool_result") return `#${block.toolCallId} ${block.status ?? ""}`;
    return block.type;
  });
  return `${role}: ${blocks.join(" | ")}`;
}
