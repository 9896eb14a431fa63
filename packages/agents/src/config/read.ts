/** Reads all files of the configuration, checks them and merges them. */

import { dirname, isAbsolute, join, resolve } from "node:path";
import { AGENT_NAMES, ContinuoError, nearest, present } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { continuoHome, debugOf } from "@continuo/files";
import { recallContents, rememberContents } from "./file-cache.ts";
import { findProjectFile, type RawFile, readRawFile } from "./files.ts";
import { guardedIn, withoutGuarded } from "./guarded-keys.ts";
import { type Layers, toLive, withCommon, withFile, withFlags } from "./merge.ts";
import { takenNames, toModels, withModels } from "./models.ts";
import type { ParsedFile } from "./parse.ts";
import { toServerLimits } from "./server-limits.ts";
import {
  type AgentSettings,
  agentsByName,
  type Configuration,
  type ConfigurationFile,
  type ConfigurationFlags,
  type ConfigurationProblem,
  DEFAULTS,
  defaultSettings,
  FILE_NAME,
  isKnownAgent,
  type UntrustedFile,
} from "./settings.ts";
import { readTrusted, trustStateOf } from "./trust.ts";

const debug = debugOf("config");

export interface ReadConfigurationOptions {
  readonly places: PlacesAt;
  /**
   * The folder of the project; the folder of `places` by default; with `null` only the file in CONTINUO_HOME is read.
   */
  readonly cwd?: string | null;
  readonly flags?: ConfigurationFlags;
  /** Returns true for a file of a project that is trusted although its trust is not recorded. */
  readonly isTrustedFile?: (file: Pick<RawFile, "path">) => boolean;
}

/**
 * Reads the `continuo.yaml` of `CONTINUO_HOME`, then the one of the project, then the flags. For each key, the later
 * value has priority. `problems` lists the mistakes in the files, and `untrusted` lists the settings of a project that
 * is not trusted; neither of the two is used. A caller that runs an agent must call `assertRunnable` first; every other
 * caller must call `assertValid`.
 *
 * Errors: `usage` for a flag that names an unknown agent, `unreadable`, `too_large`, `corrupt` for an unreadable record
 * of trust.
 */
export async function readConfiguration(options: ReadConfigurationOptions): Promise<Configuration> {
  const found = findFiles(options);
  const raw = [found.ofHome, found.ofProject].filter((file) => file !== null);
  debug("read", () => ({ files: raw.map(({ path }) => path) }));
  const known = recallContents(
    found.home,
    raw.map(({ sha256 }) => sha256),
  );
  if (known !== null) {
    const configuration = lay(options, found, new Map(raw.map((file, at) => [file, asParsed(known[at])])));
    // A problem needs its line and column, which only the text shows: so parse the files again.
    if (configuration.problems.length === 0) return configuration;
  }
  const { parseFile } = await import("./parse.ts");
  const parsed = new Map(raw.map((file) => [file, parseFile(file.text, file.path)]));
  const right = raw.flatMap((file) => {
    const { content, problems = [] } = parsed.get(file) ?? {};
    return content === undefined || problems.length > 0 ? [] : [{ sha256: file.sha256, content }];
  });
  rememberContents(found.home, right);
  return lay(options, found, parsed);
}

interface FoundFiles {
  /** The folder of Continuo: `CONTINUO_HOME`. */
  readonly home: string;
  readonly ofHome: RawFile | null;
  readonly ofProject: RawFile | null;
}

function findFiles({ places, cwd }: ReadConfigurationOptions): FoundFiles {
  const home = continuoHome(places);
  const ofHome = readRawFile(join(home, FILE_NAME));
  const found = cwd === null ? null : findProjectFile(cwd ?? places.cwd);
  const nearby = found === null ? null : readRawFile(found);
  return { home, ofHome, ofProject: nearby?.path === ofHome?.path ? null : nearby };
}

function asParsed(content: ParsedFile["content"] = {}): ParsedFile {
  return { content, problems: [], placeOf: () => ({ line: 1, column: 1 }) };
}

