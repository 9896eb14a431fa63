/**
 * Rules in the environment of opencode's program that enforce a policy. Pure, except that it reads the configuration.
 * Seen in 1.18.33.
 */

import { isJson, type Json, type Places } from "@continuo/files";
import { contentOf, ownConfigurations } from "./opencode-config.ts";

type Environment = Readonly<Record<string, string>>;

/**
 * Leaves out the project's files: `safeEnvironment` finds MCP servers only in the person's own files, and a project
 * could add others.
 */
const WITHOUT_PROJECT: Environment = { OPENCODE_DISABLE_PROJECT_CONFIG: "1" };

/**
 * The agent has its own name, because rules that the person set for another agent take precedence over those of
 * the environment.
 */
export const SAFE_AGENT = "continuo-safe";
const SAFE_TOOLS = ["read", "glob", "grep", "list", "external_directory", "todowrite"];
const SAFE_CONFIGURATION = {
  agent: {
    [SAFE_AGENT]: {
      mode: "primary",
      description: "Only reads.",
      // The last rule that fits is the one that counts.
      permission: { "*": "deny", ...Object.fromEntries(SAFE_TOOLS.map((tool) => [tool, "allow"])) },
    },
  },
};

/** Allows only the tools in `SAFE_TOOLS`, and turns off the person's MCP servers. Errors: `unreadable`. */
export function safeEnvironment(places: Places): Environment {
  const names = ownConfigurations(places).flatMap(({ mcp }) => (isJson(mcp) ? Object.keys(mcp) : []));
  const mcp = Object.fromEntries(names.map((name) => [name, { enabled: false }]));
  return { ...WITHOUT_PROJECT, OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...SAFE_CONFIGURATION, mcp }) };
}

/**
 * Without rules, opencode asks for no permission in its folder. These rules come before the person's own rules, and the
 * last rule that fits counts, so the person's rules still decide. Two means keep these rules in front: a key of `tools`
 * puts its rule before the others, and an unusual pattern (`?ead`, which matches `read`) is not merged with a rule of
 * the person.
 */
const ASKING_RULES: Json = {
  "**": "ask",
  [spelled("read")]: { "*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow" },
  [spelled("task")]: { "*": "deny", general: "allow", explore: "allow" },
  ...Object.fromEntries(
    ["glob", "grep", "list", "todoread", "todowrite", "skill", "lsp"].map((tool) => [spelled(tool), "allow"]),
  ),
};

/**
 * opencode does not pass on questions of a sub-agent, and waits for the answer for ever, so a sub-agent may only read.
 */
const SUBAGENT_RULES: Json = {
  ...Object.fromEntries(
    ["edit", "bash", "webfetch", "websearch", "task", "todowrite", "skill"].map((tool) => [
      spelled(tool),
      "deny",
    ]),
  ),
  // Tools of MCP servers, and folders outside of the project.
  "*_*": "deny",
  [spelled("read")]: { "*.env": "deny", "*.env.*": "deny" },
};

/** The agent `plan` forbids more than other agents; a rule for all agents would undo that. */
const PLAN_RULES: Json = {
  [spelled("edit")]: { "*": "deny", ".opencode/plans/*.md": "allow" },
  [spelled("task")]: { general: "deny" },
};

/**
 * Every tool call that does more than read needs a permission, unless the person's own rules say otherwise. Errors:
 * `unreadable`.
 */
export function askingEnvironment(places: Places): Environment {
  const own = ownConfigurations(places);
  const rules = { ...ASKING_RULES, ...turnedOff(own) };
  const content = contentOf(places);
  const inFront = Object.fromEntries(Object.keys(rules).map((key) => [key, true]));
  const plan = own.some(isPlanSet) ? {} : { plan: PLAN_RULES };
  const agents = { general: SUBAGENT_RULES, explore: SUBAGENT_RULES, ...plan };
  return {
    OPENCODE_PERMISSION: JSON.stringify({ ...rules, ...rulesIn(places.env.OPENCODE_PERMISSION ?? "") }),
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      ...content,
      tools: { ...objectIn(content.tools), ...inFront },
      agent: withRules(objectIn(content.agent), agents),
    }),
  };
}

/** Adds rules after those that an agent has. */
function withRules(agents: Json, added: Readonly<Record<string, Json>>): Json {
  const changed = Object.entries(added).map(([name, rules]) => {
    const agent = objectIn(agents[name]);
    return [name, { ...agent, permission: { ...objectIn(agent.permission), ...rules } }];
  });
  return { ...agents, ...Object.fromEntries(changed) };
}

/**
 * Rules for tools that the person turned off with the old key `tools`. They are repeated here, because opencode reads
 * that key even before these rules.
 */
function turnedOff(configurations: readonly Json[]): Json {
  const names = configurations.flatMap(({ tools }) =>
    Object.entries(objectIn(tools)).flatMap(([name, isOn]) => (isOn === false ? [name] : [])),
  );
  const edits = (name: string) => (["write", "patch"].includes(name) ? "edit" : name);
  return Object.fromEntries(names.map((name) => [spelled(edits(name)), "deny"]));
}

/** Returns true if the person decided what the agent `plan` may do. */
function isPlanSet({ agent, mode }: Json): boolean {
  return Object.hasOwn(objectIn(agent), "plan") || Object.hasOwn(objectIn(mode), "plan");
}

/** Returns no rules for text that is not JSON, because opencode ignores such text too. */
function rulesIn(text: string): Json {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    return {};
  }
}

function spelled(tool: string): string {
  return `?${tool.slice(1)}`;
}

function objectIn(value: unknown): Json {
  return isJson(value) ? value : {};
}
