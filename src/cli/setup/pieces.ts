/** The pieces that each agent gets: one entry of a settings file, or one file of Continuo. Pure. */

import { join } from "node:path";
import { type AgentName, ContinuoError, shellWord } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import type { ServerCommand } from "@continuo/native";
import {
  type JsonMember,
  type Piece,
  placeInJson,
  registrationOf,
  serverPiece,
} from "../mcp/registering/index.ts";
import {
  type HookEntry,
  hooksOf,
  isHook,
  isOurs,
  markdownCommand,
  type SlashCommand,
  skillText,
  slashCommands,
  tomlCommand,
} from "./texts.ts";

export interface SetupContext {
  readonly places: Places;
  /** The words that start Continuo. */
  readonly command: readonly string[];
  /** The MCP server, as agents start it. */
  readonly server: ServerCommand;
}

/**
 * Claude Code reads only its own folder of skills. Gemini CLI (0.61.0) does the same if `GEMINI_CLI_HOME` moved that
 * folder; otherwise it warns about a skill that is in its own folder and in `~/.agents/skills`. The other agents share
 * `~/.agents/skills`.
 */
function hasOwnSkills(agent: AgentName, { env }: Places): boolean {
  return agent === "claude" || (agent === "gemini" && Boolean(env.GEMINI_CLI_HOME));
}

/** The pieces of these agents, in the order in which they are added. */
export function piecesOf(agents: readonly AgentName[], wiring: SetupContext): readonly Piece[] {
  const sharing = agents.filter((agent) => !hasOwnSkills(agent, wiring.places));
  const shared = join(wiring.places.home, ".agents/skills/continuo/SKILL.md");
  return [
    ...agents.flatMap((agent) => [
      serverPiece(agent, wiring),
      ...(sharing.includes(agent) ? [] : [ownSkill(agent, wiring)]),
      ...commandPieces(agent, wiring, COMMAND_FILES[agent]),
      ...hookPieces(agent, wiring),
      ...(agent === "claude" ? [statusLinePiece(wiring)] : []),
    ]),
    ...(sharing.length > 0 ? [ownFile("skill", sharing, shared, skillText(wiring.command))] : []),
  ];
}

function ownSkill(agent: AgentName, wiring: SetupContext): Piece {
  const path = join(folderOf(agent, wiring), "skills/continuo/SKILL.md");
  return ownFile("skill", [agent], path, skillText(wiring.command));
}

type CommandFile = readonly [folder: string, ending: string, draw: (command: SlashCommand) => string];

/** An agent that is not in this table has no files of a person's commands; it offers the skill by its name. */
const COMMAND_FILES: Readonly<Partial<Record<AgentName, CommandFile>>> = {
  claude: ["commands", "md", markdownCommand],
  gemini: ["commands", "toml", tomlCommand],
  opencode: ["command", "md", markdownCommand],
  pi: ["prompts", "md", markdownCommand],
};

/** Earlier versions of Continuo wrote these files; Codex (0.169.0) no longer reads them. */
const FORMER_COMMAND_FILES: typeof COMMAND_FILES = { codex: ["prompts", "md", markdownCommand] };

/** The pieces that an earlier version added, which are only removed. */
export function formerPiecesOf(agents: readonly AgentName[], wiring: SetupContext): readonly Piece[] {
  return agents.flatMap((agent) => commandPieces(agent, wiring, FORMER_COMMAND_FILES[agent]));
}

function commandPieces(
  agent: AgentName,
  wiring: SetupContext,
  files: CommandFile | undefined,
): readonly Piece[] {
  if (files === undefined) return [];
  const [folder, ending, draw] = files;
  return slashCommands(wiring.command).map((command) => {
    const path = join(folderOf(agent, wiring), folder, `${command.name}.${ending}`);
    return ownFile("command", [agent], path, draw(command));
  });
}

/** The folder of an agent's settings: the one with its entry of MCP servers. */
function folderOf(agent: AgentName, { places }: SetupContext): string {
  if (agent === "claude") return places.env.CLAUDE_CONFIG_DIR || join(places.home, ".claude");
  return join(registrationOf(agent, places).path, "..");
}

/** A whole file of Continuo. */
function ownFile(what: Piece["what"], agents: readonly AgentName[], path: string, content: string): Piece {
  return {
    what,
    agents,
    path,
    isWholeFile: true,
    add(text) {
      if (text === content) return null;
      if (text.trim() !== "" && !isOurs(text))
        throw taken(path, "a file with this name that is not Continuo's");
      return { at: 0, deleted: text, inserted: content };
    },
    remove: (text) => (isOurs(text) ? { at: 0, deleted: text, inserted: "" } : null),
  };
}

function hookPieces(agent: AgentName, wiring: SetupContext): readonly Piece[] {
  const path = join(folderOf(agent, wiring), "settings.json");
  const hooks = Object.entries(hooksOf(agent, wiring.command));
  return hooks.map(([event, entry]) => hookPiece(agent, { event, entry, path }));
}

interface HookPlace {
  readonly event: string;
  readonly entry: HookEntry;
  readonly path: string;
}

function hookPiece(agent: AgentName, { event, entry, path }: HookPlace): Piece {
  const place = (text: string): JsonMember => placeInJson(text, ["hooks", event]);
  return {
    agents: [agent],
    what: "hook",
    name: event,
    path,
    add(text) {
      const entries = listIn(place(text).text, path);
      if (entries.some((one) => JSON.stringify(one) === JSON.stringify(entry))) return null;
      return place(text).set([...entries.filter((one) => !isHook(one)), entry]);
    },
    remove(text) {
      const entries = listIn(place(text).text, path);
      const others = entries.filter((one) => !isHook(one));
      if (others.length === entries.length) return null;
      return others.length === 0 ? place(text).remove() : place(text).set(others);
    },
  };
}

function listIn(text: string | null, path: string): readonly unknown[] {
  if (text === null) return [];
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // The file has comments, which a rewrite would remove.
  }
  throw taken(path, "hooks in a form that Continuo does not change");
}

const STATUS_LINE = "statusline";

function statusLinePiece(wiring: SetupContext): Piece {
  const path = join(folderOf("claude", wiring), "settings.json");
  const value = { type: "command", command: `${wiring.command.map(shellWord).join(" ")} ${STATUS_LINE}` };
  const isLine = (text: string): boolean => text.includes(` ${STATUS_LINE}"`);
  return {
    agents: ["claude"],
    what: "status line",
    path,
    add(text) {
      const place = placeInJson(text, ["statusLine"]);
      if (place.text === null) return place.set(value);
      if (!isLine(place.text)) throw taken(path, "a status line of your own");
      return place.text.includes(JSON.stringify(value.command)) ? null : place.set(value);
    },
    remove(text) {
      const place = placeInJson(text, ["statusLine"]);
      return place.text !== null && isLine(place.text) ? place.remove() : null;
    },
  };
}

function taken(path: string, what: string): ContinuoError {
  return new ContinuoError("conflict", `${path}: there is ${what}`, {
    hint: "Leave it as it is, or move it away and run `continuo setup` again.",
  });
}
