/** Candidates for the last word, from the tree of commands. Pure. */

import { OWN } from "@continuo/agents/catalog";
import { READABLE_AGENTS } from "@continuo/native";
import type { Argument, Command, Option } from "commander";

export interface Candidate {
  readonly value: string;
  readonly note: string;
}

export type Completion =
  | { readonly type: "words"; readonly candidates: readonly Candidate[] }
  | { readonly type: "sessions"; readonly prefix: string }
  | { readonly type: "trashed"; readonly prefix: string }
  | { readonly type: "files" }
  | { readonly type: "folders" };

/** Words that may replace the same word after `session`. */
type Shortcuts = readonly string[];

/** @param words the words after `continuo`; the last one, which may be empty, is the one to complete */
export function wantedFor(program: Command, words: readonly string[], shortcuts: Shortcuts): Completion {
  const current = words.at(-1) ?? "";
  const place = walk(program, words.slice(0, -1), shortcuts);
  const { command, option } = place;
  if (option !== null) return valuesOf(option, current);
  if (current.startsWith("-") && !place.isPlain) return starting(current, optionsOf(command));
  const names = [
    ...command.commands.filter((one) => !Reflect.get(one, "_hidden")),
    ...(command === program ? sessionCommands(program, shortcuts) : []),
  ];
  if (names.length > 0) return starting(current, names.map(toCandidate));
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[place.operands] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? starting(current, []) : operandsOf(argument, command, current);
}

interface WordPlace {
  command: Command;
  /** The option whose value is being typed. */
  option: Option | null;
  operands: number;
  /** True after `--`. */
  isPlain: boolean;
}

function walk(program: Command, words: readonly string[], shortcuts: Shortcuts): WordPlace {
  const place: WordPlace = { command: program, option: null, operands: 0, isPlain: false };
  for (const word of words) {
    if (place.option !== null) {
      place.option = null;
    } else if (word === "--") {
      place.isPlain = true;
    } else if (word.startsWith("-") && !place.isPlain) {
      const option = place.command.options.find(({ long, short }) => word === long || word === short);
      if (option?.required || option?.optional) place.option = option;
    } else {
      const inner =
        place.command.commands.find((one) => one.name() === word) ??
        (place.command === program
          ? sessionCommands(program, shortcuts).find((one) => one.name() === word)
          : undefined);
      if (inner === undefined) place.operands += 1;
      else place.command = inner;
    }
  }
  return place;
}

function sessionCommands(program: Command, shortcuts: Shortcuts): readonly Command[] {
  const session = program.commands.find((one) => one.name() === "session");
  return session?.commands.filter((one) => shortcuts.includes(one.name())) ?? [];
}

const TIMES = ["today", "yesterday", "3h", "1d", "1w"];

function valuesOf({ long, argChoices }: Option, current: string): Completion {
  if (argChoices !== undefined) return starting(current, toWords(argChoices));
  switch (long) {
    case "--agent":
      return starting(current, toWords([...READABLE_AGENTS, OWN]));
    case "--since":
      return starting(current, toWords(TIMES));
    case "--resume":
    case "--fork":
      return { type: "sessions", prefix: current };
    case "--cwd":
      return { type: "folders" };
    case "--output":
      return { type: "files" };
    default:
      return starting(current, []);
  }
}

function operandsOf(argument: Argument, command: Command, current: string): Completion {
  if (argument.argChoices !== undefined) return starting(current, toWords(argument.argChoices));
  if (argument.name() === "agent") return starting(current, toWords(READABLE_AGENTS));
  if (argument.name() === "dir") return { type: "folders" };
  if (argument.name() !== "id") return starting(current, []);
  if (command.name() === "restore") return { type: "trashed", prefix: current };
  // An id may be the path of a file.
  return /^[.~]|\//u.test(current) ? { type: "files" } : { type: "sessions", prefix: current };
}

function optionsOf(command: Command): readonly Candidate[] {
  const options = command.options.filter((option) => !option.hidden);
  const own = options.map(({ long, flags, description }) => ({ value: long ?? flags, note: description }));
  return [...own, { value: "--help", note: "print this help" }];
}

function toCandidate(command: Command): Candidate {
  return { value: command.name(), note: command.description() };
}

function toWords(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, note: "" }));
}

function starting(current: string, candidates: readonly Candidate[]): Completion {
  return { type: "words", candidates: candidates.filter(({ value }) => value.startsWith(current)) };
}
