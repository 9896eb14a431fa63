/**
 * pi's own reader of its sessions, `SessionManager`, in a separate process. It gets copies, because it rewrites files
 * of older versions and repairs the end of a file.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { asObject, asObjects, asText, type JsonObject } from "../../model-servers/index.ts";
import { PINNED, packageFolder } from "../install.ts";
import type { Item } from "../items.ts";
import { summaryIn } from "../requests.ts";
import { runProgram, type Sandbox } from "../sandbox.ts";
import type { Pi, PiVersion } from "./driver.ts";

export interface OwnReading {
  readonly id: string;
  readonly name: string | null;
  /** Ids of the entries from the root to the leaf. */
  readonly path: readonly string[];
  /** The items for the model, before the rules of each API are applied. */
  readonly items: readonly Item[];
}

const READ = `
const session = SessionManager.open(path);
return {
  id: session.getSessionId(),
  name: session.getSessionName() ?? null,
  path: session.getBranch().map((entry) => entry.id),
  messages: convertToLlm(session.buildSessionContext().messages),
};
`;

export interface OwnRow {
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
}

export interface OwnReader {
  read(content: string | Uint8Array): Promise<OwnReading>;
  list(): Promise<readonly OwnRow[]>;
}

export function createOwnReader(sandbox: Sandbox, pi: Pi, version: PiVersion): OwnReader {
  const folder = packageFolder(PINNED[version]);
  const bundle = join(folder, "dist/bundle/index.js");
  // Only the bundle runs without dependencies.
  const module = version === "pi" && existsSync(bundle) ? bundle : join(folder, "dist/index.js");

  async function call(body: string, path = ""): Promise<unknown> {
    const source = `
      const [, module, path] = process.argv;
      const { SessionManager, convertToLlm } = await import(module);
      const value = await (async () => { ${body} })();
      process.stdout.write("\\n" + JSON.stringify(value));`;
    const args = ["--input-type=module", "--eval", source, pathToFileURL(module).href, path];
    const { code, stdout, stderr } = await runProgram(process.execPath, args, {
      cwd: sandbox.project,
      env: pi.environment,
    });
    if (code !== 0) throw new Error(`pi's SessionManager failed: ${stderr}`);
    return JSON.parse(stdout.split("\n").at(-1) ?? "null");
  }

  let copies = 0;
  return {
    async read(content) {
      const copy = await sandbox.write(join("copies", String(++copies), "session.jsonl"), content);
      const { id, name, path, messages } = asObject(await call(READ, copy));
      return {
        id: asText(id),
        name: typeof name === "string" ? name : null,
        path: (Array.isArray(path) ? path : []).map(String),
        items: asObjects(messages).flatMap(itemsOf),
      };
    },
    async list() {
      const rows = asObjects(await call("return await SessionManager.listAll();"));
      return rows.map(({ id, name, firstMessage, cwd }) => ({
        id: asText(id),
        title: asText(name ?? firstMessage),
        cwd: asText(cwd),
      }));
    },
  };
}

/** The items without thinking, which each API treats in its own way. */
function itemsOf(message: JsonObject): readonly Item[] {
  const { content } = message;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : asObjects(content);
  if (message.role === "system" || ["error", "aborted"].includes(asText(message.stopReason))) return [];
  if (message.role === "toolResult") {
    const text = parts.map((part) => asText(part.text)).join("");
    const images = parts.filter((part) => part.type === "image").map(pictureOf);
    return [
      { kind: "result", id: asText(message.toolCallId), text, images, isError: message.isError === true },
    ];
  }
  const role = message.role === "assistant" ? "assistant" : "user";
  return parts.flatMap((part): readonly Item[] => {
    if (part.type === "image") return [{ kind: "image", role, image: pictureOf(part) }];
    if (part.type === "toolCall") {
      return [{ kind: "call", id: asText(part.id), name: asText(part.name), args: part.arguments }];
    }
    const text = summaryIn(asText(part.text)).trimEnd();
    return part.type === "text" && text !== "" ? [{ kind: "text", role, text }] : [];
  });
}

function pictureOf({ mimeType, data }: JsonObject): string {
  return `data:${asText(mimeType)};base64,${asText(data)}`;
}

/** Returns the rows of pi's own list of a folder, without starting pi itself. */
export async function listOfFolder(sandbox: Sandbox, cwd: string): Promise<readonly JsonObject[]> {
  const module = pathToFileURL(join(packageFolder(PINNED.pi), "dist/bundle/index.js")).href;
  const source = `
    const { SessionManager } = await import(process.argv[1]);
    process.stdout.write("\\n" + JSON.stringify(await SessionManager.list(process.cwd())));`;
  const args = ["--input-type=module", "--eval", source, module];
  const env = sandbox.environment({ PI_OFFLINE: "1", PI_TELEMETRY: "0" });
  const { stdout } = await runProgram(process.execPath, args, { cwd, env });
  return asObjects(JSON.parse(stdout.split("\n").at(-1) ?? "[]"));
}