function lay(
  { places, flags = {}, isTrustedFile }: ReadConfigurationOptions,
  { home, ofHome, ofProject }: FoundFiles,
  parsed: ReadonlyMap<RawFile, ParsedFile>,
): Configuration {
  const reading: ReadState = {
    userHome: places.home,
    layers: nothingSaid(),
    problems: [],
    files: [],
    named: new Map(),
    defaultBy: null,
    ofMachine: NO_SETTINGS,
    models: [],
  };
  const parsedOf = (raw: RawFile): ParsedFile => parsed.get(raw) ?? asParsed();
  if (ofHome !== null) add(reading, { raw: ofHome, of: "home", parsed: parsedOf(ofHome) });
  const untrusted =
    ofProject === null
      ? null
      : addProject(reading, ofProject, {
          home,
          parsed: parsedOf(ofProject),
          isTrusted: isTrustedFile?.(ofProject) === true,
        });
  const withheld = new Set(untrusted?.keys.map((key) => key.split(".")[1] ?? ""));
  reading.layers = { ...reading.layers, agents: withModels(reading.layers.agents, reading.models) };
  const { layers, files } = reading;
  const problems = [...reading.problems, ...withoutCommand(reading, withheld), ...withoutDefault(reading)];
  const startable = Object.values(layers.agents).filter(
    ({ name, command, endpoint }) => isKnownAgent(name) || command !== null || endpoint !== undefined,
  );
  const agents = agentsByName(startable.map((settings) => withCommon(settings, layers)));
  const { continuation } = layers;
  const read = { continuation, ...reading.ofMachine, files, problems, untrusted };
  return withAllFlags({ ...read, agent: layers.agent, agents }, flags, withheld);
}

/** Settings that only the file in `CONTINUO_HOME` can have. */
type OfMachine = Pick<
  Configuration,
  | "indexExclude"
  | "indexBackground"
  | "serverLimits"
  | "prices"
  | "live"
  | "blobs"
  | "askChannels"
  | "mcpServers"
  | "releaseFeed"
>;

const NO_SETTINGS: OfMachine = {
  indexExclude: [],
  indexBackground: "on",
  serverLimits: {},
  prices: {},
  live: {},
  blobs: null,
  askChannels: [],
  mcpServers: {},
  releaseFeed: null,
};

interface ReadState {
  readonly userHome: string;
  layers: Layers;
  readonly problems: ConfigurationProblem[];
  readonly files: ConfigurationFile[];
  /** The last file that has settings for an agent, by the agent's name. */
  readonly named: Map<string, SettingSource>;
  /** The last file that says which agent is the default. */
  defaultBy: SettingSource | null;
  ofMachine: OfMachine;
  models: readonly AgentSettings[];
}

interface SettingSource {
  readonly file: string;
  readonly parsed: ParsedFile;
}

function nothingSaid(): Layers {
  const agents = agentsByName(AGENT_NAMES.map(defaultSettings));
  const { continuation } = DEFAULTS;
  return { environment: null, agent: null, continuation, alwaysContinue: null, context: {}, agents };
}

interface LayerSource {
  readonly raw: RawFile;
  readonly of: ConfigurationFile["of"];
  readonly parsed: ParsedFile;
}

function add(reading: ReadState, { raw: { path }, of, parsed }: LayerSource): void {
  reading.files.push({ path, of });
  reading.problems.push(...parsed.problems);
  for (const name of Object.keys(parsed.content.agents ?? {})) {
    reading.named.set(name, { file: path, parsed });
  }
  if (parsed.content.agent !== undefined) reading.defaultBy = { file: path, parsed };
  addOfHome(reading, path, { of, parsed });
  reading.layers = withFile(reading.layers, parsed.content, (command) =>
    toPath(command, { folder: dirname(path), userHome: reading.userHome }),
  );
}

/** The keys that only the file in `CONTINUO_HOME` can have, each with the reason that a person sees. */
const OF_HOME = {
  index: "one index serves all projects",
  server: "one server serves all projects",
  prices: "the prices are the same for all projects",
  live: "one server serves all projects",
  blobs: "one store has the blobs of all projects",
  models: "the key of a model is sent to its address",
  mcp: "a project cannot start programs, or let agents write to your channels",
  updates: "a project cannot choose the address that Continuo asks for updates",
} as const;

function addOfHome(
  reading: ReadState,
  file: string,
  { of, parsed }: Pick<LayerSource, "of" | "parsed">,
): void {
  const { content, placeOf } = parsed;
  if (of === "home") {
    reading.ofMachine = {
      indexExclude: content.index?.exclude ?? [],
      indexBackground: content.index?.background === false ? "off" : "on",
      serverLimits: toServerLimits(content.server?.limits),
      prices: toPrices(content.prices ?? {}),
      live: toLive(content.live ?? {}),
      blobs: content.blobs === undefined ? null : { s3: present(content.blobs.s3) },
      askChannels: content.mcp?.ask ?? [],
      mcpServers: content.mcp?.servers ?? {},
      releaseFeed: content.updates?.feed ?? null,
    };
    reading.models = toModels(content.models ?? {});
    reading.problems.push(...takenNames(file, parsed));
    return;
  }
  for (const key of Object.keys(OF_HOME) as (keyof typeof OF_HOME)[]) {
    if (content[key] === undefined) continue;
    const message = `only the file in CONTINUO_HOME can have this key: ${OF_HOME[key]}`;
    reading.problems.push({ file, ...placeOf([key]), key, message, suggestion: null });
  }
}

