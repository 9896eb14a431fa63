/**
 * Makes options that grant more than one call: each rule that Claude Code suggests is a separate option, and narrower
 * options come before it. Pure. The suggestions were seen in 2.1.330; their types are in its Agent SDK.
 */

import { type PermissionOption, present } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";

export interface Grant {
  readonly option: PermissionOption;
  /** The only change that Claude Code receives. */
  readonly update: Json;
}

/** The rules that Claude Code reads. In an untrusted folder, it starts without the rules of the project. */
export type RuleScope = "every file" | "without the project's";

/** @param request the `request` of a `control_request` with the subtype `can_use_tool` */
export function grantsOf(request: Json, scope: RuleScope = "every file"): readonly Grant[] {
  const suggestions = Array.isArray(request.permission_suggestions) ? request.permission_suggestions : [];
  const offers = suggestions
    .filter(isJson)
    .flatMap((suggestion) => offersOf(suggestion, request))
    // The person would be asked again for a rule that Claude Code never reads.
    .filter(({ update }) => scope === "every file" || !PROJECT_SCOPES.includes(update.destination));
  const grants = new Map<string, Omit<Grant, "option"> & { readonly name: string }>();
  for (const offer of offers.slice(0, MAX_GRANTS)) grants.set(JSON.stringify(offer.update), offer);
  return [...grants.values()].map(({ name, update }, at) => ({
    option: { id: `allow-always-${at + 1}`, name, kind: "allow_always" },
    update,
  }));
}

const PROJECT_SCOPES: readonly unknown[] = ["localSettings", "projectSettings"];

const MAX_GRANTS = 8;
/** Nobody would read a rule with a longer command. */
const MAX_COMMAND_CHARS = 200;

interface Offer {
  readonly name: string;
  readonly update: Json;
}

function offersOf(suggestion: Json, request: Json): Offer[] {
  const scope = scopeOf(suggestion.destination);
  switch (suggestion.type) {
    case "addRules":
      return suggestion.behavior === "allow" ? offersOfRules(suggestion, request) : [];
    case "setMode": {
      const mode = textField(suggestion, "mode");
      return mode === null ? [] : [{ name: `mode ${mode}${meaningOf(mode)}, ${scope}`, update: suggestion }];
    }
    case "addDirectories": {
      const folders = Array.isArray(suggestion.directories) ? suggestion.directories.map(String) : [];
      return folders.length === 0
        ? []
        : [{ name: `the folders ${folders.join(", ")}, ${scope}`, update: suggestion }];
    }
    default:
      return [];
  }
}

/**
 * Returns narrower options first: this command, then the rule in this session, then the rule in the file in which
 * Claude Code stores it.
 */
function offersOfRules(suggestion: Json, request: Json): Offer[] {
  const rules = Array.isArray(suggestion.rules) ? suggestion.rules.filter(isJson) : [];
  return rules.flatMap((rule) => {
    const tool = textField(rule, "toolName");
    if (tool === null) return [];
    const content = textField(rule, "ruleContent");
    const wide = content === null ? tool : `${tool}(${content})`;
    const within = (ruleContent: string | null, destination: unknown): Json => ({
      type: "addRules",
      rules: [present({ toolName: tool, ruleContent: ruleContent ?? undefined })],
      behavior: "allow",
      destination,
    });
    const command = commandOf(request);
    const isNarrower = command !== null && command !== content && tool === textField(request, "tool_name");
    return [
      ...(isNarrower
        ? [{ name: `${tool}(${command}), ${scopeOf("session")}`, update: within(command, "session") }]
        : []),
      { name: `${wide}, ${scopeOf("session")}`, update: within(content, "session") },
      ...(suggestion.destination === "session"
        ? []
        : [
            {
              name: `${wide}, ${scopeOf(suggestion.destination)}`,
              update: within(content, suggestion.destination),
            },
          ]),
    ];
  });
}

/** Returns `null` if no rule can name the command: a rule is one line, with the command in parentheses. */
function commandOf({ input }: Json): string | null {
  const command = isJson(input) ? textField(input, "command") : null;
  return command === null || command.length > MAX_COMMAND_CHARS || /[\n\r()*]/u.test(command)
    ? null
    : command;
}

const SCOPES: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ["session", "in this session"],
  ["cliArg", "in this session"],
  ["localSettings", "always in this project (.claude/settings.local.json)"],
  ["projectSettings", "always in this project, for everybody (.claude/settings.json)"],
  ["userSettings", "always, in every project (your own settings)"],
]);

function scopeOf(destination: unknown): string {
  return SCOPES.get(destination) ?? `in ${String(destination)}`;
}

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ["acceptEdits", " (edits files without asking)"],
  ["bypassPermissions", " (asks nothing any more)"],
  ["plan", " (changes nothing)"],
]);

function meaningOf(mode: string): string {
  return MEANINGS.get(mode) ?? "";
}
