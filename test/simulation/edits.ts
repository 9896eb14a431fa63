/**
 * A person's native sessions on one disk. Processes that edit them are killed, the power of the machine fails, and the
 * disk fills up. Afterwards the sessions are compared with those that must exist.
 */

import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { FIXTURES_OF } from "../power-cut/edits-on-disk.ts";
import { type FileTree, readTree } from "../power-cut/operations.ts";
import { Disk } from "./disk.ts";
import { filesOf } from "./disk-files.ts";
import {
  type Edit,
  judge,
  type KnownSession,
  type NativeSessions,
  readSessions,
  type SessionContent,
  type SessionsBefore,
} from "./edit-promises.ts";
import type { Exports } from "./programs.ts";
import { createMachine, type Outcome, type SimulationOptions } from "./scenario.ts";
import { surround } from "./surroundings.ts";
import { type Machine, type SimulatedProcess, World } from "./world.ts";

/** The agents with files. The power cuts of `test/power-cut/` test the database of opencode. */
const AGENTS = ["claude", "codex", "gemini", "pi", "copilot"] as const;
type Edited = (typeof AGENTS)[number];

const FORMATS = {
  claude: "ccsdk",
  codex: "codex",
  gemini: "gemini",
  pi: "pi-agent",
  copilot: "copilot",
} as const;
const HOME = "/home/ann";
const FIXTURES = join(import.meta.dirname, "../fixtures");
const EDITS = 9;
/** An edit is killed within this number of operations. */
const MOST_OPERATIONS = 25;
const MAX_TURNS = 3_000;

const trees = new Map<AgentName, FileTree>();

function fixtureOf(agent: AgentName): FileTree {
  const tree = trees.get(agent) ?? readTree(join(FIXTURES, agent, FIXTURES_OF[agent].fixture, "home"));
  trees.set(agent, tree);
  return tree;
}

interface Person {
  readonly world: World;
  readonly agent: Edited;
  readonly machine: Machine;
  readonly faults: string[];
  disk: Disk;
  /** The sessions that the person certainly has. */
  known: NativeSessions;
  readonly deleted: Map<string, KnownSession>;
  /** Sessions whose fork was cut off: a repeated request returns the fork that was already made. */
  readonly forked: Set<string>;
  /** The sessions that were read in this generation. */
  readonly read: Map<string, SessionContent>;
  texts: number;
}

interface Editor {
  readonly process: SimulatedProcess;
  readonly program: Exports["editor"];
}

export async function simulateEdits(seed: number, options: SimulationOptions): Promise<Outcome> {
  const { programs, generations, until = Number.POSITIVE_INFINITY } = options;
  const world = new World(seed);
  const { random } = world;
  const machine = createMachine("laptop");
  const agent = random.pick(AGENTS);
  const clock = (): number => {
    world.now++;
    return world.now + machine.wallOffsetMs;
  };
  const disk = new Disk(random, clock);
  disk.makeFolders(`${HOME}/project`);
  disk.makeFolders("/tmp");
  disk.makeFolders("/proc");
  disk.fill(join(HOME, FIXTURES_OF[agent].folder), fixtureOf(agent));
  const person: Person = {
    world,
    agent,
    machine,
    faults: [],
    disk,
    known: { sessions: {}, trash: {} },
    deleted: new Map(),
    forked: new Set(),
    read: new Map(),
    texts: 0,
  };
  const open = (name: string): Editor => {
    const process = world.begin(name, machine);
    const modules = { "node:fs": filesOf(person.disk, process), "node:sqlite": person.disk.locksOf(process) };
    const env = { HOME, TMPDIR: "/tmp" };
    return { process, program: programs.editor(surround(world, process, { modules, env })) };
  };
  let disturbed = 0;
  let editor = open("0");
  person.known = (await within(world, read(person, editor))) ?? person.known;
  for (let generation = 0; generation < generations && disturbed < until; generation++) {
    for (let n = 0; n < EDITS && disturbed < until; n++) {
      disturbed++;
      person.disk.short = random.pick([0, 0, 0.3]);
      const edit = chooseEdit(person);
      if (edit.how === "repair" && random.chance(0.5)) await tear(person, editor, String(edit.ref));
      const end = await editOnce(person, editor, edit, random.pick(ENDS));
      if (end === "alive") continue;
      if (end === "power cut") loseThePower(person, clock);
      if (random.chance(0.3)) world.setClock(machine, random.below(14_400_000) - 7_200_000);
      editor = open(`${generation}.${n}`);
      if (edit.how === "fork" && edit.ref !== null) person.forked.add(edit.ref);
      await look(person, editor, edit, "either");
      // The person has seen this state, so it must stay, although no edit acknowledged it.
      person.disk.syncAll();
      if (person.faults.length > 0) break;
    }
    world.kill(editor.process);
    editor = open(`generation ${generation}`);
    person.read.clear();
  }
  await look(person, editor, null, "before");
  for (const path of person.disk.files()) world.note(path);
  world.note(`${agent} ${JSON.stringify(person.known)}`);
  return { seed, hash: world.hash, faults: person.faults, trace: world.trace, disturbed };
}

