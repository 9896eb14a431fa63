/**
 * Stands for an agent that is shown a new session: `node stand-in.ts AGENT [CHANGE]`, then the agent's own arguments.
 *
 * `claude` writes a copy of the session, as `--fork-session` does. `pi` gives its messages, those that it would not
 * send to its model too, as `get_messages` does. A change is what the agent does to a text that holds the words: it
 * `loses` the line, or `says` something else there.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [, , agent, change = "", ...args] = process.argv;
const [how = "", words = ""] = change.split(":");

function after(flag: string): string {
  return args[args.indexOf(flag) + 1] ?? "";
}

function changed(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    if (words === "" || !line.includes(words)) return [line];
    return how === "loses" ? [] : [line.replaceAll(words, "something else")];
  });
}

function linesOf(path: string): string[] {
  return changed(readFileSync(path, "utf8").trimEnd().split("\n"));
}

if (agent === "claude") {
  const projects = join(process.env.HOME ?? "", ".claude", "projects");
  const id = after("--resume");
  const name = readdirSync(projects, { recursive: true, encoding: "utf8" }).find((one) =>
    one.endsWith(`${id}.jsonl`),
  );
  const copy = linesOf(join(projects, name ?? "")).map((line) => line.replaceAll(id, after("--session-id")));
  writeFileSync(join(projects, name ?? "", "..", `${after("--session-id")}.jsonl`), `${copy.join("\n")}\n`);
}

if (agent === "pi") {
  const messages = linesOf(after("--session"))
    .map((line) => JSON.parse(line))
    .flatMap(({ type, message }) => (type === "message" ? [message] : []));
  for await (const line of createInterface({ input: process.stdin })) {
    const { id } = JSON.parse(line);
    process.stdout.write(`${JSON.stringify({ type: "response", id, success: true, data: { messages } })}\n`);
  }
}
