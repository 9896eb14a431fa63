/**
 * The floors and the code map of `ARCHITECTURE.md`, the rooms in the README of each package, and the folders in
 * `docs/code-map.md`, from the floor plan and the first sentence of each `index.ts`.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { FLOOR_PLAN } from "../test/house/floor-plan.ts";
import { doorsOf, PACKAGES } from "./packages.ts";
import { withSection } from "./section.ts";

const ROOT = join(import.meta.dirname, "..");

const FLOORS = {
  begin: "<!-- floors: written by scripts/docs.ts -->",
  end: "<!-- end of floors -->",
};
const CODE_MAP = {
  begin: "<!-- code map: written by scripts/docs.ts -->",
  end: "<!-- end of code map -->",
};

/** The document with both sections written again. */
export function withCodeMap(document: string): string {
  return withSection(withSection(document, FLOORS, drawFloors()), CODE_MAP, toCodeMap());
}

/** The subject of each floor, from the lowest one. */
const TRADES: readonly string[] = [
  "types",
  "the log, its fold, the wire, files",
  "the store; what agents keep on disk; models; clients",
  "one agent, one session, one channel at a time",
  "several of them together",
  "all sessions of a user",
  "conversations",
  "the server",
  "a product in one object",
  "commands, public entries, contract tests",
  "former names",
  "the package",
];

interface Floor {
  readonly number: number;
  readonly rooms: readonly string[];
}

/** Returns the highest floor first, as in a house. Rooms of the plan that do not exist yet are left out. */
function readFloors(): readonly Floor[] {
  const rooms = Object.entries(FLOOR_PLAN).filter(([, { folder }]) => existsSync(join(ROOT, folder)));
  const numbers = [...new Set(rooms.map(([, { floor }]) => floor))].sort((a, b) => b - a);
  return numbers.map((number) => ({
    number,
    rooms: rooms.filter(([, { floor }]) => floor === number).map(([room]) => room),
  }));
}

const ROOM_COLUMNS = 44;

function drawFloors(): string {
  const lines = readFloors().map(({ number, rooms }) => {
    const names = rooms.join("  ").padEnd(ROOM_COLUMNS);
    return ` ${number} │ ${names}│ ${TRADES[number] ?? ""}`.trimEnd();
  });
  return ["```text", ...lines, "```", ""].join("\n");
}

/** Returns the rooms from the ground floor up, in the order in which to read the code. */
function toCodeMap(): string {
  const lines = readFloors()
    .toReversed()
    .flatMap(({ rooms }) => rooms.map(describeRoom));
  return [...lines, ""].join("\n");
}

function describeRoom(room: string): string {
  const folder = FLOOR_PLAN[room]?.folder ?? room;
  return folder.endsWith(".ts")
    ? `- \`${folder}\`: ${firstSentence(join(ROOT, folder))}`
    : `- \`${folder}/\`: ${firstSentence(join(ROOT, folder, "index.ts"))}`;
}

const ROOMS = { begin: "<!-- rooms: written by scripts/docs.ts -->", end: "<!-- end of rooms -->" };

/**
 * The README of a package, with its rooms and their entry points; a package of one folder has no rooms. Throws if a
 * README has no marks for its rooms.
 */
export function withRooms(document: string, name: string): string {
  const folders = foldersOf(name);
  if (folders.length === 0) return document;
  const doors = doorsByFolder(name);
  const rooms = folders.filter((folder) => !folder.includes("/"));
  const lines = rooms.map((room) => {
    const below = [...doors].filter(([folder]) => `${folder}/`.startsWith(`${room}/`));
    return `- ${describeFolder(
      name,
      room,
      below.map(([, door]) => door),
    )}`;
  });
  return withSection(document, ROOMS, `${lines.join("\n")}\n`);
}

const FOLDERS = { begin: "<!-- folders: written by scripts/docs.ts -->", end: "<!-- end of folders -->" };

/** `docs/code-map.md`, with all folders of the packages that have more than one. */
export function withFolders(document: string): string {
  const parts = PACKAGES.flatMap((name) => {
    const doors = doorsByFolder(name);
    const lines = foldersOf(name).map((folder) => {
      const indent = "  ".repeat(folder.split("/").length - 1);
      return `${indent}- ${describeFolder(name, folder, [doors.get(folder) ?? []].flat())}`;
    });
    return lines.length === 0 ? [] : [`## @continuo/${name}\n\n${lines.join("\n")}\n`];
  });
  return withSection(document, FOLDERS, parts.join("\n"));
}

function sourceOf(name: string): string {
  return `packages/${name}/src`;
}

/** The folders of a package that say what they are, below `src/`. */
function foldersOf(name: string): readonly string[] {
  return readdirSync(join(ROOT, sourceOf(name)), { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => basename(path) === "index.ts" && path !== "index.ts")
    .map((path) => dirname(path))
    .sort();
}

/** The specifiers under which a package exports its folders, sorted by the folder. */
function doorsByFolder(name: string): ReadonlyMap<string, string> {
  const doors = [...doorsOf(ROOT, name)].map(
    ([specifier, file]) => [dirname(file.slice(sourceOf(name).length + 1)), specifier] as const,
  );
  return new Map(doors.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function describeFolder(name: string, folder: string, doors: readonly string[]): string {
  const exported =
    doors.length === 0 ? "" : ` (exported as ${doors.map((door) => `\`${door}\``).join(", ")})`;
  return `\`${folder}/\`${exported}: ${firstSentence(join(ROOT, sourceOf(name), folder, "index.ts"))}`;
}

/** The first sentence of the comment that the file begins with. */
function firstSentence(path: string): string {
  const comment = /^\/\*\*([\s\S]*?)\*\//u.exec(readFileSync(path, "utf8"))?.[1] ?? "";
  const text = comment.replaceAll(/\s*\n\s*\*?\s*/gu, " ").trim();
  const sentence = /^.*?\.(?=\s|$)/u.exec(text)?.[0];
  if (sentence === undefined) throw new Error(`${path} does not begin with a sentence`);
  return sentence;
}