type End = "none" | "kill" | "power cut" | "full disk";
const ENDS: readonly End[] = [
  "none",
  "none",
  "kill",
  "kill",
  "power cut",
  "power cut",
  "power cut",
  "full disk",
];

/** Makes an edit, which may succeed, or be ended by a kill, a power cut or a full disk. */
async function editOnce(
  person: Person,
  editor: Editor,
  edit: Edit,
  end: End,
): Promise<"alive" | "killed" | "power cut"> {
  const { world, disk, faults } = person;
  const { random } = world;
  const at = random.below(MOST_OPERATIONS);
  // Half of the power cuts come right after an edit was acknowledged.
  const isAfter = end === "power cut" && random.chance(0.5);
  if ((end === "kill" || end === "power cut") && !isAfter) disk.killAt = disk.operations + at;
  if (end === "full disk") disk.freeBytes = random.below(4_000);
  world.note(`${world.elapsedMs} ${edit.how} ${edit.ref ?? ""} ${end} ${at}`);
  const outcome = await within(
    world,
    perform(person, editor, edit).then(
      () => "done" as const,
      (error: unknown) => error,
    ),
  );
  const wasKilled = disk.operations >= disk.killAt;
  disk.freeBytes = Number.POSITIVE_INFINITY;
  if (wasKilled || outcome === undefined) {
    if (!wasKilled) faults.push(`${edit.how} never ends`);
    world.kill(editor.process);
    disk.killAt = Number.POSITIVE_INFINITY;
    return end === "power cut" ? "power cut" : "killed";
  }
  disk.killAt = Number.POSITIVE_INFINITY;
  world.note(`${world.elapsedMs} ${outcome === "done" ? "acknowledged" : String(outcome)}`);
  if (outcome !== "done") refused(person, editor, { edit, end, error: outcome });
  await look(person, editor, edit, outcome === "done" ? "after" : "before");
  if (end !== "power cut") return "alive";
  world.kill(editor.process);
  return "power cut";
}

interface Refusal {
  readonly edit: Edit;
  readonly end: End;
  readonly error: unknown;
}

/** Reports a fault unless the edit was refused because of a full disk. */
function refused({ faults }: Person, { program }: Editor, { edit, end, error }: Refusal): void {
  if (!program.model.isContinuoError(error))
    faults.push(`${edit.how} throws ${(error as Error)?.stack ?? String(error)}`);
  else if (end !== "full disk")
    faults.push(`${edit.how} of ${edit.ref} is refused: ${error.code} ${error.message}`);
  else if (!["unwritable", "unavailable"].includes(error.code) || error.hint === undefined)
    faults.push(`${edit.how} on a full disk: ${error.code} ${error.message}`);
}

function loseThePower(person: Person, clock: () => number): void {
  const { world, disk, machine } = person;
  const mode = world.random.pick(["posix", "ordered"] as const);
  world.note(`${world.elapsedMs} the power goes on a disk with ${mode} rules`);
  machine.boot++;
  const image = disk.afterPowerCut(mode);
  person.disk = new Disk(world.random, clock);
  person.disk.fill("/", image.entries);
}

/** Settles unfinished edits, as every reading command does, and compares the sessions. */
async function look(
  person: Person,
  editor: Editor,
  edit: Edit | null,
  wanted: "before" | "after" | "either",
): Promise<void> {
  const { world, faults, disk } = person;
  const when =
    edit === null
      ? "in the end"
      : `${wanted === "after" ? "after" : "at"} ${edit.how} of ${edit.ref ?? "a new session"}`;
  const found = await within(
    world,
    read(person, editor).catch((error: unknown) => error as Error),
  );
  if (found === undefined || found instanceof Error) {
    faults.push(`${when}: reading ${found === undefined ? "never ends" : `throws ${found.stack}`}`);
    return;
  }
  const left = disk.files().filter((path) => isLeftOver(disk, path));
  if (left.length > 0 && wanted !== "after") faults.push(`${when}: ${left.join(" ")} is left`);
  const verdict = judge(person.known, found, edit);
  const isForkedBefore =
    edit?.how === "fork" && verdict.type === "before" && person.forked.has(String(edit.ref));
  const isFine =
    wanted === "either" || isForkedBefore
      ? verdict.type !== "neither"
      : verdict.type === wanted ||
        verdict.type === "both" ||
        (verdict.type === "in part" && wanted === "before");
  if (!isFine)
    faults.push(`${when}: ${verdict.type === "neither" ? verdict.why : `it is as ${verdict.type} the edit`}`);
  const lost = edit?.how === "delete" && edit.ref !== null ? person.known.sessions[edit.ref] : undefined;
  if (lost !== undefined && edit?.ref != null) person.deleted.set(edit.ref, lost);
  person.known = found;
}