function toPrices(prices: NonNullable<ParsedFile["content"]["prices"]>): Configuration["prices"] {
  return Object.fromEntries(
    Object.entries(prices).map(([model, { input, output, cache_read, cache_write }]) => [
      model.toLowerCase(),
      {
        input,
        output,
        ...present({ cacheRead: cache_read, cacheWrite: cache_write }),
      },
    ]),
  );
}

interface ProjectFile {
  readonly home: string;
  readonly parsed: ParsedFile;
  readonly isTrusted: boolean;
}

/** Uses the settings that need no trust, and reports the others. */
function addProject(
  reading: ReadState,
  raw: RawFile,
  { home, parsed, isTrusted }: ProjectFile,
): UntrustedFile | null {
  const guarded = guardedIn(parsed.content);
  const state = guarded.length === 0 || isTrusted ? "trusted" : trustStateOf(raw, readTrusted(home));
  if (state === "trusted") {
    add(reading, { raw, of: "project", parsed });
    return null;
  }
  const content = withoutGuarded(parsed.content);
  add(reading, { raw, of: "project", parsed: { ...parsed, content } });
  return { file: raw.path, folder: dirname(raw.path), keys: guarded.map(({ key }) => key), state };
}

/**
 * A command without a slash is looked up on the search path; a path is relative to the folder of the file, or to the
 * person's home.
 */
function toPath(
  command: string,
  { folder, userHome }: { readonly folder: string; readonly userHome: string },
): string {
  if (command.startsWith("~/")) return join(userHome, command.slice(2));
  return command.includes("/") && !isAbsolute(command) ? resolve(folder, command) : command;
}

/** An agent that Continuo does not know cannot be started without a command. */
function withoutCommand({ layers, named }: ReadState, withheld: ReadonlySet<string>): ConfigurationProblem[] {
  return Object.values(layers.agents).flatMap(({ name, command, endpoint }) => {
    const place = named.get(name);
    if (
      endpoint !== undefined ||
      isKnownAgent(name) ||
      command !== null ||
      withheld.has(name) ||
      place === undefined
    )
      return [];
    const { file, parsed } = place;
    const message = `${name} is not an agent that Continuo knows, and has no command`;
    const suggestion = nearest(name, AGENT_NAMES);
    return [{ file, ...parsed.placeOf(["agents", name]), key: `agents.${name}`, message, suggestion }];
  });
}

function withoutDefault({ layers, defaultBy }: ReadState): ConfigurationProblem[] {
  const { agent, agents } = layers;
  if (agent === null || defaultBy === null || agents[agent] !== undefined) return [];
  const { file, parsed } = defaultBy;
  const message = `there is no agent ${JSON.stringify(agent)}`;
  const suggestion = nearest(agent, Object.keys(agents));
  return [{ file, ...parsed.placeOf(["agent"]), key: "agent", message, suggestion }];
}

function withAllFlags(
  read: Configuration,
  flags: ConfigurationFlags,
  withheld: ReadonlySet<string>,
): Configuration {
  const { agents } = read;
  const { agent: named, settings: said, continuation = read.continuation } = flags;
  if (named !== undefined && agents[named] === undefined && !withheld.has(named))
    throw noAgent(named, agents);
  const agent = named ?? read.agent;
  const settings = agent === null ? undefined : agents[agent];
  if (settings === undefined || said === undefined) return { ...read, agent, continuation };
  const changed = agentsByName([...Object.values(agents), withFlags(settings, said)]);
  return { ...read, agent, continuation, agents: changed };
}

function noAgent(name: string, agents: Configuration["agents"]): ContinuoError {
  const names = Object.keys(agents);
  const near = nearest(name, names);
  const hint = `Choose one of ${names.join(", ")}, or name the command of another agent in ${FILE_NAME}.`;
  return new ContinuoError("usage", `there is no agent ${JSON.stringify(name)}`, {
    hint: near === null ? hint : `Did you mean ${near}?`,
  });
}