/**
 * Returns true for a file that must not be left. A note with a key stays for a day, because the person may repeat the
 * request.
 */
function isLeftOver(disk: Disk, path: string): boolean {
  if (!path.startsWith(HOME)) return false;
  if (path.includes("/unfinished/")) return !/"key":"/u.test(disk.textOf(path));
  return /\.(?:new|repaired|part)\b/u.test(path);
}

async function read({ disk, read: sessions }: Person, { program }: Editor): Promise<NativeSessions> {
  const places = { home: HOME, env: {} };
  const problems = await program.editing.settleBeforeReading({ places });
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("; "));
  return await readSessions(program, places, { sessions, keyOf: keysOf(disk) });
}

/** A session is read again only if its files have changed, because reading took half of the time. */
function keysOf(disk: Disk): SessionsBefore["keyOf"] {
  const files = disk.files(HOME).filter((path) => !path.startsWith(`${HOME}/.continuo/`));
  return (location, locations) => {
    const shared = files.filter((path) => path === location || !locations.has(path));
    return [location, ...shared.map((path) => `${path} ${disk.digestOf(path)}`)].join("\n");
  };
}

/** Simulates another program that is killed while it writes to a session. */
async function tear(person: Person, { program }: Editor, ref: string): Promise<void> {
  const { world, disk } = person;
  const places = { home: HOME, env: {} };
  const lookup = await within(world, program.native.lookUpSession(ref, { places }));
  if (lookup !== undefined) disk.tear(lookup.found.location, '{"type":"user","to');
  disk.syncAll();
  const before = { sessions: person.read, keyOf: keysOf(disk) };
  person.known = (await within(world, readSessions(program, places, before))) ?? person.known;
}

function chooseEdit(person: Person): Edit {
  const { world, known } = person;
  const { random } = world;
  const sessions = Object.keys(known.sessions);
  const trash = Object.keys(known.trash);
  const text = `words ${person.texts++}`;
  const ref = sessions.length === 0 ? null : random.pick(sessions);
  if (ref === null || random.chance(0.15)) return { how: "create", ref: null, text };
  if (trash.length > 0 && random.chance(0.3)) {
    if (random.chance(0.1)) return { how: "empty", ref: null, text };
    const taken = random.pick(trash);
    if (!(taken in known.sessions))
      return { how: "restore", ref: taken, text, deleted: person.deleted.get(taken) };
  }
  return {
    how: random.pick(["append", "append", "append", "fork", "rename", "repair", "delete"] as const),
    ref,
    text,
  };
}

async function perform({ agent }: Person, { program }: Editor, edit: Edit): Promise<void> {
  const { editing } = program;
  const places = { home: HOME, env: {} };
  const { how, ref, text } = edit;
  switch (how) {
    case "create": {
      await using adapter = editing.openSessionAdapter({
        format: FORMATS[agent],
        places,
        create: { cwd: `${HOME}/project` },
      });
      await adapter.appendUserMessage(text);
      return;
    }
    case "append": {
      const lookup = await program.native.lookUpSession(String(ref), { places });
      const { location, sessionId } = lookup.found;
      await using adapter = editing.openSessionAdapter({
        format: FORMATS[agent],
        places,
        sessionFile: location,
        sessionId,
      });
      await adapter.appendUserMessage(text);
      return;
    }
    case "fork":
      return void (await editing.forkNativeSession(String(ref), { places }));
    case "rename":
      return void (await editing.renameNativeSession(String(ref), text, { places }));
    case "repair": {
      return void (await editing.repairNativeSession(String(ref), { places, write: "in place" }));
    }
    case "delete":
      return void (await editing.trashNativeSession(String(ref), { places }));
    case "restore":
      return void (await editing.restoreNativeSession(String(ref), { places }));
    case "empty":
      return void editing.emptyTrash({ places });
  }
}

/** Resolves with the result of the work, or with `undefined` if it never ends. */
async function within<T>(world: World, work: Promise<T>): Promise<T | undefined> {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  done.catch(() => undefined);
  await world.settle();
  for (let turns = 0; !isOver && turns < MAX_TURNS; turns++) {
    await world.step();
    await world.settle();
  }
  return isOver ? await done : undefined;
}
